"""Extra elements of the search space that are no one's label (Hubness and Pollution, Table 9)."""

import numpy as np

from zslib.arrays import random_generator, to_host
from zslib.search import top_k
from zslib.validation import check_integer


def random_distractors(problem, n, *, random_state=None):
    """Sorted rows of ``n`` targets drawn at random among those that are no label."""
    free = np.setdiff1d(np.arange(problem.targets.shape[0]), problem.labels)
    return _draw(free, n, random_state)


def related_words(problem):
    """Sorted rows of the targets that are no label but near a training label.

    They are among its 5 nearest, as in the paper. A label is not its own neighbour.
    """
    training = np.unique(problem.train_gold)
    _, near = top_k(problem.targets[training], problem.targets, 6)
    near = to_host(near)
    # The label itself comes first but for ties; the others keep their order.
    not_self = near != training[:, None]
    first = np.cumsum(not_self, axis=1) <= 5
    return np.setdiff1d(near[not_self & first], problem.labels)


def equal_distractors(problem, n, *, random_state=None):
    """As many related as random distractors, ``{"related": rows, "random": rows}``.

    At most ``n`` of each: fewer where fewer words are related.
    """
    check_integer(n, "n", low=1)
    related = related_words(problem)
    n = min(n, related.size)
    if n == 0:
        raise ValueError(
            "no word that labels nothing is near a training label: there are no related "
            "distractors to draw; use a larger vocabulary"
        )
    return {
        "related": _draw(related, n, random_state),
        "random": random_distractors(problem, n, random_state=random_state),
    }


def _draw(candidates, n, random_state):
    check_integer(n, "n", low=1)
    if n > candidates.size:
        raise ValueError(
            f"n={n} distractors were asked for, but the vocabulary offers only "
            f"{candidates.size}: ask for fewer, or use a larger vocabulary"
        )
    return np.sort(random_generator(random_state).choice(candidates, size=n, replace=False))
