"""Images answered with synsets by way of terms, as in the appendix of Frome et al. (2013)."""

from dataclasses import dataclass, replace

import numpy as np

from zslib.arrays import like, namespace, take_rows, to_host
from zslib.datasets.hierarchy.lexicon import TermLexicon
from zslib.mapping import RidgeMap
from zslib.metrics.ancestors import common_ancestor_heights
from zslib.metrics.hierarchy import flat_hits_at_k, hierarchical_precision_at_k
from zslib.search import top_k


@dataclass(frozen=True, eq=False)
class SynsetAnswers:
    """Ranked answers to images, among the synsets of one label set.

    ``predictions``, (n, k), are positions in ``labels``, best first, -1 where the terms named
    fewer than k; ``gold``, (n,), are those of the true classes.
    """

    labels: tuple
    predictions: object
    gold: object

    def answers(self, k):
        """The first k of them."""
        return replace(self, predictions=self.predictions[:, :k])

    def hits(self, ks):
        """Flat hit@k of each image in percent, (n, n_ks): see `flat_hits_at_k`."""
        return 100.0 * to_host(flat_hits_at_k(self.predictions, self.gold, ks))

    def hierarchical(self, hierarchy, ks, *, if_fewer="error"):
        """hp@k of each image in percent, (n, n_ks): see `hierarchical_precision_at_k`."""
        precision = hierarchical_precision_at_k(
            self.predictions, self.gold, hierarchy, self.labels, ks, if_fewer=if_fewer
        )
        return 100.0 * to_host(precision)

    def challenge_error(self, hierarchy, k=5):
        """Least of `common_ancestor_heights` over the first k answers to each image, (n,)."""
        heights = common_ancestor_heights(hierarchy, self.labels)
        # No answer, -1, is as far as the farthest.
        heights = np.concatenate([heights, heights.max(axis=1, keepdims=True)], axis=1)
        gold, answers = to_host(self.gold), to_host(self.predictions)[:, :k]
        return heights[gold[:, None], answers].min(axis=1)

    def set_sizes(self, hierarchy, ks, *, if_fewer="error"):
        """Size of each image's correct set, (n, n_ks)."""
        return hierarchy.correct_set_sizes(self.classes, self.labels, ks, if_fewer=if_fewer)

    def chance(self, hierarchy, ks, *, if_fewer="error"):
        """What hp@k of each image is on average, in percent, where answers are drawn at random.

        Each of the k answers is in the correct set with the set's share of all labels.
        """
        return 100.0 * self.set_sizes(hierarchy, ks, if_fewer=if_fewer) / len(self.labels)

    @property
    def classes(self):
        """The true synset of each image, (n,)."""
        return np.array(self.labels)[to_host(self.gold)]


@dataclass(frozen=True, eq=False)
class NearestTerms:
    """The terms nearest to each image, which can become synsets in more than one way.

    ``terms``, (n, n_terms), are rows of ``lexicon.terms``, nearest first; ``gold``, (n,), rows of
    the true classes in ``lexicon.synsets``; ``left_out`` images have a class without a term with
    a vector, or that is not in the label set.
    """

    lexicon: TermLexicon
    terms: object
    gold: object
    left_out: int

    @property
    def classes(self):
        """The true synset of each image, (n,)."""
        return np.array(self.lexicon.synsets)[to_host(self.gold)]

    def answers(self, k, *, n_terms=None):
        """Answers of k synsets from the first ``n_terms`` terms, by default 4 k."""
        wanted = min(4 * k, len(self.lexicon.terms)) if n_terms is None else n_terms
        if wanted > self.terms.shape[1]:
            raise ValueError(
                f"{wanted} terms are wanted and {self.terms.shape[1]} were searched for: search "
                "with a larger n_terms"
            )
        synsets = self.lexicon.expand(self.terms[:, :wanted], k)
        return SynsetAnswers(self.lexicon.synsets, synsets, self.gold)


