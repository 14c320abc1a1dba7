"""Options that loaders, generators and splits refuse."""

import numpy as np

from zslib.datasets import apy_attributes, caltech101, cub, digits_segments, load_xlsa17
from zslib.datasets.attributes.own import vgg19
from zslib.datasets.attributes.splits import PARTS, select_images, split_classes, split_seen
from zslib.datasets.attributes.synsets import synthetic_beyond, synthetic_within
from zslib.datasets.attributes.synthetic import attribute_features, synthetic_attributes
from zslib.datasets.attributes.tiny_imagenet import tiny_imagenet_classes
from zslib.datasets.attributes.xlsa17 import extract_xlsa17

REFUSALS = [
    (lambda: cub(features="clip"), "features must be one of 'resnet', 'vgg'"),
    (lambda: cub(features=None), "features must be one of 'resnet', 'vgg'"),
    (lambda: cub(semantics="words"), "semantics must be one of"),
    (lambda: apy_attributes(split="new"), "split must be one of 'proposed', 'standard'"),
    (lambda: apy_attributes(att="raw"), "att must be one of 'unit length', 'original'"),
    (lambda: tiny_imagenet_classes(split="new"), "split must be one of 'fixed', 'crossed'"),
    (lambda: caltech101(semantics="glove"), "must be one of 'hypernym', 'gloss', 'both'"),
    (lambda: load_xlsa17("CUB", att="raw"), "att must be one of 'unit length', 'original'"),
    (lambda: extract_xlsa17("a.zip", ".", ["../SUN"]), "names must be one of"),
    (lambda: vgg19("AWA2"), "name must be one of 'APY', 'AWA', 'CUB', 'SUN'"),
    (lambda: digits_segments(unseen=[10]), r"unseen must lie in \[0, 10\)"),
    (lambda: digits_segments(unseen=[8]), "both seen and unseen"),
    (lambda: digits_segments().scaled("minmax"), "scaling must be one of"),
    (lambda: split_classes(np.arange(3)), "n_val must be between 1 and 0 .two training"),
    (lambda: split_seen(np.arange(3), 2), "n_val must be between 1 and 1"),
    (lambda: split_seen(np.arange(5), 2, seed=-1), "seed must be at least 0"),
    (
        lambda: select_images([0], dict.fromkeys(PARTS, (0,)), max_per_class=0),
        "max_per_class must",
    ),
    (lambda: synthetic_within(n_classes=7), "n_classes must be between 8 and 1000"),
    (lambda: synthetic_within(images_per_class=1), "images_per_class must be"),
    (lambda: synthetic_within(noise=-1), "noise must be"),
    (lambda: synthetic_beyond(n_seen=3), "n_seen must be between 4 and 1000"),
    (lambda: synthetic_beyond(n_unseen=0), "n_unseen must be between 1 and 1000"),
    (lambda: synthetic_attributes("FLO"), "shape must be one of"),
    (lambda: synthetic_attributes(scale=1.5), "scale must be .*, at least 0, at most 1"),
    (lambda: synthetic_attributes(scale=1e-4), r"scale=0\.0001 leaves 2, 1 and 1 images"),
    (lambda: synthetic_attributes(n_features=0), "n_features must be at least 1"),
    (lambda: synthetic_attributes(att="raw"), "att must be one of"),
    (lambda: attribute_features(np.eye(3), np.arange(3), noise=-1), "noise must be"),
    (lambda: tiny_imagenet_classes(seen_fraction=0.1), "unexpected .* 'seen_fraction'", TypeError),
]


def test_options_that_are_refused(refusal):
    refusal()
