"""Class embeddings of WordNet synsets: from their definitions, and from the is-a hierarchy."""

import json

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.files import read_table
from zslib.datasets.locate import cached_array, require_folder
from zslib.datasets.words.glosses import gloss_vectors, read_glosses
from zslib.datasets.words.term_vectors import hypernym_vectors
from zslib.validation import check_choice, check_integer

SYNSET_SEMANTICS = ("gloss", "hypernym", "gloss+hypernym")


def synset_embeddings(wnids, *, semantics="hypernym", dimension=300):
    """Unit-length class embeddings of synsets, given by WordNet id."""
    check_choice(semantics, "semantics", SYNSET_SEMANTICS)
    parts = []
    for kind in semantics.split("+"):
        if kind == "gloss":
            known, vectors = gloss_vectors(dimension=dimension)
            vectors = vectors.vectors
        else:
            known, vectors = _hypernym_vectors(dimension)
        row = {wnid: i for i, wnid in enumerate(known.tolist())}
        missing = [str(wnid) for wnid in wnids if str(wnid) not in row]
        if missing:
            raise ValueError(
                f"{len(missing)} synset(s) have no {kind} vector ({', '.join(missing[:5])}): "
                "leave these classes out"
            )
        parts.append(np.asarray(vectors[[row[str(wnid)] for wnid in wnids]], dtype=np.float32))
    return unit_rows(np.concatenate(parts, axis=1), name="class embeddings")


def _hypernym_vectors(dimension):
    """`hypernym_vectors` of all 21,844 ImageNet synsets by ImageNet's is-a pairs, cached."""
    import sklearn

    check_integer(dimension, "dimension", low=1)
    wnids, _, _ = read_glosses()
    nodes = wnids.tolist()
    path = require_folder("visual/imagenet_synsets") / "is_a.txt.gz"
    links = [(child, parent) for parent, child in read_table(path, ("parent", "child"), None)]
    key = json.dumps([dimension, sklearn.__version__, nodes, links]).encode()
    vectors = cached_array(
        "hypernym", key, lambda: hypernym_vectors(nodes, links, dimension=dimension)
    )
    return wnids, vectors
