"""Class embeddings of WordNet synsets: from their definitions, and from the is-a hierarchy."""

from __future__ import annotations

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.files import read_bytes
from zslib.datasets.locate import cached_array, require_folder
from zslib.datasets.words.glosses import gloss_vectors, read_glosses
from zslib.datasets.words.term_vectors import hypernym_vectors
from zslib.validation import check_choice, check_integer

__all__ = ["SYNSET_SEMANTICS", "synset_embeddings"]

SYNSET_SEMANTICS = ("gloss", "hypernym", "gloss+hypernym")


def synset_embeddings(wnids, *, semantics="hypernym", dimension=300, folder=None):
    """Unit-length class embeddings of synsets, given by WordNet id."""
    check_choice(semantics, "semantics", SYNSET_SEMANTICS)
    parts = []
    for kind in semantics.split("+"):
        if kind == "gloss":
            known, vectors = gloss_vectors(dimension=dimension, folder=folder)
            vectors = vectors.vectors
        else:
            known, vectors = _hypernym_vectors(dimension, folder)
        row = {wnid: i for i, wnid in enumerate(known.tolist())}
        missing = [str(wnid) for wnid in wnids if str(wnid) not in row]
        if missing:
            raise ValueError(
                f"{len(missing)} synset(s) have no {kind} vector ({', '.join(missing[:5])}): "
                "leave these classes out"
            )
        parts.append(np.asarray(vectors[[row[str(wnid)] for wnid in wnids]], dtype=np.float32))
    return unit_rows(np.concatenate(parts, axis=1), name="class embeddings")


def _hypernym_vectors(dimension, folder):
    """`hypernym_vectors` of all 21,844 ImageNet synsets by ImageNet's is-a pairs, cached."""
    import sklearn

    check_integer(dimension, "dimension", low=1)
    wnids, _, _ = read_glosses(folder)
    path = require_folder("visual/imagenet_synsets", folder) / "is_a.txt.gz"
    content = read_bytes(path)
    pairs = [line.split() for line in content.decode("utf-8").splitlines()]
    for number, pair in enumerate(pairs, start=1):
        if len(pair) != 2:
            raise ValueError(f"{path}, line {number}: expected parent and child")
    key = (
        f"{dimension} {sklearn.__version__}".encode() + "".join(wnids.tolist()).encode() + content
    )
    links = [(child, parent) for parent, child in pairs]
    vectors = cached_array(
        "hypernym", key, lambda: hypernym_vectors(wnids.tolist(), links, dimension=dimension)
    )
    return wnids, vectors
