"""What the chapters on DARK draw: the ranking systems beside each other, and its two views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from zslib.book.figures import COLORS
from zslib.compatibility.ranking.dark_objective import density_margin
from zslib.compatibility.ranking.loss import (
    drawn_violation,
    every_violation,
    hardness,
    largest_violation,
    one_violation,
    rank_weights,
    violations,
)

__all__ = ["SYSTEMS", "System", "draw_ranking", "expected_weights", "ranking_projection"]


@dataclass(frozen=True)
class System:
    r"""How a system sets margin and weights in Eq. 2 of Guo et al. (2019).

    Attributes
    ----------
    margin, weight : str
        Formulas, Markdown. r is the number of violating labels, k that of labels.
    weigh : callable
        ``weigh(residuals, own, rng)`` gives the weights, (n, C).
    adaptive : bool
        Whether the margin is Eq. 3 with m = 0.5; else it is 1.
    label_view : bool
        Whether labels rank images as well.
    draws : bool
        Whether weights are drawn.
    """

    margin: str
    weight: str
    weigh: Callable
    adaptive: bool = False
    label_view: bool = False
    draws: bool = False

    def assess(self, scores, own, rng=None):
        """Margins (n, 1), residuals R (n, C) and weights (n, C) of rows of scores.

        Examples
        --------
        >>> scores = np.array([[2.0, 1.5, 0.0]])
        >>> margins, residuals, weights = SYSTEMS["ALE"].assess(scores, np.array([0]))
        >>> residuals, weights
        (array([[ 0. ,  0.5, -1. ]]), array([[0., 1., 0.]]))
        """
        own_scores = np.take_along_axis(scores, own[:, None], axis=1)
        margins = density_margin(own_scores, 0.5) if self.adaptive else np.ones_like(own_scores)
        residuals = violations(scores, own, margins)
        return margins, residuals, self.weigh(residuals, own, rng)


def _drawn(residuals, own, rng):
    return drawn_violation(residuals, rng.random(residuals.shape))


def _blind(residuals, own, rng):
    n, k = residuals.shape
    return one_violation(residuals, (own + rng.integers(1, k, size=n)) % k)


_ADAPTIVE = r"$m \log(1 + e^{F(x_i, y_i)})$"
_STEP = "1 if $R > 0$"
SYSTEMS = {
    "DeViSE": System("1", _STEP, lambda R, own, rng: every_violation(R)),
    "DeViSE, one drawn": System("1", "1 for one label with $R > 0$", _drawn, draws=True),
    "ALE": System(
        "1", r"$\frac{1}{r} \sum_{j \leq r} \frac{1}{j}$ if $R > 0$",
        lambda R, own, rng: rank_weights(R),
    ),
    "SJE": System("1", "1 for the largest $R > 0$", lambda R, own, rng: largest_violation(R)),
    "LatEm": System("1", "1 for one label of all $k - 1$, if $R > 0$", _blind, draws=True),
    "DARK-L": System(
        _ADAPTIVE, "$1 / (1 + e^{-R})$", lambda R, own, rng: hardness(R, own), adaptive=True
    ),
    "DARK-H": System(
        _ADAPTIVE, _STEP, lambda R, own, rng: every_violation(R), adaptive=True, label_view=True
    ),
    "DARK": System(
        _ADAPTIVE,
        "$1 / (1 + e^{-R})$",
        lambda R, own, rng: hardness(R, own),
        adaptive=True,
        label_view=True,
    ),
}  # fmt: skip
"""The ranking systems of Guo et al. (2019), with their weights."""


def expected_weights(system, residuals, own, *, n_draws=4000, seed=0):
    """Weights of one row of residuals, averaged over draws where the system draws.

    Parameters
    ----------
    system : System
    residuals : array, shape (C,)
    own : int
    n_draws, seed : int

    Returns
    -------
    array, shape (C,)

    Examples
    --------
    >>> expected_weights(SYSTEMS["LatEm"], np.array([0.0, 0.5, -1.0]), 0).round(1)
    array([0. , 0.5, 0. ])
    """
    times = n_draws if system.draws else 1
    rows = np.tile(residuals, (times, 1))
    weights = system.weigh(rows, np.full(times, own), np.random.default_rng(seed))
    return weights.mean(axis=0)


def ranking_projection(points, direction):
    """Points by how a direction ranks them, and by how they differ most besides.

    Parameters
    ----------
    points : array, shape (n, r)
        Labels yV that an image ranks, or images xU that a label ranks.
    direction : array, shape (r,)
        The image's xU, or the label's yV.

    Returns
    -------
    array, shape (n, 2)
        Inner products with ``direction``, which are the scores F, exactly; and coordinates along
        the direction of the largest spread at a right angle to it.

    Examples
    --------
    >>> points = np.array([[1.0, 0.0, 0.0], [2.0, 3.0, 0.0], [4.0, -3.0, 0.0]])
    >>> np.abs(ranking_projection(points, np.array([2.0, 0.0, 0.0]))).round(6)
    array([[2., 0.],
           [4., 3.],
           [8., 3.]])
    """
    points, direction = np.asarray(points, np.float64), np.asarray(direction, np.float64)
    scores = points @ direction
    unit = direction / np.linalg.norm(direction)
    rest = points - np.outer(points @ unit, unit)
    _, _, axes = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)
    return np.stack([scores, rest @ axes[0]], axis=1)


def draw_ranking(ax, places, own, margin, weights, named, *, crowd=None, size=160.0):
    """One view: what is ranked, by score from left to right, with the margin to be kept.

    Parameters
    ----------
    ax : matplotlib axes
    places : array, shape (n, 2)
        From `ranking_projection`.
    own : int
        The one that should come first, by the margin.
    margin : float
    weights : array, shape (n,)
        Area of the marks of rivals.
    named : dict of int to str
        Those that get a colour and a name, the own one among them.
    crowd : dict of int to array, shape (m, 2), optional
        Points to draw small, in the colour of the named one they belong to.
    size : float
        Area of a mark of weight 1, in square points.
    """
    rivals = np.setdiff1d(np.arange(len(places)), [*named])
    ax.scatter(*places[rivals].T, s=4 + size * weights[rivals], color="0.6", alpha=0.45, lw=0)
    for color, (i, name) in zip(COLORS, named.items(), strict=False):
        if crowd is not None:
            ax.scatter(*crowd[i].T, s=5, color=color, alpha=0.35, lw=0)
        look = {"marker": "*", "s": 1.3 * size} if i == own else {"s": 4 + size * weights[i]}
        ax.scatter(*places[i], color=color, edgecolor="black", lw=0.8, label=name, **look)
    ax.axvline(places[own, 0], color="0.25", lw=1, label="score of the own one")
    ax.axvline(places[own, 0] - margin, color="0.25", lw=1, ls="--", label="less the margin")
    # Marks of one size: in the legend their area means nothing.
    legend = ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, fontsize=8)
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([45.0])
