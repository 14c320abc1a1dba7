"""Oxford's 102 flowers: real Wikipedia articles and split, synthetic image features."""

import json
from pathlib import Path

import numpy as np

from zslib.datasets.attributes.att_splits import read_att_splits
from zslib.datasets.attributes.splits import select_images
from zslib.datasets.attributes.synthetic import attribute_features
from zslib.datasets.entry import PAIRS, Dataset, below
from zslib.datasets.files import read_arrays, read_lines
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.problem import ImageTextProblem
from zslib.datasets.pairs.sentences import sentence_pairs, split_sentences

# In the order of Oxford's labels 1 to 102. The articles' own numbers follow the alphabet.
FLOWER_NAMES = tuple(Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines())


def flowers(
    *, seed=0, max_sentences=None, feature_scaling="unit length", max_per_class=None, folder=None
):
    """102 flowers: articles and official split are real, the image features are generated.

    Features of the 8,189 photographs are not part of the data. They are generated from the
    official class embeddings (means of encoded captions, 1,024-d) by `attribute_features`, so
    results say nothing about the benchmark's images. The texts come from elsewhere, Wikipedia:
    what they have in common with the features is what they have with those captions.

    Parameters
    ----------
    max_sentences : int, optional
        At most so many of each article, the first.

    Returns
    -------
    ImageTextProblem
        ``level`` is "class". Its validation classes are the official ones, without the images
        that test seen classes.
    """
    folder = require_folder("visual/xlsa17_splits", folder)
    splits = read_att_splits(folder / "FLO_att_splits.mat")
    labels = read_arrays(folder / "FLO_order.npz")["label"].astype(np.int64) - 1
    rows, parts = select_images(labels, splits.parts, max_per_class=max_per_class, seed=seed)
    features = attribute_features(splits.att[labels], labels, seed=seed)
    sentences = _articles(folder / "FLO_class_wikipedia.jsonl")
    texts, coverage = sentence_pairs(labels[rows], sentences, max_sentences=max_sentences)
    return ImageTextProblem(
        name="flowers-sentences",
        synthetic=True,
        description="Oxford's 102 flowers, real Wikipedia sentences with synthetic features",
        features=features[rows],
        labels=labels[rows],
        class_names=np.array(FLOWER_NAMES),
        **parts,
        **texts,
        coverage=coverage,
    ).scaled(feature_scaling)


def _articles(path):
    entries = [json.loads(line) for line in read_lines(path)]
    text_of = {entry["class_name"]: entry["wikipedia_text"] for entry in entries}
    missing = [name for name in FLOWER_NAMES if name not in text_of]
    if missing:
        raise ValueError(f"{path} has no article on {', '.join(map(repr, missing[:5]))}")
    return [split_sentences(text_of[name]) for name in FLOWER_NAMES]


ENTRIES = (
    Dataset(
        name="flowers",
        kind="official",
        loaders={PAIRS: flowers},
        summary="Oxford's 102 flowers: Wikipedia articles, with synthetic features",
        licence="articles: CC BY-SA; split: MIT",
        quick={PAIRS: {"max_per_class": 6, "max_sentences": 8}},
        files=below(
            "visual/xlsa17_splits",
            "FLO_att_splits.mat",
            "FLO_class_wikipedia.jsonl",
            "FLO_order.npz",
        ),
    ),
)
