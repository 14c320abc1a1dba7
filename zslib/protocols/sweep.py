"""Grids tried on validation data, the next best where a training fails, results kept on disk."""

from functools import cache
from numbers import Real

import joblib
import numpy as np
from filelock import FileLock
from sklearn.base import BaseEstimator
from sklearn.model_selection import ParameterGrid
from threadpoolctl import threadpool_info

from zslib.arrays import resolve_device
from zslib.code_digest import code_digest, traceable
from zslib.datasets.locate import usable_cache
from zslib.protocols import choices
from zslib.validation import check_each, check_integer

CHOICE_SEEDS = (0, 1, 2)
"""Candidates are tried with the first of these, and the best of them with each."""

MANY_SEEDS = tuple(range(10))
"""The same, where trainings differ by more than neighbouring candidates do: see `most_regular`."""

_LIMIT = 2 * 1024**3
_MOST_STEPS = 4
_FINALISTS = 3


class NothingTrained(ValueError):
    """Every candidate of a grid failed."""


def sweep(grid, attempt, name, *, by="score", limits=None, seeds=None, regular=None, **columns):
    """A trial for each candidate of ``grid``, a dict of its ``parameters`` and what came of them.

    That is what ``attempt(parameters)`` found on validation data, a dict, or, after a ValueError,
    why it ``failed``. Where every candidate of ``name`` fails, it raises `NothingTrained`. Where
    the best ``by`` lies at an end of the grid, further values are tried: see `beyond_the_ends`.

    With ``seeds`` it is ``attempt(parameters, seeds)``: of the first seed for all candidates, then
    of all seeds for the three best or the best third, of which one is chosen (``n_seeds``): the
    best, or with ``regular`` the `most_regular` of those that may be as good. Then candidates
    beyond the grid are tried with all seeds only where the first is no worse than a finalist's.

    Where `zslib.protocols.choices` are in use, the trials of an earlier run are taken instead if
    they have this choice: its ``name``, and the ``columns`` that are no parameters of the grid.
    """
    candidates = list(ParameterGrid(grid))
    text = ", ".join(f"{k}={v}" for k, v in columns.items() if k not in candidates[0])
    choice = f"{name}: {text}" if text else name
    store = choices.in_use()
    if store is not None and (known := store.find(choice, candidates)) is not None:
        return known
    counted = f"of {len(candidates)} of {name}"
    trials = [
        _trial(attempt, parameters, seeds and seeds[:1], f"candidate {number} {counted}")
        for number, parameters in enumerate(candidates, 1)
    ]
    if seeds is not None and len(seeds) > 1:
        finalists = max(_FINALISTS, len(trials) // 3)
        for trial in ranked(trials, by):
            at = trials.index(trial)
            text = f"candidate {at + 1} {counted}, {len(seeds)} seeds"
            trials[at] = _trial(attempt, trial["parameters"], seeds, text)
            finalists -= by in trials[at]
            if not finalists:
                break
    if all("failed" in trial for trial in trials):
        raise _all_failed(trials, trials, name)
    for _ in range(_MOST_STEPS):
        if not (further := beyond_the_ends(trials, by, limits, regular)):
            break
        text = f"beyond the grid of {name}"
        if regular:  # one draw of many says which of them are worth the others
            least = min(trial[f"each {by}"][0] for trial in ranked(trials, by)[:_FINALISTS])
            first = [_trial(attempt, parameters, seeds[:1], text) for parameters in further]
            trials += [trial for trial in first if trial.get(by, -np.inf) < least]
            further = [trial["parameters"] for trial in first if trial.get(by, -np.inf) >= least]
        trials += [_trial(attempt, parameters, seeds, text) for parameters in further]
    return trials if store is None else store.note(choice, trials)


def _trial(attempt, parameters, seeds, text):
    """What came of one candidate."""
    choices.tell(text)
    try:
        # Numbers that overflow end in the error that is caught here.
        with np.errstate(over="ignore", invalid="ignore"):
            if seeds is None:
                return {"parameters": parameters} | attempt(parameters)
            outcome = attempt(parameters, seeds)
            return {"parameters": parameters} | outcome | {"n_seeds": len(seeds)}
    except ValueError as error:
        return {"parameters": parameters, "failed": str(error)}
    finally:
        choices.tell("")


def beyond_the_ends(trials, by, limits=None, regular=None):
    """Candidates beyond the grid's ends where the first trial of `ranked` lies at one; else none.

    A parameter's values are those tried with the best's other parameters, if they are positive
    numbers and at least two. The next one keeps the ratio of the last two, or is the nearer of the
    ``limits``, a dict of ``(low, high)`` with None for no limit.
    """
    best = ranked(trials, by, regular)[0]["parameters"]
    candidates, further = [trial["parameters"] for trial in trials], []
    for name, value in best.items():
        tried = {c[name] for c in candidates if c | {name: value} == best}
        positive = (isinstance(v, Real) and not isinstance(v, bool) and v > 0 for v in tried)
        if len(tried) < 2 or not all(positive) or value not in (min(tried), max(tried)):
            continue
        tried = sorted(tried)
        low, high = (limits or {}).get(name, (None, None))
        last = value == tried[-1]
        beside, bound, nearer = (tried[-2], high, min) if last else (tried[1], low, max)
        following = value * value / beside
        whole = isinstance(value, int)
        following = max(1, round(following)) if whole else float(f"{following:.3g}")
        following = following if bound is None else nearer(following, bound)
        if following not in tried:
            further.append(best | {name: following})
    return further


def mean_trial(outcomes, *, each=None):
    """Means over seeds of what a candidate found, by name, and what is ``each`` as a list too."""
    means = {name: float(np.mean([one[name] for one in outcomes])) for name in outcomes[0]}
    return means if each is None else means | {f"each {each}": [one[each] for one in outcomes]}


def some_rows(n):
    """At most a thousand rows of ``n``, evenly spread, to hold a training against chance."""
    return np.linspace(0, n - 1, min(n, 1000)).astype(np.int64)


def check_seeds(seeds):
    """A list of seeds, of at least one."""
    seeds = check_each(seeds, "seeds", check_integer, "integers", low=0)
    if not seeds:
        raise ValueError("seeds is empty: give at least one")
    return seeds


def ranked(trials, by, regular=None):
    """The trials that did not fail, largest ``by`` first; equally good ones in the order tried.

    Those of more seeds come before those of fewer. A rounding makes none better. With ``regular``
    the `most_regular` one comes before all others.
    """
    finished = [trial for trial in trials if by in trial]
    finished.sort(key=lambda trial: (-trial.get("n_seeds", 1), -round(trial[by], 9)))
    if regular and finished:
        first = most_regular(finished, by, regular)
        finished = [first, *(trial for trial in finished if trial is not first)]
    return finished


def most_regular(trials, by, regular):
    r"""The one-standard-error rule: the most regular trial that may be as good as the best one.

    ``trials`` begin with the best, as `ranked` has them; each has its score of every draw of
    validation data (see `mean_trial`). With :math:`d_i` what the best one leads by on draw i of n,
    a trial may be as good if the mean lead is within its standard error,

    .. math:: \bar d \le s_d / \sqrt n, \qquad s_d^2 = \frac{1}{n-1} \sum_i (d_i - \bar d)^2,

    as Breiman et al. (1984) chose trees, here paired over the draws. Trials of fewer draws, or
    without their scores, are left out. ``regular`` names parameters and says of which the "least"
    or the "most" is regular, the weightiest first; of equals the better one is taken.
    """
    each = f"each {by}"
    best = trials[0].get(each, ())

    def may_be_as_good(trial):
        if len(best) < 2 or len(trial.get(each, ())) != len(best):
            return trial is trials[0]
        lead = np.subtract(best, trial[each])
        return round(lead.mean(), 9) <= round(lead.std(ddof=1) / np.sqrt(lead.size), 9)

    def order(trial):
        signs = {"least": 1, "most": -1}
        return [signs[end] * trial["parameters"].get(k, 0) for k, end in regular.items()]

    return min(filter(may_be_as_good, trials), key=order)


def best_that_trains(trials, by, train, name, regular=None):
    """The first trial, as `ranked`, that ``train(parameters)`` does not fail on, and its result.

    A step size may diverge with all seen classes, though it did not with fewer: then the next best
    takes its place. Returned last is a list of those before, ``parameters`` and why they
    ``failed``.
    """
    passed_over = []
    for trial in ranked(trials, by, regular):
        parameters = trial["parameters"]
        try:
            return trial, train(parameters), passed_over
        except ValueError as error:
            passed_over.append({"parameters": parameters, "failed": str(error)})
    raise _all_failed(trials, passed_over, name)


def _all_failed(trials, failures, name):
    return NothingTrained(
        f"all {len(trials)} candidates of {name} failed, the first with: {failures[0]['failed']}"
    )


def kept(function, model, problem, *, known_by=None, device=None, **options):
    """``function(model, problem, **options)``, from disk where it was computed before.

    A result is found again by the function's name, the problem's checksum, the model, the options,
    the device that the problem is moved to, the code that function and model import, and the
    kernels and threads of linear algebra, which decide the last bits. So an interrupted run goes
    on where it stopped, and chapters, even at the same time, share what they have in common. What
    is ``known_by`` stands for a model that cannot be hashed, or not all of which matters. Nothing
    is kept of a model that a notebook or script defines, whose code may change unseen.
    """
    device = device and resolve_device(device)
    known_by = model if known_by is None else known_by
    parts = known_by if isinstance(known_by, tuple) else (known_by,)
    # A scorer in a scorer, or in a method, counts with its own code.
    parts += tuple(value for part in parts for value in getattr(part, "__dict__", {}).values())
    models = [p for p in parts if isinstance(p, BaseEstimator)]
    parts += tuple(value for model in models for value in model.get_params().values())
    modules = {getattr(one, "__module__", None) or "builtins" for one in (function, *parts)}
    if not all(map(traceable, modules)) or (folder := usable_cache("memo")) is None:
        return _call(function, model, problem, options, device, *[None] * 5)
    code = _code_digest(*sorted(modules))
    name = f"{function.__module__}.{function.__qualname__}"
    key = (options, device, name, problem.checksum, known_by, code, linear_algebra())
    # Whoever asks for the same at the same time waits for it.
    with FileLock(folder / f"{joblib.hash(key)}.lock"):
        return _memory(folder)(function, model, problem, *key)


def _call(function, model, problem, options, device, name, checksum, known_by, code, rounding):
    problem = problem if device is None else problem.to(device)
    # Training that diverges ends in an error, or in scores that are refused.
    with np.errstate(over="ignore", invalid="ignore"):
        return function(model, problem, **options)


def linear_algebra():
    """Kernel and number of threads of each library of linear algebra in this process."""
    libraries = [one for one in threadpool_info() if one["user_api"] == "blas"]
    facts = ("internal_api", "architecture", "num_threads")
    return sorted(tuple(str(library.get(fact, "")) for fact in facts) for library in libraries)


@cache
def _memory(folder):
    memory = joblib.Memory(folder, verbose=0)
    memory.reduce_size(bytes_limit=_LIMIT)
    return memory.cache(_call, ignore=["function", "model", "problem"])


@cache
def _code_digest(*modules):
    return code_digest("\n".join(f"import {module}" for module in modules))
