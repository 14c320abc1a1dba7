"""Captions of images from one list, each line the row of an image, a tab and a caption."""

import numpy as np

from zslib.datasets.files import naming, read_table
from zslib.datasets.words.tokens import tokenize
from zslib.validation import check_indices


def caption_lists(path, n_images):
    """The captions of each image, in the order of the file."""
    lines = read_table(path, ("image", "caption"))
    with naming(path):
        rows = np.array([row for row, _ in lines], dtype=np.int64)
        check_indices(rows, "rows of images", n_images)
    captions = [[] for _ in range(n_images)]
    for row, (_, text) in zip(rows.tolist(), lines, strict=True):
        captions[row].append(text)
    bare = [row for row, several in enumerate(captions) if not several]
    if bare:
        raise ValueError(f"{path} has no caption of {len(bare)} images, the first is {bare[0]}")
    return captions


def own_texts(captions):
    """Fields of a problem whose images have these captions, lines without a word left out."""
    texts = [[text for text in several if tokenize(text)] for several in captions]
    counts = np.array([len(several) for several in texts])
    return {
        "texts": [text for several in texts for text in several],
        "text_offsets": np.concatenate([[0], np.cumsum(counts)]),
        "text_index": np.arange(counts.sum()),
        "coverage": {
            "captions": int(counts.sum()),
            "lines without a word": sum(map(len, captions)) - int(counts.sum()),
            "images with other than 10 captions": int((counts != 10).sum()),
        },
    }
