"""Data sets as problems: synthetic, real where present, official ones by download.

Loaders share some options. ``seed``: of whatever is drawn, the split, the held-out images,
generated numbers. ``feature_scaling``: {"none", "unit length", "standard"}, see
`ZeroShotProblem.scaled`. ``seen_fraction``: share of each seen class's images that tests it.
``max_per_class``: at most so many images of each class in each part, for quick runs. ``folder``:
where the files are, instead of their place in the data folder. Files that are absent raise
FileNotFoundError, damaged or inconsistent ones ValueError.
"""

# ruff: noqa: F401 -- all that is imported here is exported

from inspect import ismodule as _ismodule

from zslib.datasets.attributes.apy import apy_attributes
from zslib.datasets.attributes.awa1 import awa1
from zslib.datasets.attributes.caltech101 import caltech101
from zslib.datasets.attributes.cub import cub
from zslib.datasets.attributes.digits import digits_segments
from zslib.datasets.attributes.features import from_features, read_features
from zslib.datasets.attributes.flowers import flowers_words
from zslib.datasets.attributes.own import load_zero_shot, save_zero_shot, vgg19
from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.sun import sun_attributes
from zslib.datasets.attributes.synthetic import synthetic_attributes
from zslib.datasets.attributes.tiny_imagenet import tiny_imagenet_classes
from zslib.datasets.attributes.xlsa17 import load_xlsa17, official_split_summary
from zslib.datasets.catalogue import DATASETS
from zslib.datasets.hierarchy.lexicon import TermLexicon
from zslib.datasets.hierarchy.lists import ImageNetLists, imagenet_lists
from zslib.datasets.hierarchy.readings import READINGS, label_sets, reading_edges
from zslib.datasets.hierarchy.wordnet import fetch_wordnet, read_wordnet
from zslib.datasets.locate import cache_dir, find_folder
from zslib.datasets.mapping.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.mapping.dinu2015 import dinu2015
from zslib.datasets.mapping.europarl import europarl
from zslib.datasets.mapping.imagenet1k import imagenet1k
from zslib.datasets.mapping.own import from_files
from zslib.datasets.mapping.problem import MappingProblem
from zslib.datasets.mapping.synthetic import synthetic_crosslingual, synthetic_crossmodal
from zslib.datasets.mapping.tiny_imagenet import glove_vectors, tiny_imagenet
from zslib.datasets.pairs.captions import captioned
from zslib.datasets.pairs.cub import cub_captions, cub_sentences
from zslib.datasets.pairs.flowers import flowers
from zslib.datasets.pairs.ikea import ikea
from zslib.datasets.pairs.own import from_captions, read_captions
from zslib.datasets.pairs.problem import ImageTextProblem
from zslib.datasets.pairs.synthetic import synthetic_pairs
from zslib.datasets.pairs.wikipedia import wikipedia_xmodal
from zslib.datasets.registry import (
    available,
    data_status,
    fetch,
    fingerprint,
    load_problem,
    load_problems,
    resolve,
    resolve_all,
    served,
)
from zslib.datasets.words.glosses import gloss_term_vectors, gloss_vectors
from zslib.datasets.words.term_vectors import (
    TERM_SOURCES,
    composed_term_vectors,
    hypernym_term_vectors,
    load_term_vectors,
)
from zslib.datasets.words.tokens import Vocabulary
from zslib.datasets.words.vectors import WordVectors, europarl_vectors, load_vectors

__all__ = sorted(n for n, it in globals().items() if n[0] != "_" and not _ismodule(it))
