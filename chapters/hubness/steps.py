"""The multi-step map with one step after the other: which of them removes hubs?"""

from zslib.mapping import MultiStepMap
from zslib.protocols.mapping.methods import Method

_CORE = "whiten, turn, de-whiten"
CHANGES = {
    "whitening": ("whiten, turn", "turn"),
    "de-whitening": (_CORE, "whiten, turn"),
    "re-weighting queries": ("queries re-weighted", _CORE),
    "re-weighting targets": ("targets re-weighted", _CORE),
    "re-weighting both by half": ("both by half", _CORE),
    "dropping a third of the directions": ("both by half, two thirds kept", "both by half"),
}
"""Each step, by what has it and what has not."""


def step_methods(problem):
    """Methods by name, from the orthogonal map on; "both by half" is vecmap's supervised map."""
    width = min(problem.X_train.shape[1], problem.targets.shape[1])
    steps = {
        "turn": {"whiten": False, "source_power": 0.0, "target_power": 0.0},
        "whiten, turn": {"dewhiten": False, "source_power": 0.0, "target_power": 0.0},
        _CORE: {"source_power": 0.0, "target_power": 0.0},
        "queries re-weighted": {"source_power": 1.0, "target_power": 0.0},
        "targets re-weighted": {"source_power": 0.0, "target_power": 1.0},
        "both by half": {},
        "both by half, two thirds kept": {"n_components": max(1, 2 * width // 3)},
    }
    return {name: Method(name, MultiStepMap(**options)) for name, options in steps.items()}
