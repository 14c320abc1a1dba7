"""What tuning chose, as rows and words."""

from types import SimpleNamespace

from chapters.hubness.chosen import chosen_values, scores_by, tuning_rows

TRIALS = [
    {"parameters": {"margin": m}, "n_epochs": n, "score": s}
    for m, n, s in [(0.1, 5, 0.3), (0.1, 9, 0.5), (0.4, 5, 0.2)]
]
FITS = [
    SimpleNamespace(
        parameters={"n_epochs": n, "margin": 0.1}, tuned=SimpleNamespace(score=s, trials=TRIALS)
    )
    for n, s in ((9, 0.5), (5, 0.3))
]


def test_words_and_scores():
    assert chosen_values(FITS) == "margin = 0.1; n_epochs = 5, 9"
    assert scores_by(FITS[0], "margin") == {0.1: 50.0, 0.4: 20.0}


def test_rows_of_the_folds():
    score, *chosen = tuning_rows("p", "intruder", FITS)
    assert score["value"] == 40.0
    assert {(r["metric"], r["fold"], r["value"]) for r in chosen} == {
        ("chosen margin", 0, 0.1), ("chosen margin", 1, 0.1),
        ("chosen n_epochs", 0, 9), ("chosen n_epochs", 1, 5),
    }  # fmt: skip
