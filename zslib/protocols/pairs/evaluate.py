"""Train on image-text pairs, and let class prototypes compete for the test images.

References
----------
Oreshkin, Pinheiro, Rostamzadeh and Pal (2019): CLAREL: Classification via retrieval loss for
zero-shot learning, Section 2.1 (prototypes, nearest class) and Section 4 (measures).
"""

from dataclasses import dataclass, field
from functools import partial

from zslib.arrays import take_rows
from zslib.calibration import log_distance_scores
from zslib.compatibility import CLAREL
from zslib.datasets.problem import check_problem
from zslib.protocols.attributes.evaluate import check_answers
from zslib.protocols.attributes.outcome import ZeroShotOutcome
from zslib.protocols.pairs.captions import fitted_pairs, problem_prototypes, texts_and_vocabulary
from zslib.protocols.pairs.retrieval import RetrievalRanks, retrieval_ranks


@dataclass(frozen=True)
class ImageTextResult:
    """What one trained model did on an `ImageTextProblem`.

    The ``outcome`` is of the scores -log d, d the distance of image and class prototype; rescaling
    by alpha is ``outcome.at(log(1 + alpha))``. ``retrieval`` is among images and texts of the
    unseen classes, where asked for. ``n_words``, of the vocabulary, is 0 for ready vectors;
    ``n_parameters`` are trained numbers of the model.
    """

    outcome: ZeroShotOutcome
    retrieval: RetrievalRanks | None
    n_words: int
    n_parameters: int
    learning_curve: object = field(repr=False)


def model_texts(problem, *, min_count=2, length=None):
    """All texts of a problem as a model takes them, and the number of known words.

    They are token numbers, (m, T), by a vocabulary of training texts only, or the ready vectors
    with a vocabulary of size 0. Words that occur less often than ``min_count`` there are unknown;
    with 1 none is, so that the embedding of unknown words is and stays zero. Of each text
    ``length`` tokens are kept, by default all.
    """
    texts, vocabulary = texts_and_vocabulary(problem, min_count, length)
    return texts, 0 if vocabulary is None else len(vocabulary)


def evaluate_image_text(
    model,
    problem,
    *,
    min_count=2,
    length=None,
    keep_scores=False,
    retrieval=True,
    prototypes_from=("trainval", "test_unseen"),
    must_learn=False,
) -> ImageTextResult:
    """Train ``model`` on pairs of seen classes; test it among unseen classes, and among all.

    Trained on are images of ``trainval`` with their own texts. A class's prototype is the mean
    embedding of its texts: for a seen class those of training images, for an unseen class all.
    An image goes to the class with the nearest prototype (Eq. 1).

    Parameters
    ----------
    model : CLAREL
        Or anything with its ``fit``, ``embed_images``, ``embed_texts``, ``class_prototypes`` and
        ``distances``. It is cloned, not changed.
    problem : ImageTextProblem
        Its arrays may be on another device, after ``problem.to(device)``.
    min_count, length : int
        Of the vocabulary, as in `model_texts`.
    keep_scores : bool
        Whether to keep all scores -log d.
    retrieval : bool
        Whether to search texts and images of unseen classes as well.
    prototypes_from : sequence of str
        The images whose texts make prototypes, as in `ImageTextProblem.prototype_rows`.
    must_learn : bool
        Whether to refuse, by ValueError, a training that is no better than chance on its own
        images: where a loss ends above that of a guess, or prototypes find no class.

    Examples
    --------
    >>> from zslib.protocols import clarel_problems, short_clarel
    >>> (articles,) = clarel_problems("wikipedia_xmodal", quick=True)
    >>> model = short_clarel(articles, n_batches=200, random_state=0)
    >>> evaluate_image_text(model, articles).outcome
    ZeroShotOutcome(7 seen and 3 unseen classes, 140 seen and 60 unseen images, gamma 0:
    ACC 58..., seen 19..., unseen 1..., H 1...)
    """
    if isinstance(model, type) or not hasattr(model, "class_prototypes"):
        raise TypeError(f"model must be one such as CLAREL(), got {model!r}")
    check_problem(problem, "texts", "text_index", kind="ImageTextProblem")
    texts, n_words = model_texts(problem, min_count=min_count, length=length)
    fitted = fitted_pairs(model, problem, texts)
    prototypes = problem_prototypes(fitted, problem, texts, prototypes_from)

    def score(side, images, classes):
        return log_distance_scores(
            fitted.distances(take_rows(problem.features, images), take_rows(prototypes, classes))
        )

    # Where the classifiers have all the weight, nothing draws images and texts together.
    if must_learn and getattr(fitted, "classification_weight", 0.0) < 1.0:
        check_answers(problem, partial(score, "trained on"))
        if isinstance(fitted, CLAREL):
            check_losses(fitted)
    outcome = ZeroShotOutcome.of_scores(problem, score, keep_scores=keep_scores)
    ranks = retrieval_ranks(fitted, problem, texts) if retrieval else None
    size = int(fitted.n_parameters_)
    return ImageTextResult(outcome, ranks, n_words, size, fitted.learning_curve_)


def check_losses(model):
    """Refuse a trained CLAREL one of whose losses ends no better than a blind guess."""
    for part, (loss, guess) in model.losses_and_guesses().items():
        if not loss < guess:
            raise ValueError(
                f"training failed: the loss of {part} ends at {loss:.3g}, that of a guess is "
                f"{guess:.3g}: lower learning_rate"
            )
