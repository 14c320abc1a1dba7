import json

import numpy as np
import pytest
from scipy.io import savemat

from zslib.datasets.attributes.att_splits import OFFICIAL_STATISTICS
from zslib.datasets.pairs.flowers import FLOWER_NAMES, flowers


@pytest.fixture
def folder(tmp_path):
    """The 102 flowers with two images each: first 20 unseen, then 20 for validation."""
    label = np.repeat(np.arange(1, 103), 2)
    rows = np.arange(1, 205).reshape(102, 2)
    column = {
        "test_unseen_loc": rows[:20],
        "val_loc": rows[20:40],
        "train_loc": rows[40:],
        "trainval_loc": rows[20:, :1],
        "test_seen_loc": rows[20:, 1:],
    }
    columns = {name: values.ravel()[:, None].astype(float) for name, values in column.items()}
    att = np.random.default_rng(0).standard_normal((8, 102))
    savemat(tmp_path / "FLO_att_splits.mat", {"att": att, **columns})
    np.savez(tmp_path / "FLO_order.npz", label=label, image_id=np.arange(204))
    with open(tmp_path / "FLO_class_wikipedia.jsonl", "w") as file:
        for number, name in enumerate(sorted(FLOWER_NAMES), start=1):
            text = f"The {name} is a plant. It flowers in May. It is eaten."
            entry = {"idx": str(number), "class_name": name, "wikipedia_text": text}
            file.write(json.dumps(entry) + "\n")
    return tmp_path


def test_articles_stand_with_their_flowers(folder):
    problem = flowers(folder=folder)
    assert problem.synthetic
    assert problem.level == "class"
    assert problem.features.shape == (204, 256)
    for c, name in enumerate(FLOWER_NAMES):
        own = [problem.texts[t] for t in np.flatnonzero(problem.text_labels == c)]
        assert own == [f"The {name} is a plant.", "It flowers in May.", "It is eaten."]
    assert problem.unseen_classes.tolist() == list(range(20))
    assert problem.val_classes.tolist() == list(range(20, 40))
    assert len(problem.train) == 62  # without the images that test seen classes
    assert problem.coverage["classes that share a sentence"] == 102
    small = flowers(folder=folder, max_sentences=1, max_per_class=1, seed=1)
    assert small.n_texts == 102
    assert len(small.test_unseen) == 20


def test_a_missing_article_is_named(folder):
    path = folder / "FLO_class_wikipedia.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"azalea"' not in line))
    with pytest.raises(ValueError, match="has no article on 'azalea'"):
        flowers(folder=folder)


def test_real_data(real_data):
    folder = real_data("visual/xlsa17_splits", "visual/xlsa17_splits/FLO_order.npz")
    problem = flowers(max_sentences=2)
    counts = problem.summary()
    official = OFFICIAL_STATISTICS["FLO"]
    assert all(counts[name] == n for name, n in official.items() if name in counts)
    # The sizes of the largest classes that the data's authors print: the names are in order.
    with np.load(folder / "FLO_order.npz") as order:
        sizes = np.bincount(order["label"], minlength=103)[1:]
    largest = {"petunia": 258, "passion flower": 251, "wallflower": 196, "water lily": 194}
    top = np.argsort(-sizes)[:4]
    assert {FLOWER_NAMES[c]: sizes[c] for c in top} == largest
