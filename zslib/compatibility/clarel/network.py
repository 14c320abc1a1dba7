"""The layers of CLAREL together, and one training step."""

from __future__ import annotations

from zslib.arrays import namespace
from zslib.compatibility.clarel.draws import RowParameter
from zslib.compatibility.clarel.loss import checked_loss
from zslib.nn import Dropout, Linear

__all__ = ["ClarelNetwork"]


class _FirstLinear(Linear):
    """A linear layer on features, which learn nothing: their gradient is not computed."""

    def backward(self, gradient):
        (x,) = self._use_saved()
        self.weight.gradient += x.T @ gradient
        self.bias.gradient += namespace(gradient).sum(gradient, axis=0)


class ClarelNetwork:
    """Image head, text encoder and head, and the two classifiers.

    Parameters
    ----------
    n_features, n_classes, embedding_dim : int
    encoder : TextEncoder
    dropout : float
        Before both heads.
    rng : numpy.random.Generator
        Draws the start, and the dropout of each step.
    like : float array, keyword only
        Library, device and type.
    """

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
        terms, (by_image, by_text, by_image_logit, by_text_logit) = checked_loss(
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
            _descend(parameter, rate)
        return namespace(X).stack(terms)


def _descend(parameter, rate):
    """One step of gradient descent, the L2 penalty included; the gradient is zero then."""
    if isinstance(parameter, RowParameter):
        parameter.descend(rate)
        return
    if parameter.penalty:
        parameter.add_penalty()
    parameter.gradient *= rate
    parameter.value -= parameter.gradient
    parameter.zero_gradient()
