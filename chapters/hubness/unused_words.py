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
    return {
        one.problem: _outcomes(one, methods, max_queries)
        for one in runs
        if _knows_more(one.problem)
    }


def _knows_more(problem):
    entry = DATASETS.get(problem.name)
    return entry is not None and "test" in signature(entry.loaders[problem.setting]).parameters


def _outcomes(runs, methods, max_queries):
    setting, name = runs.problem.setting, runs.problem.name
    problem = load_problem(setting, name, quick=runs.quick, test="all")
    if max_queries:
        problem, _ = first_queries(problem, max_queries)
    asked = Repeated([problem] * len(runs.seeds), runs.seeds, runs.device, runs.quick)

    def moved(fit):
        return replace(fit, predictions=fit.mapping.transform(problem.X_test))

    return {
        name: asked.search(list(map(moved, runs.train(method))), k=0)
        for name, method in methods.items()
    }
