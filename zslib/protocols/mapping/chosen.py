"""What tuning chose, as results."""

from __future__ import annotations

from zslib.protocols.intervals import mean_estimate
from zslib.protocols.tidy import row

__all__ = ["chosen_values", "scores_by", "tuning_rows"]


def chosen_values(fits):
    """The chosen parameters of the runs: ``"margin = 0.4, 0.8; n_epochs = 34"``."""
    values = {k: sorted({fit.parameters[k] for fit in fits}) for k in sorted(fits[0].parameters)}
    return "; ".join(f"{k} = {', '.join(f'{v:g}' for v in of)}" for k, of in values.items())


def tuning_rows(runs, name, fits):
    """Rows: the validation score of a method's ``fits``, and what each seed chose by it."""
    apart = fits if runs.tuned_apart else fits[:1]
    score = mean_estimate([100 * fit.tuned.score for fit in apart])
    yield row(runs.problem, "validation MRR", name, score)
    for seed, fit in zip(runs.seeds, fits, strict=True):
        for key, value in fit.parameters.items():
            yield row(runs.problem, f"chosen {key}", name, value, seed=seed)


def scores_by(fit, parameter):
    """The best validation score in percent for each value of a parameter: {value: score}."""
    best = {}
    for trial in fit.tuned.trials:
        if "score" in trial:
            value = trial["parameters"][parameter]
            best[value] = max(best.get(value, 0.0), 100 * trial["score"])
    return best
