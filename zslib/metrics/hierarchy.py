"""Hierarchical precision: predictions judged by a hierarchy of labels, such as WordNet's nouns.

References
----------
Frome, Corrado, Shlens, Bengio, Dean, Ranzato and Mikolov (2013): DeViSE: a deep visual-semantic
embedding model, NIPS 26, appendix A.3.
"""

import math
from collections.abc import Mapping, Set
from numbers import Integral

import numpy as np
from scipy import sparse

from zslib.arrays import like, namespace, ragged_rows, to_host
from zslib.metrics import _walk
from zslib.validation import (
    as_array,
    as_labels,
    check_choice,
    check_indices,
    check_integer,
    check_ks,
    check_length,
    check_paired,
    is_missing,
    is_text,
    numbered,
    rows_of_names,
    whole_numbers,
)


def check_ordered(labels, name):
    """Refuse a set."""
    if isinstance(labels, Set):
        raise TypeError(f"{name} must have an order, that of rows or positions: pass a list")


def _shown(names):
    return ", ".join(repr(name) for name in names[:5]) + (", …" if len(names) > 5 else "")


_VALID = ", the number of valid labels"
_LABELS = "positions of labels (or both names)"


class Hierarchy:
    """A directed acyclic graph of labels, in which nearness is counted in links.

    Parameters
    ----------
    edges : iterable of (child, parent)
        Pairs of hashable node names. A pair given twice is one link; a node may have several
        parents, and a root has no pair: a name that is missing (None, NaN, "") is refused.
    paths : {"any", "up_then_down"}, default "any"
        Which paths count: ``"any"`` follows links both ways in any order; ``"up_then_down"``
        climbs some links, perhaps none, and then descends some, so that a path goes through a
        common ancestor.
    nodes : iterable, default ()
        Further node names, which need no link: a label that the edges do not have is a part of
        its own.

    Attributes
    ----------
    nodes : tuple
        Node names in the order in which ``edges`` first has them, then the further ones.
    n_nodes, n_links : int
    paths : str

    Examples
    --------
    >>> animals = Hierarchy([("dog", "animal"), ("cat", "animal"), ("puppy", "dog")])
    >>> animals.distance("puppy", "cat")
    3
    >>> sorted(animals.within(["cat"], 2))
    ['animal', 'cat', 'dog']
    >>> sorted(animals.correct_set("puppy", 2, ["dog", "cat", "puppy"]))
    ['dog', 'puppy']
    """

    def __init__(self, edges, *, paths="any", nodes=()):
        self.paths = check_choice(paths, "paths", ("any", "up_then_down"))
        self._position = {}
        if isinstance(edges, Mapping) or hasattr(edges, "itertuples") or hasattr(edges, "edges"):
            raise TypeError(
                f"edges must be (child, parent) pairs, got a {type(edges).__name__}: give its "
                "items(), its [[child, parent]].itertuples(index=False), or its edges, turned "
                "round where these lead from parent to child"
            )
        child, parent = self._read(edges)
        if isinstance(nodes, str | bytes):
            raise TypeError(f"nodes must be a collection of node names, not one: {nodes!r}")
        for node in nodes:
            self._place(node, "nodes")
        self.nodes = tuple(self._position)
        self.n_nodes = n = len(self.nodes)
        ones = np.ones(len(child), dtype=bool)
        self._up = sparse.csr_array((ones, (child, parent)), shape=(n, n))
        self._down, self.n_links = self._up.T.tocsr(), self._up.nnz
        if cycle := _walk.find_cycle(self._up):
            path = " -> ".join(repr(self.nodes[i]) for i in cycle)
            raise ValueError(f"edges form a cycle, {path} (child -> parent): remove a link of it")
        self._step = _walk.step_matrix(self._up, paths)

    def _read(self, edges):
        """Fill ``self._position``; returns the positions of children and of parents."""
        found = []
        for number, edge in enumerate(edges):
            pair = tuple(edge) if np.iterable(edge) and not isinstance(edge, str | bytes) else ()
            where = f"edges number {number}"
            if len(pair) != 2:
                raise ValueError(f"{where} must be a (child, parent) pair, not {edge!r}")
            found += [self._place(node, where) for node in pair]
            if found[-1] == found[-2]:
                raise ValueError(f"{where} links {pair[0]!r} to itself: remove it")
        if not found:
            raise ValueError("edges is empty: give at least one (child, parent) pair")
        return np.array(found, dtype=np.int64).reshape(-1, 2).T

    def _place(self, node, where):
        """Position of ``node``, a new one if it was not met before."""
        if is_missing(node):
            raise ValueError(f"{where} has {node!r} for a name: leave it out, a root needs none")
        try:
            return self._position.setdefault(node, len(self._position))
        except TypeError as error:
            raise TypeError(
                f"{where} has {node!r}, which cannot name a node ({error}): use strings, numbers "
                "or tuples"
            ) from error

    def __repr__(self):
        return f"<Hierarchy of {self.n_nodes:,} nodes, {self.n_links:,} links, {self.paths!r}>"

    def __contains__(self, node):
        return node in self._position

    def _positions(self, labels, name):
        """Positions of node names, after a check that all of them are nodes."""
        if isinstance(labels, str | bytes):
            raise TypeError(f"{name} must be a collection of node names, not one: {labels!r}")
        labels = list(labels)
        if not labels:
            raise ValueError(f"{name} is empty: give at least one node name")
        try:
            positions = np.array([self._position.get(x, -1) for x in labels], dtype=np.int64)
        except TypeError as error:
            raise TypeError(f"{name} must be a flat collection of node names: {error}") from error
        unknown = [labels[i] for i in np.flatnonzero(positions < 0)]
        if unknown:
            raise ValueError(
                f"{name} has {len(unknown)} name(s) outside the hierarchy ({_shown(unknown)}): "
                "drop them, or give the hierarchy their links, or them as nodes without any"
            )
        return positions

    def _valid_positions(self, valid_labels):
        """Positions of the valid labels, after a check that none occurs twice."""
        positions = self._positions(valid_labels, "valid_labels")
        twice = [self.nodes[i] for i in np.flatnonzero(np.bincount(positions) > 1)]
        if twice:
            raise ValueError(f"valid_labels has labels more than once ({_shown(twice)}): drop one")
        return positions

    def _neighbours(self, links, node):
        (i,) = self._positions([node], "node")
        return tuple(self.nodes[j] for j in links.indices[links.indptr[i] : links.indptr[i + 1]])

    def parents(self, node):
        """Direct parents of ``node``, as a tuple in the order of ``nodes``."""
        return self._neighbours(self._up, node)

    def children(self, node):
        """Direct children of ``node``, as a tuple in the order of ``nodes``."""
        return self._neighbours(self._down, node)

    def distance(self, a, b):
        """Least number of links on a path from ``a`` to ``b``; ``math.inf`` without a path."""
        a, b = self._positions([a, b], "a, b")
        hops = _walk.hops_from(self._step, self.n_nodes, a[None])[b]
        return int(hops) if hops < math.inf else math.inf

    def distances_from(self, node, *, radius=math.inf):
        """Links from ``node`` to each node within ``radius``, as a dict, nearest first.

        Nodes that cannot be reached are left out.

        Examples
        --------
        >>> Hierarchy([("dog", "animal"), ("cat", "animal")]).distances_from("dog")
        {'dog': 0, 'animal': 1, 'cat': 2}
        """
        hops = self._hops([node], "node", radius)
        near = np.flatnonzero(hops < math.inf)
        near = near[np.argsort(hops[near], kind="stable")]
        return {self.nodes[i]: int(hops[i]) for i in near}

    def within(self, sources, radius):
        """The nodes within ``radius`` links, at least 0, of any of ``sources``, as a set."""
        hops = self._hops(sources, "sources", radius)
        return {self.nodes[i] for i in np.flatnonzero(hops < math.inf)}

    def _hops(self, sources, name, radius):
        if radius != math.inf:
            radius = check_integer(radius, "radius", low=0)
        positions = self._positions(sources, name)
        return _walk.hops_from(self._step, self.n_nodes, positions, limit=radius)

    def correct_set(self, label, k, valid_labels, *, if_fewer="error"):
        """The correct set of A.3: valid labels within the smallest radius that contains k of them.

        A set of k labels or more, ``{label}`` for k = 1; parameters as in `stop_radii`.
        """
        valid_labels = list(valid_labels)
        ((radius,),) = self.stop_radii([label], valid_labels, [k], if_fewer=if_fewer)
        return self.within([label], radius).intersection(valid_labels)

    def correct_set_sizes(self, labels, valid_labels, ks, *, if_fewer="error"):
        """Number of labels in the correct set of each label and k, as in `stop_radii`.

        Its means are Table 1 of the paper.

        Examples
        --------
        >>> animals = Hierarchy([("dog", "animal"), ("cat", "animal"), ("puppy", "dog")])
        >>> animals.correct_set_sizes(["dog", "cat"], ["dog", "cat", "puppy"], [1, 2, 3])
        array([[1, 2, 3],
               [1, 2, 3]])
        """
        return self._stops(labels, valid_labels, ks, if_fewer)[1]

    def stop_radii(self, labels, valid_labels, ks, *, if_fewer="error"):
        """Smallest R such that at least k valid labels lie within R links, for each label and k.

        Parameters
        ----------
        labels : collection of nodes
            True labels, all of them in ``valid_labels``; one may come more than once.
        valid_labels : collection of nodes
            The labels that may be predicted, each once.
        ks : int or iterable of int
            In any order, repeated or not: one column each. One walk answers all of them.
        if_fewer : {"error", "all"}, default "error"
            What to do where paths from a label reach fewer than k valid labels, as in a hierarchy
            of several parts: A.3's loop would not end. ``"all"`` stops it when nothing is left to
            add, so that the correct set is all that is reached.

        Returns
        -------
        (n_labels, n_ks) int64 array

        Examples
        --------
        >>> animals = Hierarchy([("dog", "animal"), ("cat", "animal"), ("puppy", "dog")])
        >>> animals.stop_radii(["dog", "cat"], ["dog", "cat", "puppy"], [1, 2, 3])
        array([[0, 1, 2],
               [0, 2, 3]])
        """
        return self._stops(labels, valid_labels, ks, if_fewer)[0]

    def _stops(self, labels, valid_labels, ks, if_fewer):
        valid = self._valid_positions(valid_labels)
        check_ordered(labels, "labels")
        positions = self._positions(labels, "labels")
        strange = [self.nodes[i] for i in positions[~np.isin(positions, valid)]]
        if strange:
            raise ValueError(
                f"labels has {len(strange)} label(s) that are not in valid_labels "
                f"({_shown(strange)}): a true label must be one that can be predicted"
            )
        sources, row = np.unique(positions, return_inverse=True)
        radii, sizes = self._stops_at(sources, valid, check_ks(ks, len(valid), _VALID), if_fewer)
        return radii[row], sizes[row]

    def _stops_at(self, sources, valid, ks, if_fewer, at_stop=None):
        check_choice(if_fewer, "if_fewer", ("error", "all"))
        walk = self._step, self.n_nodes, sources, valid, np.array(ks)
        radii, sizes = _walk.stops(*walk, at_stop)
        few = sizes < np.array(ks)
        if if_fewer == "error" and few.any():
            row, column = np.argwhere(few)[0]
            raise ValueError(
                f"paths from label {self.nodes[sources[row]]!r} reach only {sizes[row, column]} "
                f"valid label(s), fewer than k = {ks[column]}: join the parts of the hierarchy "
                'under one root, or pass if_fewer="all" to stop there'
            )
        return radii, sizes


