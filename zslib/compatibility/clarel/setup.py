"""What CLAREL does before training: its parameters checked, its text encoder made."""

from __future__ import annotations

import numpy as np

from zslib.arrays import like as move
from zslib.arrays import namespace
from zslib.compatibility.clarel.encoders import ConvLSTMEncoder, MeanEncoder, ReadyVectors
from zslib.compatibility.clarel.loss import DISTANCES
from zslib.validation import check_choice, check_integer, check_real

__all__ = ["check_parameters", "make_encoder"]

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
