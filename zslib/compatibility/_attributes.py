"""Binary attributes of classes, and the class scores that attribute probabilities give."""

from __future__ import annotations

from array_api_compat import device as array_device

from zslib.arrays import namespace
from zslib.compatibility.base import CompatibilityModel
from zslib.validation import check_real

__all__ = ["AttributeModel", "binary_attributes", "log_add_exp_of_classes", "log_sigmoid"]


class AttributeModel(CompatibilityModel):
    r"""Base of the scorers that go from attribute probabilities to classes, `DAP` and `IAP`.

    .. math:: F(x, s) = \sum_m \log \frac{p(a_m = b_m(s) \mid x)}{p(b_m(s))},

    with :math:`b_m(s)` whether attribute m of the class exceeds its threshold, and the prior
    :math:`p(a_m = 1)` the share of seen classes that have the attribute. An attribute that all
    seen classes have, or none has, cannot be learned: it is left out.

    A subclass has ``_learn(X, codes, binary)`` and ``_log_probabilities(X)``, which returns the
    logarithms of :math:`p(a_m = 1 \mid x)` and of :math:`p(a_m = 0 \mid x)`, each (n, q'), for
    the attributes that are not left out.
    """

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        self.threshold_ = self._thresholds(embeddings)
        binary = binary_attributes(embeddings, self.threshold_)
        prior = xp.mean(binary, axis=0)
        self.kept_ = xp.nonzero((prior > 0) & (prior < 1))[0]
        if not self.kept_.shape[0]:
            raise ValueError(
                f"threshold={self.threshold!r} gives all classes in y the same binary "
                "attributes, so that nothing tells them apart: pass 'mean', or a number between "
                "the values that an attribute has in these classes"
            )
        self.prior_ = xp.take(prior, self.kept_)
        self._learn(X, codes, xp.take(binary, self.kept_, axis=1))

    def _thresholds(self, embeddings):
        xp = namespace(embeddings)
        if isinstance(self.threshold, str):
            if self.threshold != "mean":
                raise ValueError(f"threshold must be 'mean' or a number, got {self.threshold!r}")
            return xp.mean(embeddings, axis=0)
        value = check_real(self.threshold, "threshold")
        return xp.full(
            (embeddings.shape[1],),
            value,
            dtype=embeddings.dtype,
            device=array_device(embeddings),
        )

    def _scores(self, X, class_embeddings):
        xp = namespace(X)
        threshold, prior = (
            xp.astype(array, X.dtype, copy=False) for array in (self.threshold_, self.prior_)
        )
        binary = binary_attributes(class_embeddings, threshold)
        binary = xp.take(binary, self.kept_, axis=1)
        on, off = self._log_probabilities(X)
        # What each probability exceeds its prior by; a class takes one of the two.
        on, off = on - xp.log(prior)[None, :], off - xp.log(1.0 - prior)[None, :]
        return on @ binary.T + off @ (1.0 - binary).T


def binary_attributes(embeddings, threshold):
    """1 where an entry exceeds its column's threshold, else 0, with the type of ``embeddings``.

    Examples
    --------
    >>> import numpy as np
    >>> binary_attributes(np.array([[0.2, 0.5], [0.4, 0.1]]), np.array([0.3, 0.3]))
    array([[0., 1.],
           [1., 0.]])
    """
    return namespace(embeddings).astype(embeddings > threshold[None, :], embeddings.dtype)


def log_sigmoid(logits):
    """Logarithm of 1 / (1 + exp(-x)), exact where exp would under- or overflow.

    Examples
    --------
    >>> import numpy as np
    >>> log_sigmoid(np.array([0.0, -1000.0])).round(4)
    array([-6.931e-01, -1.000e+03])
    """
    xp = namespace(logits)
    return xp.minimum(logits, xp.zeros_like(logits)) - xp.log1p(xp.exp(-xp.abs(logits)))


def log_add_exp_of_classes(logs, members):
    r"""Logarithm of the sum of the exponentials over the classes of each set.

    Parameters
    ----------
    logs : array, shape (n, k)
    members : array, shape (k, q)
        1 where a class is in the set, else 0. No set is empty.

    Returns
    -------
    array, shape (n, q)
        :math:`\log \sum_{c: m_{cj} = 1} \exp(l_{ic})`, finite for finite ``logs``.

    Examples
    --------
    >>> import numpy as np
    >>> logs = np.array([[0.0, np.log(2.0), -5000.0]])
    >>> log_add_exp_of_classes(logs, np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[ 1.0986e+00, -5.0000e+03]])
    """
    xp = namespace(logs, members)
    top = xp.max(logs, axis=1, keepdims=True)
    sums = xp.exp(logs - top) @ members
    if bool(xp.all(sums > xp.finfo(logs.dtype).smallest_normal / xp.finfo(logs.dtype).eps)):
        return top + xp.log(sums)
    # A set whose exponentials are lost beside the row's largest: each set from its own largest.
    found = []
    for j in range(members.shape[1]):
        own = xp.take(logs, xp.nonzero(members[:, j])[0], axis=1)
        top = xp.max(own, axis=1, keepdims=True)
        found.append(top + xp.log(xp.sum(xp.exp(own - top), axis=1, keepdims=True)))
    return xp.concat(found, axis=1)
