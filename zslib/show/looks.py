"""What occurs in several figures looks the same in all: number of its color, marker, line.

A zero-shot scorer has its ``look`` on its class, or where its `ZeroShotMethod` is declared; all
else is here.
"""

import re

LOOKS = {
    # Hubness and Pollution.
    "gold": (6, "o", "-"), "ridge": (1, "s", "-"), "max-margin": (0, "^", "-"),
    "intruder": (2, "v", "-"), "orthogonal": (3, "D", "-"), "random": (5, "o", "-"),
    "multi-step": (4, "P", "-"), "least squares": (1, "D", "--"),
    "reverse ridge": (5, "X", "-"),
    "none": (0, "^", "-"), "chimera-5": (2, "P", "-"), "chimera-10": (3, "X", "--"),
    # Hard negatives, and the rules that choose them.
    "uncertainty": (0, "^", "-"), "uncertainty/correlation": (2, "v", "-"),
    "nearest": (1, "D", "-"), "drawn intruders": (4, "v", "--"),
    "square on S": (0, "o", "-"), "as printed": (1, "s", "--"),
    # Beside the systems that score images with classes: what those are held against.
    "COSMO": (5, "X", ":"), "softmax": (6, "s", ":"), "random labels": (5, "o", ":"),
    "equal shares": (6, "", ":"), "linear": (6, "", ":"),
    # What is taken off seen classes, beside "none".
    "fixed": (1, "s", "-"), "chosen": (2, "D", "-"),
    "fixed - none": (1, "s", "-"), "chosen - none": (2, "D", "-"),
    # Families of systems.
    "bilinear, ranking": (0, "o", "-"), "metric": (1, "s", "-"), "regression": (2, "D", "-"),
    "generator": (3, "^", "-"), "network on classes": (4, "v", "-"),
    "attribute classifiers": (5, "P", "-"), "mixtures of classes": (6, "*", "-"),
    # How systems stand beside the one that validation picks.
    "the pick": (6, "D", "-"), "better": (2, "^", "-"), "worse": (1, "s", "-"),
    "cannot be told apart": (0, "o", "-"),
    # CLAREL and its parts.
    "CLAREL": (0, "o", "-"), "retrieval alone": (2, "s", "--"),
    "classifiers alone": (1, "D", "--"), "before training": (6, "o", ":"),
    # Measures.
    "seen": (1, "s", "--"), "unseen": (2, "v", ":"), "H": (0, "o", "-"),
    "ACC": (3, "D", "-."), "AUSUC": (4, "^", "-"),
    "unseen taken for seen": (2, "v", ":"), "seen taken for unseen": (1, "s", "--"),
    # Data; crosses are the papers', so that nothing of ours is a black one.
    "cub": (0, "o", "-"), "awa1": (1, "s", "-"), "tiny-imagenet": (2, "^", "-"),
    "caltech101": (3, "D", "-"), "ikea": (4, "P", "-"), "cub-sentences": (5, "v", "-"),
    "flowers": (1, "s", "-"), "cub-class-captions": (0, "o", "-"),
    "apy": (4, "P", "--"), "digits": (5, "v", "--"), "mean": (6, "*", "-"),
    "CUB (paper)": (6, "x", "-"), "FLOWERS (paper)": (6, "+", "-"),
}  # fmt: skip


_PRINTED = {"cycle-(U)WGAN": "cycle-UWGAN"}
"""Names of systems in the papers' tables, where they differ from ours."""


def known_look(name):
    """The look of a name, or None: a variant, such as "ridge + CSLS", is dashed like no other.

    Examples
    --------
    >>> known_look("ridge"), known_look("ridge + CSLS"), known_look("a cat")
    ((1, 's', '-'), (1, 's', '--'), None)
    >>> known_look("ESZSL"), known_look("ESZSL, centred")
    ((1, 's', '-.'), (1, 's', '--'))
    """
    if (look := _own_look(name)) is not None:
        return look
    base = re.split(r", | \(| \+ |: ", str(name))[0]
    if (look := _own_look(base)) is None:
        return None
    color, marker, line = look
    synthetic = str(name) == f"{base} (synthetic)"
    return color, marker, line if synthetic else "--" if line != "--" else ":"


def _own_look(name):
    if name in LOOKS:
        return LOOKS[name]
    # Imported late: tables and drawings of other things need no method.
    from zslib.protocols.attributes.methods import COMPARED_METHODS

    method = COMPARED_METHODS.get(_PRINTED.get(name, name))
    return method and method.look