def _check_predictions(predictions, gold, ks):
    """``gold``, and the columns of ``predictions`` that ``ks`` need; names become numbers."""
    check_paired(predictions, gold, "predictions", "gold")
    predictions, gold = as_array(predictions, "predictions"), as_array(gold, "gold")
    predictions, gold = numbered(predictions=predictions, gold=gold)
    xp = namespace(predictions, gold)
    if predictions.ndim != 2 or 0 in predictions.shape:
        raise ValueError(
            "predictions must be a non-empty (n_samples, k) array, best answer first, got shape "
            f"{tuple(predictions.shape)}"
        )
    if not xp.isdtype(predictions.dtype, "integral"):
        raise TypeError(f"predictions must hold integers, {_LABELS}, got {predictions.dtype}")
    check_length(whole_numbers(gold, "gold", _LABELS), "gold", predictions.shape[0], "predictions")
    if max(ks) > predictions.shape[1]:
        raise ValueError(
            f"predictions has {predictions.shape[1]} answer(s) a row, fewer than k = {max(ks)}: "
            "predict more, or fill the rows with -1, which counts as wrong"
        )
    return predictions[:, : max(ks)], gold


def check_hierarchy(hierarchy):
    """Refuse what is no `Hierarchy`."""
    if not isinstance(hierarchy, Hierarchy):
        raise TypeError(f"hierarchy must be a Hierarchy, got {type(hierarchy).__name__}")


