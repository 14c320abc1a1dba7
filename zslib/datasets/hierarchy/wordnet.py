"""WordNet 3.0's nouns, read from WordNet's own files ``data.noun`` and ``index.noun``.

References
----------
Fellbaum (1998): WordNet, an electronic lexical database. The format of the files is described
in WordNet's manual page wndb(5WN), the pointer symbols in wninput(5WN).
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from zslib.datasets.download import extract_members, fetch_file
from zslib.datasets.locate import cache_folder, complete_folder

FILES = ("data.noun", "index.noun")
# Of the files of WordNet 3.0 as Debian distributes them: 15,300,280 and 4,786,655 bytes.
CHECKSUMS = {
    "data.noun": "fea17d2f9656611334eac790e5d69e47645fa180c4aa481fb4cd9b3520754ca2",
    "index.noun": "a490d99d93d017bf4822fe2f0ffa51fd73911ce271dc7535fade21f8814b5a04",
}
# Princeton's own, and a copy of the same files that NLTK keeps.
ARCHIVES = (
    "https://wordnetcode.princeton.edu/3.0/WNdb-3.0.tar.gz",
    "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/wordnet.zip",
)
_SYSTEM_FOLDER = Path("/usr/share/wordnet")
_POINTERS = {
    *("!", "@", "@i", "~", "~i", "#m", "#s", "#p", "%m", "%s", "%p", "=", "+"),
    *(";c", "-c", ";r", "-r", ";u", "-u"),
}
_VERSION = re.compile(rb"WordNet (\d+\.\d+) Copyright")


@dataclass(frozen=True)
class WordNet:
    """Synsets of nouns, their terms and the links to what they are kinds or instances of.

    A synset's name, its wnid, is "n" followed by the eight digits of its place in ``data.noun``
    of WordNet 3.0; ImageNet uses these names.
    """

    lemmas: dict = field(repr=False)
    hypernyms: tuple = field(repr=False)
    instances: tuple = field(repr=False, default=())

    def __repr__(self):
        return (
            f"<WordNet: {len(self.lemmas):,} synsets, {len(self.hypernyms):,} hypernym and "
            f"{len(self.instances):,} instance links>"
        )


def wordnet_folder():
    """Folder with WordNet's noun files, or None.

    Looked for in this order: ``wordnet`` in the data folder, ``wordnet`` in the cache (where
    `fetch_wordnet` puts them), and where Debian's package ``wordnet-base`` has them.
    """
    return complete_folder("wordnet", FILES) or complete_folder(_SYSTEM_FOLDER, FILES)


def read_wordnet(folder=None):
    """Read the noun files of WordNet 3.0, by default those of `wordnet_folder`.

    A line that stands at another place than it says, a link that leads nowhere, or two files that
    disagree, raise ValueError.
    """
    folder = wordnet_folder() if folder is None else Path(folder)
    missing = [name for name in FILES if folder is None or not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"WordNet's {' and '.join(missing)} not found{f' in {folder}' if folder else ''}: "
            "install Debian's package wordnet-base, or call zslib.datasets.fetch_wordnet()"
        )
    lemmas, links = _read_data(folder / "data.noun")
    _check_index(folder / "index.noun", lemmas)
    for child, parent, _ in links:
        if parent not in lemmas:
            raise ValueError(
                f"{folder / 'data.noun'}: {child} has a link to {parent}, where no synset is: "
                "the file is damaged, fetch it again"
            )
    return WordNet(
        lemmas={w: tuple(t.replace("_", " ") for t in terms) for w, terms in lemmas.items()},
        hypernyms=tuple((c, p) for c, p, symbol in links if symbol == "@"),
        instances=tuple((c, p) for c, p, symbol in links if symbol == "@i"),
    )


def _lines(path):
    """(number, offset in bytes, text) of the lines after the licence, which is indented."""
    offset = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            version = _VERSION.search(line) if line.startswith(b"  ") else None
            if version and version[1] != b"3.0":
                raise ValueError(
                    f"{path} is of WordNet {version[1].decode()}: wnids are places in the files "
                    "of version 3.0, use those"
                )
            if not line.startswith(b"  "):
                yield number, offset, line.decode("ascii", "replace")
            offset += len(line)


def _read_data(path):
    """Lemmas by wnid, and (child, parent, symbol) of hypernym and instance links."""
    lemmas, links = {}, []
    for number, offset, line in _lines(path):
        try:
            wnid, terms, parents = _parse_synset(line)
        except (ValueError, IndexError) as error:
            raise ValueError(
                f"{path} line {number} is not a noun synset in WordNet's format ({error}): "
                f"{line[:60]!r}"
            ) from error
        if int(wnid[1:]) != offset:
            raise ValueError(
                f"{path} line {number} says that it is at {int(wnid[1:])} and is at {offset}: "
                "the file is of another version, or its line ends were changed"
            )
        lemmas[wnid] = terms
        links.extend((wnid, parent, symbol) for parent, symbol in parents)
    return lemmas, links


def _parse_synset(line):
    """One line: offset, lexicographer file, type, words, pointers, then "|" and the gloss."""
    fields = line.partition(" | ")[0].split()
    offset, _, kind = fields[:3]
    if kind != "n" or not is_offset(offset):
        raise ValueError("offset and type n expected")
    n_words = int(fields[3], 16)
    terms = tuple(fields[4 : 4 + 2 * n_words : 2])
    n_pointers = int(fields[4 + 2 * n_words])
    pointers = fields[5 + 2 * n_words :]
    if n_words < 1 or len(pointers) != 4 * n_pointers:
        raise ValueError("counts of words or pointers do not fit")
    parents = []
    for symbol, target, part in zip(pointers[::4], pointers[1::4], pointers[2::4], strict=True):
        if symbol not in _POINTERS:
            raise ValueError(f"unknown pointer symbol {symbol!r}")
        if symbol in ("@", "@i"):
            if part != "n" or not is_offset(target):
                raise ValueError("a hypernym that is no noun")
            parents.append((f"n{target}", symbol))
    return f"n{offset}", terms, parents


def is_offset(text):
    """Whether a text is a place in a file of WordNet's: eight digits."""
    return len(text) == 8 and text.isdecimal()


