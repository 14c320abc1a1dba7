"""ImageNet's label sets and hierarchies: ILSVRC 2012, Fall 2011, the 2-hop and 3-hop sets.

The zero-shot label sets of Frome et al. (2013) and of those who followed. The published lists
are read from the folder ``imagenet`` of the data; without it the package's own copy of two label
lists gives the same, by rules that the tests check against the published ones. WordNet is the
package's copy in either case.
"""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache, partial

from zslib.datasets.entry import HIERARCHY, Dataset, below
from zslib.datasets.files import read_table
from zslib.datasets.hierarchy.embedded import embedded_labels, embedded_wordnet, read_labels
from zslib.datasets.hierarchy.tree import fall2011_links, hop_labels
from zslib.datasets.hierarchy.wordnet import FILE, fetch_wordnet, read_wordnet, wordnet_folder
from zslib.datasets.locate import find_folder, require_folder
from zslib.datasets.words.glosses import GLOSSES
from zslib.datasets.words.vectors import ENGLISH
from zslib.validation import check_choice

_LABELS = ("ilsvrc2012", "fall2011", "two_hop", "three_hop")
_FILES = {
    "ilsvrc2012": "ilsvrc2012_1k.txt",
    "fall2011": "imagenet_fall2011_21841.txt",
    "two_hop": "zeroshot_2hop_1549.txt",
    "three_hop": "zeroshot_3hop_7860.txt",
    "is_a": "imagenet_fall2011_is_a.tsv.gz",
    "image_counts": "fall2011_image_counts.tsv.gz",
}


@dataclass(frozen=True)
class ImageNetLists:
    """ImageNet's label sets, with the hierarchies that they belong to.

    Links are (child, parent) pairs, sorted; label sets are sorted tuples of wnids.

    Parameters
    ----------
    name : {"imagenet", "wordnet30", "wordnet"}
        Of the data set: the data folder; WordNet's own files with the package's label lists; the
        package alone.
    wordnet, instance_links : tuple of (str, str)
        Hypernym and instance links of all nouns of WordNet 3.0.
    lemmas : dict of str to tuple of str
        Terms of each synset in WordNet's order; the first is the "first term" of A.2.
    ilsvrc2012, fall2011 : tuple of str
        The 1,000 classes, and the 21,841 of the Fall 2011 release, which lacks one of the 1,000,
        n04399382 (teddy).
    two_hop, three_hop : tuple of str
        Unseen classes within 1 and 2 steps of a seen one, see `tree.hop_labels`.
    published_hops : bool
        Whether these two were read from the published lists.
    is_a : tuple of (str, str)
        Links of ImageNet's Fall 2011 tree, see `tree.fall2011_links`.
    image_counts : dict of str to int, or None
        Images of each class in ImageNet; None where not known.
    checksum : str
        SHA-256 of all this, hex.
    """

    name: str
    description: str
    wordnet: tuple = field(repr=False)
    instance_links: tuple = field(repr=False)
    lemmas: dict = field(repr=False)
    ilsvrc2012: tuple = field(repr=False)
    fall2011: tuple = field(repr=False)
    two_hop: tuple = field(repr=False)
    three_hop: tuple = field(repr=False)
    published_hops: bool = field(repr=False)
    is_a: tuple = field(repr=False)
    image_counts: dict | None = field(repr=False)
    checksum: str = field(repr=False)

    # What a chapter notes of the data it uses.
    setting = "hierarchy"
    synthetic = False

    @property
    def coverage(self):
        """Counts of what the lists hold, for the book to print."""
        every = {*self.ilsvrc2012, *self.fall2011}
        counted = "not known" if self.image_counts is None else len(self.image_counts)
        return {
            "noun synsets": len(self.lemmas),
            "hypernym links": len(self.wordnet),
            "instance links": len(self.instance_links),
            "links of the Fall 2011 tree": len(self.is_a),
            "labels of ILSVRC 2012": len(self.ilsvrc2012),
            "labels of Fall 2011": len(self.fall2011),
            "labels of ILSVRC 2012 not in Fall 2011": len(every) - len(self.fall2011),
            "2-hop labels": len(self.two_hop),
            "3-hop labels": len(self.three_hop),
            "hop labels read from the published lists": self.published_hops,
            "labels with a count of images": counted,
        }

    def terms(self, wnids):
        """Terms of each of ``wnids``, as a tuple of tuples."""
        _check_wnids(wnids, self.lemmas, "wnids")
        return tuple(self.lemmas[wnid] for wnid in wnids)


