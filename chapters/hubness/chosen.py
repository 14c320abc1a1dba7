"""What tuning chose, as results."""

import numpy as np

from zslib.protocols.tidy import row


def chosen_values(fits):
    """The chosen parameters of the runs: ``"margin = 0.4, 0.8; n_epochs = 34"``."""
    values = {k: sorted({fit.parameters[k] for fit in fits}) for k in sorted(fits[0].parameters)}
    return "; ".join(f"{k} = {', '.join(map('{:g}'.format, v))}" for k, v in values.items())


def tuning_rows(problem, name, fits):
    """Rows: the validation score of a method's ``fits``, one a fold, and what each chose by it."""
    score = float(np.mean([100 * fit.tuned.score for fit in fits]))
    yield row(problem, "validation MRR", name, score)
    for fold, fit in enumerate(fits):
        for key, value in fit.parameters.items():
            yield row(problem, f"chosen {key}", name, value, fold=fold)


def scores_by(fit, parameter):
    """The best validation score in percent for each value of a parameter: {value: score}."""
    best = {}
    for trial in fit.tuned.trials:
        if "score" in trial:
            value = trial["parameters"][parameter]
            best[value] = max(best.get(value, 0.0), 100 * trial["score"])
    return best
