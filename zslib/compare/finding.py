"""What a comparison found: numbers of each system, and what they mean in sentences."""

from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy import stats

from zslib.arrays import to_host
from zslib.protocols.attributes.leaderboard import board_measures
from zslib.protocols.attributes.tuning import with_validation_classes

QUICK_IMAGES = 20
"""The most images of a class in each part that a quick look keeps."""

_NAMED = 6
_FEW_CLASSES = 30
_PARTS = {
    "train_seen_samples": "training images",
    "test_seen_samples": "test images of seen classes",
    "unseen_samples": "test images of unseen classes",
}
READINGS = ("better", "worse", "cannot be told apart")
# From where on a rank correlation is called so.
_CLOSENESS = {0.8: "well", 0.5: "roughly", 0.2: "weakly", -0.2: "hardly at all"}
_FEWEST = 5  # systems that have a rank correlation


class Finding:
    """The runs of one problem, with one seed: each system held against the pick.

    The pick is the system that is best on validation classes, which no test image decides.

    Parameters
    ----------
    problem : ZeroShotProblem
    runs : dict
        ``{method: [ZeroShotRun]}``, at least one.
    failed : dict
        ``{method: why}``.
    available : dict, optional
        `ZeroShotProblem.summary` of all data, where ``problem`` has a part of them.
    quick : bool
        Whether it was a quick look.

    Attributes
    ----------
    values : dict
        ``{method: {measure: Estimate or number}}``, those of `board_measures` and what was found
        on validation classes, best there first.
    pick : str
    differences : dict
        ``{method: Estimate}``: accuracy less the pick's, paired over classes and images.
    """

    def __init__(self, problem, runs, failed, *, available=None, quick=False):
        self.problem, self.failed, self.quick = problem, failed, quick
        self.used = problem.summary()
        self.available = available or self.used
        order = sorted(runs, key=lambda method: -runs[method][0].validation_accuracy)
        self.runs, self.pick = {method: runs[method] for method in order}, order[0]
        measures = board_measures()
        self.values = {
            method: {name: estimate(found) for name, estimate in measures.items()}
            | {"validation ACC": found[0].validation_accuracy, "gamma": found[0].gamma}
            for method, found in self.runs.items()
        }
        picked = runs[self.pick]
        self.differences = {m: measures["ACC"](runs[m], picked) for m in order[1:]}

    @cached_property
    def chance(self):
        """Percent that a guess has in each measure that it has a share of."""
        n_unseen = self.used["unseen_classes"]
        everywhere = 100.0 / (n_unseen + self.used["seen_classes"])
        return {"ACC": 100.0 / n_unseen} | dict.fromkeys(("unseen", "seen", "H"), everywhere)

    @cached_property
    def n_validated(self):
        """How many classes settings were chosen on."""
        held = with_validation_classes(self.problem)
        return np.unique(to_host(held.labels[held.val])).size

    @cached_property
    def chance_difference(self):
        """Chance minus the pick's accuracy, an `Estimate`."""
        ours = self.accuracy(self.pick) - self.chance["ACC"]
        return replace(ours, mean=-ours.mean, low=-ours.high, high=-ours.low)

    def accuracy(self, method):
        """ACC of a method, an `Estimate`."""
        return self.values[method]["ACC"]

    def reading(self, method):
        """One of `READINGS`, of a method beside the pick; of that itself "the pick"."""
        return "the pick" if method == self.pick else self.differences[method].side(*READINGS)

    def told(self, reading):
        """The methods of one `reading`, best on validation classes first."""
        return [method for method in self.differences if self.reading(method) == reading]

    def rank_correlation(self, methods):
        """Spearman's, of validation and test accuracy; None of few systems, or of constants."""
        if len(methods) < _FEWEST:
            return None
        pairs = [(self.values[m]["validation ACC"], self.accuracy(m).mean) for m in methods]
        x, y = np.round(np.transpose(pairs), 9)
        if not (np.ptp(x) and np.ptp(y)):
            return None
        return float(stats.spearmanr(x, y).statistic)

    @property
    def correlations(self):
        """`rank_correlation` of all systems, and of the better half of them by validation."""
        methods = list(self.runs)
        return self.rank_correlation(methods), self.rank_correlation(methods[: len(methods) // 2])

    @property
    def parts(self):
        """Of training and test images: how many took part, and how many there are."""
        return {words: (self.used[p], self.available[p]) for p, words in _PARTS.items()}

    def left_out(self):
        """What a quick look left out, in a sentence or two; empty after a whole one."""
        if not self.quick:
            return ""
        parts = [
            f"{'all' if used == available else f'{used:,} of'} {available:,} {words}"
            for words, (used, available) in self.parts.items()
        ]
        return (
            f"Quick look, not a result to report: at most {QUICK_IMAGES} training and "
            f"{QUICK_IMAGES} test images of a class took part ({_listed(parts)}), and every "
            "other value of each grid."
        )

    def sentences(self):
        """What was found, in the order of its worth to whoever must choose a system."""
        failed = f"{_some(list(self.failed))} could not be trained; the report says why."
        texts = [self._about_pick()]
        if self.differences and self.used["unseen_classes"] > 1:
            texts += self._beside_it(), self._predicts(), self._advice()
        return [text for text in (*texts, failed * bool(self.failed)) if text]

    def _about_pick(self):
        n, ours = self.used["unseen_classes"], self.accuracy(self.pick)
        validated = [round(values["validation ACC"], 9) for values in self.values.values()]
        among = f", the best of {len(self.runs)} systems on validation classes"
        if (equal := validated.count(validated[0])) > 1:
            among = (
                f", the first of {equal} that validation classes find equally good, of "
                f"{len(self.runs)} systems"
            )
        start = f"The pick is {self.pick}{among if self.differences else ''}"
        if self.n_validated == 1:
            start += (
                ". There is one validation class alone, so every setting and system has 100% "
                "there, and nothing was chosen: give five seen classes or more, or two val_classes"
            )
        if n == 1:
            return (
                f"{start}. There is one unseen class alone: nothing else can be answered, every "
                "system has 100%, and systems differ only where seen classes compete (H)."
            )
        luck = "" if self.beats_chance(self.pick) else "that is not told from luck: "
        tested = n - len(self.problem.candidates)
        rivals = f", against {n - tested} more without images" * (tested < n)
        rough = f" With {tested} tested classes intervals are rough and rather too short."
        return (
            f"{start}. It recognises {ours.mean:.1f}% of the images of the {tested} unseen classes"
            f"{rivals} (mean over classes, 95% interval {ours.low:.1f} to {ours.high:.1f}); "
            f"{luck}guessing has {self.chance['ACC']:.1f}%." + rough * (tested < _FEW_CLASSES)
        )

    def beats_chance(self, method):
        """Whether a method's interval lies above chance."""
        return self.accuracy(method).low > self.chance["ACC"]

    def _beside_it(self):
        better, worse, alike = map(self.told, READINGS)
        n = len(self.differences)
        by = [f"{m} by {self.differences[m]:.1f}" for m in better]
        counts = [
            f"{len(alike)} cannot be told from it ({_some(alike)})" * bool(alike),
            f"{len(better)} {_are(better)} better, in points ({_some(by)})" * bool(better),
            f"{len(worse)} {_are(worse)} worse" * bool(worse),
        ]
        found = f"Of the other {n}, on the same images, {_listed(list(filter(None, counts)))}."
        if lucky := round(0.05 * n):
            err = f"err{'s' * (lucky == 1)}"
            found += f" Of {n} such intervals about {lucky} {err} by luck alone."
        return found

    def _predicts(self):
        every, upper = self.correlations
        if every is None:
            return ""
        among = "" if upper is None else f", and {_signed(upper)} among the better half of them"
        words = (text for least, text in _CLOSENESS.items() if every >= least)
        closeness = next(words, "the wrong way round")
        among += ", too few to be sure" * (len(self.runs) < 2 * _FEWEST)
        return (
            f"Validation accuracy predicts accuracy on unseen classes {closeness} here: "
            f"the rank correlation over {len(self.runs)} systems is {_signed(every)}{among}."
        )

    def _advice(self):
        better, _, alike = map(self.told, READINGS)
        if not self.beats_chance(self.pick):
            above = list(filter(self.beats_chance, self.differences))
            others = f"; {len(above)} of the others {_are(above)} above chance" if above else ""
            return (
                f"So validation found no system to rely on{others}. Look at the class vectors "
                "first; then more unseen classes, rather than more images, would tell more."
            )
        if not alike and not better:
            return f"So {self.pick} is the one to take."
        advice = ""
        if alike:
            seconds = {m: self.values[m]["seconds"].mean for m in [self.pick, *alike]}
            quickest = min(seconds, key=seconds.get)
            cost = f"{quickest} trains quickest, in {_seconds(seconds[quickest])}"
            if quickest != self.pick:
                cost += f", the pick in {_seconds(seconds[self.pick])}"
            advice = (
                f"So which of these {len(seconds)} one takes may go by cost: {cost}. More "
                "unseen classes, rather than more images, would tell them apart. "
            )
        caution = (
            "What is better here was found on test classes: before taking it for that, look at "
            "other classes."
        )
        return f"{advice}{caution * bool(better)}".strip()


def _some(names):
    """The first few of many names."""
    left = len(names) - _NAMED
    return ", ".join(names) if left < 2 else f"{', '.join(names[:_NAMED])} and {left} more"


def _listed(parts):
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _are(methods):
    return "is" if len(methods) == 1 else "are"


def _signed(value):
    return f"{value:.2f}".replace("-", "−")


def _seconds(value):
    return f"{value:.2g} s" if value < 10 else f"{value:,.0f} s"
