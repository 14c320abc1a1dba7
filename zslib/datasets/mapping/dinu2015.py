"""The paper's own cross-linguistic data: Dinu, Lazaridou and Baroni (2015).

Zenodo record 2654864. `fetch_dinu2015` brings the four files; `dinu2015` reads them.
"""

from zslib.datasets import download
from zslib.datasets.entry import BILINGUAL, Dataset, below
from zslib.datasets.locate import cache_folder, complete_folder, require_folder
from zslib.datasets.mapping.dictionaries import bilingual_problem, read_dictionary
from zslib.datasets.words.vectors import load_vectors

ZENODO_RECORD = 2654864
FILES = {
    "source": "EN.200K.cbow1_wind5_hs0_neg10_size300_smpl1e-05.txt",
    "target": "IT.200K.cbow1_wind5_hs0_neg10_size300_smpl1e-05.txt",
    "train": "OPUS_en_it_europarl_train_5K.txt",
    "test": "OPUS_en_it_europarl_test.txt",
}


def dinu2015(*, limit=None, max_train=None, max_test=None, folder=None):
    """English to Italian with the vectors and dictionaries that the paper used (section 2).

    200,000 words a language, CBOW vectors of 300 dimensions; 5,000 training pairs and 1,500
    test words in five frequency bins.

    Parameters
    ----------
    max_train, max_test
        See `zslib.datasets.bilingual_problem`.
    limit : int, optional
        Only the first so many words of each language.

    Returns
    -------
    MappingProblem
        Bytes of a word that are not UTF-8 are replaced by U+FFFD; words which become alike by
        it count as duplicates.
    """
    if folder is None and (folder := complete_folder("dinu2015", FILES.values())) is None:
        raise FileNotFoundError(
            "the files of Dinu et al. (2015) are not here: run 'zslib data fetch dinu2015', "
            "or put them in a folder dinu2015 of the folder that ZSLIB_DATA names"
        )
    folder = require_folder("dinu2015", folder)
    description = "Dinu et al. (2015) English-Italian vectors"
    if limit is not None:
        description += f" (first {limit:,} words)"
    return bilingual_problem(
        load_vectors(folder / FILES["source"], limit=limit, errors="replace"),
        load_vectors(folder / FILES["target"], limit=limit, errors="replace"),
        read_dictionary(folder / FILES["train"]),
        read_dictionary(folder / FILES["test"]),
        name="dinu2015",
        description=description,
        max_train=max_train,
        max_test=max_test,
    )


def fetch_dinu2015(*, progress=None, api="https://zenodo.org/api/records"):
    """Download the four files into the cache, checked against Zenodo's own checksums."""
    folder = cache_folder("dinu2015")
    listed = download.zenodo_files(ZENODO_RECORD, api=api)

    def bring(file):
        url, checksum = listed[file]
        return download.fetch_file(url, folder / file, checksum, progress=progress)

    def missing():
        return [name for name in FILES.values() if not (folder / name).is_file()]

    for file in filter(listed.__contains__, FILES.values()):
        bring(file)
    for file in listed:
        if missing() and file.endswith((".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2")):
            download.extract_members(bring(file), missing(), folder)
    if missing():
        raise ValueError(
            f"Zenodo record {ZENODO_RECORD} has no {', '.join(missing())}; it lists "
            f"{', '.join(listed)}. Put the missing files into {folder}"
        )
    return folder


ENTRY = Dataset(
    name="dinu2015",
    kind="official",
    loaders={BILINGUAL: dinu2015},
    summary="the paper's own English-Italian vectors (Zenodo 2654864)",
    licence="as its authors state",
    quick={BILINGUAL: {"limit": 20_000, "max_train": 1_500, "max_test": 300}},
    files=below("dinu2015", *FILES.values()),
    fetch=fetch_dinu2015,
)
