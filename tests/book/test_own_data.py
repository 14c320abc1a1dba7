"""The lines of the page on your own data run, on files as the page describes them."""

import contextlib
import doctest
import re
from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy.io import savemat

from chapters.hubness.own_vectors import write_example
from zslib.datasets import load_problem

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "pages" / "own_data.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8").split("## Your own data")[1].split("\n## ")[0]
NAMES = np.array(["ant", "bat", "cat", "dog", "eel", "fox", "hen", "pig"])


def blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The working folder has files such as a user has; the names that README assumes."""
    with contextlib.chdir(folder := tmp_path_factory.mktemp("own")):
        yield written(folder)


def written(folder):
    words = write_example(load_problem("cross-linguistic", "synthetic", quick=True), folder)
    for made, name in zip(words, ("en.vec", "it.vec", "en-it.txt"), strict=True):
        Path(made).rename(name)
    rng = np.random.default_rng(0)
    labels = np.arange(160) % 8
    vectors = rng.normal(size=(8, 5)).astype(np.float32)
    features = vectors[labels] @ rng.normal(size=(5, 12)).astype(np.float32)
    features += 0.1 * rng.normal(size=features.shape).astype(np.float32)
    like = NAMES[(labels + np.arange(160) // 8) % 8]
    texts = np.array([f"a {a}\nit is like {b}" for a, b in zip(NAMES[labels], like, strict=True)])
    arrays = {"features": features, "labels": NAMES[labels], "unseen_classes": ["fox", "hen"]}
    np.savez("my_captions.npz", **arrays, texts=texts)
    np.savez("my_features.npz", **arrays, class_names=NAMES, class_embeddings=vectors)
    pandas.DataFrame(features, NAMES[labels]).to_csv("images.csv", header=False)
    pandas.DataFrame(vectors, NAMES).to_csv("classes.csv", header=False)
    Path("xlsa17/MINE").mkdir(parents=True)
    savemat("xlsa17/MINE/res101.mat", {"features": features.T, "labels": labels[:, None] + 1.0})
    unseen = labels > 5
    seen, test = np.flatnonzero(~unseen & (np.arange(160) >= 40)), np.flatnonzero(~unseen)[:30]
    parts = {
        "trainval": seen, "train": seen[labels[seen] < 4], "val": seen[labels[seen] >= 4],
        "test_seen": test, "test_unseen": np.flatnonzero(unseen),
    }  # fmt: skip
    loc = {f"{part}_loc": rows[:, None] + 1.0 for part, rows in parts.items()}
    savemat("xlsa17/MINE/att_splits.mat", {"att": vectors.T, **loc})
    return {"features": features, "labels": labels, "class_vectors": vectors, "texts": texts}


def test_each_example_is_ten_lines():
    lengths = [sum(map(bool, block.splitlines())) for block in blocks(PAGE)]
    assert len(lengths) == 4 and max(lengths) <= 10


def test_the_page_s_lines_run(files, capsys):
    known = {}
    for block in blocks(PAGE):
        exec(block, known)
    told = capsys.readouterr().out
    assert "MappingProblem('own', cross-linguistic:" in told
    for kind in ("ZeroShotProblem", "ImageTextProblem"):
        assert f"{kind}('own': 6 seen and 2 unseen classes" in told


def test_the_readme_s_lines_run(files):
    (block,) = blocks(README)
    named = {"labels": NAMES[files["labels"]], "class_vectors": pandas.DataFrame(np.eye(8), NAMES)}
    exec(block, files | named)


def test_words_come_out():
    shown = doctest.testfile(f"{ROOT}/book/pages/own_data.md", module_relative=False)
    assert shown.attempted >= 14 and shown.failed == 0
