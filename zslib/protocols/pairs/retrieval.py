"""Finding the text of an image and the image of a text among unseen classes."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from zslib.arrays import ragged_rows, take_rows, to_host
from zslib.metrics import hits_at_k
from zslib.search import gold_ranks
from zslib.validation import check_choice


@dataclass(frozen=True)
class RetrievalRanks:
    """Ranks of the right answers, 0 is best, in both directions.

    For each image the rank of the best of its texts, for each text that of the best of its
    images, and by direction the ``chance`` in percent that a random answer is right.
    """

    of_texts: np.ndarray
    of_images: np.ndarray
    chance: dict

    def __repr__(self):
        recall = [f"{way} R@1 {self.measures(way)['R@1']:.1f}" for way in self.chance]
        images, texts = len(self.of_texts), len(self.of_images)
        return f"RetrievalRanks({images} images, {texts} texts: {', '.join(recall)})"

    def of(self, direction):
        """Ranks of one direction, "image to text" or "text to image"."""
        check_choice(direction, "direction", ("image to text", "text to image"))
        return self.of_texts if direction == "image to text" else self.of_images

    def measures(self, direction):
        """Recall "R@1" and "R@10" in percent, and the "median rank", counted from 1."""
        ranks = self.of(direction)
        return {
            "R@1": 100.0 * float(hits_at_k(ranks, 1).mean()),
            "R@10": 100.0 * float(hits_at_k(ranks, 10).mean()),
            "median rank": float(np.median(ranks)) + 1.0,
        }


def retrieval_ranks(fitted, problem, texts) -> RetrievalRanks:
    """Search among images and texts of unseen classes in the embedding space of a model.

    Candidates are the test images of unseen classes, and their texts, each distinct text once.
    Right for an image is every text with the id of one of its own (``problem.text_ids``): equal
    texts are one answer. Where texts describe classes, every text of the image's class is right.
    """
    images, candidates, ids = _candidates(problem)
    right = right_texts(problem, images, ids)
    texts_of, images_of = _rows(right), _rows(right.T)
    image_vectors = fitted.embed_images(take_rows(problem.features, images))
    text_vectors = fitted.embed_texts(take_rows(texts, candidates))
    return RetrievalRanks(
        of_texts=to_host(gold_ranks(image_vectors, text_vectors, texts_of, metric="euclidean")),
        of_images=to_host(gold_ranks(text_vectors, image_vectors, images_of, metric="euclidean")),
        chance={
            "image to text": 100.0 * np.mean(list(map(len, texts_of))) / ids.size,
            "text to image": 100.0 * np.mean(list(map(len, images_of))) / images.size,
        },
    )


def _candidates(problem):
    """Test images of unseen classes with texts, the distinct texts of these, and their ids."""
    counts = np.diff(problem.text_offsets)[problem.test_unseen]
    images = problem.test_unseen[counts > 0]
    rows = np.unique(ragged_rows(*problem.text_rows, images)[1])
    ids = problem.text_ids[rows]
    words = rows if problem.texts is None else [problem.texts[i] for i in rows.tolist()]
    words = np.unique(words, return_inverse=True)[1]
    _, first = np.unique(np.stack([words, ids], axis=1), axis=0, return_index=True)
    first = np.sort(first)
    return images, rows[first], ids[first]


def right_texts(problem, images, ids):
    """Which texts, by their ``ids``, are right for which images: a sparse (images, texts) array.

    Those with the id of one of the image's own texts; each of ``ids`` is one of these.
    """
    offsets, index = ragged_rows(*problem.text_rows, images)
    known, columns = np.unique(problem.text_ids[index], return_inverse=True)
    own = csr_array((np.ones(index.size), columns, offsets), (images.size, known.size))
    own.sum_duplicates()
    return own[:, np.searchsorted(known, ids)]


def _rows(array):
    """The columns of the entries of each row of a sparse array, a list of arrays."""
    array = array.tocsr()
    return np.split(array.indices, array.indptr[1:-1])
