"""The programs of the recipe run as printed, and answer what they are asked."""

import re
from pathlib import Path

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets import load_problem

PAGE = Path(__file__).parents[2] / "chapters" / "together" / "05_recipe.md"
WORDS, IMAGES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


def test_words():
    words = load_problem("cross-linguistic", "synthetic", quick=True)
    space = {"X_train": words.X_train, "Y_train": words.Y_train, "targets": words.targets}
    found = {name: unit_rows(rows) for name, rows in (space | {"X": words.X_test}).items()}
    exec(WORDS, found)
    first = found["nearest"][:, 0]
    right = np.mean([answer in gold for answer, gold in zip(first, words.test_gold, strict=True)])
    assert right > 20 / len(words.targets)  # twenty times chance
    assert np.all(np.diff(found["scores"], axis=1) <= 0)


def test_images():
    digits = load_problem("attributes", "digits")
    X, y, unseen = digits.features, digits.labels, digits.unseen_classes
    found = {
        "X": X[digits.test_unseen],
        "unseen": unseen,
        "class_vectors": digits.class_embeddings,
    }
    found |= {"X_train": X[digits.trainval], "y_train": y[digits.trainval]}
    exec(IMAGES, found)
    assert found["best"].shape == digits.test_unseen.shape
    assert set(np.unique(found["best"])) <= set(range(len(unseen)))
