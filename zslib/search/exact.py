"""Exact nearest-neighbour search and the ranks of gold targets, block by block."""

from collections.abc import Iterable, Mapping, Set

import numpy as np
from array_api_compat import is_array_api_obj

from zslib.arrays import like, namespace, slices, to_host
from zslib.search import selection as _selection
from zslib.search.corrected import CorrectedTiles, corrected_block, served
from zslib.search.corrections import Correction, resolve
from zslib.search.order import in_order
from zslib.search.prepared import PreparedTargets, few, nearest
from zslib.search.ranks import corrected_ranks, plain_ranks
from zslib.search.tiles import Tiles
from zslib.validation import (
    as_array,
    as_vectors,
    check_columns,
    check_indices,
    check_integer,
    check_paired,
    column_names,
    host_array,
    is_text,
    row_names,
    rows_of_names,
)

SPARE = 4  # candidates beyond the k best, which near ones may trade places with
KEPT = 2**26  # scores that `top_k_and_ranks` keeps at most


def top_k(queries, targets, k, *, metric="cosine", correction=None, block_size=None):
    """The k best targets of each query, best first, ties to the lower index.

    The order is that of the numbers given, before scores are rounded to their type. Equal rows
    tie, whatever ``block_size``, and also under a ``correction``. There the order of others whose
    scores agree to rounding is that of the tiles.

    Parameters
    ----------
    queries : (n_queries, d) float array
    targets : (n_targets, d) float array, numpy.memmap of one, or PreparedTargets
        The search space, of the library, device and type of ``queries``. It is read block by
        block and never copied whole. (Data frames, lists, integers, float16 and bytes in the order
        of another machine are copied.) With `zslib.search.prepared.PreparedTargets` a query that
        comes alone costs little more than its product with the targets.
    k : int
        Neighbours to find, at most n_targets.
    metric : {"cosine", "dot", "euclidean"}, default "cosine"
    correction : zslib.search.corrections.Correction, str or None, default None
        Retrieval criterion that corrects for hubness, or its name: ``"globally_corrected"``,
        ``"csls"``, ``"inverted_softmax"``, ``"mutual_proximity"``, ``"local_scaling"``.
    block_size : int or None, default None
        Targets in a tile; default 1,024, or 16,384 on devices other than the host. It bounds the
        memory, which does not grow with n_targets. For NumPy, with t the threads that BLAS is set
        to, and beyond inputs and result, that is about ``t * block_size * (q + 2 d)`` numbers for
        the tiles, q = min(n_queries, 768); ``n_queries * d`` for the queries; and ``t *
        n_queries * (12 k + 200)`` for candidates (more only where a whole tile beats everything
        before it). With a correction a tile holds all queries at once, and the vectors of its
        ``reference`` (n_reference = 0 where it has none), several times over: ``6 t * block_size *
        (n_queries + n_reference)``, or some 20 MB for each thread if this is less; the default is
        then 2^20 / (n_queries + n_reference), but at least 32 and at most 1,024. Equal targets are
        looked for first: with 17 bytes for each target where they differ, and some 70 where they
        are equal.

    Returns
    -------
    scores : (n_queries, k) float array
        Of the type of ``queries``; one too small for it is 0, and its order stays.
    indices : (n_queries, k) int64 array
        Rows of ``targets``.

    Raises
    ------
    TypeError
        When types or libraries differ, an array is sparse, or an option has the wrong type.
    ValueError
        For NaN or infinity, wrong dimensions, empty arrays, k larger than the search space, zero
        vectors under cosine, scores that would overflow, unknown metrics or corrections, and data
        frames with the same columns in two orders.

    Notes
    -----
    Large searches of NumPy arrays are shared out to threads, as many as BLAS is set to use, over
    the blocks of targets; BLAS itself is held to one thread meanwhile, in the whole process. Small
    ones run in the calling thread.

    Examples
    --------
    >>> import numpy as np
    >>> targets = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0], [6.0, 8.0]])
    >>> scores, indices = top_k(np.array([[0.0, 1.0]]), targets, 3)
    >>> indices
    array([[2, 1, 3]])
    >>> scores
    array([[1. , 0.8, 0.8]])
    """
    correction = resolve(correction)
    if block_size is None and few(queries, targets, metric):
        if correction is None:
            found = nearest(queries, targets, metric, _checked(k, targets))
        else:
            found = served(queries, targets, _checked(k, targets), correction)
        if found is not None:
            return found
    queries, targets = _vectors(queries, targets, metric)
    tiles = _tiles(queries, targets, metric, correction, block_size)
    return _best(tiles, _checked(k, targets))


