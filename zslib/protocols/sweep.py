"""Grids tried on validation data, the next best where a training fails, results kept on disk."""

from __future__ import annotations

from functools import cache

import numpy as np
from joblib import Memory
from sklearn.model_selection import ParameterGrid

from zslib.arrays import resolve_device
from zslib.datasets.locate import cache_dir
from zslib.protocols import choices
from zslib.sources import sources_digest

__all__ = ["best_that_trains", "kept", "ranked", "sweep"]

_LIMIT = 2 * 1024**3


def sweep(grid, attempt, name, **of):
    """A trial for each candidate of ``grid``, a dict of its ``parameters`` and what came of them.

    That is what ``attempt(parameters)`` found on validation data, a dict, or, after a ValueError,
    why it ``failed``. Where every candidate of ``name`` fails, so does the sweep.

    Where `zslib.protocols.choices` are in use, the trials of an earlier run are taken instead if
    they have this choice: its ``name``, and what it is ``of`` besides the grid's parameters.
    """
    candidates = list(ParameterGrid(grid))
    told = ", ".join(f"{k}={v}" for k, v in of.items() if k not in candidates[0])
    choice = f"{name}: {told}" if told else name
    store = choices.in_use()
    if store is not None and (known := store.find(choice, candidates)) is not None:
        return known
    trials = []
    for parameters in candidates:
        try:
            # Numbers that overflow end in the error that is caught here.
            with np.errstate(over="ignore", invalid="ignore"):
                found = attempt(parameters)
        except ValueError as error:
            found = {"failed": str(error)}
        trials.append({"parameters": parameters} | found)
    if all("failed" in trial for trial in trials):
        raise _all_failed(trials, trials, name)
    return trials if store is None else store.note(choice, trials)


def ranked(trials, by):
    """The trials that did not fail, largest ``by`` first; equally good ones in the order tried."""
    return sorted((trial for trial in trials if by in trial), key=lambda trial: -trial[by])


def best_that_trains(trials, by, train, name):
    """The best trial that ``train(parameters)`` does not fail on, its result, and what was better.

    A step size may diverge with all seen classes, though it did not with fewer: then the next best
    takes its place. What was passed over is a list of ``parameters`` and why they ``failed``.
    """
    passed_over = []
    for trial in ranked(trials, by):
        parameters = trial["parameters"]
        try:
            return trial, train(parameters), passed_over
        except ValueError as error:
            passed_over.append({"parameters": parameters, "failed": str(error)})
    raise _all_failed(trials, passed_over, name)


def _all_failed(trials, failures, name):
    return ValueError(
        f"all {len(trials)} candidates of {name} failed, the first with: {failures[0]['failed']}"
    )


def kept(function, model, problem, *, known_by=None, device=None, **options):
    """``function(model, problem, **options)``, from disk where it was computed before.

    A result is found again by the function's name, the problem's checksum, the model, the options,
    the device that the problem is moved to, and the code that function and model import. So an
    interrupted run goes on where it stopped, and chapters share what they have in common. What is
    ``known_by`` stands for a model that cannot be hashed, or not all of which matters.
    """
    device = device and resolve_device(device)
    known_by = model if known_by is None else known_by
    parts = known_by if isinstance(known_by, tuple) else (known_by,)
    modules = {function.__module__, *(type(part).__module__ for part in parts)}
    code = _code_digest(*sorted(name for name in modules if name.split(".")[0] == "zslib"))
    name = f"{function.__module__}.{function.__qualname__}"
    call = _memory(cache_dir() / "memo")
    return call(function, model, problem, options, device, name, problem.checksum, known_by, code)


def _call(function, model, problem, options, device, name, checksum, known_by, code):
    problem = problem if device is None else problem.to(device)
    # Training that diverges ends in an error, or in scores that are refused.
    with np.errstate(over="ignore", invalid="ignore"):
        return function(model, problem, **options)


@cache
def _memory(folder):
    memory = Memory(folder, verbose=0)
    memory.reduce_size(bytes_limit=_LIMIT)
    return memory.cache(_call, ignore=["function", "model", "problem"])


@cache
def _code_digest(*modules):
    return sources_digest("\n".join(f"import {module}" for module in modules))
