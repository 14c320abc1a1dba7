r"""The loss of CLAREL and its parts as functions (Oreshkin et al. 2019, section 2, Algorithm 1).

A batch has B images and, row by row, their texts, embedded in one space. With :math:`D_{ij}` the
distance of image i and text j, the two retrieval losses are the cross-entropies of a softmax over
each row and over each column of :math:`-D`. All of it is computed in float64, which costs little
next to the layers around it, and returned in the type of the embeddings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from array_api_compat import device as array_device

from zslib.arrays import namespace
from zslib.nn import softmax_cross_entropy
from zslib.validation import check_choice, check_pairs, check_real, check_same_width, check_vectors

DISTANCES = ("euclidean", "squared")


class LossTerms(NamedTuple):
    """The loss of one batch and its four terms, 0-d arrays of float64."""

    total: Any
    """:math:`J`."""
    text_retrieval: Any
    r""":math:`J_{TR}`: to find the text of each image."""
    image_retrieval: Any
    r""":math:`J_{IR}`: to find the image of each text."""
    text_classification: Any
    r""":math:`J_{TC}`."""
    image_classification: Any
    r""":math:`J_{IC}`."""


def embedding_distances(A, B, *, distance="euclidean"):
    r"""Distance of each row of ``A`` (n, e) to each row of ``B`` (m, e), with the type of ``A``.

    .. math:: D_{ij} = \|a_i - b_j\|_2 \quad\text{or}\quad \|a_i - b_j\|_2^2

    Rows that are nearer to each other than float64 resolves, about :math:`10^{-7}` of their
    lengths, have distance 0.

    Examples
    --------
    >>> import numpy as np
    >>> embedding_distances(np.zeros((1, 2)), np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[5., 0.]])
    """
    check_choice(distance, "distance", DISTANCES)
    xp = namespace(A, B)
    check_vectors(A, "A")
    check_vectors(B, "B")
    check_same_width(A, B, "A", "B")
    D = _distances(xp.astype(A, xp.float64), xp.astype(B, xp.float64), distance)
    return xp.astype(D, A.dtype)


def _distances(A, B, distance):
    """Distances of float64 rows, exactly 0 where rounding is all that is left."""
    xp = namespace(A, B)
    # Less is lost in the difference of large squares around a point in the middle.
    centre = xp.mean(B, axis=0, keepdims=True)
    A, B = A - centre, B - centre
    sums = xp.sum(A * A, axis=1)[:, None] + xp.sum(B * B, axis=1)[None, :]
    squares = sums - 2.0 * (A @ B.T)
    squares *= xp.astype(squares > 16.0 * xp.finfo(xp.float64).eps * sums, xp.float64)
    return squares if distance == "squared" else xp.sqrt(squares)


def retrieval_probabilities(images, texts, *, distance="euclidean", same_text=None):
    r"""Softmax of :math:`-D` over the texts of each image, and over the images of each text.

    .. math:: p_{ij} = \frac{\exp(-D_{ij})}{\sum_{j'} \exp(-D_{ij'})}, \qquad
              q_{ij} = \frac{\exp(-D_{ij})}{\sum_{i'} \exp(-D_{i'j})}

    Parameters
    ----------
    images, texts : arrays, shape (B, e)
        Embeddings; row i of one belongs to row i of the other.
    distance : "euclidean" or "squared", keyword only
    same_text : array of bool, shape (B, B), keyword only, default None
        True where pairs i and j have a text in common, so that image i and text j may belong
        together as well. Such an entry is in no denominator, unless i = j.

    Returns
    -------
    p, q : arrays, shape (B, B)
        Rows of p sum to 1, and columns of q.

    Examples
    --------
    >>> import numpy as np
    >>> p, q = retrieval_probabilities(np.array([[0.0], [1.0]]), np.array([[0.0], [3.0]]))
    >>> p.round(3)
    array([[0.953, 0.047],
           [0.731, 0.269]])
    """
    _check_batch(images, texts, distance, same_text)
    xp = namespace(images, texts)
    A, B = xp.astype(images, xp.float64), xp.astype(texts, xp.float64)
    _, (p, _), (q, _) = _softmaxes(A, B, distance, same_text)
    return xp.astype(p, images.dtype), xp.astype(q, images.dtype)


def _check_batch(images, texts, distance, same_text):
    """Refuse what is no batch of pairs."""
    check_choice(distance, "distance", DISTANCES)
    check_pairs(images, texts, "images", "texts")
    check_same_width(images, texts, "images", "texts")
    n = images.shape[0]
    if n < 2:
        raise ValueError("the batch has one pair, and none to tell it from: give at least two")
    if same_text is not None:
        xp = namespace(images, same_text)
        if same_text.dtype != xp.bool:
            raise TypeError(f"same_text must hold booleans, got {same_text.dtype}")
        if tuple(same_text.shape) != (n, n):
            raise ValueError(
                f"same_text must have a truth for each two pairs, shape ({n}, {n}), got "
                f"{tuple(same_text.shape)}"
            )


def _softmaxes(A, B, distance, same_text):
    """D, and the softmaxes of -D along rows and columns, with logs of sums of exponentials."""
    xp, D = namespace(A, B), _distances(A, B, distance)
    scores = -D
    if same_text is not None:
        own = xp.eye(D.shape[0], dtype=xp.bool, device=array_device(D))
        never = xp.asarray(-xp.inf, dtype=D.dtype, device=array_device(D))
        scores = xp.where(same_text & ~own, never, scores)
    return D, _softmax(scores, 1), _softmax(scores, 0)


def _softmax(scores, axis):
    """Softmax and log of the sum of exponentials, kept as an axis of length 1."""
    xp = namespace(scores)
    largest = xp.max(scores, axis=axis, keepdims=True)
    exponentials = xp.exp(scores - largest)
    total = xp.sum(exponentials, axis=axis, keepdims=True)
    return exponentials / total, largest + xp.log(total)


def batch_retrieval_loss(images, texts, *, retrieval_mix, distance="euclidean", same_text=None):
    r"""The two retrieval losses of a batch, and the gradient of their mixture.

    .. math:: J_{TR} = \frac{1}{B} \sum_i \Big[ D_{ii} + \log \sum_j \exp(-D_{ij}) \Big], \quad
              J_{IR} = \frac{1}{B} \sum_i \Big[ D_{ii} + \log \sum_j \exp(-D_{ji}) \Big]

    The mixture is :math:`\lambda J_{TR} + (1 - \lambda) J_{IR}`, with :math:`\lambda` the
    ``retrieval_mix``. Where two embeddings coincide the gradient of the Euclidean distance is
    taken as 0. Returns both losses, 0-d arrays of float64, and the gradients by images and by
    texts, of arguments that are known to be in order.
    """
    xp = namespace(images, texts)
    A, B = xp.astype(images, xp.float64), xp.astype(texts, xp.float64)
    D, (p, by_row), (q, by_column) = _softmaxes(A, B, distance, same_text)
    n = D.shape[0]
    own = xp.eye(n, dtype=D.dtype, device=array_device(D))
    near = xp.sum(D * own)
    values = (near + xp.sum(by_row)) / n, (near + xp.sum(by_column)) / n
    pull = (own - retrieval_mix * p - (1.0 - retrieval_mix) * q) / n
    if distance == "squared":
        pull = 2.0 * pull
    else:
        apart = xp.astype(D > 0.0, D.dtype)
        pull = apart * pull / (D + (1.0 - apart))
    image_gradient = A * xp.sum(pull, axis=1)[:, None] - pull @ B
    text_gradient = B * xp.sum(pull, axis=0)[:, None] - pull.T @ A
    return (
        *values,
        xp.astype(image_gradient, images.dtype),
        xp.astype(text_gradient, texts.dtype),
    )


def clarel_loss(
    images,
    texts,
    image_logits,
    text_logits,
    codes,
    *,
    retrieval_mix=0.5,
    classification_weight=0.5,
    text_codes=None,
    distance="euclidean",
    same_text=None,
):
    r"""Loss of one batch and its gradients (Algorithm 1).

    .. math:: J = (1 - \kappa) \left[ \lambda J_{TR} + (1 - \lambda) J_{IR} \right]
                  + \frac{\kappa}{2} \left[ J_{TC} + J_{IC} \right]

    Parameters
    ----------
    images, texts : arrays, shape (B, e)
        :math:`z_v` and :math:`z_t`; row i of one belongs to row i of the other, B at least 2.
    image_logits, text_logits : arrays, shape (B, C)
        :math:`W_I z_v + b_I` and :math:`W_T z_t + b_T`.
    codes : array of int, shape (B,)
        Class of each pair, from 0 to C - 1.
    retrieval_mix, classification_weight : float in [0, 1], keyword only, default 0.5
        :math:`\lambda` and :math:`\kappa`.
    text_codes : array of int, shape (B,), keyword only, default None
        Class of each text for :math:`J_{TC}`, where it is not that of the pair.
    distance, same_text
        As in `retrieval_probabilities`.

    Returns
    -------
    terms : LossTerms
    gradients : tuple of arrays
        Of :math:`J` by the first four arguments, with their shapes and types.
    """
    retrieval_mix = check_real(retrieval_mix, "retrieval_mix", low=0.0, high=1.0)
    weight = check_real(classification_weight, "classification_weight", low=0.0, high=1.0)
    _check_batch(images, texts, distance, same_text)
    check_pairs(images, image_logits, "images", "image_logits")
    check_pairs(images, text_logits, "images", "text_logits")
    weights = {"retrieval_mix": retrieval_mix, "classification_weight": weight}
    how = weights | {"text_codes": text_codes, "distance": distance, "same_text": same_text}
    return batch_loss(images, texts, (image_logits, text_logits), codes, **how)


def batch_loss(
    images, texts, logits, codes, *, retrieval_mix, classification_weight, text_codes=None, **how
):
    """`clarel_loss` of arguments that are known to be in order; ``logits`` are those of both."""
    image_logits, text_logits = logits
    TR, IR, by_image, by_text = batch_retrieval_loss(
        images, texts, retrieval_mix=retrieval_mix, **how
    )
    TC, by_text_logit = _classification(text_logits, codes if text_codes is None else text_codes)
    IC, by_image_logit = _classification(image_logits, codes)
    retrieval = retrieval_mix * TR + (1.0 - retrieval_mix) * IR
    total = (1.0 - classification_weight) * retrieval + (classification_weight / 2.0) * (TC + IC)
    return LossTerms(total, TR, IR, TC, IC), (
        (1.0 - classification_weight) * by_image,
        (1.0 - classification_weight) * by_text,
        (classification_weight / 2.0) * by_image_logit,
        (classification_weight / 2.0) * by_text_logit,
    )


def _classification(logits, codes):
    xp = namespace(logits, codes)
    value, gradient = softmax_cross_entropy(xp.astype(logits, xp.float64), codes)
    return value, xp.astype(gradient, logits.dtype)