def imagenet_lists(source="auto", *, folder=None):
    """ImageNet's label sets and hierarchies.

    Parameters
    ----------
    source : {"auto", "real", "wordnet", "embedded"}
        "real": the folder ``imagenet`` of the data, with the package's WordNet. "wordnet":
        WordNet's own files, see `fetch_wordnet`, with the label lists in the package.
        "embedded": nothing but the package. "auto": the first of these that is here.

    Examples
    --------
    >>> lists = imagenet_lists("embedded")
    >>> len(lists.two_hop), len(lists.three_hop), len(lists.is_a)
    (1549, 7860, 34904)
    >>> lists.lemmas["n02012849"]
    ('crane',)
    """
    check_choice(source, "source", ("auto", "real", "wordnet", "embedded"))
    auto = source == "auto"
    if source == "real" or (auto and (folder is not None or find_folder("imagenet"))):
        return _real(require_folder("imagenet", folder))
    if source == "embedded" or (auto and not wordnet_folder()):
        return _embedded()
    return _derived("wordnet30", "read from WordNet's files", read_wordnet(folder))


@cache
def _embedded():
    """The lists in the package, which never change: unpacked once."""
    return _derived("wordnet", "as zslib carries them", embedded_wordnet())


def _derived(name, origin, wordnet):
    """WordNet with the label lists in the package; tree and hop sets follow by rule."""
    seen, labels = embedded_labels()
    is_a = fall2011_links(wordnet.hypernyms, {*seen, *labels})
    return _assemble(
        name,
        f"WordNet 3.0 and ImageNet label lists {origin}, hop sets by rule",
        wordnet,
        ilsvrc2012=seen,
        fall2011=labels,
        two_hop=hop_labels(is_a, seen, labels, steps=1),
        three_hop=hop_labels(is_a, seen, labels, steps=2),
        is_a=is_a,
    )


def _real(folder):
    counts = read_table(folder / _FILES["image_counts"], ("wnid", "images", "release"))
    return _assemble(
        "imagenet",
        "WordNet 3.0 and ImageNet's published label lists",
        embedded_wordnet(),
        is_a=tuple(map(tuple, read_table(folder / _FILES["is_a"], ("child", "parent")))),
        image_counts={wnid: int(images) for wnid, images, _ in counts},
        published_hops=True,
        **{name: read_labels(folder / _FILES[name]) for name in _LABELS},
    )


def _check_wnids(wnids, lemmas, name):
    """Raise ValueError where WordNet has no such synset; ``name`` is what has the ``wnids``."""
    if unknown := [wnid for wnid in wnids if wnid not in lemmas]:
        raise ValueError(
            f"{name} has {unknown[0]!r}, which is no noun synset of WordNet 3.0 ({len(unknown)} "
            "such): a wnid is 'n' and eight digits"
        )


def _assemble(name, description, wordnet, *, image_counts=None, published_hops=False, **lists):
    """Check the labels, sort the lists, and take the checksum."""
    for kind in _LABELS:
        _check_wnids(lists[kind], wordnet.lemmas, f"the list {kind}")
    lists |= {"wordnet": wordnet.hypernyms, "instance_links": wordnet.instances}
    content = {kind: tuple(sorted(rows)) for kind, rows in lists.items()}
    content |= {"lemmas": wordnet.lemmas, "image_counts": image_counts}
    content |= {"published_hops": published_hops}
    checksum = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return ImageNetLists(name=name, description=description, checksum=checksum, **content)


# Chapters with labels make vectors of their terms.
_TERMS = (GLOSSES, *ENGLISH)
ENTRIES = (
    Dataset(
        name="imagenet",
        loaders={HIERARCHY: partial(imagenet_lists, source="real")},
        summary="ImageNet's published label lists and tree of 2011, WordNet 3.0",
        licence="WordNet licence; lists as their sources state",
        auto={HIERARCHY: 0},
        files=below("imagenet", *_FILES.values()),
        optional_files=_TERMS,
    ),
    Dataset(
        name="wordnet",
        loaders={HIERARCHY: partial(imagenet_lists, source="embedded")},
        summary="WordNet 3.0's nouns and ImageNet's label lists, carried by the package",
        licence="WordNet licence; lists: Apache 2.0",
        optional_files=_TERMS,
    ),
    Dataset(
        name="wordnet30",
        kind="official",
        loaders={HIERARCHY: partial(imagenet_lists, source="wordnet")},
        summary="WordNet 3.0's own files, with the label lists of the package",
        licence="WordNet licence",
        auto={HIERARCHY: 1},
        files=below("wordnet", FILE),
        optional_files=_TERMS,
        fetch=fetch_wordnet,
    ),
)
