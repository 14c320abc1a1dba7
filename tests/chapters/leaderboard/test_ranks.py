"""The leaderboard's ranks, what tells them apart, and what explains its numbers."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

from chapters.leaderboard import ranks
from zslib.protocols.intervals import Estimate


def number(value):
    return Estimate(value, np.nan, np.nan, 1)


def table(**values):
    """Rows of metrics of methods, ``{metric: {(dataset, method): value}}``."""
    return [
        {"dataset": d, "method": m, "metric": metric, "value": number(v)}
        for metric, of in values.items()
        for (d, m), v in of.items()
    ]


def test_published_rows_stand_in_for_what_was_not_run():
    own = table(H={("cub", "SAE"): 1.0})
    theirs = table(
        H={("cub", "SAE"): 2.0, ("cub", "ZKL"): 3.0, ("awa1", "SAE"): 4.0},
        other={("awa1", "SAE"): 5.0},
    )
    theirs.append({"metric": "H", "method": "all", "value": number(6.0)})
    found = [(row["run"], row["value"].mean) for row in ranks.with_published(own, theirs)]
    assert found == [("this", 1.0), ("published", 3.0), ("published", 4.0)]


def test_rows_are_by_data_set_and_H():
    rows = table(
        ACC={("cub", "JLSE"): 1.0, ("cub", "mine"): 2.0, ("awa1", "SAE"): 9.0},
        H={("cub", "JLSE"): 1.0, ("cub", "mine"): 2.0, ("awa1", "SAE"): 9.0},
    )
    found = [(row["method"], row["year"], row["metric"]) for row in ranks.with_origins(rows)]
    assert found == [
        (name, year, metric)
        for name, year in (("mine", "?"), ("JLSE", 2016), ("SAE", 2017))
        for metric in ("ACC", "H")
    ]


def test_correlations_are_over_the_systems_of_a_data_set():
    hubs = {("cub", "a"): 1.0, ("cub", "b"): 2.0, ("cub", "c"): 5.0, ("awa1", "a"): 1.0}
    accuracy = {("cub", "c"): 1.0, ("cub", "a"): 7.0, ("cub", "b"): 3.0, ("awa1", "a"): 2.0}
    rows = table(hub=hubs, ACC=accuracy)
    assert ranks.paired(rows, "hub", "ACC") == {
        "cub": {"a": (1.0, 7.0), "b": (2.0, 3.0), "c": (5.0, 1.0)},
        "awa1": {"a": (1.0, 2.0)},
    }
    found = {row["dataset"]: row["value"] for row in ranks.correlations(rows, "hub", "ACC")}
    assert found == {"cub": pytest.approx(-1.0), "awa1": 0.0}


class Answers:
    """An outcome on images of unseen classes, of which some answers are right."""

    def __init__(self, true, answers, is_seen):
        self.true, self.answers, self.is_seen = true, answers, is_seen

    def labels(self, measure):
        return self.true

    def predictions(self, measure):
        return self.answers

    def right(self, measure):
        return self.true == self.answers

    def class_accuracies(self, measure):
        return 100 * np.array([self.right(measure)[self.true == c].mean() for c in set(self.true)])


class Problem(SimpleNamespace):
    __hash__ = object.__hash__


def made_runs(methods, n_classes=4):
    rng, true = np.random.default_rng(0), np.repeat(range(n_classes), 6)
    is_seen = np.zeros(n_classes, dtype=bool)

    def run():
        answers = Answers(true, rng.integers(n_classes, size=true.size), is_seen)
        return SimpleNamespace(outcome=answers)

    sets = [Problem(name=name, is_seen=is_seen) for name in ("cub", "awa1")]
    return {problem: {m: [run()] for m in methods} for problem in sets}


def test_ranks_by_loop():
    runs = made_runs("abcde")
    del list(runs.values())[1]["e"]
    rows = list(ranks.mean_ranks(runs))
    found = {r["method"]: r["value"] for r in rows if r["metric"] == "rank by ACC"}
    accuracy = {
        (m, p): np.mean(of[0].outcome.class_accuracies("ACC"))
        for p, by in runs.items()
        for m, of in by.items()
    }
    for m in "abcde":
        places = []
        for p in runs:
            values = [accuracy.get((o, p), -1.0) for o in "abcde"]
            own = accuracy.get((m, p), -1.0)
            places.append(sum(v > own for v in values) + (sum(v == own for v in values) + 1) / 2)
        assert found[m].mean == pytest.approx(np.mean(places))
        assert 1 <= found[m].low <= found[m].high <= 5
        assert (found[m].unit, found[m].n_units) == ("classes", 4)
    assert list(found) == sorted(found, key=lambda m: found[m].mean)
    first = next(iter(found))
    leads = {r["method"]: r["value"].mean for r in rows if r["metric"] != "rank by ACC"}
    assert f"{first} - e" not in leads  # it has no accuracy on one set
    for m in set("abcd") - {first}:
        lead = np.mean([accuracy[first, p] - accuracy[m, p] for p in runs])
        assert leads[f"{first} - {m}"] == pytest.approx(lead)


def test_the_leads_are_told():
    rows = [{"metric": "rank by ACC", "method": m, "value": number(1.0)} for m in "abc"]
    for m, *ends in (("b", 2.0, 1.0, 3.0), ("c", 1.0, -1.0, 3.0)):
        rows.append({"metric": "ACC", "method": f"a - {m}", "value": Estimate(*ends, 1)})
    told = ranks.leads_told(rows)
    assert "a is first of 3 systems" in told and "it is ahead of b beyond" in told


def test_correlations_of_agreement_are_by_set_with_their_mean(monkeypatch):
    monkeypatch.setattr(ranks, "_RESAMPLES", 50)
    runs = made_runs("abcde")
    *single, mean = ranks.agreement_correlations(runs)
    assert [row["dataset"] for row in single] == ["cub", "awa1"]
    assert (mean["over"], mean["dataset"]) == ("all sets", "cub and awa1")
    assert np.isnan(mean["value"].low)  # five systems are too few to draw from
    assert mean["value"].mean == pytest.approx(np.mean([r["value"].mean for r in single]))
    # By a loop over the pairs of classes whose wrong answers agree.
    for row, by_method in zip(single, runs.values(), strict=True):
        agree, accurate = [], []
        for (run,) in by_method.values():
            true, answers = run.outcome.true, run.outcome.answers
            wrong = {c: answers[(true == c) & (answers != c)] for c in range(4)}
            same = [
                np.mean(one[:, None] == wrong[d])
                for (c, one), d in product(wrong.items(), wrong)
                if c != d and one.size and wrong[d].size
            ]
            agree.append(np.mean(same))
            accurate.append(np.mean(run.outcome.class_accuracies("ACC")))
        assert row["value"].mean == pytest.approx(spearmanr(agree, accurate).statistic)
    *_, mean = ranks.agreement_correlations(made_runs("abcdefghij"))
    assert mean["value"].low < mean["value"].mean < mean["value"].high


def test_explained_by_loop_and_at_its_ends():
    rng = np.random.default_rng(1)
    rows = [
        {"dataset": d, "method": m, "value": number(10.0 * d + 2.0 * (m in "ab") + rng.normal())}
        for d in range(3)
        for m in "abcdef"
    ]
    factors = {"pair": lambda row: row["method"] in "ab", "method": lambda row: row["method"]}
    found = {row["method"]: row["value"].mean for row in ranks.explained(rows, factors)}
    assert found["pair - method"] == pytest.approx(found["pair"] - found["method"])
    values = np.array([row["value"].mean for row in rows]).reshape(3, 6)
    centred = (values - values.mean(axis=1, keepdims=True)).ravel()
    total = sum(v**2 for v in centred)
    for name, factor in factors.items():
        within, groups = 0.0, {factor(row) for row in rows}
        for group in groups:
            own = [v for v, row in zip(centred, rows, strict=True) if factor(row) == group]
            within += sum((v - np.mean(own)) ** 2 for v in own)
        expected = 1 - (within / (18 - len(groups))) / (total / 17)
        assert found[name] == pytest.approx(max(0.0, expected))
    exact = [
        row | {"value": number(5.0 * row["dataset"] + (row["method"] in "ab"))} for row in rows
    ]
    row, *_ = ranks.explained(exact, factors)
    assert row["value"].mean == pytest.approx(1.0)
    alike = [row | {"value": number(1.0 * row["dataset"])} for row in rows]
    assert [row["value"].mean for row in ranks.explained(alike, factors)] == [0.0, 0.0, 0.0]
    many = [row | {"method": f"{row['method']}{i}"} for row in rows for i in range(2)]
    first, *_ = ranks.explained(many, {"pair": lambda row: row["method"][0] in "ab"})
    assert (first["value"].unit, first["value"].n_units) == ("systems", 12)
    assert 0 <= first["value"].low < first["value"].high <= 1
