"""Words that a list of pairs does not train on, asked of maps that are trained already."""

from dataclasses import replace
from inspect import signature

from zslib.datasets import load_problem
from zslib.datasets.catalogue import DATASETS
from zslib.protocols.mapping.corrected import first_queries
from zslib.protocols.mapping.repeated import Repeated


def unused_words(runs, methods, max_queries=0):
    """Outcomes of all words in no training pair, ``{problem: {name: outcomes}}``.

    Parameters
    ----------
    runs : sequence of Repeated
        Lists of pairs; those whose data know no other words are left out.
    methods : dict
        Names of methods, by the name of their outcomes.
    max_queries : int
        At most so many of the words, evenly spaced; 0 stands for all.
    """
    found = {}
    for one in runs:
        if problem := with_all_words(one):
            problem, _ = first_queries(problem, max_queries or len(problem.test_gold))
            asked = Repeated([problem] * len(one.seeds), one.seeds, one.device, one.quick)
            found[one.problem] = {
                name: asked.search([_moved(fit, problem) for fit in one.train(method)], k=0)
                for name, method in methods.items()
            }
    return found


def with_all_words(runs):
    """The problem with all words in no training pair as test items; None without other words."""
    setting, name = runs.problem.setting, runs.problem.name
    entry = DATASETS.get(name)
    if entry is None or "test" not in signature(entry.loaders[setting]).parameters:
        return None
    return load_problem(setting, name, quick=runs.quick, test="all")


def _moved(fit, problem):
    return replace(fit, predictions=fit.mapping.transform(problem.X_test))
