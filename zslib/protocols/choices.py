"""Settings chosen on validation data: taken over from an earlier run, noted for a later one."""

import copy
import inspect
import json
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np

# Settings chosen for a training of one length serve another.
_LENGTHS = {"n_epochs", "n_iter", "max_iter", "n_batches", "decay_every"}
# What a training starts from, and what is looked at on the way.
_NO_SETTINGS = {"random_state", "checkpoint", "progress", "callback", "keep_epochs", "log_every"}

# Not a ContextVar: cells of one notebook do not share those.
_in_use = _tell = None


def install(choices, tell=None):
    """From now on let every `sweep` ask these `Choices`; None: none, as at the start.

    ``tell`` is called with a text for each candidate, and with an empty one when it is done.
    """
    global _in_use, _tell
    _in_use, _tell = choices, tell


def tell(text):
    """Hand on what a sweep tries to whoever asked for it by `install`."""
    if _tell is not None:
        _tell(text)


def in_use():
    """The `Choices` that sweeps ask, or None."""
    return _in_use


class Choices:
    """What an earlier run chose, to be taken over, and what this run chooses.

    ``known`` has an entry for each choice: ``choice``, the text that names it, the ``date``, and
    the ``trials`` as `sweep` returns them; ``source`` says in messages where these come from.
    ``taken`` are the entries that this run took over, ``made`` the trials that it made, by choice.
    """

    def __init__(self, known=(), source="the choices given"):
        self.source = source
        self.taken, self.made = {}, {}
        try:
            self._known = {entry["choice"]: entry for entry in known}
            for entry in self._known.values():
                date.fromisoformat(entry["date"])
                [dict(trial["parameters"]) for trial in entry["trials"]]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{source} is no list of choices ({error!r}): {_HELP}") from None

    @classmethod
    def read(cls, *paths):
        """Those of files that hold a `text`, where there are such files; of two, the first's."""
        known = []
        for path in filter(Path.is_file, map(Path, reversed(paths))):
            try:
                found = json.loads(path.read_text(encoding="utf-8"), object_hook=_decoded)
            except ValueError as error:
                raise ValueError(f"{path} is no readable JSON ({error}): {_HELP}") from None
            # Checked here, so that the message names the file.
            known += cls(found if isinstance(found, list) else [found], path)._known.values()
        return cls(known, ", ".join(map(str, paths)))

    def find(self, choice, grid):
        """An earlier run's trials, or None; its parameters must be among those of ``grid``."""
        if (entry := self._known.get(choice)) is None:
            return None
        known, today = (
            {", ".join(sorted(names)) or "none" for names in candidates}
            for candidates in ((trial["parameters"] for trial in entry["trials"]), grid)
        )
        if not known <= today:
            raise ValueError(
                f"{self.source}: the choice {choice!r} names the parameters "
                f"{' or '.join(sorted(known - today))}, and those that are chosen today are "
                f"{' or '.join(sorted(today))}: {_HELP}"
            )
        self.taken[choice] = entry
        return copy.deepcopy(entry["trials"])

    def note(self, choice, trials):
        """Keep the trials of this run, and give them as a later run will find them."""
        text = json.dumps(_encoded(trials))
        if json.dumps(_encoded(self.made.get(choice, trials))) != text:
            raise ValueError(
                f"{choice!r} was chosen twice in this run, with other trials: pass `sweep` what "
                "tells the two choices apart"
            )
        self.made[choice] = json.loads(text, object_hook=_decoded)
        return copy.deepcopy(self.made[choice])

    def join(self, other):
        """Add what another process took and made."""
        self.taken |= other.taken
        self.made |= other.made

    def entries(self, **about):
        """An entry for each choice of this run; those made now are told ``about``: the date …"""
        made = [{"choice": c, **about, "trials": trials} for c, trials in self.made.items()]
        return [*self.taken.values(), *made]

    def text(self, **about):
        """`entries` as a file, one choice on each line."""
        lines = (json.dumps(_encoded(e), ensure_ascii=False) for e in self.entries(**about))
        return "[\n" + ",\n".join(lines) + "\n]\n"

    def summary(self):
        """How many choices were ``taken``, by their date, and how many were ``made``."""
        dates = Counter(entry["date"] for entry in self.taken.values())
        return {"taken": dict(sorted(dates.items())), "made": len(self.made)}


_HELP = (
    "choose anew with `-p tune true` and publish the chapter again, or restore the file from the "
    "repository"
)


def _encoded(value):
    """A value for JSON, from which `_decoded` makes the same again; NumPy numbers become plain."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {key: _encoded(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        parts = [_encoded(v) for v in value]
        return {"tuple": parts} if isinstance(value, tuple) else parts
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(
        f"a chosen setting must be a number, text, None, or a tuple or list of these to be kept "
        f"in a file, got {value!r} of type {type(value).__name__}"
    )


def _decoded(entry):
    return tuple(entry["tuple"]) if set(entry) == {"tuple"} else entry


def told_apart(settings):
    """Settings that tell choices apart: no lengths, no seeds, no defaults of an estimator."""
    if hasattr(settings, "get_params"):
        defaults = inspect.signature(type(settings)).parameters
        settings = {
            k: v
            for k, v in settings.get_params(deep=False).items()
            if v is not defaults[k].default and np.any(v != defaults[k].default)
        }
    return {k: v for k, v in settings.items() if k not in _LENGTHS | _NO_SETTINGS}
