"""Retrieval criteria that correct for hubness: one method per file.

Each takes the scores of queries with targets and lowers those of targets that are near to many
queries. Pass an instance, or its name for the defaults, as ``correction`` to
`zslib.search.top_k` and `zslib.search.gold_ranks`:

==========================  ===========================  =========================
name                        class                        source
==========================  ===========================  =========================
``"globally_corrected"``    `GloballyCorrected`          Dinu et al. 2015
``"csls"``                  `CSLS`                       Conneau et al. 2018
``"inverted_softmax"``      `InvertedSoftmax`            Smith et al. 2017
``"mutual_proximity"``      `MutualProximity`            Schnitzer et al. 2012
``"local_scaling"``         `LocalScaling`               Zelnik-Manor, Perona 2005
==========================  ===========================  =========================
"""

from zslib.search.corrections.base import Correction
from zslib.search.corrections.csls import CSLS
from zslib.search.corrections.globally_corrected import GloballyCorrected
from zslib.search.corrections.inverted_softmax import InvertedSoftmax
from zslib.search.corrections.local_scaling import LocalScaling
from zslib.search.corrections.mutual_proximity import MutualProximity
from zslib.validation import check_choice

__all__ = [
    "CORRECTIONS",
    "CSLS",
    "Correction",
    "GloballyCorrected",
    "InvertedSoftmax",
    "LocalScaling",
    "MutualProximity",
    "resolve",
]

CORRECTIONS = {
    "globally_corrected": GloballyCorrected,
    "csls": CSLS,
    "inverted_softmax": InvertedSoftmax,
    "mutual_proximity": MutualProximity,
    "local_scaling": LocalScaling,
}


def resolve(correction):
    """The `Correction` meant by an instance or a name; None stays None.

    An unknown name is a ValueError, anything else a TypeError.

    Examples
    --------
    >>> resolve("csls")
    CSLS()
    """
    if correction is None or isinstance(correction, Correction):
        return correction
    if isinstance(correction, str):
        return CORRECTIONS[check_choice(correction, "correction", CORRECTIONS)]()
    raise TypeError(
        "correction must be None, a name or an instance of one of zslib.search.corrections, got "
        f"{correction!r}" + ("; call it: CSLS()" if isinstance(correction, type) else "")
    )
