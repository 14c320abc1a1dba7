"""Every system on your own features: tuned, run, and reported in one page."""

from zslib.compare.run import check_comparable, compare

__all__ = ["check_comparable", "compare"]
