"""Class embeddings of WordNet synsets: from their definitions, and from the is-a hierarchy."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile

import numpy as np

from zslib.arrays import unit_rows
from zslib.datasets.imagenet1k import gloss_vectors
from zslib.datasets.locate import cache_dir, require_folder
from zslib.validation import check_choice, check_integer

__all__ = ["SYNSET_SEMANTICS", "hypernym_vectors", "synset_embeddings"]

SYNSET_SEMANTICS = ("gloss", "hypernym", "gloss+hypernym")


def synset_embeddings(wnids, *, semantics="hypernym", dimension=300, folder=None):
    """Unit-length class embeddings of synsets, given by WordNet id.

    Parameters
    ----------
    wnids : sequence of c str
    semantics : {"gloss", "hypernym", "gloss+hypernym"}
        The words of lemmas and definition (`gloss_vectors`), the ancestors in the hierarchy
        (`hypernym_vectors`), or both side by side with equal weight.
    dimension : int
        Of each kind of vector.
    folder : path, optional
        By default ``visual/imagenet_synsets`` in the data folder.

    Returns
    -------
    float32 array, shape (c, dimension) or (c, 2 dimension)

    Raises
    ------
    ValueError
        When a synset has no vector.
    """
    check_choice(semantics, "semantics", SYNSET_SEMANTICS)
    parts = []
    for kind in semantics.split("+"):
        if kind == "gloss":
            known, vectors = gloss_vectors(dimension=dimension, folder=folder)
            vectors = vectors.vectors
        else:
            known, vectors = hypernym_vectors(dimension=dimension, folder=folder)
        row = {wnid: i for i, wnid in enumerate(known.tolist())}
        missing = [str(wnid) for wnid in wnids if str(wnid) not in row]
        if missing:
            raise ValueError(
                f"{len(missing)} synset(s) have no {kind} vector ({', '.join(missing[:5])}): "
                "leave these classes out"
            )
        parts.append(np.asarray(vectors[[row[str(wnid)] for wnid in wnids]], dtype=np.float32))
    return unit_rows(np.concatenate(parts, axis=1), name="class embeddings")


def hypernym_vectors(*, dimension=300, folder=None):
    """Vectors of 21,844 ImageNet synsets from their ancestors in the is-a hierarchy.

    The matrix of synsets by ancestors (a synset is its own), entries log(N / df) with df the
    number of synsets below the ancestor, reduced by a truncated singular value decomposition,
    rows of unit length, as in the data set's baseline. Computed in seconds and cached.

    Parameters
    ----------
    dimension : int
    folder : path, optional
        By default ``visual/imagenet_synsets`` in the data folder.

    Returns
    -------
    (wnids, vectors) : str array (N,) and float32 array (N, dimension)
    """
    import sklearn

    check_integer(dimension, "dimension", low=1)
    folder = require_folder("visual/imagenet_synsets", folder)
    content = [(folder / name).read_bytes() for name in ("synsets.tsv.gz", "is_a.txt.gz")]
    synsets, pairs = (gzip.decompress(part).decode("utf-8").splitlines() for part in content)
    wnids = np.array([line.split("\t", 1)[0] for line in synsets])
    parents = {}
    for number, line in enumerate(pairs, start=1):
        pair = line.split()
        if len(pair) != 2:
            raise ValueError(f"{folder / 'is_a.txt.gz'}, line {number}: expected parent and child")
        parents.setdefault(pair[1], []).append(pair[0])

    digest = hashlib.sha256(f"{dimension} {sklearn.__version__}".encode() + b"".join(content))
    cached = cache_dir() / "hypernym" / f"{digest.hexdigest()[:24]}.npy"
    if cached.is_file():
        return wnids, np.load(cached, mmap_mode="r", allow_pickle=False)
    vectors = _embed(_ancestors(wnids.tolist(), parents), dimension)
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=cached.parent, suffix=".part", delete=False) as file:
        np.save(file, vectors, allow_pickle=False)
    os.replace(file.name, cached)
    return wnids, vectors


def _ancestors(wnids, parents):
    """Sparse 0/1 matrix (N, A): each synset's ancestors, itself among them."""
    from scipy import sparse

    column, rows, columns = {}, [], []
    for row, wnid in enumerate(wnids):
        found, frontier = {wnid}, [wnid]
        while frontier:
            above = {p for child in frontier for p in parents.get(child, ())} - found
            found |= above
            frontier = list(above)
        rows.extend([row] * len(found))
        columns.extend(column.setdefault(name, len(column)) for name in sorted(found))
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (len(wnids), len(column)))


def _embed(incidence, dimension):
    from scipy import sparse
    from sklearn.decomposition import TruncatedSVD

    count = np.asarray(incidence.sum(axis=0)).ravel()
    weighted = incidence @ sparse.diags(np.log(incidence.shape[0] / count))
    vectors = TruncatedSVD(dimension, random_state=0).fit_transform(weighted)
    return unit_rows(vectors.astype(np.float32), name="hypernym vectors")