def hierarchical_precision_at_k(
    predictions, gold, hierarchy, valid_labels, ks, *, if_fewer="error"
):
    """hp@k of each sample: the share of its first k predictions that lie in its correct set.

    Eq. 1 of Frome et al. (2013), A.3, before the average over samples::

        hp@k = 1/N sum_i |first k predictions of i, in hCorrectSet of i| / k

    The walk that grows the correct sets counts the predictions in each where it stops. At k = 1 it
    is accuracy.

    Parameters
    ----------
    predictions : (n_samples, max k or more) int or str array
        Positions in ``valid_labels``, best first, none twice in a row; -1 stands for "no further
        answer" and counts as wrong. Columns after the largest k are not looked at. Or the labels
        themselves, where these are strings.
    gold : (n_samples,) int or str array
        Position of each sample's true label, or the label.
    hierarchy : Hierarchy
    valid_labels : sequence of nodes
        The labels that may be predicted, in the order that positions refer to.
    ks : int or iterable of int
        One column each, in the order given.
    if_fewer : {"error", "all"}, default "error"
        As in `Hierarchy.stop_radii`.

    Returns
    -------
    (n_samples, n_ks) float64 array
        Of the library and device of ``predictions``; the walk itself runs on the host.

    Examples
    --------
    >>> import numpy as np
    >>> animals = Hierarchy([("dog", "animal"), ("cat", "animal"), ("puppy", "dog")])
    >>> labels = ["dog", "cat", "puppy"]
    >>> predictions, gold = np.array([[2, 1], [0, 1]]), np.array([0, 1])
    >>> hierarchical_precision_at_k(predictions, gold, animals, labels, 2)
    array([[0.5],
           [1. ]])
    """
    check_hierarchy(hierarchy)
    check_ordered(valid_labels, "valid_labels")
    valid_labels = list(valid_labels)
    valid = hierarchy._valid_positions(valid_labels)
    ks = check_ks(ks, len(valid), _VALID)
    check_paired(predictions, gold, "predictions", "gold")
    predictions = _places(predictions, "predictions", valid_labels)
    gold = _places(gold, "gold", valid_labels)
    predictions, gold = _check_predictions(predictions, gold, ks)
    answers = _check_answers(predictions, len(valid))
    gold = check_indices(to_host(gold), "gold", len(valid))
    _check_places(np.union1d(answers[answers >= 0], gold).tolist(), list(valid_labels))
    sources, row = np.unique(valid[gold], return_inverse=True)
    targets, shares = valid[answers], np.empty((len(gold), len(ks)))
    of_source = np.concatenate([[0], np.cumsum(np.bincount(row))]), np.argsort(row, kind="stable")

    def at_stop(rows, stopped, members):
        ends, samples = ragged_rows(*of_source, rows)
        at = np.repeat(np.arange(len(rows)), np.diff(ends))
        near = members.toarray()[at[:, None], targets[samples]] & (answers[samples] >= 0)
        for column, k in enumerate(ks):
            here = stopped[at, column]
            shares[samples[here], column] = near[here, :k].mean(axis=1)

    hierarchy._stops_at(sources, valid, ks, if_fewer, at_stop)
    return like(shares, predictions)


