"""A hub by its name, with queries that it answers."""

import numpy as np


def largest_hub(outcome, n=3):
    """Name of the largest hub, its number of lists, and ``n`` queries that it is wrong for.

    Parameters
    ----------
    outcome : Outcome
    n : int

    Returns
    -------
    word : str
    count : int
    queries : list of str
        From all over the list of test words.
    """
    problem, row = outcome.problem, outcome.hubs(1)[0]
    listed = np.flatnonzero((outcome.neighbours == row).any(axis=1))
    wrong = [i for i in listed if row not in problem.test_gold[i]]
    chosen = np.linspace(0, len(wrong) - 1, min(n, len(wrong))).astype(int)
    return problem.target_words[row], len(listed), [problem.test_words[wrong[i]] for i in chosen]
