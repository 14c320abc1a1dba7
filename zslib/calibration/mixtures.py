"""Mixtures of an expert on seen and an expert on unseen classes (Atzmon & Chechik 2019)."""

from zslib.arrays import like, namespace, typed_like
from zslib.metrics.zero_shot import check_seen_columns
from zslib.validation import as_array, check_choice, check_length, check_paired, check_real

MIXTURES = ("adaptive", "constant", "total")

# Added to probabilities before a logarithm or a quotient.
EPSILON = 1e-12


def mix_experts(experts, is_seen, unseen, *, mixture="adaptive", weight=0.5):
    r"""Probabilities of all classes, from two experts and the probability of being unseen.

    With u the ``unseen`` probability of an image, U the number of unseen classes, S that of seen
    ones, and :math:`p_y` what an expert says of a class of its own, an unseen class gets

    .. math::

        u \Bigl(p_y + \frac{1 - u}{U}\Bigr) \text{ (adaptive)}, \quad
        u\, \frac{p_y}{\sum_{c \text{ unseen}} p_c} \text{ (total)},

    .. math::

        u \Bigl(w \frac{p_y}{\sum_{c \text{ unseen}} p_c} + \frac{1 - w}{U}\Bigr)
        \text{ (constant)}

    and a seen class the same with 1 - u for u and S for U. "Total" is the law of total
    probability. "Adaptive" smoothing, the paper's own, makes an expert the more uniform, the less
    an image belongs to it; it takes the experts as they are, so that its sum need not be 1.

    Parameters
    ----------
    experts : (n, C) float array
        Probabilities: in columns of seen classes those of the seen expert, in the others those of
        the unseen one. From two arrays over all classes: ``where(is_seen, p_seen, p_unseen)``.
    is_seen : (C,) bool array
        Which columns are seen classes.
    unseen : (n,) float array
        u, in [0, 1].
    mixture : {"adaptive", "constant", "total"}, default "adaptive"
    weight : float, default 0.5
        w of "constant", above 0 and at most 1.

    Returns
    -------
    (n, C) array
        Of the library, device and type of ``experts``.

    Examples
    --------
    >>> import numpy as np
    >>> experts, is_seen = np.array([[0.8, 0.2, 0.4, 0.1]]), np.array([True, True, False, False])
    >>> mix_experts(experts, is_seen, np.array([0.5]))
    array([[0.525, 0.225, 0.325, 0.175]])
    >>> mix_experts(experts, is_seen, np.array([0.5]), mixture="total").round(3)
    array([[0.4, 0.1, 0.4, 0.1]])
    """
    check_paired(experts, unseen, "experts", "unseen")
    experts, mask = check_experts(experts, is_seen)
    check_choice(mixture, "mixture", MIXTURES)
    unseen = as_array(unseen, "unseen")
    xp = namespace(experts, unseen)
    check_length(unseen, "unseen", experts.shape[0], "experts")
    unseen = xp.astype(unseen, experts.dtype, copy=False)
    # NaN fails both comparisons.
    if not bool(xp.all((unseen >= 0) & (unseen <= 1))):
        raise ValueError("unseen must hold probabilities, in [0, 1]")
    seen = typed_like(mask, experts)[None, :]
    own = seen * (1.0 - unseen[:, None]) + (1.0 - seen) * unseen[:, None]
    return own * _smoothed(experts, mask, 1.0 - own, mixture, weight)


def _smoothed(experts, mask, other, mixture, weight):
    """What each expert says of its classes, smoothed by ``other``, the other's probability."""
    xp = namespace(experts)
    seen = typed_like(mask, experts)[None, :]
    n_seen = int(mask.sum())
    number = seen * n_seen + (1.0 - seen) * (mask.size - n_seen)
    if mixture == "adaptive":
        return experts + other / number
    # An expert that gives its own classes nothing becomes uniform.
    experts = experts + EPSILON
    mass = seen * xp.sum(experts * seen, axis=1, keepdims=True)
    mass = mass + (1.0 - seen) * xp.sum(experts * (1.0 - seen), axis=1, keepdims=True)
    if mixture == "total":
        return experts / mass
    weight = check_real(weight, "weight", low=0, high=1)
    if weight == 0:
        raise ValueError("weight is 0, which leaves the experts no say: give a number above 0")
    return weight * experts / mass + (1.0 - weight) / number


def even_odds(experts, mask, *, mixture="adaptive", weight=0.5):
    r"""Log odds of being unseen at which an image's best seen and unseen class are even, (n,).

    For "adaptive" those of the one root in [0, 1] of :math:`-d u^2 + (a + b + d) u - b`, with a
    what the unseen expert says of its best class, b what the seen one says of its own, and
    :math:`d = 1/U - 1/S`.
    """
    check_choice(mixture, "mixture", MIXTURES)
    xp = namespace(experts)
    smoothed = _smoothed(experts, mask, 0.0 * experts, mixture, weight) + EPSILON
    seen, unseen = (
        xp.max(xp.take(smoothed, like(columns.nonzero()[0], experts), axis=1), axis=1)
        for columns in (mask, ~mask)
    )
    odds = xp.log(seen) - xp.log(unseen)
    if mixture == "adaptive":
        n_seen = int(mask.sum())
        d = 1.0 / (mask.size - n_seen) - 1.0 / n_seen
        total = seen + unseen
        root = xp.sqrt(total * total + 2.0 * d * (unseen - seen) + d * d)
        odds = odds + xp.log(total - d + root) - xp.log(total + d + root)
    return odds


def check_experts(experts, is_seen):
    """``experts``, when they are probabilities, and the mask of seen classes, on the host."""
    experts, mask = check_seen_columns(experts, is_seen, "experts")
    xp = namespace(experts)
    lowest, highest = float(xp.min(experts)), float(xp.max(experts))
    if lowest < 0 or highest > 1.0001:
        raise ValueError(
            f"experts must hold probabilities, found {lowest:.3g} to {highest:.3g}: take a "
            "softmax of scores first"
        )
    return experts, mask
