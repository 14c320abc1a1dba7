"""How the numbers of a run agree with those of the published run of its chapter."""

from dataclasses import dataclass

from book.records import RESULT

EQUAL, WITHIN, APART, ABSENT = "equal", "within its interval", "apart", "not in it"

# Numbers with a fraction are equal where they differ by at most this share: tables print three
# digits, and the last bits are another kernel's. Whole numbers are equal, or they are not.
_SHARE = 5e-4


@dataclass(frozen=True)
class Compared:
    """A record beside the published number that it should come to.

    Attributes
    ----------
    record : dict
    kind : str
        `EQUAL`, `WITHIN` the published interval (or its own meets that), `APART`, or
        `ABSENT` from the published run.
    published : number or None
    low, high : float or None
        The published interval; of one seed that the published run has not, or of one seed of a
        random training, the range over the published seeds.
    other : dict or None
        The published record.
    """

    record: dict
    kind: str
    published: float | None = None
    low: float | None = None
    high: float | None = None
    other: dict | None = None

    @property
    def distance(self):
        """Difference as a share of the larger number, between 0 and 2."""
        return _share(self.record["value"], self.published)

    @property
    def same(self):
        """Whether all that was found is the same, with its interval and what that is over."""
        if self.other is None:
            return False
        pairs = [(self.record.get(name), self.other.get(name)) for name in RESULT]
        return all(a == b or (None not in (a, b) and _equal(a, b)) for a, b in pairs)

    @property
    def what(self):
        """The record's columns as text."""
        return ", ".join(
            value if isinstance(value, str) else f"{name}={value}"
            for name, value in self.record.items()
            if name not in (*RESULT, "synthetic") and value is not None
        )


def compare(records, published):
    """`Compared` of every record that can agree: those of a column ``timing`` are a clock's.

    Examples
    --------
    >>> theirs = [{"metric": "P@1", "value": 30.0, "low": 28.0, "high": 32.0}]
    >>> [one] = compare([{"metric": "P@1", "value": 31.0}], theirs)
    >>> one.kind
    'within its interval'
    """
    known = {identity(record): record for record in published}
    siblings = {}
    for record in published:
        siblings.setdefault(identity(record, "seed"), []).append(record["value"])
    return [
        _compare(record, known.get(identity(record)), siblings.get(identity(record, "seed"), []))
        for record in records
        if not record.get("timing")
    ]


def identity(record, *without):
    """What tells a record from the others of its chapter: its columns but the result.

    Those of the names in ``without`` are left out too.
    """
    left_out = {*RESULT, *without}
    return frozenset((k, v) for k, v in record.items() if k not in left_out and v is not None)


def _compare(record, other, siblings):
    if other is None and not ("seed" in record and siblings):
        return Compared(record, ABSENT)
    value = None if other is None else other["value"]
    low, high = _interval(other or {}, siblings if "seed" in record else [])
    equal = other is not None and _equal(record["value"], value)
    kind = EQUAL if equal else WITHIN if _meet(record, value, low, high) else APART
    # Of a seed that was not published, the nearest is the end of the range that it leaves.
    if value is None:
        value = min(max(record["value"], low), high)
    return Compared(record, kind, value, low, high, other)


def _interval(other, siblings):
    """The record's own interval, that of its standard deviation, or the range over seeds."""
    if other.get("low") is not None:
        return other["low"], other["high"]
    if other.get("std") is not None:
        return other["value"] - other["std"], other["value"] + other["std"]
    return (min(siblings), max(siblings)) if siblings else (None, None)


def _meet(record, value, low, high):
    """Whether the record, with its interval if it has one, reaches the published number's."""
    ends = [record[k] for k in ("low", "high") if record.get(k) is not None] or [record["value"]]
    theirs = [value] if low is None else [low, high]
    if len(ends) == len(theirs) == 1:
        return False
    return max(ends[0], theirs[0]) <= min(ends[-1], theirs[-1])


def _equal(a, b):
    if not (isinstance(a, float) or isinstance(b, float)):
        return a == b
    return _share(a, b) <= _SHARE


def _share(a, b):
    largest = max(abs(a), abs(b))
    return abs(a - b) / largest if largest > 1e-9 else 0.0


def other_parameters(ours, theirs):
    """Parameters of two runs, as dicts, whose values differ, in words; of a switch if it is on.

    Examples
    --------
    >>> other_parameters({"quick": True, "n_seeds": 1}, {"quick": False, "n_seeds": 5})
    'quick, n_seeds 1 instead of 5'
    """
    return ", ".join(
        _instead(name, value, theirs[name])
        for name, value in ours.items()
        if name in theirs
        and theirs[name] != value
        # What the published run chose anew is what a run without `tune` takes over.
        and (name, value) != ("tune", False)
    )


def _instead(name, ours, theirs):
    if isinstance(ours, bool):
        return name if ours else f"without {name}"
    return f"{name} {ours} instead of {theirs}"
