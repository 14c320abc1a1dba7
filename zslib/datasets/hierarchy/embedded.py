"""WordNet's nouns and ImageNet's label lists in the package; wordnet30/README.md says of what."""

import lzma
import re
from importlib import resources
from itertools import accumulate, pairwise
from statistics import mode

from zslib.datasets.files import read_lines
from zslib.datasets.hierarchy.wordnet import WordNet

_HEADER = "nouns of WordNet 3.0, zslib format 1"
_NOUNS, _ILSVRC2012, _FALL2011 = "nouns.txt.xz", "ilsvrc2012.txt.xz", "fall2011.txt.xz"


def pack_wordnet(wordnet):
    """A WordNet as text that compresses well.

    After a header line with the number n of synsets come n lines of each kind: the synset's
    place less the place of the synset before; its parents, each as "@" (hypernym) or "i"
    (instance) and by how many synsets the parent comes earlier; its terms, "_" for a space.

    Parameters
    ----------
    wordnet : WordNet

    Returns
    -------
    str

    Examples
    --------
    >>> tiny = WordNet({"n00000010": ("thing",), "n00000052": ("dog", "domestic dog")},
    ...                (("n00000052", "n00000010"),))
    >>> print(pack_wordnet(tiny), end="")
    nouns of WordNet 3.0, zslib format 1, 2 synsets
    10
    42
    <BLANKLINE>
    @1
    thing
    dog domestic_dog
    """
    wnids = sorted(wordnet.lemmas)
    position = {wnid: i for i, wnid in enumerate(wnids)}
    parents = [[] for _ in wnids]
    for symbol, links in (("@", wordnet.hypernyms), ("i", wordnet.instances)):
        for child, parent in sorted(links):
            i = position[child]
            parents[i].append(f"{symbol}{i - position[parent]}")
    offsets = [int(wnid[1:]) for wnid in wnids]
    lines = [f"{_HEADER}, {len(wnids)} synsets"]
    lines += [str(b - a) for a, b in pairwise([0, *offsets])]
    lines += map(" ".join, parents)
    lines += [" ".join(t.replace(" ", "_") for t in wordnet.lemmas[w]) for w in wnids]
    return "\n".join(lines) + "\n"


def unpack_wordnet(text):
    """The WordNet in a text of `pack_wordnet`, links sorted."""
    header, *lines = text.split("\n")
    n = len(lines) // 3
    if header != f"{_HEADER}, {n} synsets" or lines[3 * n :] != [""]:
        raise ValueError(f"not a whole text in the form {_HEADER!r}: pack it again")
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
    return unpack_wordnet(_embedded(_NOUNS))


def embedded_labels():
    """The label lists in the package."""
    return tuple(
        tuple(f"n{line}" for line in _embedded(name).split()) for name in (_ILSVRC2012, _FALL2011)
    )


def _embedded(name):
    folder = resources.files("zslib.datasets.hierarchy") / "wordnet30"
    return lzma.decompress((folder / name).read_bytes()).decode("ascii")


def read_labels(path):
    """A list of wnids, one a line."""
    lines = read_lines(path)
    for number, line in enumerate(lines, 1):
        if not re.fullmatch("n[0-9]{8}", line):
            raise ValueError(
                f"{path} line {number} is {line[:40]!r}, not a wnid ('n' and eight digits)"
            )
    if not lines:
        raise ValueError(f"{path} is empty")
    if len(set(lines)) < len(lines):
        raise ValueError(f"{path} has {mode(lines)} more than once")
    return tuple(lines)
