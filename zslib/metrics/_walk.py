"""Breadth-first walks over a directed acyclic graph, from many nodes at once.

The balls around a block of sources are the rows of one sparse boolean matrix. Its product with
the step matrix, links and identity, is the balls one hop wider: SciPy's compiled row-by-row
product does the walking and drops what is met twice.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra

from zslib.search.rows import slices

# Entries of a dense (sources, states) block: bounds the memory of every walk.
BLOCK_ENTRIES = 1 << 24


def find_cycle(links):
    """Nodes of one directed cycle of the square sparse matrix ``links``, or an empty list."""
    n_parts, part = connected_components(links, directed=True, connection="strong")
    if n_parts == links.shape[0]:
        return []
    node = int(np.argmax(np.bincount(part)[part] > 1))
    path = []
    while node not in path:
        path.append(node)
        targets = links.indices[links.indptr[node] : links.indptr[node + 1]]
        node = int(targets[part[targets] == part[node]][0])
    return path[path.index(node) :]


def step_matrix(child, parent, n_nodes, paths):
    """Where one hop leads, staying included: a square boolean matrix over states.

    For ``"any"`` the states are the nodes. For ``"up_then_down"`` state i is node i reached, from
    which the path may only descend, and state n_nodes + i is the same node while still climbing.
    """
    up, down = child, parent
    if paths == "any":
        rows, columns, n_states = [up, down], [down, up], n_nodes
    else:
        climbing = child + n_nodes
        rows = [climbing, climbing, parent]
        columns = [parent + n_nodes, parent, child]
        n_states = 2 * n_nodes
    every = np.arange(n_states)
    rows, columns = np.concatenate([*rows, every]), np.concatenate([*columns, every])
    entries = np.ones(len(rows), dtype=bool)
    return sparse.csr_array((entries, (rows, columns)), shape=(n_states, n_states))


class Balls:
    """The nodes within ``radius`` hops of each of a block of sources.

    ``rows`` are the sources that are still walked from; ``step`` is from `step_matrix`.
    """

    def __init__(self, step, n_nodes, sources):
        self.radius = 0
        self.rows = np.arange(len(sources))
        self._step, self._n_nodes = step, n_nodes
        starts = start_states(step, n_nodes, sources)
        per_source = starts.shape[1]
        self._members = sparse.csr_array(
            (
                np.ones(starts.size, dtype=bool),
                starts.ravel(),
                np.arange(0, starts.size + 1, per_source),
            ),
            shape=(len(sources), step.shape[0]),
        )

    def count(self, weights):
        """Sum of ``weights``, one a state, over each ball."""
        return np.add.reduceat(weights[self._members.indices], self._members.indptr[:-1])

    def mark(self, near):
        """Set ``near[row, node]``, a dense (sources, nodes) matrix, where a node is in a ball."""
        state = self._members.indices
        row = np.repeat(self.rows, np.diff(self._members.indptr))
        if self._step.shape[0] > self._n_nodes:
            reached = state < self._n_nodes
            state, row = state[reached], row[reached]
        near[row, state] = True

    def keep(self, mask):
        """Go on only with the sources where ``mask`` holds."""
        if not mask.all():
            self.rows, self._members = self.rows[mask], self._members[mask]

    def grow(self):
        """Widen the balls by one hop; returns a mask of those that gained nothing."""
        before = np.diff(self._members.indptr)
        self._members = self._members @ self._step
        self.radius += 1
        return np.diff(self._members.indptr) == before


def start_states(step, n_nodes, sources):
    """The states in which a walk from each source starts, (n_sources, 1 or 2)."""
    return sources[:, None] + np.arange(0, step.shape[0], n_nodes)


def blocks(step, n_sources):
    """Slices over sources, of a size that keeps a block of walks in `BLOCK_ENTRIES`."""
    return slices(n_sources, max(1, BLOCK_ENTRIES // step.shape[0]))


def hops_from(step, n_nodes, sources, limit=np.inf):
    """Hops to each node from the nearest of ``sources``; infinite where none leads there."""
    starts = start_states(step, n_nodes, sources).ravel()
    hops = dijkstra(step, indices=starts, unweighted=True, min_only=True, limit=limit)
    return hops[:n_nodes]


def stops(step, n_nodes, sources, valid, ks):
    """Smallest radius with at least k valid nodes, and how many there are, for each source and k.

    Returns two (n_sources, n_ks) int64 arrays. Where paths reach fewer than k, the size is all
    they reach, at the radius after which there is nothing more.
    """
    weights = np.zeros(step.shape[0], dtype=np.int64)
    weights[valid] = 1
    radii = np.full((len(sources), len(ks)), -1, dtype=np.int64)
    sizes = np.zeros_like(radii)
    for block in blocks(step, len(sources)):
        radius, size = radii[block], sizes[block]
        balls = Balls(step, n_nodes, sources[block])
        while len(balls.rows):
            counts = balls.count(weights)[:, None]
            rows = balls.rows
            missing = radius[rows] < 0
            size[rows] = np.where(missing, counts, size[rows])
            reached = missing & (counts >= ks)
            radius[rows] = np.where(reached, balls.radius, radius[rows])
            balls.keep((missing & ~reached).any(axis=1))
            if len(balls.rows):
                stuck = balls.grow()
                ended = balls.rows[stuck]
                radius[ended] = np.where(radius[ended] < 0, balls.radius - 1, radius[ended])
                balls.keep(~stuck)
    return radii, sizes


def hops_between(step, n_nodes, sources, limits, row, targets):
    """Hops from ``sources[row[i]]`` to each node of ``targets[i]``, -1 beyond the source's limit.

    ``row`` ascends; ``targets`` is (n, m). Returns (n, m) int64.
    """
    hops = np.full(targets.shape, -1, dtype=np.int64)
    for block in blocks(step, len(sources)):
        balls = Balls(step, n_nodes, sources[block])
        near = np.zeros((len(balls.rows), n_nodes), dtype=bool)
        asked = slice(*np.searchsorted(row, [block.start, block.start + len(balls.rows)]))
        local, wanted, found = row[asked, None] - block.start, targets[asked], hops[asked]
        limit = limits[block]
        while len(balls.rows):
            balls.mark(near)
            found[(found < 0) & near[local, wanted]] = balls.radius
            balls.keep(limit[balls.rows] > balls.radius)
            if len(balls.rows):
                balls.grow()
    return hops
