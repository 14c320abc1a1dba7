"""WordNet 3.0's nouns, read from WordNet's own file ``data.noun``.

References
----------
Fellbaum (1998): WordNet, an electronic lexical database. The format of the file is described
in WordNet's manual page wndb(5WN), the pointer symbols in wninput(5WN).
"""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from zslib.datasets.download import extract_members, fetch_file
from zslib.datasets.locate import cache_folder, complete_folder

FILE = "data.noun"
# Of WordNet 3.0's, 15,300,280 bytes, as Debian distributes it.
CHECKSUM = "fea17d2f9656611334eac790e5d69e47645fa180c4aa481fb4cd9b3520754ca2"
# Princeton's own, and a copy of the same file that NLTK keeps.
ARCHIVES = (
    "https://wordnetcode.princeton.edu/3.0/WNdb-3.0.tar.gz",
    "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/wordnet.zip",
)
_SYSTEM_FOLDER = Path("/usr/share/wordnet")


@dataclass(frozen=True, repr=False)
class WordNet:
    """Synsets of nouns, their terms and the links to what they are kinds or instances of.

    A synset's name, its wnid, is "n" followed by the eight digits of its place in ``data.noun``
    of WordNet 3.0; ImageNet uses these names.
    """

    lemmas: dict
    hypernyms: tuple
    instances: tuple = ()


def wordnet_folder():
    """Folder with WordNet's ``data.noun``, or None.

    Looked for in this order: ``wordnet`` in the data folder, ``wordnet`` in the cache (where
    `fetch_wordnet` puts it), and where Debian's package ``wordnet-base`` has it.
    """
    return complete_folder("wordnet", [FILE]) or complete_folder(_SYSTEM_FOLDER, [FILE])


def read_wordnet(folder=None):
    """Read the nouns of WordNet 3.0, by default those of `wordnet_folder`.

    Any other ``data.noun`` than that of version 3.0, whose checksum is known, raises ValueError.
    """
    folder = wordnet_folder() if folder is None else Path(folder)
    if folder is None or not (folder / FILE).is_file():
        raise FileNotFoundError(
            f"WordNet's {FILE} not found{f' in {folder}' if folder else ''}: install Debian's "
            "package wordnet-base, or call zslib.datasets.fetch_wordnet()"
        )
    content = _checked(folder / FILE).decode("ascii", "replace")
    lemmas, links = {}, {"@": [], "@i": []}
    # After the licence, which is indented: offset, lexicographer file, type, words, pointers of
    # four fields each, then "|" and the gloss.
    for line in filter(lambda line: line[:1].isdigit(), content.split("\n")):
        fields = line.partition(" | ")[0].split()
        wnid, end = f"n{fields[0]}", 4 + 2 * int(fields[3], 16)
        lemmas[wnid] = tuple(term.replace("_", " ") for term in fields[4:end:2])
        for symbol, target in zip(fields[end + 1 :: 4], fields[end + 2 :: 4], strict=True):
            if symbol in links:
                links[symbol].append((wnid, f"n{target}"))
    return WordNet(lemmas, tuple(links["@"]), tuple(links["@i"]))


def _checked(path):
    """The content of a file that has the checksum of WordNet 3.0's."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != CHECKSUM:
        raise ValueError(
            f"{path} is not that of WordNet 3.0, in which wnids are places: it is of another "
            "version or damaged, or its line ends were changed; take that of Debian's package "
            "wordnet-base, or call zslib.datasets.fetch_wordnet()"
        )
    return content


def fetch_wordnet(*, progress=None, archives=ARCHIVES):
    """Download WordNet 3.0's ``data.noun`` into the cache, unless it is here already.

    What counts is its checksum, whichever of the ``archives`` (URLs, tried in turn) it comes in.
    """
    folder = wordnet_folder()
    if folder is not None:
        return folder
    folder = cache_folder("wordnet")
    failed = []
    for url in archives:
        path = folder / url.rsplit("/", 1)[-1]
        try:
            # The archive has no checksum known here; its member is checked instead.
            fetch_file(url, path, None, progress=progress)
            with tempfile.TemporaryDirectory(dir=folder) as place:
                if not extract_members(path, [FILE], place):
                    raise ValueError(f"it has no {FILE}")
                _checked(Path(place) / FILE)
                os.replace(Path(place) / FILE, folder / FILE)
                return folder
        except (OSError, ValueError) as error:
            failed.append(f"{url}: {error}")
        finally:
            path.unlink(missing_ok=True)
    raise ConnectionError(
        "WordNet 3.0 cannot be had: " + "; ".join(failed) + f". Put {FILE} into {folder}, for "
        "instance from Debian's package wordnet-base"
    )
