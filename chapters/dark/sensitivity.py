"""What one setting at a time of a ranking system is worth, on validation classes."""

from sklearn.base import clone

from zslib.compatibility import ALE, DARK, SJE, DeViSE, LatEm
from zslib.protocols.attributes.evaluate import evaluate_zero_shot
from zslib.protocols.sweep import kept
from zslib.protocols.tidy import row

# Where each system stands while one of its settings moves. DARK's are the printed ones, its
# gradients and start those that do best in the readings.
BASES = {
    "DARK": DARK(gradient="objective", init_scale=0.2, refresh_every=1, objective_every=None),
    "ALE": ALE(learning_rate=1.0, n_epochs=40),
    "SJE": SJE(learning_rate=1.0, n_epochs=40),
    "DeViSE": DeViSE(learning_rate=1.0, n_epochs=40),
    "LatEm": LatEm(2, learning_rate=30.0),
}
NAMES = {"learning_rate": "τ", "regularization": "λ", "init_scale": "start", "margin": "margin"}
_PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2)  # for systems that have none
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def _values(base, setting, wide):
    """Values of a setting, the base's own among them; none where another setting does the same."""
    value = getattr(base, setting)
    if setting == "regularization" and not value:
        return (value, *_PENALTIES[:: 1 if wide else 2])
    if setting == "margin":
        # Of the others, from a start at zero, twice the margin and twice the step is the same.
        return _SHARES[:: 1 if wide else 2] if isinstance(base, DARK) else ()
    return [value * factor for factor in ((0.1, 1 / 3, 1, 3, 10) if wide else (1 / 3, 1, 3))]


def sensitivity_rows(problem, held, systems, settings, *, wide, seed):
    """Rows of accuracy on the classes ``held`` out, one setting of a system moved at a time.

    ``wide`` tries more values. A training that fails has the value None.
    """
    for name in systems:
        base = BASES[name]
        for setting in (one for one in settings if one in base.get_params()):
            for value in _values(base, setting, wide):
                model = clone(base).set_params(**{setting: value}, random_state=seed)
                try:
                    accuracy = kept(evaluate_zero_shot, model, held, k=1).accuracy
                except ValueError:
                    accuracy = None
                moved = {"setting moved": NAMES[setting], "at": float(value)}
                moved["as set"] = bool(value == getattr(base, setting))
                yield row(problem, "validation ACC", name, accuracy, **moved)


def sensitivity_ranges(rows):
    """Rows of the highest value of each setting less the system's as set, and of the lowest."""
    groups = {}
    for result in rows:
        moved = {name: result[name] for name in ("dataset", "method", "setting moved")}
        groups.setdefault(tuple(moved.items()), []).append(result)
    for moved, group in groups.items():
        values = [one["value"] for one in group if one["value"] is not None]
        (base,) = (one["value"] for one in group if one["as set"])
        if base is not None:
            for metric, value in (("gained at most", max(values)), ("lost at most", min(values))):
                yield dict(moved) | {"metric": metric, "value": value - base}
