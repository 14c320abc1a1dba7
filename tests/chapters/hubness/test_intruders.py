"""Intruders against a slow search, and learning curves against whole trainings."""

import numpy as np
import pytest

from chapters.hubness import intruders
from chapters.hubness.intruders import early_intruders, precision_by_epoch, update_shares
from zslib.arrays import unit_rows
from zslib.protocols import METHODS, Repeated, evaluate


def test_intruders_score_highest_among_other_words(languages, monkeypatch):
    monkeypatch.setattr(intruders, "_ITEMS", 60)
    parameters = {"margin": 0.4, "n_negatives": 5}
    found = early_intruders(languages, parameters, seed=3)
    fitted = METHODS["max-margin"].fresh(3, **parameters, n_epochs=1)
    fitted.fit(languages.X_train, languages.Y_train)
    mapped = fitted.transform(languages.X_train[:60])
    gold, asked = languages.Y_train[:60], languages.train_words[:60]
    right = languages.target_words[languages.train_gold[:60]]

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    best = {}
    for i in range(60):
        others = [j for j in range(60) if asked[j] != asked[i] and right[j] != right[i]]
        scores = [cosine(mapped[i], gold[j]) - cosine(gold[i], gold[j]) for j in others]
        best[asked[i], right[i]] = (right[others[np.argmax(scores)]], max(scores))
    shown = zip(found.asked, found.right, found.intruder, found.scores, strict=True)
    for word, answer, intruder, score in shown:
        assert intruder == best[word, answer][0]
        assert score == pytest.approx(best[word, answer][1], abs=1e-5)
    assert np.all(np.diff(found.scores) <= 0)
    score = found.cosines["mapped, intruder"] - found.cosines["right answer, intruder"]
    assert score == pytest.approx(found.scores[0], abs=1e-5)


def test_a_curve_ends_where_training_for_as_long_ends(languages, short_tuning):
    runs = Repeated([languages], [0], quick=True)
    fit = runs.train("max-margin")[0]
    n_epochs = fit.parameters["n_epochs"]
    rows = list(precision_by_epoch(runs, {"random": ("max-margin", {})}, n_epochs))
    curve = {row["epoch"]: row["value"].mean for row in rows if "epoch" in row}
    assert curve[n_epochs] == runs.search([fit])[0].hits(1).mean()
    values = {row["metric"]: row["value"] for row in rows if row["method"] == "random"}
    assert values["best P@1 on the way"] == max(curve.values())
    reached = [epoch for epoch, value in curve.items() if value >= 0.95 * max(curve.values())]
    assert values["epochs to 95%"].mean == min(reached)
    assert values["epochs to 95%"].unit == "words"


def test_a_rule_is_held_against_the_first_with_the_parameters_given(languages, short_tuning):
    runs = Repeated([languages], [0], quick=True)
    rules = {"random": ("max-margin", {}), "wide": ("max-margin", {"margin": 1.5})}
    rows = {(r["metric"], r["method"], r.get("epoch")): r["value"]
            for r in precision_by_epoch(runs, rules, 2)}  # fmt: skip
    fit = runs.train("max-margin")[0].parameters | {"margin": 1.5, "n_epochs": 2}
    fitted = METHODS["max-margin"].fresh(0, **fit).fit(languages.X_train, languages.Y_train)
    hits = evaluate(languages, fitted.transform(languages.X_test)).hits(1)
    assert rows["P@1 by epoch", "wide", 2].mean == hits.mean()
    saved = rows["epochs to 95%", "wide - random", None].mean
    apart = [rows["epochs to 95%", name, None].mean for name in rules]
    assert saved == apart[1] - apart[0]


def test_shares_of_updates_against_draws(languages):
    """Negatives drawn one after the other: does one of them violate the margin?"""
    parameters = {"margin": 0.4, "n_negatives": 5}
    rows = list(update_shares(languages, parameters, seed=3))
    fitted = METHODS["max-margin"].fresh(3, **parameters, n_epochs=1)
    fitted.fit(languages.X_train, languages.Y_train)
    gold, mapped = unit_rows(languages.Y_train), unit_rows(fitted.transform(languages.X_train))
    rng, n = np.random.default_rng(0), len(gold)
    for row in rows:
        hits = []
        for i in np.tile(np.arange(n), 5):
            drawn = rng.choice(np.delete(np.arange(n), i), size=row["negatives"])
            gaps = mapped[i] @ gold[i] - gold[drawn] @ mapped[i]
            hits.append(np.any(gaps < row["margin"]))
        assert row["value"] == pytest.approx(100 * np.mean(hits), abs=5)
