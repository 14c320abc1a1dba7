"""Data sets as mapping problems: synthetic, real where present, official ones by download."""

from __future__ import annotations

from zslib.datasets.crosslingual import europarl, europarl_vectors
from zslib.datasets.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.locate import cache_dir, data_root
from zslib.datasets.problem import MappingProblem
from zslib.datasets.vectors import WordVectors

__all__ = [
    "MappingProblem",
    "WordVectors",
    "bilingual_problem",
    "cache_dir",
    "data_root",
    "europarl",
    "europarl_vectors",
    "read_dictionary",
]
