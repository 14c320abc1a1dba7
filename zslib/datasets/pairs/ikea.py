"""IKEA products: photographs with their own colour and description, in 44 product types."""

import numpy as np

from zslib.datasets.attributes.splits import class_parts, select_images
from zslib.datasets.entry import PAIRS, Dataset, below
from zslib.datasets.files import read_arrays, read_table
from zslib.datasets.locate import require_folder
from zslib.datasets.pairs.problem import ImageTextProblem


def ikea(*, seed=0, feature_scaling="unit length", max_per_class=None, folder=None):
    """1,459 product photographs, each with one text of its own.

    The text is the colour field, where there is one, and the description (3 to 46 words).
    Variants of a product share both: such texts have one id, and such photographs of a class are
    held out together, so that no text of a test image is known from training. The set has
    one text for each image where `zslib.datasets.flowers` has ten.

    The classes are split as they come with the data (26 training, 7 validation, 11 unseen). A
    fifth of each seen class's images, drawn by ``seed``, tests it; less where variants do not
    fit in.

    Returns
    -------
    ImageTextProblem
        1,280 features, the output of a network whose last layer is left out.

    Examples
    --------
    >>> ikea(max_per_class=5)
    ImageTextProblem('ikea': 33 seen and 11 unseen classes, 165 + 136 seen and 55 unseen images,
    356 texts of images, 1280 features)
    """
    folder = require_folder("visual/ikea", folder)
    data = read_arrays(folder / "ikea.npz")
    labels = data["label"]
    groups = [data[f"{part}_classes"] for part in ("train", "val", "test")]
    ids = data["colour_description_id"]
    parts = class_parts(labels, *groups, seed=seed, groups=ids)
    rows, parts = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    path = folder / "texts.tsv"
    lines = read_table(path, ("number", "class", "published type", "colour", "description"))
    if len(lines) != len(labels):
        raise ValueError(f"{path} has {len(lines)} lines and ikea.npz {len(labels)} photographs")
    texts = [f"{colour}. {text}" if colour else text for *_, colour, text in lines]
    kept = ids[rows]
    return ImageTextProblem(
        name="ikea",
        description="IKEA products with their own texts (non-commercial use only), "
        "published split",
        features=data["features"][rows].astype(np.float32),
        labels=labels[rows],
        class_names=data["classes"],
        texts=[texts[row] for row in rows],
        text_offsets=np.arange(len(rows) + 1),
        text_index=np.arange(len(rows)),
        text_ids=np.unique(kept, return_inverse=True)[1],
        **parts,
        coverage={
            "photographs": len(labels),
            "distinct texts": len(np.unique(ids)),
            "photographs used": len(rows),
            "distinct texts used": len(np.unique(kept)),
        },
    ).scaled(feature_scaling)


ENTRY = Dataset(
    name="ikea",
    loaders={PAIRS: ikea},
    summary="IKEA products: 1,459 photographs with their own texts, 44 types",
    licence="images and texts: property of IKEA, non-commercial use",
    quick={PAIRS: {"max_per_class": 8}},
    files=below("visual/ikea", "ikea.npz", "texts.tsv"),
)
