"""Images answered with synsets by way of terms, as in the appendix of Frome et al. (2013)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zslib.arrays import like, take_rows, to_host
from zslib.compatibility.terms import TermLexicon, predict_synsets
from zslib.mapping import RidgeMap
from zslib.metrics.hierarchy import flat_hits_at_k, hierarchical_precision_at_k

__all__ = ["SynsetAnswers", "TermModel"]


@dataclass(frozen=True, eq=False)
class SynsetAnswers:
    """Ranked answers to images, among the synsets of one label set.

    Attributes
    ----------
    labels : tuple of str
        The label set.
    predictions : (n, k) int array
        Positions in ``labels``, best first; -1 where the terms named fewer than k.
    gold : (n,) int64 array
        Positions of the true classes.
    left_out : int
        Images whose class is not in the label set, or has no term with a vector.
    """

    labels: tuple
    predictions: object
    gold: object
    left_out: int

    def hits(self, ks):
        """Flat hit@k of each image in percent, (n, n_ks)."""
        return 100.0 * to_host(flat_hits_at_k(self.predictions, self.gold, ks))

    def hierarchical(self, hierarchy, ks):
        """hp@k of each image in percent, (n, n_ks): see `hierarchical_precision_at_k`."""
        found = hierarchical_precision_at_k(
            self.predictions, self.gold, hierarchy, self.labels, ks
        )
        return 100.0 * to_host(found)

    def at_random(self, *, random_state=0):
        """The same images answered with labels drawn at random, without repetition."""
        rng = np.random.default_rng(random_state)
        k = self.predictions.shape[1]
        drawn = [rng.choice(len(self.labels), k, replace=False) for _ in range(len(self.gold))]
        gold = to_host(self.gold)
        return SynsetAnswers(self.labels, np.array(drawn), gold, self.left_out)


class TermModel:
    """A map from image features to vectors of terms, and its answers in synsets.

    Training images are mapped to the vector that stands for their class; a new image is
    answered with the synsets of the terms nearest to where it lands (section A.2).

    Parameters
    ----------
    terms_of : mapping of str to sequence of str
        Terms of every synset that may be an answer or a training class, by wnid.
    vectors : WordVectors
        Of the terms.
    mapping : estimator, optional
        With ``fit(X, Y)`` and ``transform(X)``; by default `RidgeMap`, its penalty chosen by
        generalised cross-validation on the training images.
    rule : {"first", "random", "mean"}
        What stands for a class in training: see `TermLexicon.training_targets`.
    random_state : None, int or Generator
        For ``rule="random"``, and for senses drawn at random.
    """

    def __init__(self, terms_of, vectors, *, mapping=None, rule="first", random_state=0):
        self.terms_of, self.vectors = terms_of, vectors
        self.mapping = RidgeMap() if mapping is None else mapping
        self.rule, self.random_state = rule, random_state

    @cached_property
    def _everything(self):
        return TermLexicon(self.terms_of, vocabulary=self.vectors.words)

    def _matrix(self, lexicon):
        rows = [self.vectors.index[term] for term in lexicon.terms]
        return np.ascontiguousarray(self.vectors.vectors[rows], dtype=np.float32)

    def fit(self, problem):
        """Fit the map on the images of ``problem.trainval``; classes without a term are left out.

        Parameters
        ----------
        problem : ZeroShotProblem
            With ``class_ids``.

        Returns
        -------
        self
            With ``left_out_``, the number of training images left out.
        """
        lexicon = self._everything
        known, rows = _rows_in(lexicon, problem, problem.trainval)
        targets = lexicon.training_targets(
            like(self._matrix(lexicon), problem.features),
            rows,
            rule=self.rule,
            random_state=self.random_state,
        )
        self.mapping.fit(take_rows(problem.features, known), targets)
        self.left_out_ = len(problem.trainval) - len(known)
        return self

    def answer(self, problem, images, labels, k, *, n_terms=None, ambiguous="expand"):
        """Answer images with k synsets of a label set.

        Parameters
        ----------
        problem : ZeroShotProblem
        images : int array
            Rows of ``problem.features``.
        labels : sequence of str
            The label set. Synsets that have no term with a vector cannot be an answer and are
            left out.
        k : int
        n_terms, ambiguous
            See `predict_synsets`.

        Returns
        -------
        SynsetAnswers

        Raises
        ------
        ValueError
            When no image has its class in the label set.
        """
        lexicon = TermLexicon(
            {synset: self.terms_of[synset] for synset in labels}, vocabulary=self.vectors.words
        )
        known, rows = _rows_in(lexicon, problem, images)
        mapped = self.mapping.transform(take_rows(problem.features, known))
        predictions = predict_synsets(
            mapped,
            like(self._matrix(lexicon), mapped),
            lexicon,
            k,
            n_terms=n_terms,
            ambiguous=ambiguous,
            random_state=self.random_state,
        )
        left_out = len(images) - len(known)
        return SynsetAnswers(lexicon.synsets, predictions, like(rows, predictions), left_out)


def _rows_in(lexicon, problem, images):
    """The images whose class the lexicon has, and the rows of these classes in it."""
    if problem.class_ids is None:
        raise ValueError(f"{problem.name} has no class_ids: wnids are needed to name synsets")
    images = np.asarray(images)
    row = np.array([lexicon.row_of.get(str(wnid), -1) for wnid in problem.class_ids])
    rows = row[problem.labels[images]]
    if not (rows >= 0).any():
        raise ValueError(
            f"none of {len(images)} images of {problem.name} has its class among "
            f"{len(lexicon.synsets)} synsets with a term vector: choose another label set"
        )
    return images[rows >= 0], rows[rows >= 0]
