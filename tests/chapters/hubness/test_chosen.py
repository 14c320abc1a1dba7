"""What tuning chose, as words, and the best score of each value."""

from types import SimpleNamespace

from chapters.hubness.chosen import chosen_values, scores_by

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
