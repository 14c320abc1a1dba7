"""IAP, indirect attribute prediction (Lampert et al. 2009): attributes by way of seen classes."""

from zslib.arrays import namespace, row_blocks, typed_as
from zslib.compatibility.conse import softmax_objective
from zslib.compatibility.dap import AttributeModel, log_add_exp_of_classes


class IAP(AttributeModel):
    r"""Indirect attribute prediction (Lampert, Nickisch and Harmeling 2014, Eqs. 2 and 4).

    A classifier of the seen classes :math:`y_1, \dots, y_k` gives :math:`p(y_c \mid x)`. An
    attribute is as likely as the seen classes that have it together:

    .. math:: p(a_m = 1 \mid x) = \sum_c b_m(y_c)\, p(y_c \mid x), \qquad
              F(x, s) = \sum_m \log \frac{p(a_m = b_m(s) \mid x)}{p(b_m(s))}.

    The classifier is the softmax regression of `ConSE`. All sums are taken of logarithms, so that
    a sure classifier does not end in the logarithm of zero. Parameters, attributes and what is
    left out as in `AttributeModel`; ``binary_`` (k, q') is :math:`b_m(y_c)`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [2.1, 0.1], [0.0, 1.9]])
    >>> S = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = IAP(regularization=0.1).fit(X, np.array([0, 1, 0, 1]), S)
    >>> model.predict(np.array([[2.0, 0.0], [0.0, 2.0]]), S)
    array([0, 1])
    """

    year = 2009
    family = "attribute classifiers"
    look = (3, "P", "--")

    def _learn(self, X, codes, binary):
        self._fit_linear(softmax_objective, binary.shape[0], X, codes)
        self.binary_ = binary

    def _log_probabilities(self, X):
        xp = namespace(X)
        coef, intercept, binary = typed_as(X, self.coef_, self.intercept_, self.binary_)
        on, off = [], []
        for rows in row_blocks(X.shape[0], max(binary.shape)):
            logits = X[rows, :] @ coef + intercept[None, :]
            likely = logits - log_add_exp_of_classes(logits, xp.ones_like(coef[:1, :]).T)
            on.append(log_add_exp_of_classes(likely, binary))
            off.append(log_add_exp_of_classes(likely, 1.0 - binary))
        return xp.concat(on, axis=0), xp.concat(off, axis=0)
