"""Methods that cannot be trained: a row that says so, a card that says why, no mean over fewer."""

import re
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

import book
from book.chapter import Chapter
from book.parameters import ChapterText
from book.paths import layout
from book.results import Results
from chapters.dark import ranking
from zslib.datasets.attributes.digits import digits_segments
from zslib.protocols import zero_shot_measures
from zslib.protocols.attributes import runs
from zslib.protocols.attributes.training import held_out

PARAMETERS = {"dataset": "digits", "device": "cpu", "seed": 0, "n_seeds": 1, "quick": True}


@pytest.fixture
def chapter(own_cache, tmp_path):
    return Chapter("dark/00_none", PARAMETERS, layout(tmp_path), tmp_path)


def failing(usual, name, why):
    """The function ``usual`` of a method, which fails for one."""

    def run(method, *arguments, **options):
        if method.name == name:
            raise ValueError(why)
        return usual(method, *arguments, **options)

    return run


@pytest.fixture
def without_sae(monkeypatch):
    """No setting can train SAE."""
    fails = failing(runs.run_zero_shot, "SAE", "all 3 candidates of SAE failed")
    monkeypatch.setattr(runs, "run_zero_shot", fails)


@pytest.mark.usefixtures("without_sae")
def test_a_method_that_fails_is_a_row_and_the_others_have_numbers(chapter):
    problem = chapter.note(digits_segments())
    trained = chapter.train(["ESZSL", "SAE"], problem, quick=True)
    assert list(trained) == ["ESZSL"]
    measures = zero_shot_measures(["ACC", "H"], n_resamples=100)
    results = chapter.measure({problem: trained}, measures, minus=[("ESZSL", "SAE")], mean=True)
    assert results.of("method") == ["ESZSL"]
    table = str(results.table("tbl-a", "All", rows="method", columns="metric"))
    assert re.findall("^.*not trained.*$", table, re.M) == re.findall("^SAE.*$", table, re.M)
    assert table.count("not trained") == 2
    assert chapter.failed == {("SAE", "digits"): "all 3 candidates of SAE failed"}


@pytest.mark.usefixtures("without_sae")
def test_where_none_can_be_trained_the_chapter_says_why(chapter):
    with pytest.raises(ValueError, match="all 3 candidates of SAE failed"):
        chapter.train(["SAE"], digits_segments())


def test_no_mean_over_fewer_sets_stands_beside_the_others(chapter):
    sets = [chapter.note(replace(digits_segments(), name=name)) for name in ("first", "second")]
    values = {sets[0]: {"x": 1.0, "y": 3.0}, sets[1]: {"x": 2.0}}
    chapter.untrained(sets[1], {"y": "why"}, {"x": 2.0})
    measures, named = {"m": lambda value, minus: value}, {"x less y": ("x", "y")}
    results = chapter.measure(values, measures, minus=named, mean=True)
    assert results.value(method="x", dataset="mean") == 1.5
    assert not results.only(method=["y", "x less y"], dataset="mean")


def test_the_ranking_systems_go_on_without_one(monkeypatch, own_cache):
    usual = partial(ranking.tune_zero_shot, must_learn=False)
    fails = failing(usual, "DARK-L", "it knows nothing")
    monkeypatch.setattr(ranking, "tune_zero_shot", fails)
    held = held_out(digits_segments(), 0)
    trained, parts, failed = ranking.train_systems(held, (0,), n_epochs=1)
    assert failed == {"DARK-L": "it knows nothing"}
    assert set(trained) == set(parts) == set(ranking.TRAINED) - {"DARK-L"}


def test_nothing_to_show_is_a_sentence():
    empty = Results(chapter=SimpleNamespace(data="none"))
    for show in (empty.table, empty.forest):
        assert show("tbl-a", "All gains") == "*Not in this run: all gains.*"


def test_a_data_set_in_the_place_of_prepare_is_told(chapter):
    with pytest.raises(TypeError, match="those of the chapter's parameter dataset"):
        chapter.problems("attributes", "digits")


def test_claims_of_what_a_run_lacks_are_not_testable(monkeypatch, tmp_path):
    monkeypatch.setenv("ZSLIB_RESULTS", str(tmp_path))
    name = "dark/05_comparison"
    defaults = {p.name: p.default for p in ChapterText.read(name, layout()).parameters.values()}
    comparison = book.start(name, parameters=defaults)
    comparison.lacks(["DARK"], "it is not here")
    assert any(fields["method"] == "DARK - best other" for fields, _ in comparison._skipped)
    other = book.start(name, parameters=defaults)
    other.lacks(["DARK-L"], "it is not here")  # no part of another name
    assert not other._skipped
