"""Breadth-first walks over a directed acyclic graph, from many nodes at once.

The balls around a block of sources are the rows of one sparse boolean matrix. Its product with
the step matrix, links and identity, is the balls one hop wider: SciPy's compiled row-by-row
product does the walking and drops what is met twice.
"""

from graphlib import CycleError, TopologicalSorter

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra

from zslib.search.rows import slices

# Entries of a dense (sources, states) block: bounds the memory of every walk.
BLOCK_ENTRIES = 1 << 24


def find_cycle(links):
    """Nodes of one directed cycle of ``links``, the first one last again, or an empty list."""
    if connected_components(links, connection="strong", return_labels=False) == links.shape[0]:
        return []
    sorter = TopologicalSorter()
    for child, parent in zip(*links.nonzero(), strict=True):
        sorter.add(parent, child)
    try:
        sorter.prepare()
    except CycleError as error:
        return error.args[1]


def step_matrix(up, paths):
    """Where one hop leads, staying included: a square boolean matrix over states.

    For ``"any"`` the states are the nodes. For ``"up_then_down"`` state i is node i reached, from
    which the path may only descend, and state n_nodes + i is the same node while still climbing.
    """
    stay = sparse.eye_array(up.shape[0], dtype=bool)
    if paths == "any":
        return (up + up.T + stay).tocsr()
    return sparse.block_array([[up.T + stay, None], [up, up + stay]], format="csr")


def start_states(step, n_nodes, sources):
    """The states in which a walk from each source starts, (n_sources, 1 or 2)."""
    return sources[:, None] + np.arange(0, step.shape[0], n_nodes)


def hops_from(step, n_nodes, sources, limit=np.inf):
    """Hops to each node from the nearest of ``sources``; infinite where none leads there."""
    starts = start_states(step, n_nodes, sources).ravel()
    hops = dijkstra(step, indices=starts, unweighted=True, min_only=True, limit=limit)
    return hops[:n_nodes]


def stops(step, n_nodes, sources, valid, ks, at_stop=None):
    """Smallest radius with at least k valid nodes, and how many there are, for each source and k.

    Returns two (n_sources, n_ks) int64 arrays. Where paths reach fewer than k, the size is all
    they reach, at the radius after which there is nothing more.

    ``at_stop(rows, stopped, members)`` is called where balls stop: for which sources, for which k,
    a mask (n_rows, n_ks), and with the states in these balls, a sparse mask (n_rows, n_states).
    """
    weights = np.zeros(step.shape[0], dtype=np.int64)
    weights[valid] = 1
    radii = np.full((len(sources), len(ks)), -1, dtype=np.int64)
    sizes = np.zeros_like(radii)
    for block in slices(len(sources), max(1, BLOCK_ENTRIES // step.shape[0])):
        rows = np.arange(block.start, block.stop)
        starts = start_states(step, n_nodes, sources[block])
        ends = np.arange(0, starts.size + 1, starts.shape[1])
        entries = np.ones(starts.size, dtype=bool), starts.ravel(), ends
        members = sparse.csr_array(entries, shape=(len(rows), step.shape[0]))
        radius, before = 0, np.zeros(len(rows), dtype=np.int64)
        while len(rows):
            counts = (members @ weights)[:, None]
            reached = np.diff(members.indptr)
            ended = (reached == before)[:, None]  # the last hop led nowhere
            missing = radii[rows] < 0
            sizes[rows] = np.where(missing, counts, sizes[rows])
            stopped = missing & ((counts >= ks) | ended)
            radii[rows] = np.where(stopped, radius - ended, radii[rows])
            if at_stop and (some := stopped.any(axis=1)).any():
                at_stop(rows[some], stopped[some], members[some])
            going = (missing & ~stopped).any(axis=1)
            rows, before = rows[going], reached[going]
            members = members[going] @ step
            radius += 1
    return radii, sizes
