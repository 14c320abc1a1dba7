"""DAP, direct attribute prediction (Lampert et al. 2009): one classifier for each attribute."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from zslib.arrays import namespace, typed_as
from zslib.compatibility.conse import LinearModel, linear_objective
from zslib.nn import sigmoid
from zslib.validation import check_real


@dataclass(repr=False, eq=False)
class AttributeModel(LinearModel):
    r"""Base of the scorers that go from attribute probabilities to classes, `DAP` and `IAP`.

    .. math:: F(x, s) = \sum_m \log \frac{p(a_m = b_m(s) \mid x)}{p(b_m(s))},

    with :math:`b_m(s)` whether attribute m of the class exceeds its threshold, and the prior
    :math:`p(a_m = 1)` the share of seen classes that have the attribute. An attribute that all
    seen classes have, or none has, cannot be learned: it is left out; the authors' program gives
    it the prior 1/2.

    A subclass has ``_learn(X, codes, binary)`` and ``_log_probabilities(X)``, which returns the
    logarithms of :math:`p(a_m = 1 \mid x)` and of :math:`p(a_m = 0 \mid x)`, each (n, q'), for
    the attributes that are not left out. The papers have support vector machines with calibrated
    outputs; here classifiers are found by L-BFGS from zero, so that nothing is random.

    Parameters
    ----------
    threshold : "mean" or float, default "mean"
        An attribute above it counts as present: the mean over the seen classes, each attribute
        its own, or one number.
    regularization : float, keyword only, default 1e-5
        Weight of half the squared norm of the classifiers, at least 0, in squared units of the
        features. Not in the paper.
    max_iter : int, keyword only, default 100, of `IAP` 200
        Steps of L-BFGS at most.
    tol : float, keyword only, default 1e-4
        It stops earlier when the largest entry of the gradient has fallen to this share.

    Attributes
    ----------
    coef_ : array, shape (p, q') for `DAP`, (p, k) for `IAP`
        Weights of the classifiers, of attributes or of seen classes.
    intercept_ : array, shape (q',) or (k,)
        Not penalised.
    kept_ : array of int64, shape (q',)
        Columns of ``class_embeddings`` that are not left out.
    threshold_ : array, shape (q,)
    prior_ : array, shape (q',)
        :math:`p(a_m = 1)`.
    objective_ : list of float
        The objective of the classifiers at the start and after each step.
    n_iter_ : int
        Number of these steps.
    classes_, class_embeddings_, n_features_in_, embedding_dim_ : see `CompatibilityModel`
    """

    # Posteriors of classes that are equally likely beforehand, Eq. 2.
    _scores_are_logits = True

    grid = {"regularization": (1e-6, 1e-5, 1e-4, 1e-3)}

    threshold: Any = "mean"

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        if isinstance(self.threshold, str):
            if self.threshold != "mean":
                raise ValueError(f"threshold must be 'mean' or a number, got {self.threshold!r}")
            self.threshold_ = xp.mean(embeddings, axis=0)
        else:
            value = check_real(self.threshold, "threshold")
            self.threshold_ = xp.zeros_like(embeddings[0, :]) + value
        binary = binary_attributes(embeddings, self.threshold_)
        prior = xp.mean(binary, axis=0)
        self.kept_ = xp.nonzero((prior > 0) & (prior < 1))[0]
        if not self.kept_.shape[0]:
            raise ValueError(
                f"threshold={self.threshold!r} gives all classes in y the same binary attributes: "
                "pass 'mean', or a number between the values that one has in these classes"
            )
        self.prior_ = xp.take(prior, self.kept_)
        self._learn(X, codes, xp.take(binary, self.kept_, axis=1))

    def _scores(self, X, class_embeddings):
        xp = namespace(X)
        threshold, prior = typed_as(X, self.threshold_, self.prior_)
        binary = xp.take(binary_attributes(class_embeddings, threshold), self.kept_, axis=1)
        on, off = self._log_probabilities(X)
        # What each probability exceeds its prior by; a class takes one of the two.
        on, off = on - xp.log(prior)[None, :], off - xp.log(1.0 - prior)[None, :]
        return on @ binary.T + off @ (1.0 - binary).T


@dataclass(repr=False, eq=False)
class DAP(AttributeModel):
    r"""Direct attribute prediction (Lampert, Nickisch and Harmeling 2014, Eq. 2).

    Each attribute has a probabilistic classifier of images. A class is as likely as its
    attributes are, less how common they are anyway:

    .. math:: F(x, s) = \sum_m \log \frac{p(a_m = b_m(s) \mid x)}{p(b_m(s))}, \qquad
              p(a_m = 1 \mid x) = \frac{1}{1 + \exp(-x w_m - c_m)}.

    Logistic regression, all attributes in one, is the minimum of `attribute_objective`. An image's
    labels are its class's attributes. Parameters, attributes and what is left out as in
    `AttributeModel`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = DAP(regularization=0.1).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.0], [0.0, 2.0]]), S)
    array([0, 1])
    """

    year = 2009
    family = "attribute classifiers"
    look = (4, "D", "--")

    _: KW_ONLY
    max_iter: int = 100

    def _learn(self, X, codes, binary):
        self._fit_linear(attribute_objective, binary.shape[1], X, codes, binary)

    def _log_probabilities(self, X):
        logits = self._logits(X)
        return log_sigmoid(logits), log_sigmoid(-logits)


def attribute_objective(weights, X, codes, binary, regularization):
    r"""Penalised cross-entropy of one logistic regression for each attribute, and its gradient.

    .. math:: \frac{1}{n} \sum_i \sum_m \log\bigl(1 + \exp(-t_{im} (x_i w_m + c_m))\bigr)
              + \frac{\lambda}{2} \|W\|_F^2, \qquad t_{im} = 2 b_{y_i m} - 1

    ``weights`` (p + 1, q) has W, and c in its last row; ``binary`` (k, q) the classes' attributes.
    """
    xp = namespace(X, binary)

    def losses(logits, codes):
        own, likely = xp.take(binary, codes, axis=0), sigmoid(logits)
        # log(1 + exp f), less the logit where the attribute is there.
        values = xp.clip(logits, min=0.0) - xp.log(xp.maximum(likely, 1.0 - likely)) - own * logits
        return values, likely - own

    return linear_objective(losses, weights, X, codes, regularization)


def binary_attributes(embeddings, threshold):
    """1 where an entry exceeds its column's threshold, else 0, with the type of ``embeddings``."""
    return namespace(embeddings).astype(embeddings > threshold[None, :], embeddings.dtype)


def log_sigmoid(logits):
    """Logarithm of 1 / (1 + exp(-x)), exact where exp would under- or overflow."""
    xp = namespace(logits)
    return xp.minimum(logits, xp.zeros_like(logits)) - xp.log1p(xp.exp(-xp.abs(logits)))


def log_add_exp_of_classes(logs, members):
    r""":math:`\log \sum_{c: m_{cj} = 1} \exp(l_{ic})`, finite for finite ``logs`` (n, k).

    ``members`` (k, q) marks with 1 which classes are in each set; none is empty.
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
