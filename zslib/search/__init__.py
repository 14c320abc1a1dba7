"""Exact nearest neighbours in bounded memory, ranks of gold targets, corrections for hubness.

`top_k` and `gold_ranks` never form the whole matrix of scores: they walk over tiles, a block of
targets by a chunk of queries (`zslib.search.tiles`). Higher scores are better under every metric:

- ``"cosine"``: the cosine of the angle, in [-1, 1];
- ``"dot"``: the inner product;
- ``"euclidean"``: minus the distance (where float32 leaves the order open, in float64).

**Exact** means: no target is left out by an approximation, and the order is that of the scores,
equal ones in the order of their rows. Matrix products round a little differently from tile to
tile, so where scores are that near, pairs are scored by themselves: equal rows have equal scores,
and ``block_size`` changes no order. Under a correction scores are those of tiles, where the first
of equal rows stands for all: they tie too, whatever the block size. A rank r below k is position
r of `top_k`'s list.
"""

from zslib.search.exact import gold_ranks, top_k, top_k_and_ranks

__all__ = ["gold_ranks", "top_k", "top_k_and_ranks"]
