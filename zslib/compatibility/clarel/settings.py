"""Two sets of parameters for CLAREL: the paper's text, and the authors' code."""

from zslib.validation import check_choice

# github.com/boreshkinai/CLAREL, commit 0a274dd, where it differs from Appendix D or fills it in.
_AUTHORS = {
    "exclude_equal": False,
    "dropout_each": True,
    "momentum": 0.9,
    "clip": 1.0,
    # Its framework's L2 takes half of the sum of squares.
    "convolution_penalty": 0.0005,
    "filters": (256, 512),
    "halve": True,
    "normalise_shortcut": True,
    "norm_momentum": 0.95,
    "norm_epsilon": 1e-6,
}


def clarel_settings(which):
    """Parameters of `CLAREL` by the ``"paper"``, its defaults, or by the ``"authors"``' code.

    The code also has frozen word vectors (``word_vectors``), texts of 30 words, image features as
    they are, and on CUB labels as by ``shuffle_labels``. Left as here: texts of a sample
    are drawn without replacement, the convolutions see zeros at padded positions, and weights
    start as in `zslib.nn`.

    Examples
    --------
    >>> from zslib.compatibility import CLAREL
    >>> CLAREL(**clarel_settings("authors")).filters
    (256, 512)
    """
    check_choice(which, "which", ("paper", "authors"))
    return dict(_AUTHORS) if which == "authors" else {}
