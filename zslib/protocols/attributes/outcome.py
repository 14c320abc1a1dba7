"""What classes did when they competed for test images; every zero-shot measure reads from this."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from zslib.arrays import like, namespace, to_host
from zslib.metrics import class_accuracies, harmonic_mean, k_occurrence, pollution, top_classes
from zslib.metrics.zero_shot import areas_of_weights, curve_of_weights, sample_weights
from zslib.validation import check_choice, check_integer, check_real

MEASURES = ("ACC", "seen", "unseen", "H", "AUSUC")


def in_percent(measure, text):
    """A property with the ``value`` of a measure; ``text`` says in its docstring what that is."""
    return property(lambda outcome: outcome.value(measure), doc=f"{text}, in percent.")


@dataclass(frozen=True)
class Competition:
    """The best seen and the best unseen classes of some test images (host arrays).

    It is what calibration needs to know: at any gamma the order of all classes follows from the
    order of each kind. ``labels``, (n,), are the true classes; ``seen`` and ``unseen``, (n, k'),
    the classes of each kind, best first, with their scores, not calibrated.
    """

    labels: np.ndarray
    seen: np.ndarray
    seen_scores: np.ndarray
    unseen: np.ndarray
    unseen_scores: np.ndarray

    def __repr__(self):
        kept = f"{self.seen.shape[1]} seen and {self.unseen.shape[1]} unseen classes"
        return f"Competition({len(self.labels)} images, the best {kept} of each)"

    @classmethod
    def of_scores(cls, scores, labels, candidates, is_seen, k):
        """The k best classes of each kind, by (n, n_candidates) scores of any library."""
        xp = namespace(scores)
        sides = []
        for kind in (True, False):
            columns = np.flatnonzero(is_seen[candidates] == kind)
            if not columns.size:
                sides += [np.empty((len(labels), 0), np.int64), np.empty((len(labels), 0))]
                continue
            among = xp.take(scores, like(columns, scores), axis=1)
            best = to_host(top_classes(among, min(k, columns.size)))
            sides += [candidates[columns][best], np.take_along_axis(to_host(among), best, axis=1)]
        return cls(labels, *sides)

    @cached_property
    def flips(self):
        """The gamma at which each image moves from a seen to an unseen class, (n,) float64."""
        return self.seen_scores[:, 0].astype(np.float64) - self.unseen_scores[:, 0]

    def neighbours(self, k=1, gamma=0.0):
        """The first k classes under a gamma, (n, k); at equal scores unseen ones first."""
        best = self.unseen_scores[:, :1].astype(np.float64)
        classes = np.concatenate([self.unseen, self.seen], axis=1)
        scores = np.concatenate(
            [self.unseen_scores - best, self.seen_scores - best - gamma], axis=1
        )
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(classes, order, axis=1)


@dataclass(frozen=True)
class ZeroShotOutcome:
    """What a fitted model did on the test images of a problem. Accuracies are in percent.

    Attributes
    ----------
    checksum : str
        Of the problem.
    is_seen : (C,) bool array
    gamma : float
        Taken off the scores of seen classes where they compete with unseen ones; 0 for none.
    zero_shot : Competition
        Test images of unseen classes, among unseen classes only (standard ZSL).
    test_unseen : Competition
        The same images, among all classes (generalised ZSL).
    test_seen : Competition or None
        Test images of seen classes, among all classes; None where the problem has none.
    scores : dict of str to (n, C') array, or None
        All scores of these three, where they were asked for.
    cost : dict or None
        Of the training for generalised ZSL: ``seconds`` by the clock, and ``numbers``, how many
        the fitted model keeps for scoring; None where nothing was trained.
    """

    checksum: str
    is_seen: np.ndarray
    gamma: float
    zero_shot: Competition
    test_unseen: Competition
    test_seen: Competition | None
    scores: dict | None = None
    cost: dict | None = None

    def __repr__(self):
        n_seen, n = int(np.sum(self.is_seen)), len(self.is_seen)
        images, measures = f"{len(self.zero_shot.labels)} unseen", ["ACC"]
        if self.test_seen is not None:
            images = f"{len(self.test_seen.labels)} seen and {images}"
            measures += ["seen", "unseen", "H"]
        accuracies = ", ".join(f"{name} {self.value(name):.1f}" for name in measures)
        return (
            f"ZeroShotOutcome({n_seen} seen and {n - n_seen} unseen classes, {images} images, "
            f"gamma {self.gamma:.3g}: {accuracies})"
        )

    @classmethod
    def of_scores(cls, problem, score, *, gamma=0.0, k=10, keep_scores=False):
        """The outcome of ``score(side, images, classes)``, for the three sides named above."""
        every = np.arange(problem.is_seen.size)
        tests = {
            "zero_shot": (problem.test_unseen, problem.unseen_classes),
            "test_unseen": (problem.test_unseen, every),
            "test_seen": (problem.test_seen, every),
        }
        sides, scores = dict.fromkeys(tests), {}
        for side, (images, classes) in tests.items():
            if images.size:
                table = score(side, images, classes)
                labels = problem.labels[images]
                sides[side] = Competition.of_scores(table, labels, classes, problem.is_seen, k)
                if keep_scores:
                    scores[side] = to_host(table)
        return cls(problem.checksum, problem.is_seen, gamma, **sides, scores=scores or None)

    def at(self, gamma):
        """The same outcome under another gamma."""
        return replace(self, gamma=check_real(gamma, "gamma"))

    def _side(self, measure):
        check_choice(measure, "measure", ("ACC", "seen", "unseen"))
        if measure == "seen" and self.test_seen is None:
            raise ValueError(
                "the problem has no test images of seen classes (test_seen is empty): only "
                "standard zero-shot accuracy is defined; hold some images out of trainval"
            )
        return {"ACC": self.zero_shot, "seen": self.test_seen, "unseen": self.test_unseen}[measure]

    def labels(self, measure):
        """True classes of the images behind ``measure``: "ACC", "seen" or "unseen"."""
        return self._side(measure).labels

    def predictions(self, measure):
        """Predicted classes of the images behind ``measure``, (n,) int array."""
        side = self._side(measure)
        if measure == "ACC":
            return side.unseen[:, 0]
        return np.where(side.flips > self.gamma, side.seen[:, 0], side.unseen[:, 0])

    def class_accuracies(self, measure):
        """Accuracy of each class with test images, in percent: Eq. 12 before its mean."""
        return 100.0 * class_accuracies(self.labels(measure), self.predictions(measure))

    accuracy = in_percent("ACC", "Mean accuracy of classes, unseen ones alone (Eq. 12)")
    seen = in_percent("seen", "Mean accuracy of seen classes among all classes")
    unseen = in_percent("unseen", "Mean accuracy of unseen classes among all classes")
    harmonic_mean = in_percent("H", "H, of ``seen`` and ``unseen`` (Eq. 14)")
    ausuc = in_percent("AUSUC", "Area under the seen-unseen curve, for which ``gamma`` is nothing")

    def value(self, measure):
        """One of "ACC", "seen", "unseen", "H" and "AUSUC" by its name, in percent."""
        check_choice(measure, "measure", MEASURES)
        if measure == "AUSUC":
            return 100.0 * self.curve.area
        if measure == "H":
            return harmonic_mean(self.seen, self.unseen)
        return float(self.class_accuracies(measure).mean())

    def right(self, measure):
        """Whether each image behind "ACC", "seen" or "unseen" is recognised, (n,) bool array."""
        return self.predictions(measure) == self.labels(measure)

    @cached_property
    def curve(self):
        """Accuracies (shares, not percent) at every gamma, a `SeenUnseenCurve`."""
        (seen, right_seen), (unseen, right_unseen) = self._movable()
        weights = right_seen * sample_weights(seen.labels)
        others = right_unseen * sample_weights(unseen.labels)
        return curve_of_weights(seen.flips, unseen.flips, weights, others)

    def areas(self):
        """The area under the curve as a function of image weights, a row for each area wanted.

        It takes the weights of the images of seen and of unseen classes; each row sums to 1.
        """
        (seen, right_seen), (unseen, right_unseen) = self._movable()
        area = areas_of_weights(seen.flips[right_seen], unseen.flips[right_unseen])
        return lambda seen, unseen: area(seen[:, right_seen], unseen[:, right_unseen])

    def _movable(self):
        """Both sides of generalised ZSL, with the images that some gamma recognises."""
        seen, unseen = self._side("seen"), self._side("unseen")
        right = seen.seen[:, 0] == seen.labels, unseen.unseen[:, 0] == unseen.labels
        return (seen, right[0]), (unseen, right[1])

    def occurrence(self, space="unseen", k=1):
        """Hubness N_k of the class embeddings: in how many images' first k each class is.

        Of unseen classes among the test images of "unseen" ones; or of "all" classes, calibrated
        by ``gamma``, among all test images. Classes outside the space have 0.
        """
        check_choice(space, "space", ("unseen", "all"))
        if space == "unseen":
            answers = self.zero_shot.unseen[:, : self._depth(k, self.zero_shot)]
        else:
            sides = [side for side in (self.test_seen, self.test_unseen) if side is not None]
            answers = np.concatenate(
                [side.neighbours(self._depth(k, side), self.gamma) for side in sides]
            )
        return k_occurrence(answers, self.is_seen.size)

    def polluted(self, k=1):
        """Per test image of an unseen class, whether a seen class is among its first k (bool)."""
        side = self.test_unseen
        return pollution(side.neighbours(self._depth(k, side), self.gamma), self.is_seen)

    def _depth(self, k, side):
        kept = max(side.unseen.shape[1], side.seen.shape[1])
        return check_integer(k, "k", low=1, high=kept, high_means=" (classes kept)")