def _check_index(path, lemmas):
    """The index lists exactly the (term, synset) pairs of the data, terms in lower case."""
    pairs = {(term.lower(), wnid) for wnid, terms in lemmas.items() for term in terms}
    for number, _, line in _lines(path):
        try:
            term, kind, n_synsets, n_symbols, *rest = line.split()
            offsets = rest[int(n_symbols) + 2 :]
            if kind != "n" or len(offsets) != int(n_synsets):
                raise ValueError
        except ValueError:
            raise ValueError(
                f"{path} line {number} is not in WordNet's format: {line[:60]!r}"
            ) from None
        for offset in offsets:
            pair = (term, f"n{offset}")
            if pair not in pairs:
                raise ValueError(
                    f"{path} line {number} gives {term!r} the synset n{offset}, which has no such "
                    "term in data.noun: take both files from one release"
                )
            pairs.remove(pair)
    if pairs:
        term, wnid = min(pairs)
        raise ValueError(
            f"{path} lacks {term!r}, a term of {wnid} in data.noun ({len(pairs)} such): take both "
            "files from one release"
        )


def fetch_wordnet(*, progress=None, archives=ARCHIVES):
    """Download WordNet 3.0's noun files into the cache, unless they are here already.

    What counts is the checksum of the two files, whichever of the ``archives`` (URLs, tried in
    turn) they come in.
    """
    folder = wordnet_folder()
    if folder is not None:
        return folder
    folder = cache_folder("wordnet")
    failed = []
    for url in archives:
        path = folder / url.rsplit("/", 1)[-1]
        try:
            # The archive has no checksum known here; its members are checked instead.
            fetch_file(url, path, None, progress=progress and partial(progress, path.name))
            _take(path, folder)
        except (OSError, ValueError) as error:
            failed.append(f"{url}: {error}")
        else:
            return folder
        finally:
            path.unlink(missing_ok=True)
    raise ConnectionError(
        "WordNet 3.0 cannot be had: " + "; ".join(failed) + f". Put {' and '.join(FILES)} into "
        f"{folder}, for instance from Debian's package wordnet-base"
    )


def _take(archive, folder):
    """Put the two files from the archive into the folder, if they are those of WordNet 3.0."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        taken = extract_members(archive, FILES, place)
        for name in FILES:
            if name not in taken:
                raise ValueError(f"it has no {name}")
            with open(Path(place) / name, "rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != CHECKSUMS[name]:
                    raise ValueError(f"its {name} is not that of WordNet 3.0")
        for name in FILES:
            os.replace(Path(place) / name, folder / name)
