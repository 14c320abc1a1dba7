"""The zero-shot scorers of DARK's Table 3, DAP and IAP, each with the grid it is tuned on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from zslib.compatibility import (
    ALE,
    CMT,
    DAP,
    DARK,
    ESZSL,
    IAP,
    SAE,
    SJE,
    SSE,
    ConSE,
    DeViSE,
    LatEm,
    SynC,
)

__all__ = ["ZERO_SHOT_METHODS", "ZeroShotMethod"]


@dataclass(frozen=True)
class ZeroShotMethod:
    """A zero-shot scorer and the grid it is tuned on.

    Attributes
    ----------
    name : str
        As in tables and records.
    make : callable
        Makes the estimator from its parameters: the class itself, as a rule.
    grid : mapping of str to sequence
        Values to try for each parameter; the first of equally good ones is taken.
    fixed : mapping
        Parameters that are not tuned.
    seeds_matter : bool
        Whether fits differ by ``random_state``; False for closed forms.

    Examples
    --------
    >>> method = ZeroShotMethod("ESZSL", ESZSL, {"feature_penalty": (0.1, 1.0)})
    >>> method.estimator(feature_penalty=0.1)
    ESZSL(feature_penalty=0.1)
    """

    name: str
    make: Callable
    grid: Mapping[str, Sequence] = field(default_factory=dict)
    fixed: Mapping = field(default_factory=dict)
    seeds_matter: bool = True

    def estimator(self, *, seed=None, **parameters):
        """A new estimator with these parameters, and the seed where it takes one."""
        model = self.make(**self.fixed, **parameters)
        if self.seeds_matter and "random_state" in model.get_params():
            model.set_params(random_state=seed)
        return model

    def smaller(self):
        """The same method on a coarser grid, for quick looks."""
        return replace(self, grid={key: list(v)[::2] for key, v in self.grid.items()})


_PENALTIES = tuple(10.0**e for e in (-2, -1, 0, 1, 2))
_RANKING = {"learning_rate": (0.3, 1.0, 3.0), "n_epochs": (10, 40)}
_DARK = {"init_scale": (0.2, 1.0), "gradient": ("fixed", "margin", "objective")}
_REFRESHED = {"refresh_every": 1}
_LOGISTIC = {"regularization": (1e-6, 1e-5, 1e-4, 1e-3)}

ZERO_SHOT_METHODS = {
    method.name: method
    for method in (
        ZeroShotMethod("DeViSE", DeViSE, _RANKING),
        ZeroShotMethod(
            "ConSE",
            ConSE,
            {"n_averaged": (1, 10, 100), "regularization": (1e-5, 1e-4)},
            seeds_matter=False,
        ),
        ZeroShotMethod("CMT", CMT, {"learning_rate": (0.01, 0.1), "n_epochs": (30, 100)}),
        ZeroShotMethod("SJE", SJE, _RANKING),
        ZeroShotMethod(
            "ESZSL",
            ESZSL,
            {"feature_penalty": _PENALTIES, "embedding_penalty": _PENALTIES},
            seeds_matter=False,
        ),
        ZeroShotMethod("SSE", SSE, {"mixture_penalty": (1.0, 3.0), "n_epochs": (10, 30)}),
        ZeroShotMethod("ALE", ALE, _RANKING),
        ZeroShotMethod(
            "SynC",
            SynC,
            {"sigma": (0.5, 1.0, 2.0), "regularization": (1e-5, 1e-4)},
            fixed={"max_iter": 100},
            seeds_matter=False,
        ),
        ZeroShotMethod("LatEm", LatEm, {"n_matrices": (2, 4, 8), "learning_rate": (1.0, 3.0)}),
        ZeroShotMethod(
            "SAE",
            SAE,
            {
                "regularization": _PENALTIES,
                "direction": ("semantic_to_feature", "feature_to_semantic"),
            },
            seeds_matter=False,
        ),
        ZeroShotMethod("DARK-L", DARK, _DARK, fixed={"label_view": False, **_REFRESHED}),
        ZeroShotMethod("DARK-H", DARK, _DARK, fixed={"hardness": False, **_REFRESHED}),
        ZeroShotMethod("DARK", DARK, _DARK, fixed=_REFRESHED),
        ZeroShotMethod("DAP", DAP, _LOGISTIC, seeds_matter=False),
        ZeroShotMethod("IAP", IAP, _LOGISTIC, seeds_matter=False),
    )
}
"""The methods by name, in the order of Table 3, with the ablations of Figures 2 and 3; then DAP,
which Bucher et al. (2016) compare with, and IAP. The grids suit features and class embeddings of
length one (`unit_length`) and a few minutes on two cores. Of DARK the paper prints nearly all
parameters, which are taken as printed. Margins and weights are refreshed at every step, since ten
steps can diverge. Chosen are the size of the random start, which is not printed, and what
gradients follow: nothing, as printed, margins, or weights too."""
