"""How well a generator makes the classes that it has seen."""

import math

from zslib.arrays import class_sums, namespace, take_rows, to_host


def seen_class_diagnostics(real, codes, fake, fake_codes, n_classes):
    r"""Variances of made images over those of real ones, and the error of the class means.

    ``within_class`` is the ratio of mean squared distances from the class's mean (below 0.5 the
    generator has collapsed), ``between_class`` that of the class means' distances from their mean
    (above 1.3 training was not stable). With the class means :math:`m_c` of real images and
    :math:`\tilde m_c` of made ones, and :math:`\bar m` their mean over classes, ``mean_error`` is
    :math:`\sqrt{\sum_c \|\tilde m_c - m_c\|^2 / \sum_c \|m_c - \bar m\|^2}`. Each is infinite
    where the real images do not vary.
    """
    within, between, means = _variances(real, codes, n_classes)
    made_within, made_between, made_means = _variances(fake, fake_codes, n_classes)
    off = float(namespace(means).mean((made_means - means) ** 2))
    return {
        "within_class": _ratio(made_within, within),
        "between_class": _ratio(made_between, between),
        "mean_error": math.sqrt(_ratio(off, between)),
    }


def _variances(X, codes, n_classes):
    xp = namespace(X)
    sums, counts = class_sums(X, codes, n_classes)
    means = sums / counts[:, None]
    within = X - take_rows(means, to_host(codes))
    between = means - xp.mean(means, axis=0)
    return float(xp.mean(within * within)), float(xp.mean(between * between)), means


def _ratio(value, over):
    return value / over if over > 0 else math.inf
