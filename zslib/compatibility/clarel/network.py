"""The layers of CLAREL together, and one training step."""

import numpy as np

from zslib.arrays import namespace, to_host, typed_like
from zslib.compatibility.clarel.draws import TextDraw, mixing
from zslib.compatibility.clarel.encoders import ConvLSTMEncoder, MeanEncoder, ReadyVectors
from zslib.compatibility.clarel.loss import batch_loss
from zslib.compatibility.parameters import check_parameters
from zslib.nn import Dropout, Layer, Linear
from zslib.validation import check_integer, check_vectors


class ClarelNetwork(Layer):
    """Image head, text encoder and head, dropout before both, and the two classifiers."""

    def __init__(self, model, n_features, n_classes, encoder, rng, *, like):
        self.encoder = encoder
        embedding_dim, dropout = model.embedding_dim, model.dropout
        self.image_layer = Linear(n_features, embedding_dim, rng, like=like)
        self.text_layer = Linear(encoder.width, embedding_dim, rng, like=like)
        self.image_classifier = Linear(embedding_dim, n_classes, rng, like=like)
        self.text_classifier = Linear(embedding_dim, n_classes, rng, like=like)
        self._image_dropout, self._text_dropout = Dropout(dropout, rng), Dropout(dropout, rng)
        self._dropout_each = model.dropout_each

    def step(self, X, prepared, draw, codes, descent, **loss):
        """One step of gradient descent on a batch; the `LossTerms` as one array, (5,)."""
        images = self.image_layer.forward(self._image_dropout.forward(X, train=True), train=True)
        shares, asked = None, draw
        if self._dropout_each:
            each = np.arange(len(draw.text))
            shares = mixing(draw._replace(text=each), each.size, X)
            asked = TextDraw.single(draw.text)
        encoded = self.encoder.encode(prepared, asked, train=True)
        dropped = self._text_dropout.forward(encoded, train=True)
        # The layer is linear: it may as well come after the mean.
        dropped = dropped if shares is None else shares @ dropped
        texts = self.text_layer.forward(dropped, train=True)
        logits = (
            self.image_classifier.forward(images, train=True),
            self.text_classifier.forward(texts, train=True),
        )
        terms, (by_image, by_text, by_image_logit, by_text_logit) = batch_loss(
            images, texts, logits, codes, **loss
        )
        by_image += self.image_classifier.backward(by_image_logit)
        by_text += self.text_classifier.backward(by_text_logit)
        self.image_layer.learn(by_image)
        by_text = self.text_layer.backward(by_text)
        by_text = by_text if shares is None else shares.T @ by_text
        self.encoder.backward(self._text_dropout.backward(by_text))
        for parameter in self.parameters().values():
            parameter.descend(**descent)
        return namespace(X).stack(terms)


def check_for(model, n):
    """Refuse parameters out of range, for n samples; those of unused encoders as well."""
    check_parameters(model)
    if model.kernel_width % 2 == 0:
        raise ValueError(f"kernel_width must be odd, got {model.kernel_width}")
    if len(model.filters) != 2:
        raise ValueError(f"filters must be two numbers, got {model.filters!r}")
    note = " (X has no more rows, and one alone has nothing to be told from)"
    check_integer(model.batch_size, "batch_size", low=2, high=n, high_means=note)


def make_encoder(model, texts, pairs, rng, like):
    """The text encoder that the parameters ask for, for checked texts."""
    if model.text_encoder is None:
        return ReadyVectors(texts.shape[1], like=like)
    given, n_tokens, word_dim = model.word_vectors, model.n_tokens, model.word_dim
    if given is not None:
        check_vectors(given, "word_vectors")
        n_tokens, word_dim = given.shape
    n_tokens = n_tokens or int(texts.max()) + 1
    shared = {"frozen": given is not None, "like": like}
    if model.text_encoder == "mean":
        encoder = MeanEncoder(n_tokens, word_dim, rng, **shared)
    else:
        names = ("filters", "kernel_width", "lstm_units", "pooling", "halve")
        names += ("normalise_shortcut", "norm_momentum", "norm_epsilon")
        parameters = {name: getattr(model, name) for name in names}
        penalty = model.convolution_penalty
        encoder = ConvLSTMEncoder(n_tokens, word_dim, rng, **parameters, penalty=penalty, **shared)
    table = encoder.weight.value
    if given is None:
        # What is never trained must not add noise to the texts of new classes.
        trained = np.zeros((n_tokens, 1))
        trained[texts[np.unique(pairs.index)]] = 1.0
        trained[0] = 0.0
        table *= typed_like(trained, table)
    else:
        table[...] = typed_like(to_host(given), table)
    return encoder
