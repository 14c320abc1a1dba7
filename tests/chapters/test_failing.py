"""A training that fails is a row that says so, and its chapter goes on to its end."""

import pytest
from matplotlib import pyplot

from book.parameters import ChapterText
from book.paths import layout
from chapters.clarel import cosmo, two_calibrations
from chapters.dark import dual_view, hardness, readings
from zslib.protocols.attributes import runs

WHY = "it knows nothing"
QUICK = {"dataset": "digits", "quick": True}


@pytest.fixture
def fails(monkeypatch):
    """``fails(module, name, when)``: a function refuses where ``when`` its first argument says."""

    def fails(module, name, when):
        usual = getattr(module, name)

        def call(first, *arguments, **options):
            if when(first):
                raise ValueError(WHY)
            return usual(first, *arguments, **options)

        monkeypatch.setattr(module, name, call)

    return fails


@pytest.fixture
def execute(own_cache, tmp_path, monkeypatch):
    """Run all cells of a chapter in this process; gives the chapter and its shown text."""
    monkeypatch.setenv("ZSLIB_RESULTS", str(tmp_path))

    def execute(name, **parameters):
        text = ChapterText.read(name, layout())
        known = {p.name: p.default for p in text.parameters.values()} | QUICK | parameters
        exec(text.recording_code, known)
        return known

    yield execute
    pyplot.close("all")


def named(*names):
    return lambda method: getattr(method, "name", method) in names


CASES = {
    "hardneg, one system": (
        "hardneg/03_classification", runs, "run_zero_shot", named("SAE", "SSE"), {}, "SSE",
    ),
    "hardneg, the hard way": (
        "hardneg/03_classification", runs, "run_zero_shot", named("uncertainty"), {},
        "uncertainty",
    ),
    "hardneg, the earlier": (
        "hardneg/03_classification", runs, "run_zero_shot", named("Bucher"), {}, "Bucher",
    ),
    "DARK": (
        "dark/02_dual_view", dual_view, "fitted",
        lambda model: model.label_view and model.n_iter > 1, {"n_iter": 3}, "DARK",
    ),
    "DARK-L": (
        "dark/02_dual_view", dual_view, "fitted",
        lambda model: not model.label_view, {"n_iter": 3}, "DARK-L",
    ),
    "its stages": (
        "dark/03_hardness", hardness, "fitted_stages", lambda model: True, {"n_iter": 4},
        "DARK, end",
    ),
    "one reading": (
        "dark/03_hardness", hardness, "fitted_stages", lambda model: model.gradient == "fixed",
        {"n_iter": 4}, "DARK, end",
    ),
    "the step": (
        "dark/03_hardness", hardness, "fitted", lambda model: not model.hardness, {"n_iter": 4},
        "DARK-H, noisy",
    ),
    "readings": (
        "dark/04_optimisation", readings, "fitted", lambda model: model.init_scale == 1.0,
        {"n_iter": 10, "n_repeats": 1}, "reading F",
    ),
    "step by step": (
        "dark/04_optimisation", readings, "fitted_stages", lambda model: True,
        {"n_iter": 10, "n_repeats": 1}, "reading F, step by step",
    ),
    "a calibrated system": (
        "clarel/06_calibrations", two_calibrations, "run_calibrations", named("SAE"), {}, "SAE",
    ),
    "a gate": ("clarel/06_calibrations", cosmo, "run_cosmo", named("SAE"), {}, "SAE: COSMO"),
}  # fmt: skip


@pytest.mark.book
@pytest.mark.parametrize("case", CASES)
def test_a_chapter_goes_on_where_a_training_fails(case, fails, execute):
    name, module, function, when, parameters, failed = CASES[case]
    fails(module, function, when)
    chapter = execute(name, **parameters)["chapter"]
    assert f"{failed} on digits: {WHY}" in chapter.records.run["failed"]
