"""Options that loaders and generators of images with texts refuse."""

from zslib.datasets import captioned, synthetic_pairs
from zslib.datasets.pairs.cub import sentence_pairs

RED = [["it is red"]]
REFUSALS = [
    (lambda: synthetic_pairs(n_unseen=0), "n_unseen must be at least 1"),
    (lambda: synthetic_pairs(n_seen=8, n_val=7), "n_val must be between 1 and 6"),
    (lambda: synthetic_pairs(images_per_class=1), "images_per_class must be at least 2"),
    (lambda: synthetic_pairs(captions=(0, 3)), r"captions\[0\] must be at least 1"),
    (lambda: synthetic_pairs(captions=(3, 2)), r"captions\[1\] must be at least 3"),
    (lambda: synthetic_pairs(seed=-1), "seed must be at least 0"),
    (lambda: captioned("SUN"), "name must be one of 'CUB', 'FLO'"),
    (lambda: sentence_pairs([0, 1], [["it is red"], ["red"]]), "class 1 has no sentence of 3"),
    (lambda: sentence_pairs([0], RED, max_texts=0), "max_texts must be"),
]


def test_options_that_are_refused(refusal):
    refusal()
