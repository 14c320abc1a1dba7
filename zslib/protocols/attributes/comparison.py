"""What zero-shot scorers chose on validation classes, their hubs and their pollution."""

from zslib.metrics import k_skewness
from zslib.protocols.attributes.intervals import outcome_at
from zslib.protocols.intervals import over_runs
from zslib.protocols.tidy import row


def chosen_settings(runs):
    """Rows of what each method's first run chose on validation; words are in ``choice``."""
    for problem, methods in runs.items():
        for method, (run, *_) in methods.items():
            if run.gamma is None:
                continue
            for name, value in (run.parameters | {"gamma": run.gamma}).items():
                word = isinstance(value, str)
                choice = {"choice": value} if word else {}
                yield row(problem, f"chosen {name}", method, True if word else value, **choice)
            yield row(problem, "settings", method, settings_text(run))


def settings_text(run):
    """What a run chose on validation classes, in words."""
    chosen = ", ".join(f"{name} {_short(value)}" for name, value in run.parameters.items())
    n = len(run.passed_over)
    passed = f"; {n} better one{'s' * (n > 1)} failed in the final training" * (n > 0)
    return f"{chosen}; γ {run.gamma:.3g}{passed}"


def hub_measures():
    """Measures of `ZeroShotRun`: hubness of unseen and of seen classes, among first answers.

    Unseen classes compete alone for their test images, seen ones with all for all test images.
    """
    measures = {
        "skewness of N_1, unseen": lambda run: k_skewness(_counts(run, "unseen", False)),
        "largest hub over the mean, unseen": lambda run: _largest(run, "unseen", False),
        "largest hub over the mean, seen": lambda run: _largest(run, "all", True),
    }
    return {name: over_runs(value, same_items=False) for name, value in measures.items()}


def pollution_measure(calibration):
    """Measure of `ZeroShotRun`: unseen classes' images answered with a seen class, in percent."""
    return over_runs(lambda run: 100.0 * outcome_at(run, calibration).polluted(1), same_items=True)


def _short(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _counts(run, space, seen):
    return run.outcome.occurrence(space, 1)[run.outcome.is_seen == seen]


def _largest(run, space, seen):
    return _counts(run, space, seen).max() / _counts(run, space, seen).mean()
