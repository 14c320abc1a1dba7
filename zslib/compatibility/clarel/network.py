"""The layers of CLAREL together, and one training step."""

from __future__ import annotations

import numpy as np

from zslib.arrays import like as move
from zslib.arrays import namespace
from zslib.compatibility.clarel.encoders import ConvLSTMEncoder, MeanEncoder, ReadyVectors
from zslib.compatibility.clarel.loss import DISTANCES, batch_loss
from zslib.nn import Dropout, Linear
from zslib.validation import check_choice, check_integer, check_real

__all__ = ["ClarelNetwork", "check_parameters", "make_encoder"]


class _FirstLinear(Linear):
    """A linear layer on features, which learn nothing: their gradient is not computed."""

    def backward(self, gradient):
        (x,) = self._use_saved()
        self.weight.add(x.T @ gradient)
        self.bias.add(namespace(gradient).sum(gradient, axis=0))


class ClarelNetwork:
    """Image head, text encoder and head, dropout before both, and the two classifiers."""

    def __init__(self, n_features, n_classes, embedding_dim, encoder, dropout, rng, *, like):
        self.encoder = encoder
        self.image_layer = _FirstLinear(n_features, embedding_dim, rng, like=like)
        self.text_layer = Linear(encoder.width, embedding_dim, rng, like=like)
        self.image_classifier = Linear(embedding_dim, n_classes, rng, like=like)
        self.text_classifier = Linear(embedding_dim, n_classes, rng, like=like)
        self._image_dropout, self._text_dropout = Dropout(dropout, rng), Dropout(dropout, rng)

    def parameters(self):
        """All parameters by name."""
        return self._named("parameters")

    def buffers(self):
        """All running averages by name."""
        return self._named("buffers")

    def _named(self, kind):
        parts = ("encoder", "image_layer", "text_layer", "image_classifier", "text_classifier")
        return {
            f"{part}.{name}": value
            for part in parts
            for name, value in getattr(getattr(self, part), kind)().items()
        }

    def step(self, X, prepared, draw, codes, rate, **loss):
        """One step of gradient descent on a batch; the `LossTerms` as one array, shape (5,).

        ``prepared`` and ``draw`` are for the encoder, ``loss`` goes to `clarel_loss`.
        """
        images = self.image_layer.forward(self._image_dropout.forward(X, train=True), train=True)
        encoded = self.encoder.encode(prepared, draw, train=True)
        texts = self.text_layer.forward(
            self._text_dropout.forward(encoded, train=True), train=True
        )
        terms, (by_image, by_text, by_image_logit, by_text_logit) = batch_loss(
            images,
            texts,
            self.image_classifier.forward(images, train=True),
            self.text_classifier.forward(texts, train=True),
            codes,
            **loss,
        )
        by_image += self.image_classifier.backward(by_image_logit)
        by_text += self.text_classifier.backward(by_text_logit)
        # The image dropout has no layer before it that would need its gradient.
        self.image_layer.backward(by_image)
        self.encoder.backward(self._text_dropout.backward(self.text_layer.backward(by_text)))
        for parameter in self.parameters().values():
            parameter.descend(rate)
        return namespace(X).stack(terms)


_COUNTS = (
    "embedding_dim",
    "texts_per_image",
    "n_batches",
    "decay_every",
    "word_dim",
    "kernel_width",
    "lstm_units",
    "checkpoint_every",
    "log_every",
)


def check_parameters(model, n):
    """Refuse parameters out of range, for n samples; those of unused encoders as well."""
    for name in ("retrieval_mix", "classification_weight"):
        check_real(getattr(model, name), name, low=0.0, high=1.0)
    check_choice(model.distance, "distance", DISTANCES)
    check_choice(model.exclude_equal, "exclude_equal", (True, False))
    check_choice(model.text_encoder, "text_encoder", ("paper", "mean", None))
    check_choice(model.pooling, "pooling", ("mean", "last"))
    for name in _COUNTS:
        check_integer(getattr(model, name), name, low=1)
    if model.kernel_width % 2 == 0:
        raise ValueError(f"kernel_width must be odd, got {model.kernel_width}")
    if model.n_tokens is not None:
        check_integer(model.n_tokens, "n_tokens", low=2)
    if not isinstance(model.filters, tuple | list | np.ndarray):
        raise TypeError(f"filters must be a pair of integers, got {model.filters!r}")
    if len(model.filters) != 2:
        raise ValueError(f"filters must be two numbers, got {model.filters!r}")
    for i, count in enumerate(model.filters):
        check_integer(count, f"filters[{i}]", low=1)
    check_real(model.convolution_penalty, "convolution_penalty", low=0.0)
    if check_real(model.dropout, "dropout", low=0.0) >= 1.0:
        raise ValueError(f"dropout must be below 1, got {model.dropout}")
    if n < 2:
        raise ValueError("X has one row: nothing is there to tell it from; give at least two")
    note = " (there are no more samples, and one alone has nothing to be told from)"
    check_integer(model.batch_size, "batch_size", low=2, high=n, high_means=note)
    check_real(model.learning_rate, "learning_rate", low=0.0, inclusive=False)
    check_real(model.decay, "decay", low=1.0)


def make_encoder(model, texts, pairs, rng, like):
    """The text encoder that the parameters ask for, for checked texts."""
    if model.text_encoder is None:
        return ReadyVectors(texts.shape[1], like=like)
    n_tokens = model.n_tokens or int(texts.max()) + 1
    if model.text_encoder == "mean":
        encoder = MeanEncoder(n_tokens, model.word_dim, rng, like=like)
    else:
        encoder = ConvLSTMEncoder(
            n_tokens,
            model.word_dim,
            rng,
            filters=model.filters,
            kernel_width=model.kernel_width,
            lstm_units=model.lstm_units,
            pooling=model.pooling,
            penalty=model.convolution_penalty,
            like=like,
        )
    # What is never trained must not add noise to the texts of new classes.
    trained = np.zeros((n_tokens, 1))
    trained[texts[np.unique(pairs.index)]] = 1.0
    trained[0] = 0.0
    table = encoder.weight.value
    table *= namespace(table).astype(move(trained, table), table.dtype)
    return encoder
