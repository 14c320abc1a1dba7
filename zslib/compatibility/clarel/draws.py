"""Which texts a batch needs, as sparse sums on the host, and a table that few rows change of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from array_api_compat import is_cupy_array, is_numpy_array

from zslib.arrays import add_rows, like, namespace, typed_like
from zslib.nn import Parameter


class TextDraw(NamedTuple):
    """Which texts make up each of n vectors: pairs of a vector and a text, on the host."""

    owner: np.ndarray
    """(P,) int: the vector that each pair belongs to, from 0 to n - 1."""
    text: np.ndarray
    """(P,) int: the text's number."""
    share: np.ndarray
    """(P,) float64: the text's weight; those of one owner sum to 1."""
    n: int

    @classmethod
    def single(cls, texts):
        """Each text on its own."""
        return cls(np.arange(len(texts)), texts, np.ones(len(texts)), len(texts))


def sums_over(owner, column, share, shape):
    """Dense host matrix with ``share`` added up at (``owner``, ``column``)."""
    flat = np.bincount(owner * shape[1] + column, weights=share, minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def mixing(draw, n_texts, reference):
    """The matrix (draw.n, n_texts) of shares, where and as ``reference`` is."""
    host = sums_over(draw.owner, draw.text, draw.share, (draw.n, n_texts))
    return typed_like(host, reference)


class RowParameter(Parameter):
    """A table of which each batch changes a few rows: its gradient is kept as these rows."""

    def __init__(self, value, penalty=0.0):
        self.value, self.penalty, self._parts = value, penalty, []

    @property
    def gradient(self):
        dense = namespace(self.value).zeros_like(self.value)
        for rows, values in self._parts:
            add_rows(dense, like(rows, dense), values)
        return dense

    def add_rows(self, rows, values):
        """Add ``values``, not used again, to the gradient's ``rows``, distinct host numbers."""
        self._parts.append((rows, values))

    def zero_gradient(self):
        self._parts = []

    def descend(self, rate, *, momentum=0.0, clip=None):
        """As `Parameter.descend`, without a penalty."""
        if momentum or clip is not None:
            self._move(self.gradient, rate, momentum, clip)
            self._parts = []
        for rows, values in self._parts:
            rows = like(rows, self.value)
            if is_numpy_array(self.value) or is_cupy_array(self.value):
                values *= float(rate)  # they are not used again
                self.value[rows] -= values
            else:  # the array API cannot assign to rows by number
                add_rows(self.value, rows, -rate * values)
        self._parts = []
