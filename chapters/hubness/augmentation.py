"""Experiments with chimeras: whose images they average, and larger spaces (section 4)."""

from functools import partial

import numpy as np

from chapters.hubness.distractors import equal_distractors, random_distractors
from zslib.mapping import chimeras
from zslib.protocols.mapping.methods import METHODS
from zslib.protocols.tidy import row
from zslib.validation import check_real

VARIANTS = {"none": METHODS["max-margin"]}
"""Max-margin without chimeras, and with those of 5 and of 10 neighbours."""
VARIANTS |= {f"chimera-{k}": VARIANTS["none"].with_chimeras(k) for k in (5, 10)}

MAPS = ("max-margin", "ridge", "reverse ridge")
"""Maps that are trained without and with chimeras of 5 neighbours, the paper's first."""
FACTORIAL = {name: METHODS[name] for name in MAPS}
FACTORIAL |= {f"{name} + chimera-5": METHODS[name].with_chimeras(5) for name in MAPS}
# Of one length with the images; for a loss of cosines that is the same map.
FACTORIAL |= {
    f"{name} + chimera-5, unit length": METHODS[name].with_chimeras(5, unit=True)
    for name in MAPS[1:]
}
"""Each map of `MAPS` without and with chimeras, by name."""
GAINS = [(name, name.partition(" + ")[0]) for name in FACTORIAL if "chimera" in name]
GAINS += [
    (f"{name}{chimeras}", f"max-margin{chimeras}")
    for name in MAPS[1:]
    for chimeras in ("", " + chimera-5")
]
"""What chimeras bring to each map, and what another map brings in place of max-margin."""

_PAIR = {name: VARIANTS[name] for name in ("none", "chimera-5")}


def averaged_labels(problem, wanted):
    """The 5 training labels averaged into the chimera of 3 test labels, the ``wanted`` first."""
    rows = problem.space("test")
    words = problem.target_words[rows].tolist()
    chosen = sorted(words, key=lambda word: word not in wanted)[:3]
    new = problem.targets[rows[[words.index(word) for word in chosen]]]
    _, near = chimeras(problem.X_train, problem.Y_train, new, k=5, return_neighbours=True)
    return dict(zip(chosen, problem.train_words[near].tolist(), strict=True))


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
    outcomes = {}
    for kind in ("related", "random"):
        spaces = [np.union1d(p.labels, d[kind]) for p, d in zip(runs.problems, drawn, strict=True)]
        new = [np.setdiff1d(s, p.train_gold) for p, s in zip(runs.problems, spaces, strict=True)]
        outcomes[kind] = runs.outcomes(_PAIR, spaces, chimera_rows=new)
    return outcomes


def across_languages(runs, n):
    """Outcomes of translation without and with chimeras of test and other words (Table 10)."""
    rows = []
    for problem, seed in zip(runs.problems, runs.seeds, strict=True):
        others = random_distractors(problem, min(n, _n_free(problem) // 2), random_state=seed)
        new = np.union1d(others, np.concatenate(problem.test_gold))
        rows.append(np.setdiff1d(new, problem.train_gold))
    return runs.outcomes(_PAIR, chimera_rows=rows)


def by_size(runs, shares):
    """Rows: pollution and precision of max-margin as random words join the labels searched.

    For each label there are ``share`` of them, up to the whole vocabulary.
    """
    for share in shares:
        outcomes = runs.each(partial(_among_more, share=share))
        size = int(np.mean([part.rows.size for outcome in outcomes for part in outcome.parts]))
        for metric, values in (
            ("polluted first answers", [o.polluted(1).mean() for o in outcomes]),
            ("right answer among the first 10", [o.hits(10).mean() for o in outcomes]),
        ):
            yield row(runs.problem, metric, "max-margin", float(np.mean(values)), size=size)


def _among_more(fold, share):
    """Outcomes of max-margin among the labels and ``share`` random words for each of them."""
    spaces = []
    for problem, seed in zip(fold.problems, fold.seeds, strict=True):
        n = min(round(share * problem.labels.size), _n_free(problem))
        more = random_distractors(problem, n, random_state=seed) if n else []
        spaces.append(np.union1d(problem.labels, more).astype(int))
    return fold.search(fold.train("max-margin"), spaces)


def _n_free(problem):
    """How many targets are no label."""
    return problem.targets.shape[0] - problem.labels.size
