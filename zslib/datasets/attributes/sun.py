"""SUN's attributes of single images, as workers voted, with features generated from them."""

from dataclasses import replace
from functools import partial

import numpy as np

from zslib.datasets.attributes.apy import APY
from zslib.datasets.entry import ATTRIBUTES, METRIC, Dataset, below
from zslib.datasets.files import read_arrays


def _read(path):
    data = read_arrays(path)
    data["attributes"] = data["votes"] / np.float32(3)
    return data


_SUN = replace(
    APY,
    name="sun_attributes",
    description="SUN's real attributes and {split} split with synthetic features",
    arrays="visual/sun/sun_instances.npz",
    read=_read,
    splits={"proposed": None},
)


@_SUN.loader
def sun_attributes(*, att="unit length"):
    """The 14,340 scenes of SUN: real votes on attributes and split, synthetic features.

    Three workers said of each image which of 102 attributes they saw; an image's attribute is
    the share of them (``image_attributes`` with ``att="original"``). Features are generated from
    these, as those of `apy_attributes` are, so results say nothing about the benchmark's images.
    The split is that of Xian et al. (2017), 645 seen and 72 unseen classes.

    Parameters
    ----------
    att : {"unit length", "original"}
        As in `apy_attributes`.

    Returns
    -------
    ZeroShotProblem
        ``class_embeddings`` are the official means of the attributes over each class's images.

    Examples
    --------
    >>> problem = sun_attributes(att="original", max_per_class=1)
    >>> np.unique(3 * problem.image_attributes).tolist()  # votes
    [0.0, 1.0, 2.0, 3.0]
    """


ENTRY = Dataset(
    name="sun",
    loaders={ATTRIBUTES: sun_attributes, METRIC: partial(sun_attributes, att="original")},
    summary="SUN: votes on the attributes of 14,340 scenes, with synthetic features",
    licence="repository: MIT; its data: not stated",
    quick={setting: {"max_per_class": 2} for setting in (ATTRIBUTES, METRIC)},
    files=below("visual/sun", "sun_instances.npz", "classes.txt"),
)