def gold_ranks(queries, targets, gold, *, metric="cosine", correction=None, block_size=None):
    """Rank of each query's gold target among all targets; 0 is best.

    The rank is the number of targets that come before the gold one in the order of `top_k`: those
    with a higher score, and those with an equal score and a lower index. Where several targets
    are acceptable for a query (a dictionary may list several translations), any one counts: the
    rank is that of the best.

    Parameters
    ----------
    queries, targets, metric, correction, block_size
        As in `top_k`. Memory is bounded alike.
    gold : (n_queries,) int array, or sequence of sequences of int
        Row of ``targets`` for each query; or all the acceptable rows for each query. Where
        ``targets`` is a data frame, these may be names in its index.

    Returns
    -------
    (n_queries,) int64 array

    Raises
    ------
    TypeError
        As in `top_k`; also when ``gold`` does not hold integers.
    ValueError
        As in `top_k`; also when ``gold`` has not one entry per query, a query has no acceptable
        target, or an index lies outside the search space.

    Examples
    --------
    >>> import numpy as np
    >>> targets = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0], [6.0, 8.0]])
    >>> queries = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> gold_ranks(queries, targets, [3, 1])
    array([2, 1])
    >>> gold_ranks(queries, targets, [[3, 2], [1]])
    array([0, 1])
    """
    gold = _rows_of(gold, queries, targets)
    queries, targets = _vectors(queries, targets, metric)
    return _ranks(_tiles(queries, targets, metric, correction, block_size), queries, gold)


