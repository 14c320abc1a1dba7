"""Recomputations behind the errata page: one module per paper, one function per erratum.

Each takes the numbers that the erratum's entry carries (a dictionary, often empty), reads the
rest from the printed tables, and returns `Evidence`.
"""

from __future__ import annotations

from zslib.papers.errata_checks import clarel, dark, devise, hardneg, hubness
from zslib.papers.errata_checks.common import Evidence

__all__ = ["CHECKS", "Evidence"]

_MODULES = {
    "hubness": hubness,
    "devise": devise,
    "hardneg": hardneg,
    "dark": dark,
    "clarel": clarel,
}

CHECKS = {
    paper: {name: getattr(module, name) for name in module.__all__}
    for paper, module in _MODULES.items()
}
"""Functions by paper and name."""
