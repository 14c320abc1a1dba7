"""Experiments with chimeras: whose images they average, and larger spaces (section 4)."""

from __future__ import annotations

import numpy as np

from chapters.hubness.distractors import equal_distractors, random_distractors
from zslib.mapping import chimeras
from zslib.protocols.mapping.methods import METHODS
from zslib.validation import check_real

__all__ = ["VARIANTS", "across_languages", "averaged_labels", "by_size", "with_distractors"]

VARIANTS = {"none": METHODS["max-margin"]}
"""Max-margin without chimeras, and with those of 5 and of 10 neighbours."""
VARIANTS |= {f"chimera-{k}": VARIANTS["none"].with_chimeras(k) for k in (5, 10)}

_PAIR = {name: VARIANTS[name] for name in ("none", "chimera-5")}


def averaged_labels(problem, wanted, n=3, k=5):
    """Training labels averaged into chimeras of ``n`` test labels, the ``wanted`` ones first."""
    rows = problem.space("test")
    words = problem.target_words[rows].tolist()
    chosen = sorted(words, key=lambda word: word not in wanted)[:n]
    new = problem.targets[rows[[words.index(word) for word in chosen]]]
    _, near = chimeras(problem.X_train, problem.Y_train, new, k=k, return_neighbours=True)
    return {w: problem.train_words[of].tolist() for w, of in zip(chosen, near, strict=True)}


def with_distractors(runs, share):
    """Outcomes without and with chimeras among labels and distractors: {kind: {name: …}}.

    For each label there are ``share`` distractors, each with a chimera too (Table 9). See
    `equal_distractors`.
    """
    check_real(share, "share", low=0, inclusive=False)
    drawn = [
        equal_distractors(p, max(1, round(share * p.labels.size)), random_state=seed)
        for p, seed in zip(runs.problems, runs.seeds, strict=True)
    ]
    found = {}
    for kind in ("related", "random"):
        spaces = [np.union1d(p.labels, d[kind]) for p, d in zip(runs.problems, drawn, strict=True)]
        new = [np.setdiff1d(s, p.train_gold) for p, s in zip(runs.problems, spaces, strict=True)]
        found[kind] = runs.outcomes(_PAIR, spaces, chimera_rows=new)
    return found


def across_languages(runs, n):
    """Outcomes of translation without and with chimeras of test and other words (Table 10)."""
    rows = []
    for problem, seed in zip(runs.problems, runs.seeds, strict=True):
        free = problem.targets.shape[0] - problem.labels.size
        others = random_distractors(problem, min(n, free // 2), random_state=seed)
        new = np.union1d(others, np.concatenate(problem.test_gold))
        rows.append(np.setdiff1d(new, problem.train_gold))
    return runs.outcomes(_PAIR, chimera_rows=rows)


def by_size(runs, shares, k=10):
    """Rows: pollution and precision of max-margin as random words join the labels searched.

    For each label there are ``share`` of them, up to the whole vocabulary.
    """
    for share in shares:

        def searched(fold, share=share):
            spaces = []
            for p, seed in zip(fold.problems, fold.seeds, strict=True):
                free = p.targets.shape[0] - p.labels.size
                n = min(round(share * p.labels.size), free)
                more = random_distractors(p, n, random_state=seed) if n else []
                spaces.append(np.union1d(p.labels, more).astype(int))
            return fold.outcomes({"none": VARIANTS["none"]}, spaces)

        found = runs.each(searched)["none"]
        size = int(np.mean([part.rows.size for outcome in found for part in outcome.parts]))
        of = {"dataset": runs.problem, "method": "max-margin", "size": size}
        for metric, values in (
            ("polluted first answers", [o.polluted(1).mean() for o in found]),
            (f"right answer among the first {k}", [o.hits(k).mean() for o in found]),
        ):
            yield of | {"metric": metric, "value": float(np.mean(values))}
