"""Exact nearest neighbours in bounded memory, ranks of gold targets, corrections for hubness.

`top_k` and `gold_ranks` never form the whole matrix of scores: they walk over tiles, a block of
targets by a chunk of queries (`zslib.search.tiles`). Higher scores are better under every metric:

- ``"cosine"``: the cosine of the angle, in [-1, 1];
- ``"dot"``: the inner product;
- ``"euclidean"``: minus the distance (computed in float64 inside, as close points need it).

**Exact** means: no target is left out by an approximation, and the order is that of the scores as
computed, equal scores in the order of their rows. A score computed in floating point may differ
in its last bit from one tile shape to another, as matrix products sum in different orders. So
scores closer than that may change places with ``block_size``; where the products are exact (as
of small integers), results are the same for every ``block_size``. `top_k` and `gold_ranks` called
with the same arguments see the same bits: a rank r below k is position r of the list.
"""

from zslib.search.exact import gold_ranks, top_k, top_k_and_ranks

__all__ = ["gold_ranks", "top_k", "top_k_and_ranks"]
