"""Captions of Reed et al. (2016) on the official features of CUB and FLOWERS: the paper's data."""

from functools import partial
from pathlib import PureWindowsPath

from zslib.datasets import locate
from zslib.datasets.attributes.att_splits import (
    cell_strings,
    load_mat,
    read_att_splits,
    zero_based,
)
from zslib.datasets.attributes.splits import select_images
from zslib.datasets.attributes.xlsa17 import XLSA17_FILES, find_xlsa17, load_xlsa17
from zslib.datasets.entry import PAIRS, Dataset, below
from zslib.datasets.pairs.caption_lists import own_texts
from zslib.datasets.pairs.problem import with_texts
from zslib.datasets.words.tokens import tokenize
from zslib.validation import check_choice

_NAMES = ("CUB", "FLO")


def captioned(name, *, seed=0, feature_scaling="none", max_per_class=None):
    """CUB or FLOWERS with ten captions of each image, as the paper uses them.

    The files are not fetched; put them below the folder that ``ZSLIB_DATA`` names::

        xlsa17/CUB/res101.mat              features, labels, image_files (Xian et al., 2017)
        xlsa17/CUB/att_splits.mat          the proposed split
        reed2016/CUB/text_c10/001.Black_footed_Albatross/Black_Footed_Albatross_0001_796111.txt

    and the same with FLO, whose captions are ``text_c10/class_00001/image_06734.txt``. A file
    has the captions of one image, one a line, and the image's file name with the ending .txt;
    which folder below ``text_c10`` it is in does not matter. Lines without a word are left out.

    Parameters
    ----------
    name : {"CUB", "FLO"}

    Returns
    -------
    ImageTextProblem
        ``coverage`` counts captions and the lines left out.
    """
    check_choice(name, "name", _NAMES)
    captions = locate.require_folder(f"reed2016/{name}/text_c10")
    images = load_xlsa17(
        name, seed=seed, feature_scaling=feature_scaling, max_per_class=max_per_class
    )
    folder = find_xlsa17(name)
    path = folder / "res101.mat"
    data = load_mat(path, ("labels", "image_files"))
    labels = zero_based(data["labels"], path, "labels")
    files = cell_strings(data["image_files"], path, "image_files")
    if len(files) != len(labels):
        raise ValueError(f"{path}: {len(files)} image_files for {len(labels)} labels")
    parts = read_att_splits(folder / "att_splits.mat").parts
    rows, _ = select_images(labels, parts, max_per_class=max_per_class, seed=seed)
    return with_texts(
        images,
        name=f"{name.lower()}-captions",
        description=f"{name}, proposed split, ResNet-101 features, captions of Reed et al.",
        # Folders of either system are taken off, and the ending.
        **own_texts(_captions_of([PureWindowsPath(files[row]).stem for row in rows], captions)),
    )


def _captions_of(stems, folder):
    """The lines of each image's file."""
    paths, wanted = {}, set(stems)
    for path in sorted(folder.rglob("*.txt")):
        if path.stem in wanted and paths.setdefault(path.stem, path) != path:
            raise ValueError(f"{paths[path.stem]} and {path} are captions of one image: keep one")
    missing = [stem for stem in stems if stem not in paths]
    if missing:
        raise FileNotFoundError(
            f"{len(missing)} images have no captions below {folder}, the first would be "
            f"{missing[0]}.txt"
        )
    texts = []
    for stem in stems:
        # Read so, \r\n and \r have become \n; nothing else ends a line.
        text = paths[stem].read_text(encoding="utf-8", errors="replace")
        texts.append([line.strip() for line in text.removesuffix("\n").split("\n")])
        if not any(map(tokenize, texts[-1])):
            raise ValueError(f"{paths[stem]} has no caption")
    return texts


ENTRIES = tuple(
    Dataset(
        name=f"reed_{name.lower()}",
        kind="official",
        loaders={PAIRS: partial(captioned, name)},
        summary=f"{name} of Xian et al. with the captions of Reed et al. (2016)",
        licence="as its authors state",
        quick={PAIRS: {"max_per_class": 6}},
        auto={PAIRS: 0},
        files=below(f"xlsa17/{name}", *XLSA17_FILES),
        folders=(f"reed2016/{name}/text_c10",),
    )
    for name in _NAMES
)
