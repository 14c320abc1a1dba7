"""A fitted image-text model behind the words and the scaling that it was trained with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from sklearn.base import clone

from zslib.arrays import like, namespace, ragged_rows, take_rows, to_host
from zslib.datasets.attributes.scaling import Scaling, scaled_as
from zslib.datasets.problem import check_problem
from zslib.datasets.words.tokens import UNKNOWN, Vocabulary
from zslib.validation import as_labels, as_vectors, check_columns

_SHOWN = 60  # letters of a text


@dataclass(frozen=True, eq=False)
class CaptionModel:
    """Scores raw images with sentences; made by `fit_image_text`, or a run's ``fit``.

    Words, padding and the scaling of features are those of the problem it was trained on. It can
    be pickled. ``vocabulary`` is of the training texts, and None where texts are ready vectors (m,
    d), which then take the place of sentences everywhere. ``length`` tokens of a sentence are
    kept; None: all. ``prototypes`` (C, embedding_dim) are the mean embedded texts of classes, as
    in `ImageTextProblem.prototype_rows`. ``columns`` are names of the features, if known, which
    data frames must have in the same order.

    Examples
    --------
    >>> from zslib.datasets import load_problem
    >>> from zslib.protocols import fit_image_text, short_clarel
    >>> pairs = load_problem("pairs", "synthetic")
    >>> model = fit_image_text(short_clarel(pairs, n_batches=300), pairs.scaled("unit length"))
    >>> images = pairs.features[pairs.test_unseen[:2]]
    >>> sentences = ["a small bird with a red crown", "this bird has a long black bill"]
    >>> model.decision_function(images, sentences).shape
    (2, 2)
    >>> set(model.best_sentence(images, sentences)) <= set(sentences)
    True
    """

    model: object
    vocabulary: Vocabulary | None = field(repr=False)
    length: int | None
    scaling: Scaling
    class_names: np.ndarray = field(repr=False)
    prototypes: object = field(repr=False)
    columns: list | None = field(default=None, repr=False)

    def decision_function(self, images, sentences):
        """Scores (n, m) of images (n, p) with sentences: minus the distance, higher is better.

        Images are features as they were before the problem's scaling. ``sentences`` are m str, or
        vectors (m, d) where the model was trained on such; one none of whose words the training
        texts have is refused with ValueError.
        """
        return -self._distances(images, self._embedded(sentences))

    def best_sentence(self, images, sentences):
        """The sentence that fits each image best, str (n,), the first of equals.

        Parameters as in `decision_function`; of vectors it is their row, int64 (n,).
        """
        sentences = _held(sentences)
        scores = self.decision_function(images, sentences)
        best = to_host(namespace(scores).argmax(scores, axis=1))
        return best if self.vocabulary is None else np.array(list(sentences))[best]

    def predict(self, images, classes=None):
        """The name of the class whose mean text is nearest to each image (n, p), (n,).

        ``classes`` is a dict of name to sentences; they need no images. None: the problem's.
        """
        names, prototypes = self.class_names, self.prototypes
        if classes is not None:
            if not isinstance(classes, Mapping) or not classes:
                got = "an empty one" if classes == {} else type(classes).__name__
                raise TypeError(f"classes must be a dict of name to sentences, got {got}")
            names = as_labels(list(classes), "classes")
            xp = namespace(prototypes)
            means = [xp.mean(self._embedded(texts), axis=0) for texts in classes.values()]
            prototypes = xp.stack(means)
        distances = self._distances(images, prototypes)
        return names[to_host(namespace(distances).argmin(distances, axis=1))]

    def _distances(self, images, vectors):
        given, images = images, as_vectors(images, "images", like=self.prototypes)
        check_columns(given, self.columns, "images", "the problem")
        return self.model.distances(self.scaling.features(images, name="images"), vectors)

    def _embedded(self, sentences):
        if self.vocabulary is None:
            return self.model.embed_texts(as_vectors(sentences, "sentences", like=self.prototypes))
        sentences = _held(sentences)
        tokens = self.vocabulary.transform(sentences, self.length)
        unknown = np.flatnonzero((tokens <= UNKNOWN).all(axis=1))
        if unknown.size:
            raise ValueError(
                f"sentence {unknown[0]}, {list(sentences)[unknown[0]]!r}, has no word that the "
                f"training texts have ({unknown.size} such): nothing is known of it"
            )
        return self.model.embed_texts(like(tokens, self.prototypes))


def _held(sentences):
    """Sentences that may be read twice."""
    return list(sentences) if isinstance(sentences, Iterator) else sentences


def fit_image_text(
    model, problem, *, min_count=2, length=None, prototypes_from=("trainval", "test_unseen")
) -> CaptionModel:
    """Train ``model`` on the pairs of seen classes, as `evaluate_image_text` does, for use.

    Parameters
    ----------
    model : CLAREL
        It is cloned, not changed.
    problem : ImageTextProblem
    min_count, length, prototypes_from
        As in `evaluate_image_text`.

    Returns
    -------
    CaptionModel
        It names images, scores sentences, and finds the best one of several (`best_sentence`).

    Examples
    --------
    >>> from zslib.protocols import clarel_problems, short_clarel
    >>> (products,) = clarel_problems("ikea", quick=True)
    >>> model = fit_image_text(short_clarel(products, n_batches=200, random_state=0), products)
    >>> image = products.test_unseen[2]
    >>> products.class_names[products.labels[image]], model.predict(products.features[[image]])[0]
    (np.str_('lamp'), np.str_('lamp'))
    """
    check_problem(problem, "texts", "text_index", kind="ImageTextProblem")
    scaler = scaled_as(problem, problem.feature_scaling).scaler or Scaling()
    texts, vocabulary = texts_and_vocabulary(problem, min_count, length)
    fitted = fitted_pairs(model, problem, texts)
    prototypes = problem_prototypes(fitted, problem, texts, prototypes_from)
    columns = problem.columns.get("features")
    return CaptionModel(
        fitted, vocabulary, length, scaler, problem.class_names, prototypes, columns
    )


def texts_and_vocabulary(problem, min_count, length):
    """All texts as a model takes them, and the words of training texts; vectors have none."""
    if problem.texts is None:
        return problem.text_vectors, None
    known = problem.training_texts.tobytes()
    tokens, vocabulary = _numbered(problem.texts, known, min_count, length)
    _check_known(tokens, problem, length)
    return like(tokens, problem.features), vocabulary


@lru_cache(maxsize=4)
def _numbered(texts, known, min_count, length):
    """Token numbers, read-only, and words of the ``known`` texts, kept for the next training."""
    known = np.frombuffer(known, dtype=np.int64)
    vocabulary = Vocabulary.fit([texts[i] for i in known], min_count)
    tokens = vocabulary.transform(texts, length)
    tokens.setflags(write=False)
    return tokens, vocabulary


def _check_known(tokens, problem, length):
    """Refuse unseen classes of unknown words alone: their prototypes would all be one."""
    labels, known = problem.text_labels, (tokens > UNKNOWN).any(axis=1)
    mute = np.setdiff1d(problem.unseen_classes, labels[known])
    mute = mute[np.isin(mute, labels)]
    if mute.size:
        names = ", ".join(repr(str(name)) for name in problem.class_names[mute[:5]])
        text = problem.texts[np.flatnonzero(labels == mute[0])[0]]
        among, longer = (f" among its first {length}", ", raise length") if length else ("", "")
        raise ValueError(
            f"class{'es' if mute.size > 1 else ''} {names}{', …' if mute.size > 5 else ''}: none "
            f"of the texts has a word{among} that is known from the training texts, as "
            f"{text[:_SHOWN]!r}: write them in the language of these, with blanks between words, "
            f"lower min_count{longer}, or leave out what no text describes"
        )


def fitted_pairs(model, problem, texts):
    """The model, trained on ``trainval`` and the texts of its images."""
    offsets, index = ragged_rows(*problem.text_rows, problem.trainval)
    known = problem.training_texts
    features = take_rows(problem.features, problem.trainval)
    return clone(model).fit(
        features,
        like(problem.labels[problem.trainval], features),
        take_rows(texts, known),
        text_rows=(offsets, np.searchsorted(known, index)),
        text_ids=problem.text_ids[known],
    )


def problem_prototypes(fitted, problem, texts, prototypes_from):
    """The mean embedded texts of all classes of a problem, (C, embedding_dim)."""
    rows, positions = problem.prototype_rows(parts=prototypes_from)
    asked = take_rows(texts, rows), like(positions, texts), problem.is_seen.size
    return fitted.class_prototypes(*asked)
