"""What data sets there are: kind, licence, files, loader, and how to make a small version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from zslib.datasets.attributes.apy import apy_attributes
from zslib.datasets.attributes.awa1 import awa1
from zslib.datasets.attributes.caltech101 import caltech101
from zslib.datasets.attributes.cub import cub
from zslib.datasets.attributes.digits import digits_segments
from zslib.datasets.attributes.synsets import (
    BEYOND,
    WITHIN,
    caltech101_beyond,
    synthetic_beyond,
    synthetic_within,
    tiny_imagenet_within,
)
from zslib.datasets.attributes.synthetic import synthetic_attributes
from zslib.datasets.attributes.tiny_imagenet import tiny_imagenet_classes
from zslib.datasets.attributes.vgg19 import VGG19_NAMES, vgg19
from zslib.datasets.attributes.xlsa17 import XLSA17_FILES, XLSA17_NAMES, load_xlsa17
from zslib.datasets.attributes.xlsa17_fetch import fetch_xlsa17
from zslib.datasets.hierarchy import wordnet
from zslib.datasets.hierarchy.lists import IMAGENET_FILES, imagenet_lists
from zslib.datasets.mapping.dinu2015 import FILES, dinu2015, fetch_dinu2015
from zslib.datasets.mapping.europarl import europarl
from zslib.datasets.mapping.imagenet1k import imagenet1k
from zslib.datasets.mapping.problem import SETTINGS
from zslib.datasets.mapping.synthetic import synthetic_crosslingual, synthetic_crossmodal
from zslib.datasets.mapping.tiny_imagenet import tiny_imagenet
from zslib.datasets.pairs.captions import CAPTION_NAMES, captioned
from zslib.datasets.pairs.flowers import flowers
from zslib.datasets.pairs.ikea import ikea
from zslib.datasets.pairs.sentences import cub_sentences
from zslib.datasets.pairs.synthetic import synthetic_pairs
from zslib.datasets.pairs.wikipedia import wikipedia_xmodal

__all__ = [
    "ALL_SETTINGS",
    "ATTRIBUTES",
    "DATASETS",
    "EMBEDDED",
    "HIERARCHY",
    "METRIC",
    "PAIRS",
    "REAL_FIRST",
    "SEVERAL",
    "Dataset",
]


@dataclass(frozen=True)
class Dataset:
    """One data set: what it is, where it comes from, how it is loaded.

    Parameters
    ----------
    name : str
    settings : tuple of str
        Settings that it serves, of `ALL_SETTINGS`.
    kind : {"embedded", "real", "official"}
    summary : str
        One line for listings.
    licence : str
    loaders : dict of str to callable
        By setting.
    quick : dict of str to dict
        By setting, the loader's options in quick mode; none where it is small anyway.
    folder : str
        Below the data folder ("" for embedded data).
    files : tuple of str
        Read by the loader, relative to the data folder.
    optional_files : tuple of str
        Read besides under some options of the loader.
    folders : tuple of str
        Folders whose files, many small ones, the loader reads.
    takes_seed : bool
        Whether a seed changes the problem (a split, or the generated numbers).
    fetch : callable, optional
        Of official data: downloads the files, and takes ``progress``.
    """

    name: str
    settings: tuple
    kind: str
    summary: str
    licence: str
    loaders: dict
    quick: dict = field(default_factory=dict)
    folder: str = ""
    files: tuple = ()
    optional_files: tuple = ()
    folders: tuple = ()
    takes_seed: bool = False
    fetch: Callable | None = None


_BILINGUAL, _MODAL = SETTINGS
HIERARCHY, ATTRIBUTES, METRIC, PAIRS = "hierarchy", "attributes", "metric learning", "pairs"
# Settings whose requests may stand for several sets at once.
_CLASSES = (ATTRIBUTES, METRIC)
SEVERAL = (*_CLASSES, PAIRS)
ALL_SETTINGS = (*SETTINGS, HIERARCHY, WITHIN, BEYOND, *SEVERAL)
_GLOSSES = "visual/imagenet_synsets/synsets.tsv.gz"
_IS_A = "visual/imagenet_synsets/is_a.txt.gz"
_ENGLISH = ("crosslingual/vectors.en.npy", "crosslingual/words.en.tsv.gz")
# The older splits that Bucher et al. (2016) used: all images of seen classes are for training.
_STANDARD = {"split": "standard", "seen_fraction": 0.0}
_QUICK_BILINGUAL = {"limit": 20_000, "max_train": 1_500, "max_test": 300}

DATASETS = {
    entry.name: entry
    for entry in (
        Dataset(
            name="synthetic",
            settings=(*SETTINGS, WITHIN, BEYOND, *SEVERAL),
            kind="embedded",
            summary="seeded generators of each setting",
            licence="part of zslib",
            loaders={
                _BILINGUAL: synthetic_crosslingual,
                _MODAL: synthetic_crossmodal,
                WITHIN: synthetic_within,
                BEYOND: synthetic_beyond,
                # Fewer features than the 2,048 of real sets: a first look should not take long.
                ATTRIBUTES: partial(synthetic_attributes, n_features=512),
                METRIC: partial(
                    synthetic_attributes, "APY", scale=0.2, n_features=256, att="original"
                ),
                PAIRS: synthetic_pairs,
            },
            quick={
                _BILINGUAL: {"n_targets": 3_000, "n_train": 1_000, "n_test": 300},
                _MODAL: {"n_targets": 3_000, "n_labels": 300, "test_images": 300},
                WITHIN: {"n_classes": 60, "images_per_class": 12},
                BEYOND: {"n_seen": 40, "n_unseen": 8, "images_per_class": 12},
                ATTRIBUTES: {"scale": 0.04, "n_features": 256},
                METRIC: {"scale": 0.05, "n_features": 128},
                PAIRS: {
                    "n_seen": 15,
                    "n_val": 5,
                    "n_unseen": 5,
                    "images_per_class": 10,
                    "captions": (2, 5),
                    "n_features": 64,
                },
            },
            takes_seed=True,
        ),
        Dataset(
            name="europarl",
            settings=(_BILINGUAL,),
            kind="real",
            summary="English-Italian vectors of Europarl and fiction",
            licence="as its sources state",
            loaders={_BILINGUAL: europarl},
            quick={_BILINGUAL: _QUICK_BILINGUAL},
            folder="crosslingual",
            files=tuple(
                f"crosslingual/{name}"
                for name in (
                    "vectors.en.npy",
                    "vectors.it.npy",
                    "words.en.tsv.gz",
                    "words.it.tsv.gz",
                    "europarl.train.txt",
                    "europarl.test.txt",
                    "dinu.train.txt",
                    "opus.test.txt",
                )
            ),
        ),
        Dataset(
            name="dinu2015",
            settings=(_BILINGUAL,),
            kind="official",
            summary="the paper's own English-Italian vectors (Zenodo 2654864)",
            licence="as its authors state",
            loaders={_BILINGUAL: dinu2015},
            quick={_BILINGUAL: _QUICK_BILINGUAL},
            folder="dinu2015",
            files=tuple(f"dinu2015/{name}" for name in FILES.values()),
            fetch=fetch_dinu2015,
        ),
        Dataset(
            name="tiny_imagenet",
            settings=(_MODAL, WITHIN, ATTRIBUTES),
            kind="real",
            summary="images of 190 labels, GloVe vectors of 1,326 words",
            licence="images: non-commercial research; GloVe: PDDL",
            loaders={
                _MODAL: tiny_imagenet,
                WITHIN: tiny_imagenet_within,
                ATTRIBUTES: tiny_imagenet_classes,
            },
            quick={
                _MODAL: {"test_images": 300},
                WITHIN: {"max_per_class": 15},
                ATTRIBUTES: {"max_per_class": 10},
            },
            folder="visual/tiny_imagenet",
            files=(
                "visual/tiny_imagenet/features_mobilenetv2_pca256.npy",
                "visual/tiny_imagenet/tiny_imagenet.npz",
                "visual/word_vectors/glove6B_300_union.npz",
            ),
            optional_files=_ENGLISH,
            takes_seed=True,
        ),
        Dataset(
            name="imagenet1k",
            settings=(_MODAL,),
            kind="real",
            summary="one photograph of each of 1,000 labels, glosses of 21,844 synsets",
            licence="images: non-commercial research; WordNet licence",
            loaders={_MODAL: imagenet1k},
            quick={_MODAL: {"dimension": 100}},
            folder="visual/imagenet1k_sample",
            files=(
                "visual/imagenet1k_sample/imagenet1k_sample.npz",
                _GLOSSES,
            ),
            takes_seed=True,
        ),
        Dataset(
            name="caltech101",
            settings=(BEYOND, ATTRIBUTES),
            kind="real",
            summary="images of 86 categories, 54 of them not among the 1,000",
            licence="images: as their owners state",
            loaders={BEYOND: caltech101_beyond, ATTRIBUTES: caltech101},
            quick={BEYOND: {"max_per_class": 15}, ATTRIBUTES: {"max_per_class": 10}},
            folder="visual/caltech101",
            files=(
                "visual/caltech101/caltech101.npz",
                "visual/caltech101/features_mobilenetv2_pca256.npy",
                _GLOSSES,
                _IS_A,
            ),
            takes_seed=True,
        ),
        Dataset(
            name="cub",
            settings=(*_CLASSES, PAIRS),
            kind="real",
            summary="CUB-200-2011: 11,788 images of 200 birds, 312 attributes",
            licence="images: non-commercial research",
            loaders={
                ATTRIBUTES: cub,
                METRIC: partial(cub, features="vgg", **_STANDARD),
                PAIRS: cub_sentences,
            },
            quick={
                **{setting: {"max_per_class": 6} for setting in _CLASSES},
                PAIRS: {"max_per_class": 6, "max_sentences": 8},
            },
            folder="visual/cub",
            files=tuple(
                f"visual/cub/{name}"
                for name in ("cub.npz", "classes.txt", "features_resnet_pca256.npy")
            ),
            optional_files=(
                "visual/cub/features_vgg_pca512.npy",
                "visual/cub/class_wikipedia_sentences.jsonl",
            ),
            takes_seed=True,
        ),
        Dataset(
            name="awa1",
            settings=_CLASSES,
            kind="real",
            summary="Animals with Attributes: 30,475 images of 50 animals, hand-crafted features",
            licence="as its authors state",
            loaders={ATTRIBUTES: awa1, METRIC: partial(awa1, **_STANDARD)},
            quick={setting: {"max_per_class": 20} for setting in _CLASSES},
            folder="visual/awa1",
            files=tuple(
                f"visual/awa1/{name}"
                for name in ("awa1.npz", "classes.txt", "features_bow5_pca256.npy")
            ),
            takes_seed=True,
        ),
        Dataset(
            name="apy",
            settings=_CLASSES,
            kind="real",
            summary="aPascal-aYahoo: attributes of 15,339 objects, with synthetic features",
            licence="attributes: as their authors state",
            loaders={
                ATTRIBUTES: apy_attributes,
                METRIC: partial(apy_attributes, att="original", **_STANDARD),
            },
            quick={setting: {"max_per_class": 20} for setting in _CLASSES},
            folder="visual/apy",
            files=("visual/apy/apy_instances.npz", "visual/apy/classes.txt"),
            takes_seed=True,
        ),
        Dataset(
            name="digits",
            settings=_CLASSES,
            kind="embedded",
            summary="scikit-learn's 8 x 8 digits, classes by their seven-segment displays",
            licence="BSD (scikit-learn)",
            loaders=dict.fromkeys(_CLASSES, digits_segments),
            quick={setting: {"max_per_class": 40} for setting in _CLASSES},
            takes_seed=True,
        ),
        Dataset(
            name="ikea",
            settings=(PAIRS,),
            kind="real",
            summary="IKEA products: 1,459 photographs with their own texts, 44 types",
            licence="images and texts: property of IKEA, non-commercial use",
            loaders={PAIRS: ikea},
            quick={PAIRS: {"max_per_class": 8}},
            folder="visual/ikea",
            files=("visual/ikea/ikea.npz", "visual/ikea/texts.tsv"),
            takes_seed=True,
        ),
        Dataset(
            name="wikipedia_xmodal",
            settings=(PAIRS,),
            kind="real",
            summary="2,866 sections of Wikipedia articles with photographs, ready vectors",
            licence="as its sources state",
            loaders={PAIRS: wikipedia_xmodal},
            quick={PAIRS: {"max_per_class": 20}},
            folder="visual/wikipedia_xmodal",
            files=tuple(
                f"visual/wikipedia_xmodal/{name}" for name in ("wikipedia.npz", "categories.txt")
            ),
            takes_seed=True,
        ),
        Dataset(
            name="flowers",
            settings=(PAIRS,),
            kind="real",
            summary="Oxford's 102 flowers: Wikipedia articles, with synthetic features",
            licence="articles: CC BY-SA; split: MIT",
            loaders={PAIRS: flowers},
            quick={PAIRS: {"max_per_class": 6, "max_sentences": 8}},
            folder="visual/xlsa17_splits",
            files=tuple(
                f"visual/xlsa17_splits/FLO_{name}"
                for name in ("att_splits.mat", "class_wikipedia.jsonl", "order.npz")
            ),
            takes_seed=True,
        ),
        *(
            Dataset(
                name=f"reed_{name.lower()}",
                settings=(PAIRS,),
                kind="official",
                summary=f"{name} of Xian et al. with the captions of Reed et al. (2016)",
                licence="as its authors state",
                loaders={PAIRS: partial(captioned, name)},
                quick={PAIRS: {"max_per_class": 6}},
                folder=f"reed2016/{name}",
                files=tuple(f"xlsa17/{name}/{file}" for file in XLSA17_FILES),
                folders=(f"reed2016/{name}/text_c10",),
                takes_seed=True,
            )
            for name in CAPTION_NAMES
        ),
        *(
            Dataset(
                name=name,
                settings=_CLASSES,
                kind="official",
                summary=f"{name} as Xian et al. (2017) published it, ResNet-101 features",
                licence="as its authors state",
                loaders=dict.fromkeys(_CLASSES, partial(load_xlsa17, name)),
                quick={setting: {"max_per_class": 10} for setting in _CLASSES},
                folder=f"xlsa17/{name}",
                files=tuple(f"xlsa17/{name}/{file}" for file in XLSA17_FILES),
                takes_seed=True,
                fetch=partial(fetch_xlsa17, (name,)),
            )
            for name in XLSA17_NAMES
        ),
        *(
            Dataset(
                name=f"vgg19-{name}",
                settings=(METRIC,),
                kind="real",
                summary=f"{name} with VGG-19 features that you extracted, as load_zero_shot reads",
                licence="yours",
                loaders={METRIC: partial(vgg19, name)},
                quick={METRIC: {"max_per_class": 10}},
                folder="vgg19",
                files=(f"vgg19/{name}.npz",),
                takes_seed=True,
            )
            for name in VGG19_NAMES
        ),
        Dataset(
            name="imagenet",
            settings=(HIERARCHY,),
            kind="real",
            summary="ImageNet's published label lists and tree of 2011, WordNet 3.0",
            licence="WordNet licence; lists as their sources state",
            loaders={HIERARCHY: partial(imagenet_lists, source="real")},
            folder="imagenet",
            files=tuple(f"imagenet/{name}" for name in IMAGENET_FILES),
            # Chapters with labels make vectors of their terms.
            optional_files=(_GLOSSES, *_ENGLISH),
        ),
        Dataset(
            name="wordnet",
            settings=(HIERARCHY,),
            kind="embedded",
            summary="WordNet 3.0's nouns and ImageNet's label lists, carried by the package",
            licence="WordNet licence; lists: Apache 2.0",
            loaders={HIERARCHY: partial(imagenet_lists, source="embedded")},
            optional_files=(_GLOSSES, *_ENGLISH),
        ),
        Dataset(
            name="wordnet30",
            settings=(HIERARCHY,),
            kind="official",
            summary="WordNet 3.0's own files, with the label lists of the package",
            licence="WordNet licence",
            loaders={HIERARCHY: partial(imagenet_lists, source="wordnet")},
            folder="wordnet",
            files=tuple(f"wordnet/{name}" for name in wordnet.FILES),
            optional_files=(_GLOSSES, *_ENGLISH),
            fetch=wordnet.fetch_wordnet,
        ),
    )
}
# What "auto" and "real" try, in this order, and what "auto" falls back on.
REAL_FIRST = {
    _BILINGUAL: ("europarl", "dinu2015"),
    _MODAL: ("imagenet1k", "tiny_imagenet"),
    HIERARCHY: ("imagenet", "wordnet30"),
    WITHIN: ("tiny_imagenet",),
    BEYOND: ("caltech101",),
    ATTRIBUTES: (*XLSA17_NAMES, "cub", "awa1", "tiny_imagenet", "caltech101"),
    METRIC: ("cub", "awa1", "apy", *(f"vgg19-{name}" for name in VGG19_NAMES)),
    PAIRS: (*(f"reed_{name.lower()}" for name in CAPTION_NAMES), "ikea", "cub"),
}
EMBEDDED = {
    setting: "wordnet" if setting == HIERARCHY else "synthetic" for setting in ALL_SETTINGS
}
