"""Two lists of training pairs as one study, where they are tested on the same words."""

import numpy as np

from book.results import OverSets


class SameWords:
    """Outcomes of one method on several lists that are tested on the same words: their mean.

    A word stands for itself in each of them, so that words drawn anew are drawn for all lists
    together.
    """

    unit, units = "words", None

    def __init__(self, parts):
        self.parts = parts
        self.checksum = " ".join(part.checksum for part in parts)

    def hits(self, k):
        """Per word, the mean over the lists of `Outcome.hits`."""
        return np.mean([part.hits(k) for part in self.parts], axis=0)

    def hub_answers(self):
        """Per word, the mean over the lists of `Outcome.hub_answers`."""
        return np.mean([part.hub_answers() for part in self.parts], axis=0)


def over_lists(chapter, runs, **options):
    """Record differences of methods in the mean over lists, the words of all resampled together.

    Parameters
    ----------
    chapter : book.Chapter
    runs : dict
        ``{problem: {method: one outcome per seed}}``; other problems than lists of pairs are left
        out, and nothing is recorded of lists with other test words.
    **options
        As for `Chapter.measure`: measures, minus, and columns of the records.
    """
    lists = {p: by for p, by in runs.items() if p.setting == "cross-linguistic"}
    first = next(iter(lists), None)
    if len(lists) < 2 or any(not np.array_equal(p.test_words, first.test_words) for p in lists):
        return
    together = {
        method: [*map(SameWords, zip(*(by[method] for by in lists.values()), strict=True))]
        for method in lists[first]
    }
    name = OverSets([chapter.label(problem) for problem in lists])
    chapter.measure({name: together}, methods=(), setting=first.setting, **options)
