"""Makes the embedded edition of the real data in this folder from the full edition.

``python data/make.py FULL_EDITION`` writes the files that README.md describes, their checksums
(SHA256SUMS) and the reference numbers of both editions (reference.tsv). The same input gives the
same bytes.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import hashlib
import io
import os
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from chapters.clarel.baseline import mean_text_problem
from zslib.arrays import unit_rows
from zslib.compatibility import ESZSL
from zslib.datasets import (
    awa1,
    caltech101,
    cub,
    europarl,
    flowers,
    ikea,
    imagenet1k,
    imagenet_lists,
    tiny_imagenet,
    tiny_imagenet_classes,
    wikipedia_xmodal,
)
from zslib.datasets.files import SUMS
from zslib.datasets.hierarchy.embedded import HEADER
from zslib.mapping import RidgeMap
from zslib.protocols import evaluate, evaluate_zero_shot

HERE = Path(__file__).resolve().parent
# Matrices of one number a byte, and how many of their columns are kept.
MATRICES = {
    "crosslingual/vectors.it.npy": None,
    "visual/awa1/features_bow5_pca256.npy": None,
    "visual/caltech101/features_mobilenetv2_pca256.npy": None,
    "visual/cub/features_resnet_pca256.npy": None,
    "visual/cub/features_vgg_pca512.npy": 256,
    "visual/flowers/features_mobilenetv2_pca256.npy": None,
    "visual/tiny_imagenet/features_mobilenetv2_pca256.npy": None,
}
# Members of .npz files that are stored the same way.
MEMBERS = {
    "visual/ikea/ikea.npz": "features",
    "visual/imagenet1k_sample/imagenet1k_sample.npz": "features",
    "visual/word_vectors/glove6B_300_union.npz": "vectors",
}
TEXTS = (
    "crosslingual/dinu.train.txt",
    "crosslingual/europarl.test.txt",
    "crosslingual/europarl.train.txt",
    "crosslingual/opus.test.txt",
    "crosslingual/words.it.tsv.gz",
    "imagenet/fall2011_image_counts.tsv.gz",
    "imagenet/ilsvrc2012_1k.txt",
    "imagenet/imagenet_fall2011_21841.txt",
    "imagenet/imagenet_fall2011_is_a.tsv.gz",
    "imagenet/table1_readings.tsv",
    "imagenet/zeroshot_2hop_1549.txt",
    "imagenet/zeroshot_3hop_7860.txt",
    "visual/apy/classes.txt",
    "visual/awa1/classes.txt",
    "visual/cub/class_wikipedia_sentences.jsonl",
    "visual/cub/captions.tsv.gz",
    "visual/cub/classes.txt",
    "visual/flowers/captions.tsv.gz",
    "visual/flowers/classes.txt",
    "visual/ikea/texts.tsv",
    "visual/imagenet_synsets/is_a.txt.gz",
    "visual/imagenet_synsets/synsets.tsv.gz",
    "visual/sun/classes.txt",
    "visual/wikipedia_xmodal/categories.txt",
)
# Of these, the ones that bzip2 makes smaller by a megabyte.
BZIPPED = (
    "visual/cub/captions.tsv",
    "visual/flowers/captions.tsv",
    "visual/flowers/features_mobilenetv2_pca256.npy",
)
COPIES = (
    "imagenet/WORDNET-LICENSE.txt",
    "visual/apy/apy_instances.npz",
    "visual/awa1/awa1.npz",
    "visual/caltech101/caltech101.npz",
    "visual/cub/cub.npz",
    "visual/flowers/flowers.npz",
    "visual/sun/sun_instances.npz",
    "visual/tiny_imagenet/tiny_imagenet.npz",
    "visual/wikipedia_xmodal/wikipedia.npz",
    "visual/xlsa17_splits/APY_att_splits_2020.mat",
    "visual/xlsa17_splits/AWA1_att_splits.mat",
    "visual/xlsa17_splits/AWA2_att_splits.mat",
    "visual/xlsa17_splits/CUB_att_splits_2020.mat",
    "visual/xlsa17_splits/SUN_att_splits.mat",
)
IKEA_NOTICE = """\
The texts in this folder and the features made from photographs are property of IKEA, published by
Tautkute et al. (FedCSIS 2017) for non-commercial use only. zslib's own licence does not cover
them. The folder may be deleted: the book then says that the set is missing, and works.
"""


def english_words(full):
    """Lines of the English words that something uses, with each one's rank, and their rows.

    Used are the source words of the dictionaries, the names of Tiny-ImageNet's classes, and the
    words of each term of ImageNet's labels all of whose words are known.
    """
    lines = gzip.decompress((full / "crosslingual/words.en.tsv.gz").read_bytes()).decode("utf-8")
    rows = [line.split("\t") for line in lines.removesuffix("\n").split("\n")]
    rank = {word: place for place, (word, _) in enumerate(rows)}
    used = set()
    for path in sorted((full / "crosslingual").glob("*.txt")):
        used.update(line.split()[0] for line in path.read_text("utf-8").splitlines() if line)
    with np.load(full / "visual/tiny_imagenet/tiny_imagenet.npz") as stored:
        used.update(stored["zjl_name"].tolist())
    lists = imagenet_lists("embedded")
    for wnid in {*lists.ilsvrc2012, *lists.fall2011}:
        for term in lists.lemmas[wnid]:
            words = term.lower().split()
            if all(word in rank for word in words):
                used.update(words)
    kept = sorted(rank[word] for word in used if word in rank)
    return "".join(f"{rows[i][0]}\t{rows[i][1]}\t{i}\n" for i in kept), kept


def quantise(matrix):
    """Rows as whole numbers from -127 to 127 with a scale, a structured array.

    A row x becomes ``scale`` = max |x| / 127 and ``value`` = x / scale, rounded.
    """
    matrix = np.asarray(matrix, dtype=np.float32)
    kind = np.dtype([("scale", "<f4"), ("value", "i1", (matrix.shape[1],))])
    rows = np.zeros(len(matrix), dtype=kind)
    rows["scale"] = np.abs(matrix).max(axis=1) / np.float32(127)
    divisor = np.where(rows["scale"] > 0, rows["scale"], 1)
    rows["value"] = np.rint(matrix / divisor[:, None])
    return rows


def make(full, out):
    """Write the files of the edition below ``out``, and the list of their checksums."""
    made = []

    def write(name, content):
        if name in BZIPPED:
            name, content = f"{name}.bz2", bz2.compress(content)
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        made.append(name)

    def zipped(name, content):
        name = name.removesuffix(".gz")
        if name in BZIPPED:
            write(name, content)
        else:
            write(f"{name}.gz", gzip.compress(content, 9, mtime=0))

    def saved(array):
        file = io.BytesIO()
        np.save(file, array, allow_pickle=False)
        return file.getvalue()

    lines, kept = english_words(full)
    zipped("crosslingual/words.en.tsv", lines.encode())
    english = np.load(full / "crosslingual/vectors.en.npy", allow_pickle=False)[kept]
    write("crosslingual/vectors.en.npy", saved(quantise(english)))
    for name, columns in MATRICES.items():
        matrix = np.load(full / name, allow_pickle=False)
        write(name, saved(quantise(matrix[:, :columns])))
    for name, member in MEMBERS.items():
        with np.load(full / name, allow_pickle=False) as stored:
            arrays = dict(stored)
        arrays[member] = quantise(arrays[member])
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        write(name, file.getvalue())
    for name in TEXTS:
        content = (full / name).read_bytes()
        zipped(name, gzip.decompress(content) if name.endswith(".gz") else content)
    for name in COPIES:
        write(name, (full / name).read_bytes())
    write("visual/ikea/NON-COMMERCIAL.txt", IKEA_NOTICE.encode())
    sums = [f"{hashlib.sha256((out / n).read_bytes()).hexdigest()}  {n}\n" for n in sorted(made)]
    (out / SUMS).write_text("".join(sums), encoding="utf-8")


def reference_numbers(*, synsets=True):
    """Measures on the edition that is found, a dict: settings are fixed, nothing is tuned.

    Those with vectors of ``synsets`` take half a minute.
    """
    found = {}

    def mapped(problem, space):
        model = RidgeMap(0.1).fit(problem.X_train, problem.Y_train)
        return evaluate(problem, model.transform(problem.X_test), space=space)

    for train in ("europarl", "dinu"):
        name = f"europarl, {train} to opus"
        outcome = mapped(europarl(train=train), "full")
        found[f"{name}: ridge P@1"] = outcome.hits(1).mean()
        found[f"{name}: largest hub"] = outcome.largest_hub
        found[f"{name}: answers that are hubs, %"] = outcome.hub_answers().mean()
    tiny = mapped(tiny_imagenet(split="fixed", test_images=None, normalise=False), "test")
    found["tiny_imagenet: ridge P@1 among test labels"] = tiny.hits(1).mean()
    if synsets:
        splits = [mapped(imagenet1k(seed=seed), "test").hits(1).mean() for seed in range(5)]
        found["imagenet1k: ridge P@1 among test labels, five splits"] = np.mean(splits)
    older = {"split": "standard", "seen_fraction": 0.0}
    for name, problem in (
        ("cub", cub()),
        ("cub, VGG, standard split", cub(features="vgg", **older)),
        ("awa1", awa1()),
        ("awa1, standard split", awa1(**older)),
        ("tiny_imagenet", tiny_imagenet_classes()),
        *((("caltech101", caltech101()),) if synsets else ()),
        ("ikea, mean texts", mean_text_problem(ikea())),
        ("flowers, mean captions", mean_text_problem(captioned := flowers())),
    ):
        model = ESZSL(other_target=-1.0)
        found[f"{name}: ESZSL ACC"] = evaluate_zero_shot(model, problem).value("ACC")
    found["wikipedia_xmodal: mAP of texts for images"] = _average_precision(wikipedia_xmodal())
    vectors = caption_vectors(own_captions(captioned), captioned.trainval)
    seen = captioned.is_seen[captioned.labels]
    first, _ = own_captions_first(captioned.features, vectors, captioned.labels, seen)
    found["flowers: own captions first in their class, % of images"] = 100 * first.mean()
    return found


def own_captions(problem):
    """All captions of each image as one text."""
    return [
        " ".join(problem.texts[t] for t in texts)
        for texts in np.split(problem.text_index, problem.text_offsets[1:-1])
    ]


def caption_vectors(texts, known):
    """Texts as TF-IDF reduced to 150 dimensions, fitted on ``known`` ones, of length one."""
    weights = TfidfVectorizer(min_df=5, sublinear_tf=True)
    reduced = TruncatedSVD(150, random_state=0)
    reduced.fit(weights.fit_transform([texts[i] for i in known]))
    return unit_rows(reduced.transform(weights.transform(texts)), name="captions")


def own_captions_first(features, vectors, labels, seen):
    """Whether captions belong to their own images, beyond their class: (first, chance).

    Ridge regression from features to caption vectors, each less its class's mean, is fitted on
    the images where ``seen``. ``first`` says of each other image whether its own captions fit it
    best of those of its class; ``chance`` is how often that is so at random.
    """
    features, vectors = (_centred(rows.astype(np.float64), labels) for rows in (features, vectors))
    answers = RidgeMap(1.0).fit(features[seen], vectors[seen]).transform(features[~seen])
    scores = answers @ unit_rows(vectors[~seen], name="captions").T
    scores[labels[~seen][:, None] != labels[~seen][None, :]] = -np.inf
    first = scores.argmax(axis=1) == np.arange(len(scores))
    return first, 1.0 / np.bincount(labels)[labels[~seen]]


def _centred(rows, labels):
    """Rows less the mean of their class."""
    order = np.unique(labels, return_inverse=True)[1]
    sums = np.zeros((order.max() + 1, rows.shape[1]))
    np.add.at(sums, order, rows)
    return rows - (sums / np.bincount(order)[:, None])[order]


def _average_precision(problem):
    """Ridge from images to texts; right is every text of the image's category, in percent."""
    rows, queries = problem.trainval, np.concatenate([problem.test_seen, problem.test_unseen])
    texts = unit_rows(problem.text_vectors)
    answers = RidgeMap(0.1).fit(problem.features[rows], texts[rows])
    scores = unit_rows(answers.transform(problem.features[queries])) @ texts[queries].T
    right = problem.labels[queries][:, None] == problem.labels[queries][None, :]
    ordered = np.take_along_axis(right, np.argsort(-scores, axis=1, kind="stable"), axis=1)
    precision = np.cumsum(ordered, axis=1) / np.arange(1, len(queries) + 1)
    return 100 * float(((precision * ordered).sum(axis=1) / ordered.sum(axis=1)).mean())


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
    lines = [f"{HEADER}, {len(wnids)} synsets"]
    lines += [str(b - a) for a, b in pairwise([0, *offsets])]
    lines += map(" ".join, parents)
    lines += [" ".join(t.replace(" ", "_") for t in wordnet.lemmas[w]) for w in wnids]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("full", type=Path, help="folder of the full edition")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to")
    given = parser.parse_args()
    for folder in ("crosslingual", "imagenet", "visual"):
        shutil.rmtree(given.out / folder, ignore_errors=True)
    make(given.full, given.out)
    columns = []
    for folder in (given.full, given.out):
        os.environ["ZSLIB_DATA"] = str(folder.resolve())
        columns.append(reference_numbers())
    lines = ["measure\tfull\tembedded\n"]
    lines += [f"{n}\t{value:.2f}\t{columns[1][n]:.2f}\n" for n, value in columns[0].items()]
    (given.out / "reference.tsv").write_text("".join(lines), encoding="utf-8")
    print("".join(lines), end="")


if __name__ == "__main__":
    main()
