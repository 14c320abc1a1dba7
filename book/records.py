"""What a record may hold: one number, and the columns that say what it is."""

import math

import numpy as np

# Columns that hold the result; the others say what it is the result of.
RESULT = ("value", "low", "high", "n_seeds", "unit", "n_units", "n_draws", "std")


def clean_value(value, name="value"):
    """A finite number or a bool, as plain Python."""
    if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0:
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(
            f"{name} must be one number, True or False, got {type(value).__name__}: record what "
            "was measured, and leave out what was not"
        )
    if not math.isfinite(value):
        raise ValueError(f"{name} is {value}: a record holds a finite number")
    return value


def clean_column(value, name):
    """A column's value: text, a finite number, a bool or None, as plain Python."""
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    return clean_value(value, f"column {name!r}")
