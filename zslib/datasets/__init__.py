"""Data sets as problems: synthetic, real where present, official ones by download.

Loaders share some options:

- ``seed``: of whatever is drawn, the split, the held-out images, generated numbers;
- ``feature_scaling``: "none", "unit length" or "standard", see `ZeroShotProblem.scaled`;
- ``seen_fraction``: the share of each seen class's images that tests it;
- ``max_per_class``: at most so many images of each class in each part, for quick runs;
- ``folder``: where the files are, instead of their place in the data folder.

Files that are absent raise FileNotFoundError, damaged or inconsistent ones ValueError.
"""

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

__all__ = [
    "DATASETS",
    "READINGS",
    "TERM_SOURCES",
    "ImageNetLists",
    "ImageTextProblem",
    "MappingProblem",
    "TermLexicon",
    "Vocabulary",
    "WordVectors",
    "ZeroShotProblem",
    "apy_attributes",
    "available",
    "awa1",
    "bilingual_problem",
    "cache_dir",
    "caltech101",
    "captioned",
    "composed_term_vectors",
    "cub",
    "cub_captions",
    "cub_sentences",
    "data_status",
    "digits_segments",
    "dinu2015",
    "europarl",
    "europarl_vectors",
    "fetch",
    "fetch_wordnet",
    "find_folder",
    "fingerprint",
    "flowers",
    "flowers_words",
    "from_captions",
    "from_features",
    "from_files",
    "gloss_term_vectors",
    "gloss_vectors",
    "glove_vectors",
    "hypernym_term_vectors",
    "ikea",
    "imagenet1k",
    "imagenet_lists",
    "label_sets",
    "load_problem",
    "load_problems",
    "load_term_vectors",
    "load_vectors",
    "load_xlsa17",
    "load_zero_shot",
    "official_split_summary",
    "read_captions",
    "read_dictionary",
    "read_features",
    "read_wordnet",
    "reading_edges",
    "resolve",
    "resolve_all",
    "save_zero_shot",
    "served",
    "sun_attributes",
    "synthetic_attributes",
    "synthetic_crosslingual",
    "synthetic_crossmodal",
    "synthetic_pairs",
    "tiny_imagenet",
    "tiny_imagenet_classes",
    "vgg19",
    "wikipedia_xmodal",
]
