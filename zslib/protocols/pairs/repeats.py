"""What several trainings of one model on image-text pairs found, and estimates over them."""

from __future__ import annotations

from dataclasses import dataclass, field

from zslib.metrics import hits_at_k
from zslib.protocols.attributes.intervals import zero_shot_estimate
from zslib.protocols.attributes.rescaling import rescaled
from zslib.protocols.intervals import mean_estimate
from zslib.validation import check_choice

__all__ = ["ImageTextRuns"]


@dataclass(frozen=True)
class ImageTextRuns:
    """One model on one problem, trained with several seeds.

    Attributes
    ----------
    dataset : str
        Name of the problem.
    model : CLAREL
        With the chosen parameters; each repeat has a ``random_state`` of its own.
    seeds : list of int
    alpha : float
        Largest H on the validation outcomes, averaged over the repeats: one alpha for all.
    validation : list of ImageTextResult
        On the construction of Appendix C, one for each seed.
    test : list of ImageTextResult, or None
        Trained anew on all training images, one for each seed; None where not asked for.
    trials : list of dict
        What was tried to choose parameters: for each candidate its ``parameters``, and ``H``,
        ``alpha``, ``ACC`` and ``AUSUC`` on validation under the first seed, or why its training
        ``failed``. Empty where nothing was chosen.
    parameters : dict
        The chosen ones.
    passed_over : list of dict
        Better candidates whose training failed with another seed or on all seen classes: their
        ``parameters`` and why it ``failed``.
    """

    dataset: str
    model: object
    seeds: list
    alpha: float
    validation: list
    test: list | None
    trials: list = field(default_factory=list)
    parameters: dict = field(default_factory=dict)
    passed_over: list = field(default_factory=list)

    def results(self, part="test"):
        """The list of `ImageTextResult` of "test" or "validation"."""
        check_choice(part, "part", ("test", "validation"))
        found = self.test if part == "test" else self.validation
        if found is None:
            raise ValueError("only validation was run: call run_image_text with test=True")
        return found

    def outcomes(self, part="test", *, alpha=None):
        """Outcomes of the repeats, rescaled by the chosen alpha or by a given one.

        Returns
        -------
        list of ZeroShotOutcome
        """
        alpha = self.alpha if alpha is None else alpha
        return rescaled([result.outcome for result in self.results(part)], alpha)

    def estimate(self, measure, part="test", *, alpha=None, minus=None, **options):
        """Mean of a measure with its interval over repeats and test images, in percent.

        Parameters
        ----------
        measure : {"ACC", "seen", "unseen", "H", "AUSUC"}
        part : {"test", "validation"}
        alpha : float, optional
            As in `outcomes`.
        minus : sequence of ZeroShotOutcome, optional
            Of another model; the estimate is then of the paired difference.
        **options
            Of `zero_shot_estimate`.

        Returns
        -------
        Estimate
        """
        return zero_shot_estimate(
            self.outcomes(part, alpha=alpha), measure, minus=minus, **options
        )

    def retrieval(self, measure, direction, part="test"):
        """Mean of a retrieval measure with its interval over repeats (and queries, for R@k).

        Parameters
        ----------
        measure : {"R@1", "R@10", "median rank"}
        direction : {"image to text", "text to image"}
        part : {"test", "validation"}

        Returns
        -------
        Estimate
        """
        check_choice(measure, "measure", ("R@1", "R@10", "median rank"))
        found = [result.retrieval for result in self.results(part)]
        if measure == "median rank":
            return mean_estimate([ranks.measures(direction)[measure] for ranks in found])
        k = int(measure[2:])
        return mean_estimate(
            [100.0 * hits_at_k(ranks.of(direction), k) for ranks in found], same_items=True
        )
