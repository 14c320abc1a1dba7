"""A training that fails is a row that says so, and its chapter goes on to its end."""

import pytest

from book.parameters import ChapterText
from book.paths import layout
from chapters.clarel import cosmo, two_calibrations
from chapters.dark import dual_view, hardness, readings
from zslib.protocols.attributes import runs

WHY = "it knows nothing"


def named(*names):
    return lambda method: getattr(method, "name", method) in names


# A chapter, its parameters, functions that refuse where their first argument is such, and what
# then fails.
CASES = {
    "hardneg, two systems": (
        "hardneg/03_classification", {}, [(runs, "run_zero_shot", named("SAE", "SSE", "Bucher"))],
        ["SSE", "Bucher"],
    ),
    "hardneg, the hard way": (
        "hardneg/03_classification", {}, [(runs, "run_zero_shot", named("uncertainty"))],
        ["uncertainty"],
    ),
    "DARK": (
        "dark/02_dual_view", {"n_iter": 3},
        [(dual_view, "fitted", lambda model: model.label_view and model.n_iter > 1)], ["DARK"],
    ),
    "DARK-L": (
        "dark/02_dual_view", {"n_iter": 3},
        [(dual_view, "fitted", lambda model: not model.label_view)], ["DARK-L"],
    ),
    "its stages": (
        "dark/03_hardness", {"n_iter": 4}, [(hardness, "fitted_stages", lambda model: True)],
        ["DARK, end"],
    ),
    "one reading, and the step": (
        "dark/03_hardness", {"n_iter": 4},
        [(hardness, "fitted_stages", lambda model: model.gradient == "fixed"),
         (hardness, "fitted", lambda model: not model.hardness)], ["DARK, end", "DARK-H, noisy"],
    ),
    "a reading, and step by step": (
        "dark/04_optimisation", {"n_iter": 10, "n_repeats": 1},
        [(readings, "fitted", lambda model: model.init_scale == 1.0),
         (readings, "fitted_stages", lambda model: True)],
        ["reading F", "reading F, step by step"],
    ),
    "a calibrated system, and a gate": (
        "clarel/06_calibrations", {"methods": "ESZSL+SAE+ConSE"},
        [(two_calibrations, "run_calibrations", named("ConSE")),
         (cosmo, "run_cosmo", named("SAE"))], ["ConSE", "SAE: COSMO"],
    ),
}  # fmt: skip


def refusing(usual, when):
    def call(first, *arguments, **options):
        if when(first):
            raise ValueError(WHY)
        return usual(first, *arguments, **options)

    return call


@pytest.mark.book
@pytest.mark.parametrize("case", CASES)
def test_a_chapter_goes_on_where_a_training_fails(case, tmp_path, monkeypatch):
    """All its cells run, in this process."""
    name, parameters, refused, failed = CASES[case]
    for module, function, when in refused:
        call = refusing(getattr(module, function), when)
        monkeypatch.setattr(module, function, call)
    monkeypatch.setenv("ZSLIB_RESULTS", str(tmp_path))
    text = ChapterText.read(name, layout())
    known = {p.name: p.default for p in text.parameters.values()}
    known |= {"dataset": "digits", "quick": True} | parameters
    exec(text.recording_code, known)
    for one in failed:
        assert f"{one} on digits: {WHY}" in known["chapter"].records.run["failed"]