def top_k_and_ranks(queries, targets, k, gold, *, metric="cosine", corrections=(None,)):
    """Indices of `top_k` and `gold_ranks`, for each of the corrections.

    Sooner than by two calls for each: scores are computed once, where all (n_queries, n_targets)
    have room in memory (2^26 of them), or, without a correction, those of so many queries.

    Parameters
    ----------
    queries, targets, k, gold, metric
        As in `top_k` and `gold_ranks`.
    corrections : sequence, default (None,)
        Each as ``correction`` in `top_k`.

    Returns
    -------
    list of tuple
        The (n_queries, k) indices and the (n_queries,) ranks under each correction.

    Examples
    --------
    >>> import numpy as np
    >>> targets = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0], [6.0, 8.0]])
    >>> [(indices, ranks)] = top_k_and_ranks(np.array([[0.0, 1.0]]), targets, 2, [3])
    >>> print(indices, ranks)
    [[2 1]] [2]
    """
    gold = _rows_of(gold, queries, targets)
    queries, targets = _vectors(queries, targets, metric)
    if corrections is None or isinstance(corrections, (str, Correction)):
        raise TypeError(f"corrections must be a sequence, got {corrections!r}: put it into a list")
    corrections = [resolve(correction) for correction in corrections]
    n, m = queries.shape[0], targets.shape[0]
    if corrections == [None] and n * m > KEPT and m <= KEPT:
        _acceptable(gold, n, m)  # by the numbers of all, not of a part
        parts = [
            top_k_and_ranks(queries[part, :], targets, k, gold[part], metric=metric)[0]
            for part in slices(n, KEPT // m)
        ]
        xp = namespace(queries)
        return [tuple(xp.concat(found) for found in zip(*parts, strict=True))]
    kept = {} if n * m <= KEPT else None
    block = None if corrections == [None] else corrected_block(queries, n)
    found = []
    for correction in corrections:
        tiles = _tiles(queries, targets, metric, correction, block, kept=kept)
        k = _checked(k, targets)
        found.append((_best(tiles, k)[1], _ranks(tiles, queries, gold)))
    return found


def _vectors(queries, targets, metric):
    """Both as arrays; what is not float32 or float64 is converted, to the type of the queries."""
    if isinstance(targets, PreparedTargets):
        targets.check_queries(queries, metric)
        return as_vectors(queries, "queries"), targets
    check_columns(targets, column_names(queries), "targets", "queries", others=True)
    queries, targets = as_vectors(queries, "queries"), as_array(targets, "targets")
    xp = namespace(targets)
    if targets.dtype not in (xp.float32, xp.float64):
        targets = as_vectors(targets, "targets", like=queries, finite=False)
    return queries, targets


def _checked(k, targets):
    high = targets.shape[0]
    return check_integer(k, "k", low=1, high=high, high_means=" (the number of targets)")


def _ranks(tiles, queries, gold):
    owners, accepted = _acceptable(gold, tiles.n_queries, tiles.n_targets)
    count = corrected_ranks if tiles.corrected else plain_ranks
    return like(count(tiles, owners, accepted), queries)


def _tiles(queries, targets, metric, correction, block_size, kept=None):
    correction, squares = resolve(correction), None
    if isinstance(targets, PreparedTargets):
        targets, squares = targets.targets, targets.squares
    if correction is not None:
        kept = kept if correction.reference is None else None
        return CorrectedTiles(
            queries, targets, metric, block_size, correction, kept=kept, squares=squares
        )
    chunk_size = None if kept is None else queries.shape[0]
    return Tiles(
        queries, targets, metric, block_size, chunk_size=chunk_size, kept=kept, squares=squares
    )


def _best(tiles, k):
    if tiles.corrected:
        tiles.watch()
        scores, indices = _search(tiles, k)
        if tiles.copies is not None:
            scores, indices = tiles.copies.spread(scores, indices, k)
        return tiles.finished(scores), indices
    some = min(k + SPARE + k // 8, tiles.n_targets)
    return in_order(tiles, *_search(tiles, some), k)


def _search(tiles, k):
    if tiles.on_host:
        return _selection.select(tiles, k)
    xp = tiles.xp
    best = [None] * len(tiles.chunks)
    for rows in tiles.blocks:
        for number, tile in enumerate(tiles.walk(rows)):
            shortlist = _shortlist(xp, xp.matrix_transpose(tile), k)
            best[number] = _merge(xp, best[number], *shortlist, rows.start, k)
    return xp.concat([s for s, _ in best]), xp.concat([i for _, i in best])


def _shortlist(xp, scores, k, group=32):
    """Scores and columns, ascending, that contain the k best of each row of ``scores``.

    Looks only inside the k groups of neighbouring columns with the largest maxima; at equal ones
    the earlier group is taken, whose indices are lower.
    """
    n, width = scores.shape
    n_groups = width // group
    columns = xp.arange(width, dtype=xp.int64, device=scores.device)
    if n_groups <= 2 * k:
        return scores, xp.broadcast_to(columns[None, :], (n, width))
    body = n_groups * group
    maxima = xp.max(xp.reshape(scores[:, :body], (n, n_groups, group)), axis=2)
    chosen = xp.sort(xp.argsort(maxima, axis=1, descending=True, stable=True)[:, :k], axis=1)
    chosen = xp.astype(chosen, xp.int64)[:, :, None] * group + columns[None, None, :group]
    rest = xp.broadcast_to(columns[None, body:], (n, width - body))
    chosen = xp.concat([xp.reshape(chosen, (n, k * group)), rest], axis=1)
    return xp.take_along_axis(scores, chosen, axis=1), chosen


def _merge(xp, best, scores, columns, start, k):
    """The k best of ``best`` and of later targets, best first: scores and indices (chunk, k)."""
    indices = columns + start
    if best is not None:
        scores = xp.concat([best[0], scores], axis=1)
        indices = xp.concat([best[1], indices], axis=1)
    # Stable: of equal scores the earlier column, which has the lower index, stays first.
    order = xp.argsort(scores, axis=1, descending=True, stable=True)
    order = order[:, : min(k, order.shape[1])]
    return xp.take_along_axis(scores, order, axis=1), xp.take_along_axis(indices, order, axis=1)


def _rows_of(gold, queries, targets):
    """``gold``, with names as rows of the targets where these are a data frame that has names."""
    check_paired(queries, gold, "queries", "gold")
    unordered = isinstance(gold, (Mapping, Set, str)) or column_names(gold) is not None
    if unordered or not (is_array_api_obj(gold) or isinstance(gold, Iterable)):
        raise TypeError(
            f"gold is a {type(gold).__name__}: it must be an integer array, or a sequence with "
            "the acceptable indices of each query, in the order of the queries"
        )
    names = row_names(targets, "targets")
    if names is None or (is_array_api_obj(gold) and not is_text(gold)):
        return gold
    gold = [np.atleast_1d(np.asarray(accepted)) for accepted in gold]
    if not all(is_text(accepted) and accepted.size for accepted in gold):
        return gold
    rows = rows_of_names(np.concatenate(gold), names, "gold", "targets")
    return np.split(rows, np.cumsum([accepted.size for accepted in gold])[:-1])


def _acceptable(gold, n_queries, n_targets):
    """Flat (query, target) pairs of host int64 arrays, from either form of ``gold``."""
    per_query = host_array(gold, "gold") if is_array_api_obj(gold) else list(gold)
    if len(per_query) != n_queries:
        raise ValueError(
            f"gold has {len(per_query)} entries for {n_queries} queries: give one index, or one "
            "sequence of acceptable indices, for each query"
        )
    accepted, lengths = [per_query], np.ones(n_queries, np.int64)
    integers = isinstance(per_query, np.ndarray) and per_query.dtype.kind in "iu"
    if not (integers and per_query.ndim == 1):
        accepted = [np.atleast_1d(to_host(a) if is_array_api_obj(a) else a) for a in per_query]
        lengths = np.asarray([a.size for a in accepted])
    if not lengths.all():
        raise ValueError(
            f"gold has no acceptable target for {int((lengths == 0).sum())} query(ies), the first "
            f"at position {int(lengths.argmin())}: drop these queries"
        )
    odd = next((row for row, a in enumerate(accepted) if a.dtype.kind not in "iu"), None)
    if odd is not None:
        raise TypeError(
            "gold must hold integers, the rows of targets, or a list of such for each query, got "
            f"{type(per_query[odd]).__name__} at position {odd}; names need a data frame as "
            "targets, whose index has them"
        )
    flat = np.concatenate([a.ravel() for a in accepted])
    if lengths[0] == n_targets > 2 and flat.max() <= 1:
        raise ValueError(
            "gold looks like a mask of zeros and ones, and is read as rows of targets: pass "
            "[row.nonzero()[0] for row in gold]"
        )
    check_indices(flat, "gold", n_targets)
    return np.repeat(np.arange(n_queries), lengths), flat.astype(np.int64)
