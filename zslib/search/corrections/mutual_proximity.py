"""Mutual proximity."""

from functools import cache

import numpy as np
from array_api_compat import is_cupy_namespace, is_numpy_namespace
from scipy.special import log_ndtr, ndtri_exp

from zslib.arrays import like, namespace, to_host
from zslib.search.corrections.base import Correction, check_several


class MutualProximity(Correction):
    """Probability that query and target are each other's near neighbours.

    Schnitzer, Flexer, Schedl and Widmer (2012), "Local and global scaling reduce hubs in space",
    section 3.2, with independent Gaussian distributions:

        log MP(x, y) = log Phi((s - mu_x) / sigma_x) + log Phi((s - mu_y) / sigma_y)

    where s = s(x, y), mu_x and sigma_x are mean and standard deviation of the scores of x with
    all targets, mu_y and sigma_y those of y with all queries, and Phi is the normal distribution
    function. (The paper writes distances: P(D_x > d) there is Phi of the score here.) A hub has a
    high mu_y, so that a high score with it is nothing remarkable. Logarithms throughout: products
    of such small probabilities would underflow and all tie at 0.

    A row or column of equal scores has no spread; its deviation is then taken as their rounding,
    and a score equal to the mean counts as Phi(0) = 1/2.

    Parameters
    ----------
    reference : (n_reference, d) float array or None, default None
        The queries on which mu_y and sigma_y rest; None: the queries themselves, at least two.

    Attributes
    ----------
    mean_, deviation_, rounding_ : (n_targets,) arrays
        mu_y, sigma_y, and how far rounding may have moved a score, after `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from zslib.search import top_k
    >>> queries = np.array([[1.0, 0.6], [1.0, 0.9], [0.1, 1.0]])
    >>> targets = np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 1.0]])
    >>> top_k(queries, targets, 1, correction=MutualProximity())[1].T
    array([[0, 1, 2]])
    """

    _KEPT = ("mean_", "deviation_", "rounding_")
    by_length = True

    def check(self, side):
        check_several(side, self)

    def begin(self, side):
        mean, deviation = side.moments()
        return mean, deviation, side.rounding(mean)

    def target_statistics(self, reference, side):
        xp = namespace(reference)
        mean = xp.mean(reference, axis=1)
        centred = reference - mean[:, None]
        squares = xp.vecdot(centred, centred)
        spread = xp.sqrt(squares / centred.shape[1])
        limits = xp.finfo(squares.dtype)
        sure = (squares > limits.smallest_normal * 2.0**60) & (squares <= limits.max)
        if not bool(xp.all(sure)):  # in units of the largest, whose squares are in range
            peak = xp.max(xp.abs(centred), axis=1)
            peak = xp.where(peak > 0, peak, xp.ones_like(peak))
            centred /= peak[:, None]
            scaled = peak * xp.sqrt(xp.vecdot(centred, centred) / centred.shape[1])
            spread = xp.where(sure, spread, scaled)
        return mean, spread, xp.astype(side.rounding(mean), xp.float64)

    def bound(self, floor, statistics):
        # Neither factor is above 1, so that each alone must reach the floor.
        least = ndtri_exp(np.minimum(floor * (1 + _DOUBT), -1e-300))
        mean, deviation, rounding = statistics
        away = least * np.maximum(deviation, rounding)
        level = mean + away - _DOUBT * (np.abs(mean) + np.abs(away)) - 2 * rounding
        return None if np.isnan(level).any() else level

    def apply_above(self, scores, of_targets, statistics, bound):
        # Rounded down: of a query of length zero the bound lies just below its scores.
        places = np.flatnonzero(scores > np.nextafter(bound.astype(scores.dtype), -np.inf))
        if places.size > scores.size // _MANY:
            return self.apply(scores, of_targets, statistics)
        row, column = np.divmod(places, scores.shape[1])
        proximity = np.full(scores.shape, -np.inf, scores.dtype)
        if places.size:
            proximity[row, column] = _log_proximity(
                scores[row, column],
                [array[row] for array in of_targets],
                [array[column] for array in statistics],
            )
        return proximity

    def apply(self, scores, of_targets, statistics):
        return _log_proximity(
            scores,
            [array[:, None] for array in of_targets],
            [array[None, :] for array in statistics],
        )


_DOUBT = 1e-4  # far more than rounding moves a score, of its size
_MANY = 16  # one score in so many, and all of them are as soon corrected


def _log_proximity(scores, of_targets, of_queries):
    """The sum of both logarithms of some scores, from statistics of the targets and queries."""
    xp = namespace(scores)
    proximity = _log_factor(scores, *of_targets)
    *narrow, rounding = of_queries
    narrow = (xp.astype(array, scores.dtype) for array in narrow)
    proximity += _log_factor(scores, *narrow, rounding)
    return proximity


def _log_factor(scores, mean, deviation, rounding):
    """log Phi of the scores less their mean, over their deviation or at least their rounding."""
    xp = namespace(scores)
    centred = scores - mean
    flat = deviation <= rounding
    if bool(xp.any(flat)):
        within = flat & (xp.abs(centred) <= rounding)
        centred = xp.where(within, xp.zeros_like(centred), centred)
        deviation = xp.where(flat, rounding, deviation)  # float64: float32 may not hold it
        centred = xp.astype(centred / deviation, scores.dtype)
    else:
        centred /= deviation
    return log_normal_cdf(centred)


_POINTS, _LOW, _HIGH = 512, -12, 9  # of the table: how many to a unit, and its ends


@cache
def _table(dtype):
    """Logarithm of the normal distribution as polynomials about points, highest power first."""
    z = np.arange(_LOW * _POINTS, _HIGH * _POINTS + 1) / _POINTS
    value = log_ndtr(z)
    first = np.exp(-z * z / 2 - value) / np.sqrt(2 * np.pi)
    second = -first * (z + first)
    third = -second * (z + first) - first * (1 + second)
    fourth = -third * (z + first) - 2 * second * (1 + second) - first * third
    table = np.stack([fourth / 24, third / 6, second / 2, first, value])
    table /= float(_POINTS) ** np.arange(4, -1, -1)[:, None]
    table = table if dtype == np.float64 else table[2:]
    return table.astype(dtype)


def _by_table(z):
    """`log_normal_cdf` of NumPy arrays: a fifth of the time of SciPy's ``log_ndtr``."""
    beyond = z.min() < _LOW or z.max() > _HIGH
    offset = np.clip(z, _LOW, _HIGH) if beyond else z
    offset = offset * z.dtype.type(_POINTS)
    nearest = np.rint(offset)
    offset -= nearest
    nearest -= _LOW * _POINTS  # from 0 on: NumPy takes long over negative indices
    nearest = nearest.astype(np.intp)
    highest, *others = _table(z.dtype)
    found = highest.take(nearest, mode="clip")  # none is out of range: no check is quicker
    for coefficients in others:
        found *= offset
        found += coefficients.take(nearest, mode="clip")
    if beyond:
        far = (z < _LOW) | (z > _HIGH)
        found[far] = log_ndtr(z[far])
    return found


def log_normal_cdf(z):
    """Logarithm of the standard normal distribution function, accurate for any finite ``z``.

    From a table of SciPy's ``log_ndtr``, to within 1e-12 of its size in float64; of other
    libraries by CuPy's, or by SciPy's own on the host.
    """
    xp = namespace(z)
    if is_numpy_namespace(xp):
        return _by_table(z)
    if is_cupy_namespace(xp):
        from cupyx.scipy import special

        return special.log_ndtr(z)
    return like(log_ndtr(to_host(z)), z)