class TermSpace:
    """Terms of synsets with their vectors, and the parts of them that label sets use.

    ``terms_of`` has, by wnid, the terms of every synset that may be an answer or a training class;
    terms without a vector among ``vectors`` are left out, and synsets without such a term.
    """

    def __init__(self, terms_of, vectors):
        self.terms_of, self.vectors = terms_of, vectors
        self._parts = {}

    def part(self, labels=None):
        """`TermLexicon` and (n_terms, d) float32 vectors of a label set, or of all synsets."""
        labels = tuple(self.terms_of) if labels is None else tuple(labels)
        if labels not in self._parts:
            lexicon = TermLexicon(
                {synset: self.terms_of[synset] for synset in labels}, vocabulary=self.vectors.words
            )
            rows = [self.vectors.index[term] for term in lexicon.terms]
            matrix = np.ascontiguousarray(self.vectors.vectors[rows], dtype=np.float32)
            self._parts[labels] = lexicon, matrix
        return self._parts[labels]


class TermModel:
    """A map from image features to vectors of terms, and the terms that an image lands near.

    Training images are mapped to the vector that stands for their class, by the ``rule`` of
    `TermLexicon.training_targets`; a new image is answered with the synsets of the terms nearest
    to where it lands (section A.2). The ``mapping`` is by default `RidgeMap`, its penalty chosen
    by generalised cross-validation on the training images. Or it is a model of images and class
    embeddings with ``embed``, such as `DeViSE` and `ConSE`.
    """

    def __init__(self, space, *, mapping=None, rule="first", random_state=0):
        self.space = space
        self.mapping = RidgeMap() if mapping is None else mapping
        self.rule, self.random_state = rule, random_state

    def fit(self, problem):
        """Fit the map on ``problem.trainval``, without images of unnamed classes."""
        lexicon, matrix = self.space.part()
        known, rows = _rows_in(lexicon, problem, problem.trainval)
        X = take_rows(problem.features, known)
        targets = lexicon.training_targets(
            like(matrix, X), rows, rule=self.rule, random_state=self.random_state
        )
        if hasattr(self.mapping, "embed"):
            self.classes_, first, codes = np.unique(rows, return_index=True, return_inverse=True)
            self.mapping.fit(X, like(codes, X), take_rows(targets, first))
        else:
            self.mapping.fit(X, targets)
        return self

    def embed(self, X):
        """Where images land among the vectors, (n, d)."""
        mapping = self.mapping
        return mapping.embed(X) if hasattr(mapping, "embed") else mapping.transform(X)

    def search(self, problem, images, labels, n_terms):
        """The ``n_terms`` terms nearest to ``images``, among those of the label set ``labels``.

        Synsets that have no term with a vector cannot be an answer.
        """
        lexicon, matrix = self.space.part(labels)
        known, rows = _rows_in(lexicon, problem, images)
        mapped = self.embed(take_rows(problem.features, known))
        _, nearest = top_k(mapped, like(matrix, mapped), min(n_terms, len(lexicon.terms)))
        return NearestTerms(lexicon, nearest, like(rows, nearest), len(images) - len(known))


class SoftmaxModel:
    """The classifier in a fitted `TermModel` of ConSE: it answers with training classes alone."""

    def __init__(self, model):
        self.model, self.space = model, model.space

    def search(self, problem, images, labels, n_terms=None):
        """All training classes by their probability; they are to be among ``labels``."""
        lexicon, _ = self.space.part(labels)
        known, rows = _rows_in(lexicon, problem, images)
        logits = self.model.mapping.logits(take_rows(problem.features, known))
        order = to_host(namespace(logits).argsort(logits, axis=1, descending=True, stable=True))
        names = [self.space.part()[0].synsets[row] for row in self.model.classes_]
        order = like(lexicon.rows(names)[order], logits)
        return SynsetAnswers(lexicon.synsets, order, like(rows, order))


def _rows_in(lexicon, problem, images):
    """The images whose class the lexicon has, and the rows of these classes in it."""
    row = np.array([lexicon.row_of.get(str(wnid), -1) for wnid in problem.class_ids])
    rows = row[problem.labels[images]]
    if not (rows >= 0).any():
        raise ValueError(
            f"none of {len(images)} images of {problem.name} has its class among "
            f"{len(lexicon.synsets)} synsets with a term vector: choose another label set"
        )
    return images[rows >= 0], rows[rows >= 0]
