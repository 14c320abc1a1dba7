"""Exact nearest neighbours in bounded memory, ranks of gold targets, corrections for hubness.

`top_k` and `gold_ranks` never form the whole matrix of scores: they walk over tiles, a block of
targets by a chunk of queries (`zslib.search.tiles`). Higher scores are better under every metric:

- ``"cosine"``: the cosine of the angle, in [-1, 1];
- ``"dot"``: the inner product;
- ``"euclidean"``: minus the distance.

**Exact** means: no target is left out by an approximation, and the order is that of the numbers
given, whatever their unit, equal scores in the order of their rows. Matrix products round a little
differently from tile to tile. So what is returned is scored pair by pair in float64, then rounded
to the type of the vectors; and what float64 leaves open is settled by twice its digits
(`zslib.search.pairs`). Scores and order depend on no ``block_size``, and on no other query. Under
a correction scores are those of tiles, where the first of equal rows stands for all: they tie too,
whatever the block size. A rank r below k is position r of `top_k`'s list.

Targets that serve many searches of a few queries are checked and measured once by
`zslib.search.prepared.PreparedTargets`.
"""

from zslib.search.exact import gold_ranks, top_k, top_k_and_ranks

__all__ = ["gold_ranks", "top_k", "top_k_and_ranks"]
