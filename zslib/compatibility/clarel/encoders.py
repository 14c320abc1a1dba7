"""From texts to vectors, for CLAREL: the paper's network, a mean of word embeddings, or nothing.

Each encoder is a layer with ``prepare(texts)``, which checks texts, and ``encode(prepared,
draw)``, which gives one vector for each image, (draw.n, width): the mean over the texts that the
`TextDraw` says. With ``train=True`` it is then ready for ``backward(gradient)``.
"""

import numpy as np

from zslib.arrays import like, namespace, ragged_rows, take_rows, to_host, typed_like
from zslib.compatibility.clarel.draws import RowParameter, TextDraw, mixing, sums_over
from zslib.nn import (
    BiLSTM,
    Embedding,
    LastPool,
    Layer,
    MaxPool,
    MeanPool,
    ResidualBlock,
    Sequential,
)
from zslib.search.rows import distinct
from zslib.validation import check_choice, check_indices, check_vectors

__all__ = ["ConvLSTMEncoder", "MeanEncoder", "ReadyVectors", "TextDraw", "check_tokens"]


def check_tokens(tokens, n_tokens=None):
    """Host copy of (m, T) token numbers, 0 where padded, once they are in order."""
    if not namespace(tokens).isdtype(tokens.dtype, "integral"):
        raise TypeError(
            f"texts must hold token numbers for this text_encoder, got {tokens.dtype}: pass the "
            "integers of zslib.datasets.Vocabulary, or text_encoder=None for ready vectors"
        )
    if tokens.ndim != 2 or 0 in tokens.shape:
        raise ValueError(
            f"texts must be (m, T), one padded row for each text, got shape {tuple(tokens.shape)}"
        )
    tokens = np.asarray(to_host(tokens), dtype=np.int64)
    size = tokens.max() + 1 if n_tokens is None else n_tokens
    check_indices(tokens, "texts (of the training texts' vocabulary, 1 for unknown words)", size)
    empty = np.flatnonzero(~tokens.any(axis=1))
    if len(empty):
        raise ValueError(
            f"{len(empty)} text(s) without tokens, the first is row {empty[0]} of texts: drop "
            "them, or number unknown words as 1"
        )
    return tokens


class ReadyVectors(Layer):
    """Texts that come as vectors: only the mean over the texts drawn."""

    def __init__(self, width, *, like):
        self.width, self._like = width, like

    def prepare(self, texts):
        xp = namespace(texts, self._like)
        check_vectors(texts, "texts")
        if texts.shape[1] != self.width:
            raise ValueError(
                f"texts has {texts.shape[1]} columns, but {self.width} were trained on: pass "
                "vectors of the same space"
            )
        return xp.astype(texts, self._like.dtype, copy=False)

    def encode(self, prepared, draw, *, train=False):
        drawn, each = take_rows(prepared, draw.text), np.arange(len(draw.text))
        return mixing(draw._replace(text=each), each.size, drawn) @ drawn

    def backward(self, gradient):
        """Nothing is learned here."""


class MeanEncoder(Layer):
    r"""The mean of a text's word embeddings: the light encoder.

    .. math:: f(t) = \frac{1}{|t|} \sum_{w \in t} E_w

    A batch needs the vectors of the words in it only, so time does not grow with the vocabulary.

    Parameters
    ----------
    n_tokens : int
        Size of the vocabulary, padding included.
    dimension : int
        Length of a word vector, the encoder's ``width``.
    rng : numpy.random.Generator
        Draws the start: normal, standard deviation 1.
    frozen : bool, keyword only, default False
        Whether word vectors stay as they are.
    like : float array, keyword only
        Library, device and type.

    Examples
    --------
    >>> encoder = MeanEncoder(4, 2, np.random.default_rng(0), like=np.zeros(1))
    >>> encoder.weight.value[2:] = [[1.0, 0.0], [0.0, 1.0]]
    >>> texts = encoder.prepare(np.array([[2, 3, 0], [3, 3, 3]]))
    >>> encoder.encode(texts, TextDraw.single(np.arange(2)))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """

    def __init__(self, n_tokens, dimension, rng, *, frozen=False, like):
        self.n_tokens, self.width, self.frozen = n_tokens, dimension, frozen
        self.weight = RowParameter.from_host(rng.standard_normal((n_tokens, dimension)), like=like)

    def prepare(self, texts):
        """Where each text begins among the tokens of all in a row, and these tokens."""
        tokens = check_tokens(texts, self.n_tokens)
        ends = np.cumsum(np.count_nonzero(tokens, axis=1))
        return np.concatenate([[0], ends]), tokens[tokens != 0]

    def encode(self, prepared, draw, *, train=False):
        starts, tokens = ragged_rows(*prepared, draw.text)
        n = np.diff(starts)
        words, columns = distinct(tokens)
        shares = np.repeat(draw.share / n, n)
        host = sums_over(np.repeat(draw.owner, n), columns, shares, (draw.n, len(words)))
        table = self.weight.value
        weights = typed_like(host, table)
        if train:
            self._saved = words, weights
        return weights @ take_rows(table, words)

    def backward(self, gradient):
        words, weights = self._use_saved()
        if not self.frozen:
            self.weight.add_rows(words, weights.T @ gradient)

    def parameters(self):
        return {} if self.frozen else {"embedding.weight": self.weight}


