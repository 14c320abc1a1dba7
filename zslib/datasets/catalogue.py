"""What data sets there are: kind, licence, files, loader, and how to make a small version."""

from __future__ import annotations

from dataclasses import dataclass

from zslib.datasets.crosslingual import europarl
from zslib.datasets.dinu2015 import FILES, dinu2015
from zslib.datasets.imagenet1k import imagenet1k
from zslib.datasets.problem import SETTINGS
from zslib.datasets.synthetic import synthetic_crosslingual, synthetic_crossmodal
from zslib.datasets.tiny_imagenet import tiny_imagenet

__all__ = ["DATASETS", "REAL_FIRST", "Dataset"]


@dataclass(frozen=True)
class Dataset:
    """One data set: what it is, where it comes from, how it is loaded.

    Parameters
    ----------
    name : str
    settings : tuple of str
        Settings of the paper that it serves.
    kind : {"embedded", "real", "official"}
    summary : str
        One line for listings.
    licence : str
    loaders : dict of str to callable
        By setting.
    quick : dict of str to dict
        By setting, the loader's options in quick mode.
    folder : str
        Below the data folder ("" for embedded data).
    files : tuple of str
        Read by the loader, relative to the data folder.
    optional_files : tuple of str
        Read besides under some options of the loader.
    takes_seed : bool
        Whether a seed changes the problem (a split, or the generated numbers).
    """

    name: str
    settings: tuple
    kind: str
    summary: str
    licence: str
    loaders: dict
    quick: dict
    folder: str = ""
    files: tuple = ()
    optional_files: tuple = ()
    takes_seed: bool = False


_BILINGUAL, _MODAL = SETTINGS
_QUICK_BILINGUAL = {"limit": 20_000, "max_train": 1_500, "max_test": 300}

DATASETS = {
    entry.name: entry
    for entry in (
        Dataset(
            name="synthetic",
            settings=SETTINGS,
            kind="embedded",
            summary="seeded generators of both settings",
            licence="part of zslib",
            loaders={
                _BILINGUAL: synthetic_crosslingual,
                _MODAL: synthetic_crossmodal,
            },
            quick={
                _BILINGUAL: {"n_targets": 3_000, "n_train": 1_000, "n_test": 300},
                _MODAL: {"n_targets": 3_000, "n_labels": 300, "test_images": 300},
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
        ),
        Dataset(
            name="tiny_imagenet",
            settings=(_MODAL,),
            kind="real",
            summary="images of 190 labels, GloVe vectors of 1,326 words",
            licence="images: non-commercial research; GloVe: PDDL",
            loaders={_MODAL: tiny_imagenet},
            quick={_MODAL: {"test_images": 300}},
            folder="visual/tiny_imagenet",
            files=(
                "visual/tiny_imagenet/features_mobilenetv2_pca256.npy",
                "visual/tiny_imagenet/tiny_imagenet.npz",
                "visual/word_vectors/glove6B_300_union.npz",
            ),
            optional_files=("crosslingual/vectors.en.npy", "crosslingual/words.en.tsv.gz"),
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
                "visual/imagenet_synsets/synsets.tsv.gz",
            ),
            takes_seed=True,
        ),
    )
}
# What "auto" and "real" try, in this order.
REAL_FIRST = {_BILINGUAL: ("europarl", "dinu2015"), _MODAL: ("imagenet1k", "tiny_imagenet")}
