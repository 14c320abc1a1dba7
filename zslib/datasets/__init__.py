"""Data sets as mapping problems: synthetic, real where present, official ones by download."""

from __future__ import annotations

from zslib.datasets.catalogue import DATASETS
from zslib.datasets.crosslingual import europarl, europarl_vectors
from zslib.datasets.crossmodal import label_means, split_labels
from zslib.datasets.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.dinu2015 import dinu2015
from zslib.datasets.glosses import gloss_term_vectors, gloss_vectors
from zslib.datasets.imagenet1k import imagenet1k
from zslib.datasets.locate import cache_dir, data_root
from zslib.datasets.own import from_files, split_dictionary
from zslib.datasets.problem import SETTINGS, MappingProblem
from zslib.datasets.registry import (
    available,
    data_status,
    fetch,
    fingerprint,
    load_problem,
    resolve,
)
from zslib.datasets.synthetic import synthetic_crosslingual, synthetic_crossmodal
from zslib.datasets.tiny_imagenet import glove_vectors, tiny_imagenet
from zslib.datasets.vectors import WordVectors, load_vectors

__all__ = [
    "DATASETS",
    "SETTINGS",
    "MappingProblem",
    "WordVectors",
    "available",
    "bilingual_problem",
    "cache_dir",
    "data_root",
    "data_status",
    "dinu2015",
    "europarl",
    "europarl_vectors",
    "fetch",
    "fingerprint",
    "from_files",
    "gloss_term_vectors",
    "gloss_vectors",
    "glove_vectors",
    "imagenet1k",
    "label_means",
    "load_problem",
    "load_vectors",
    "read_dictionary",
    "resolve",
    "split_dictionary",
    "split_labels",
    "synthetic_crosslingual",
    "synthetic_crossmodal",
    "tiny_imagenet",
]
