"""WordNet's nouns and ImageNet's label lists in the package; wordnet30/README.md says of what."""

import lzma
from importlib import resources
from itertools import accumulate
from statistics import mode

from zslib.datasets.files import read_lines
from zslib.datasets.hierarchy.wordnet import WordNet

HEADER = "nouns of WordNet 3.0, zslib format 1"


def unpack_wordnet(text):
    """The WordNet in a text of the form that wordnet30/README.md describes, links sorted."""
    header, *lines = text.split("\n")
    n = len(lines) // 3
    if header != f"{HEADER}, {n} synsets" or lines[3 * n :] != [""]:
        raise ValueError(f"not a whole text in the form {HEADER!r}: pack it again")
    wnids = [f"n{offset:08d}" for offset in accumulate(map(int, lines[:n]))]
    links = {"@": [], "i": []}
    for i, parents in enumerate(lines[n : 2 * n]):
        for parent in parents.split():
            links[parent[0]].append((wnids[i], wnids[i - int(parent[1:])]))
    terms = (tuple(t.replace("_", " ") for t in line.split()) for line in lines[2 * n : 3 * n])
    return WordNet(
        lemmas=dict(zip(wnids, terms, strict=True)),
        hypernyms=tuple(sorted(links["@"])),
        instances=tuple(sorted(links["i"])),
    )


def embedded_wordnet():
    """All nouns of WordNet 3.0, from the copy in the package."""
    return unpack_wordnet(_embedded("nouns"))


def embedded_labels():
    """The label lists in the package."""
    names = ("ilsvrc2012", "fall2011")
    return tuple(tuple(f"n{line}" for line in _embedded(name).split()) for name in names)


def _embedded(name):
    folder = resources.files("zslib.datasets.hierarchy") / "wordnet30"
    return lzma.decompress((folder / f"{name}.txt.xz").read_bytes()).decode("ascii")


def read_labels(path):
    """A list of wnids, one a line."""
    lines = read_lines(path)
    if not lines:
        raise ValueError(f"{path} is empty")
    if len(set(lines)) < len(lines):
        raise ValueError(f"{path} has {mode(lines)} more than once")
    return tuple(lines)
