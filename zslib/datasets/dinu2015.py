"""The paper's own cross-linguistic data: Dinu, Lazaridou and Baroni (2015).

Zenodo record 2654864. `zslib.datasets.fetch` brings the four files; `dinu2015` reads them.
"""

from __future__ import annotations

from zslib.datasets.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.locate import cache_dir, data_root, require_folder
from zslib.datasets.vectors import load_vectors

__all__ = ["FILES", "ZENODO_RECORD", "dinu2015", "dinu2015_folder"]

ZENODO_RECORD = 2654864
FILES = {
    "source": "EN.200K.cbow1_wind5_hs0_neg10_size300_smpl1e-05.txt",
    "target": "IT.200K.cbow1_wind5_hs0_neg10_size300_smpl1e-05.txt",
    "train": "OPUS_en_it_europarl_train_5K.txt",
    "test": "OPUS_en_it_europarl_test.txt",
}


def dinu2015_folder():
    """Folder with all four files: ``dinu2015`` in the data folder or in the cache, or None."""
    root = data_root()
    for parent in (root, cache_dir()):
        if parent is not None and all((parent / "dinu2015" / f).is_file() for f in FILES.values()):
            return parent / "dinu2015"
    return None


def dinu2015(
    *,
    normalise=True,
    shared_targets="keep",
    overlap="refuse",
    limit=None,
    max_train=None,
    max_test=None,
    folder=None,
):
    """English to Italian with the vectors and dictionaries that the paper used (section 2).

    200,000 words a language, CBOW vectors of 300 dimensions; 5,000 training pairs and 1,500
    test words in five frequency bins.

    Parameters
    ----------
    normalise, shared_targets, overlap, max_train, max_test
        See `zslib.datasets.bilingual_problem`.
    limit : int, optional
        Only the first so many words of each language.
    folder : path, optional
        Where the four files are; by default ``dinu2015`` in the data folder or the cache.

    Returns
    -------
    MappingProblem
        Bytes of a word that are not UTF-8 are replaced by U+FFFD; words which become alike by
        it count as duplicates.

    Raises
    ------
    FileNotFoundError
        When the files are not there; it says how to fetch them.
    """
    if folder is None:
        folder = dinu2015_folder()
        if folder is None:
            raise FileNotFoundError(
                "the files of Dinu et al. (2015) are not here: run 'zslib data fetch dinu2015', "
                "or put them in a folder dinu2015 of the folder that ZSLIB_DATA names"
            )
    folder = require_folder("dinu2015", folder)
    source, target = (
        load_vectors(folder / FILES[side], format="text", limit=limit, errors="replace")
        for side in ("source", "target")
    )
    description = "Dinu et al. (2015) English-Italian vectors"
    if limit is not None:
        description += f" (first {limit:,} words)"
    return bilingual_problem(
        source,
        target,
        read_dictionary(folder / FILES["train"]),
        read_dictionary(folder / FILES["test"]),
        name="dinu2015",
        description=description,
        normalise=normalise,
        shared_targets=shared_targets,
        overlap=overlap,
        max_train=max_train,
        max_test=max_test,
    )
