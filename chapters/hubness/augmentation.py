"""Experiments with chimeras: whose images they average, and larger spaces (section 4)."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from zslib.mapping import chimeras
from zslib.protocols.mapping.methods import METHODS, Method
from zslib.protocols.tidy import row
from zslib.search import top_k
from zslib.validation import check_real

VARIANTS = {"none": METHODS["max-margin"]}
"""Max-margin without chimeras, and with those of 5 and of 10 neighbours."""
VARIANTS |= {f"chimera-{k}": VARIANTS["none"].with_chimeras(k) for k in (5, 10)}

_MAPS = [METHODS[name] for name in ("max-margin", "ridge", "reverse ridge")]
_CHIMERAS = [method.with_chimeras(5) for method in _MAPS]
# Of one length with the images; for a loss of cosines that is the same map.
_CHIMERAS += [method.with_chimeras(5, unit=True) for method in _MAPS[1:]]
_AS_MANY = "max-margin + chimera-5, as many updates"
GAINS = [(name, name.partition(" + ")[0]) for name in [*(m.name for m in _CHIMERAS), _AS_MANY]]
GAINS += [
    (f"{method.name}{chimeras}", f"max-margin{chimeras}")
    for method in _MAPS[1:]
    for chimeras in ("", " + chimera-5")
]
"""What chimeras bring to each map, and what another map brings in place of max-margin."""

_PAIR = {name: VARIANTS[name] for name in ("none", "chimera-5")}


@dataclass(frozen=True)
class _AsManyUpdates(Method):
    """Takes only a ``share`` of the epochs, since chimeras make each of them longer."""

    share: float = 1.0

    def fresh(self, seed, *, n_epochs=None, **parameters):
        if n_epochs is not None:
            parameters["n_epochs"] = max(1, round(self.share * n_epochs))
        return super().fresh(seed, **parameters)


def factorial(problem):
    """Three maps, the paper's first, without chimeras and with those of 5 neighbours, by name.

    The first is also trained with chimeras for as many updates as without.
    """
    n_pairs = problem.train_gold.size
    n_chimeras = np.setdiff1d(problem.labels, problem.train_gold).size
    options = vars(_CHIMERAS[0]) | {"name": _AS_MANY, "share": n_pairs / (n_pairs + n_chimeras)}
    return {m.name: m for m in [*_MAPS, *_CHIMERAS, _AsManyUpdates(**options)]}


def averaged_labels(problem, wanted):
    """The 5 training labels averaged into the chimera of 3 test labels, the ``wanted`` first."""
    words = problem.target_words
    rows = sorted(problem.space("test"), key=lambda row: words[row] not in wanted)[:3]
    new = problem.targets[rows]
    _, near = chimeras(problem.X_train, problem.Y_train, new, k=5, return_neighbours=True)
    return dict(zip(words[rows].tolist(), problem.train_words[near].tolist(), strict=True))


def random_distractors(problem, n, seed):
    """Sorted rows of ``n`` targets drawn among those that are no label; all if fewer are there."""
    return _draw(np.setdiff1d(np.arange(problem.targets.shape[0]), problem.labels), n, seed)


def _draw(rows, n, seed):
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(rows, size=min(n, rows.size), replace=False))


def related_words(problem):
    """Sorted rows of the targets that are no label but near a training label.

    They are among its 5 nearest, as in the paper. A label is not its own neighbour.
    """
    training = np.unique(problem.train_gold)
    _, near = top_k(problem.targets[training], problem.targets, 6)
    # The label itself comes first but for ties; the others keep their order.
    not_self = near != training[:, None]
    first = np.cumsum(not_self, axis=1) <= 5
    return np.setdiff1d(near[not_self & first], problem.labels)


def equal_distractors(problem, n, seed):
    """As many related as random distractors, ``{"related": rows, "random": rows}``.

    At most ``n`` of each: fewer where fewer words are related.
    """
    related = related_words(problem)
    if not related.size:
        raise ValueError("no related distractors, words near a label: use a larger vocabulary")
    n = min(n, related.size)
    return {"related": _draw(related, n, seed), "random": random_distractors(problem, n, seed)}


def with_distractors(runs, share):
    """Outcomes without and with chimeras among labels and distractors: {kind: {name: …}}.

    For each label there are ``share`` distractors, each with a chimera too (Table 9). See
    `equal_distractors`.
    """
    check_real(share, "share", low=0, inclusive=False)
    drawn = [
        equal_distractors(p, max(1, round(share * p.labels.size)), seed)
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
        half = (problem.targets.shape[0] - problem.labels.size) // 2
        others = random_distractors(problem, min(n, half), seed)
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
        values = {
            "polluted first answers": [o.polluted(1).mean() for o in outcomes],
            "right answer among the first 10": [o.hits(10).mean() for o in outcomes],
        }
        for metric, of_runs in values.items():
            yield row(runs.problem, metric, "max-margin", float(np.mean(of_runs)), size=size)


def _among_more(fold, share):
    """Outcomes of max-margin among the labels and ``share`` random words for each of them."""
    spaces = [
        np.union1d(p.labels, random_distractors(p, round(share * p.labels.size), seed))
        for p, seed in zip(fold.problems, fold.seeds, strict=True)
    ]
    return fold.search(fold.train("max-margin"), spaces)
