"""DARK with scores of a bounded scale: readings of F, and what each part is worth there."""

from __future__ import annotations

from zslib.arrays import namespace, put
from zslib.compatibility import DARK
from zslib.protocols.attributes.methods import ZeroShotMethod
from zslib.protocols.tidy import row

__all__ = [
    "BASE",
    "FIRST",
    "LINEAR",
    "PARTS",
    "found_at_scale",
    "parts_of",
    "readings_of",
    "suggested",
    "validation_rows",
    "worth_told",
]

FIRST = "linear, as printed"
LINEAR = "linear, all followed"
"""The best reading of a linear F on validation classes."""

BASE = "bounded"
PARTS = {
    "label view": "no label view",
    "image view": "no image view",
    "soft weight, less one": "weights of one",
    "soft weight, less a step": "weights of a step",
    "margin": "no margin",
    "weight held fixed": "weight followed",
}
"""What `BASE` less a variant is worth, by the name of the part."""

_EVERY = {"refresh_every": 1}
_SMALL = {**_EVERY, "init_scale": 0.2}
_LONG = {
    FIRST: _EVERY,
    "linear, margin followed": {**_SMALL, "gradient": "margin"},
    LINEAR: {**_SMALL, "gradient": "objective"},
    "5 cos, rest as printed": {**_EVERY, "scale": 5.0},
}


class NoImageView(DARK):
    """Steps follow the label view alone."""

    def _step(self, optimiser, U, V, S, parts):
        super()._step(optimiser, U, V, S, parts[:-1])


class EqualWeights(DARK):
    """Each triplet weighs one, violated or not."""

    def _assess(self, scores, own):
        view = super()._assess(scores, own)
        ones = namespace(scores).ones_like(scores)
        return view._replace(weights=put(ones, own, 0.0 * view.margins[:, 0]), rates=None)


def _short(problem):
    """Sums over rivals averaged, a small start, thirty passes."""
    return {
        **_EVERY, "data_weight": 1.0 / (len(problem.seen_classes) - 1), "init_scale": 0.01,
        "learning_rate": 0.1, "regularization": 1e-6, "n_iter": 30, "drop_at": 22,
    }  # fmt: skip


def readings_of(problem, every=True):
    """Readings of F and of what is not printed, each with one setting for all data.

    Of those of 200 passages there are but the first and the best linear one unless ``every``.
    """
    short = _short(problem)
    long = _LONG if every else {name: _LONG[name] for name in (FIRST, LINEAR)}
    found = long | {
        "5 cos, rivals averaged": {**short, "scale": 5.0},
        "10 cos, rivals averaged, r = 128": {**short, "scale": 10.0, "rank": 128},
    }
    return [ZeroShotMethod(name, DARK, {}, fixed) for name, fixed in found.items()]


def parts_of(problem):
    """`BASE`, and a variant without each of the `PARTS`, tuned alike: scale, and data's weight.

    Weights of one add up to far more than soft ones, so their grid begins at a smaller weight.
    """
    fixed = _short(problem)
    weight = fixed.pop("data_weight")
    grid = {"scale": (3.0, 8.0, 21.0), "data_weight": (weight, 4.0 * weight)}
    low = {"scale": (1.0, 3.0, 8.0), "data_weight": (weight / 64.0, weight / 16.0)}
    variants = {
        BASE: (DARK, {}),
        "no label view": (DARK, {"label_view": False}),
        "no image view": (NoImageView, {}),
        "weights of one": (EqualWeights, {}),
        "weights of a step": (DARK, {"hardness": False}),
        "no margin": (DARK, {"margin": 1e-9}),
        "weight followed": (DARK, {"gradient": "objective"}),
    }
    return [
        ZeroShotMethod(name, make, low if make is EqualWeights else grid, {**fixed, **more})
        for name, (make, more) in variants.items()
    ]


def validation_rows(runs):
    """Rows of what the chosen settings reached on validation classes."""
    for problem, of in runs.items():
        for method, (run, *_) in of.items():
            yield row(problem, "validation ACC", method, run.validation_accuracy)


def found_at_scale(results):
    """What bounded scores change, in a sentence for each data set."""
    for data in results.of("dataset"):
        here = results.only(dataset=data, metric="ACC")
        linear, bounded = (here.value(method=name).mean for name in (LINEAR, BASE))
        gain = here.value(method=f"{BASE} - {LINEAR}")
        word = gain.side("gains", "loses", "is not told apart")
        yield (
            f"**{data}**: bounded, DARK {word} against the best linear reading: {bounded:.1f} "
            f"after {linear:.1f}, a difference of {gain} points. As printed it has "
            f"{here.value(method=FIRST).mean:.1f}."
        )


def worth_told(results):
    """Which of the `PARTS` are worth something, in a sentence for each data set."""
    for data in results.of("dataset"):
        worth = {p: results.value(dataset=data, metric="ACC", method=p) for p in PARTS}
        helps = [p for p, value in worth.items() if value.low > 0]
        harms = [p for p, value in worth.items() if value.high < 0]
        rest = [p for p in worth if p not in helps + harms]
        said = (("helps", helps), ("harms", harms), ("is not told from nothing", rest))
        told = "; ".join(f"{word}: *{'*, *'.join(names)}*" for word, names in said if names)
        yield f"On {data}, what {told}."


def suggested(results, printed):
    """What the scale says of the paper's numbers, ``printed`` by short name of the data."""
    for data, theirs in printed.items():
        if theirs is None or data not in results.of("dataset"):
            continue
        here = results.only(dataset=data, metric="ACC")
        linear, bounded = (here.value(method=name) for name in (LINEAR, BASE))
        gain = here.value(method=f"{BASE} - {LINEAR}")
        share = gain.mean / (theirs - linear.mean)
        closes = f"closes {100 * share:.0f}% of" if 0 < share < 1 else "goes beyond"
        told = gain.side(closes, "lengthens", "does not measurably shorten")
        inside = "inside" if bounded.low <= theirs <= bounded.high else "outside"
        yield (
            f"On {data} the paper prints {theirs:g}, on other features. To bound the scores "
            f"{told} the distance from {linear.mean:.1f}; {theirs:g} is {inside} the interval of "
            f"{bounded}."
        ) + _others_told(here)


def _others_told(here):
    """The other bounded readings, where there are any."""
    named = (name for name in here.of("method") if " cos, " in name)
    values = "; ".join(f"*{name}* {here.value(method=name)}" for name in named)
    return f" The other bounded readings have {values}." * bool(values)
