"""Data sets as mapping problems: synthetic, real where present, official ones by download."""

from __future__ import annotations

from zslib.datasets.crosslingual import europarl, europarl_vectors
from zslib.datasets.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.locate import cache_dir, data_root
from zslib.datasets.problem import MappingProblem
from zslib.datasets.synthetic import synthetic_crosslingual, synthetic_crossmodal
from zslib.datasets.tiny_imagenet import glove_vectors, tiny_imagenet
from zslib.datasets.vectors import WordVectors

__all__ = [
    "MappingProblem",
    "WordVectors",
    "bilingual_problem",
    "cache_dir",
    "data_root",
    "europarl",
    "europarl_vectors",
    "glove_vectors",
    "read_dictionary",
    "synthetic_crosslingual",
    "synthetic_crossmodal",
    "tiny_imagenet",
]
