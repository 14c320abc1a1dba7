"""Hubs by name: whose lists a word is in."""

import numpy as np

from zslib.metrics import k_occurrence


def hubs_by_name(problem, lists, n=8):
    """The words in most lists under the first way of searching, and their counts under each.

    Parameters
    ----------
    problem : MappingProblem
    lists : dict of (queries, k) int arrays

    Returns
    -------
    list of list
        Word, a query that has it first or nearly so though it is wrong there, and the counts.
    """
    counts = [k_occurrence(found, len(problem.targets)) for found in lists.values()]
    first = next(iter(lists.values()))
    rows = []
    for word in np.argsort(-counts[0], kind="stable")[:n]:
        places = np.argmax(first == word, axis=1) + first.shape[1] * ~np.any(first == word, axis=1)
        wrong = [q for q in np.argsort(places, kind="stable") if word not in problem.test_gold[q]]
        asked = ", ".join(str(problem.test_words[q]) for q in wrong[:2])
        rows.append([str(problem.target_words[word]), asked, *(int(c[word]) for c in counts)])
    return rows