def _places(given, name, labels):
    """Names as places in ``labels``; anything else as it is."""
    if not is_text(as_array(given, name)):
        return given
    return rows_of_names(as_labels(given, name), labels, name, "valid_labels")


def _check_places(places, labels):
    """Refuse numbers that may as well be names, where these stand at other places."""
    names = {label for label in labels if isinstance(label, Integral)}
    if names.issuperset(places) and any(labels[place] != place for place in places):
        raise ValueError(
            "predictions and gold are places in valid_labels, which has all of these numbers for "
            "names at other places: name the nodes by strings, so that the two cannot be confused"
        )


def _check_answers(predictions, n_valid):
    """``predictions`` on the host, when they are positions, none twice in a row."""
    answers = to_host(predictions).astype(np.int64)
    if answers.min() < -1 or answers.max() >= n_valid:
        raise ValueError(
            f"predictions must lie in [-1, {n_valid}), positions in valid_labels or -1, found "
            f"{answers.min()} to {answers.max()}"
        )
    ordered = np.sort(answers, axis=1)
    twice = np.argwhere((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0))
    if len(twice):
        row, column = twice[0]
        raise ValueError(
            f"predictions has position {ordered[row, column]} more than once in row {row}: keep "
            "its first place only"
        )
    return answers


def flat_hits_at_k(predictions, gold, ks):
    """Whether the true label is among the first k predictions: the flat counterpart of hp@k.

    Predictions and ``gold`` as in `hierarchical_precision_at_k`; returns bool (n_samples, n_ks).

    Examples
    --------
    >>> import numpy as np
    >>> flat_hits_at_k(np.array([[2, 1], [0, 1]]), np.array([1, 0]), [1, 2])
    array([[False,  True],
           [ True,  True]])
    """
    ks = check_ks(ks)
    predictions, gold = _check_predictions(predictions, gold, ks)
    xp = namespace(predictions)
    same = xp.astype(predictions, xp.int64) == xp.astype(gold, xp.int64)[:, None]
    return xp.stack([xp.any(same[:, :k], axis=1) for k in ks], axis=1)
