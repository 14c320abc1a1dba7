"""What the book calls its data sets."""

import re

NAMES = {
    "apy-attributes": "aP&Y",
    "awa1": "AwA1",
    "caltech101": "Caltech-101",
    "cub": "CUB",
    "cub-captions": "CUB captions",
    "cub-class-captions": "CUB captions",
    "cub-sentences": "CUB articles",
    "europarl": "Europarl pairs",
    "europarl-dinu": "Dinu pairs",
    "flowers": "FLOWERS",
    "flowers-words": "FLOWERS words",
    "ikea": "IKEA",
    "imagenet": "ImageNet",
    "imagenet1k": "ImageNet-1k sample",
    "tiny-imagenet": "Tiny ImageNet",
    "tiny-imagenet-classes": "Tiny ImageNet",
}
"""By the name under which a data set is loaded, with hyphens."""


def called(text):
    """A text with the names of data as prose has them.

    Examples
    --------
    >>> called("europarl_dinu and cub, 5 runs")
    'Dinu pairs and CUB, 5 runs'
    """
    return re.sub(
        r"(?<![\w./-])\w+(?:-\w+)*(?![\w/-]|\.\w)",
        lambda word: NAMES.get(word[0].replace("_", "-"), word[0]),
        text,
    )