class ConvLSTMEncoder(Layer):
    """The paper's encoder: two residual blocks and a bidirectional LSTM (Appendix D).

    Tokens become vectors, pass the two blocks and the LSTM, and are pooled over the positions of
    the text. A text that is drawn several times in a batch is encoded once.

    Parameters
    ----------
    n_tokens, dimension : int
        Size of the vocabulary, padding included, and length of a token's vector.
    rng : numpy.random.Generator
        Draws the start, as `zslib.nn` documents it.
    filters : pair of int, keyword only, default (128, 256)
    lstm_units : int, keyword only, default 512
        In each direction.
    pooling : "mean" or "last", keyword only, default "mean"
        Mean over the tokens, or the last state of each direction.
    halve : bool, keyword only, default False
        Whether each block is followed by the larger of each two neighbouring positions.
    penalty : float, keyword only, default 0.001
        L2 weight of the blocks' parameters.
    frozen : bool, keyword only, default False
        Whether token vectors stay as they are.
    like : float array, keyword only
        Library, device and type.
    **block
        Other parameters of `zslib.nn.ResidualBlock`: ``kernel_width``, ``normalise_shortcut``,
        ``norm_momentum`` and ``norm_epsilon``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> encoder = ConvLSTMEncoder(9, 4, rng, filters=(4, 6), lstm_units=5, like=np.zeros(1))
    >>> texts = encoder.prepare(np.array([[2, 3, 0], [4, 5, 6]]))
    >>> encoder.encode(texts, TextDraw.single(np.arange(2))).shape
    (2, 10)
    """

    def __init__(
        self,
        n_tokens,
        dimension,
        rng,
        *,
        filters=(128, 256),
        lstm_units=512,
        pooling="mean",
        halve=False,
        penalty=0.001,
        frozen=False,
        like,
        **block,
    ):
        check_choice(pooling, "pooling", ("mean", "last"))
        self.n_tokens, self.width = n_tokens, 2 * lstm_units
        first, second = filters
        block |= {"penalty": penalty, "like": like}
        layers = {"embedding": Embedding(n_tokens, dimension, rng, frozen=frozen, like=like)}
        for k, n_in, n_out in ((1, dimension, first), (2, first, second)):
            layers[f"block{k}"] = ResidualBlock(n_in, n_out, rng, **block)
            if halve:
                layers[f"halve{k}"] = MaxPool()
        layers["lstm"] = BiLSTM(second, lstm_units, rng, like=like)
        layers["pool"] = LastPool() if pooling == "last" else MeanPool()
        self.layers = Sequential(**layers)

    @property
    def weight(self):
        """The table of token vectors, a `zslib.nn.Parameter`."""
        return self.layers.layers["embedding"].weight

    def prepare(self, texts):
        return check_tokens(texts, self.n_tokens)

    def encode(self, prepared, draw, *, train=False):
        texts, places = distinct(draw.text)
        tokens = prepared[texts]
        tokens = tokens[:, tokens.any(axis=0)]
        table = self.weight.value
        out = self.layers.forward(like(tokens, table), like(tokens != 0, table), train=train)
        shares = mixing(draw._replace(text=places), len(texts), out)
        if train:
            self._saved = (shares,)
        return shares @ out

    def backward(self, gradient):
        (shares,) = self._use_saved()
        self.layers.backward(shares.T @ gradient)

    def parts(self):
        return self.layers.layers
