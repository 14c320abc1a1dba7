"""Parameters of scorers, which are fields of dataclasses: their types say what they may be."""

from dataclasses import fields
from typing import Annotated, Any, Literal, get_args, get_origin

from zslib.validation import check_choice, check_each, check_integer, check_real

Positive = Annotated[float, "> 0"]
NotNegative = Annotated[float, ">= 0"]
Share = Annotated[float, ">= 0", "< 1"]
RandomState = Any  # which `zslib.arrays.random_generator` checks


def check_parameters(model):
    """Refuse, by its name, a value that the type of a field of the dataclass ``model`` forbids.

    Bounds are written as in ``Annotated[float, "> 0", "< 1"]``. Without them an ``int`` is at
    least 1, and a ``float`` finite. ``Literal`` has the choices; of ``tuple[int, ...]`` each entry
    is checked, and there must be one. Fields of other types are the scorer's own to check.
    """
    for field in fields(model):
        _check(getattr(model, field.name), field.name, field.type)


def _check(value, name, kind):
    if type(None) in get_args(kind):  # such as Positive | None
        if value is None:
            return
        kind = get_args(kind)[0]
    kind, *bounds = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    if kind is bool or get_origin(kind) is Literal:
        check_choice(value, name, get_args(kind) or (False, True))
    elif get_origin(kind) is tuple:
        kind, what = get_args(kind)[0], "integers" if int in get_args(kind) else "numbers"
        if not check_each(value, name, _check, what, kind=kind):
            raise ValueError(f"{name} is empty: give at least one")
    elif kind is int:
        check_integer(value, name, low=int(bounds[0].split()[1]) if bounds else 1)
    elif kind is float:
        for inclusive in {"=" in bound for bound in bounds} or {True}:
            alike = [bound for bound in bounds if ("=" in bound) == inclusive]
            limits = {
                "low" if ">" in bound else "high": float(bound.split()[1]) for bound in alike
            }
            check_real(value, name, **limits, inclusive=inclusive)
