"""Vectors as convex combinations of others: least squares on the simplex."""

from __future__ import annotations

from zslib.arrays import namespace

__all__ = ["simplex_mixtures"]


def simplex_mixtures(embeddings, seen, penalty, *, max_iter=2000, tol=1e-9):
    r"""Each embedding as a convex combination of seen ones.

    .. math:: z(s) = \arg\min_{z \in \Delta_k} \tfrac12 \|s - z S\|^2
              + \tfrac{\gamma}{2} \|z\|^2

    By accelerated projected gradients with restarts (O'Donoghue & Candès 2015), in float64, all
    embeddings at once.

    Parameters
    ----------
    embeddings : array, shape (m, q)
    seen : array, shape (k, q)
    penalty : float
        :math:`\gamma`.
    max_iter : int, keyword only, default 2000
    tol : float, keyword only, default 1e-9
        It stops when no weight changes by more than this in one step.

    Returns
    -------
    array, shape (m, k), with the type of ``embeddings``
        Not negative; rows sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> simplex_mixtures(np.array([[0.25, 0.75], [9.0, 0.0]]), np.eye(2), 1e-9).round(4)
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    xp = namespace(embeddings, seen)
    S, targets = xp.astype(seen, xp.float64), xp.astype(embeddings, xp.float64)
    gram, cross = S @ S.T, targets @ S.T
    step = 1.0 / (float(xp.max(xp.linalg.eigvalsh(gram))) + penalty)
    mixture = xp.zeros_like(cross) + 1.0 / S.shape[0]
    ahead, pace = mixture, xp.ones_like(cross[:, :1])
    for _ in range(max_iter):
        slope = ahead @ gram + penalty * ahead - cross
        moved = _onto_simplex(ahead - step * slope)
        change = moved - mixture
        # Momentum that points uphill is dropped, for each embedding on its own.
        uphill = xp.sum((ahead - moved) * change, axis=1, keepdims=True) > 0
        pace = xp.where(uphill, xp.ones_like(pace), pace)
        faster = 0.5 * (1.0 + xp.sqrt(1.0 + 4.0 * pace * pace))
        ahead = moved + ((pace - 1.0) / faster) * change
        mixture, pace = moved, faster
        if float(xp.max(xp.abs(change))) <= tol:
            break
    return xp.astype(mixture, embeddings.dtype)


def _onto_simplex(points):
    """Nearest point of the simplex to each row."""
    xp = namespace(points)
    largest = xp.sort(points, axis=1, descending=True)
    count = xp.cumulative_sum(xp.ones_like(points[:1, :]), axis=1)
    excess = (xp.cumulative_sum(largest, axis=1) - 1.0) / count
    return xp.clip(points - xp.max(excess, axis=1, keepdims=True), min=0.0)
