"""Section A.2 of DeViSE in numbers: how terms and synsets belong together, and what it matters."""

from __future__ import annotations

import numpy as np

from chapters.devise.estimates import over_classes
from zslib.arrays import to_host
from zslib.datasets.words.term_vectors import TERM_SOURCES

__all__ = [
    "ambiguity",
    "case_sizes",
    "list_lengths",
    "one_sense",
    "repeated_synsets",
    "shared_terms",
    "sizes_of_synsets",
    "synsets_sharing",
    "training_targets",
]


def ambiguity(lexicons, lists):
    """Rows: terms of synsets and synsets of terms, for each label set's lexicon."""
    for name, lexicon in lexicons.items():
        sizes, senses = lexicon.terms_per_synset, lexicon.synsets_per_term
        first = [lists.lemmas[wnid][0].lower() for wnid in lexicon.synsets]
        _, row, holders = np.unique(first, return_inverse=True, return_counts=True)
        found = {
            "synsets": len(lexicon.synsets),
            "terms": len(lexicon.terms),
            "terms per synset": sizes.mean(),
            "terms of one synset, median": int(np.median(sizes)),
            "synsets per term": senses.mean(),
            "terms with several synsets, %": 100 * (senses > 1).mean(),
            "synsets of one term, at most": int(senses.max()),
            "synsets that share a first term": int((holders[row] > 1).sum()),
        }
        for metric, value in found.items():
            yield {"metric": metric, "value": value, "label_set": name, "dataset": lists}


def shared_terms(lexicons, lists, examples):
    """Rows: how many synsets each ``(term, label set)`` names, and how many have no other term."""
    for term, name in examples:
        if term in lexicons[name].term_row:
            synsets = lexicons[name].synsets_of(term)
            same = {"label_set": name, "dataset": lists}
            yield same | {"metric": f"synsets of '{term}'", "value": len(synsets)}
            alone = sum(len(lists.lemmas[wnid]) == 1 for wnid in synsets)
            yield same | {"metric": f"synsets whose only term is '{term}'", "value": alone}


def synsets_sharing(lexicons, lists, examples):
    """Term, label set, synset, its terms and one parent, for each synset of the examples."""
    parent = dict(reversed(lists.wordnet))  # the first listed
    return [
        [term, name, wnid, ", ".join(lists.lemmas[wnid][:4]), lists.lemmas[parent[wnid]][0]]
        for term, name in examples
        if term in lexicons[name].term_row
        for wnid in lexicons[name].synsets_of(term)
    ]


def sizes_of_synsets(lexicons, names=("1K", "21K"), most=10):
    """Rows: synsets in percent by number of terms; those with more than ``most`` count there."""
    for name in names:
        sizes = np.minimum(lexicons[name].terms_per_synset, most)
        for size, n in enumerate(np.bincount(sizes, minlength=most + 1)[1:], start=1):
            yield {"method": name, "terms": size, "value": 100 * n / sizes.size}


def case_sizes(found):
    """Rows: images, labels and terms of each case, in the first seed."""
    for case, (first, *_) in found.items():
        for metric, value in (
            ("test images", first.gold.shape[0]),
            ("of a class without a term vector", first.left_out),
            ("labels", len(first.lexicon.synsets)),
            ("terms", len(first.lexicon.terms)),
        ):
            yield _of(case) | {"metric": metric, "value": value}


def list_lengths(found, case, ks=(5, 20), factors=(1, 2, 4, 8)):
    """Rows: lists that stay short of k synsets, and hit@k, by the number of nearest terms."""
    for k in ks:
        for factor in factors:
            answers = [f.answers(k, n_terms=factor * k) for f in found]
            short = [100.0 * (to_host(a.predictions)[:, -1] < 0) for a in answers]
            same = _of(case) | {"k": k, "factor": factor}
            yield same | {"metric": "lists shorter than k, %", "value": over_classes(short, found)}
            hits = [a.hits(k)[:, 0] for a in answers]
            yield same | {"metric": "hit@k", "value": over_classes(hits, found)}


def repeated_synsets(found, source, ks=(1, 5, 20), n_random=5000):
    """Rows: lists of 4k terms, near an image or drawn at random, in which a synset comes twice.

    And how many more of the former do, which is what being near each other adds.
    """
    kind = next(kind for kind, words in TERM_SOURCES.items() if words == source)
    lexicon, rng = found[0].lexicon, np.random.default_rng(0)
    size = len(lexicon.terms)
    longest = min(4 * max(ks), size)
    drawn = np.array([rng.choice(size, longest, replace=False) for _ in range(n_random)])
    for k in ks:
        twice = [_comes_twice(lexicon, to_host(f.terms)[:, : 4 * k], k) for f in found]
        near = over_classes(twice, found)
        chance = float(_comes_twice(lexicon, drawn[:, : 4 * k], k).mean())
        for metric, value in (
            ("lists with a repeated synset, %", near),
            ("random lists with a repeated synset, %", chance),
            ("excess of lists with a repeated synset, points", near - chance),
        ):
            yield {"metric": metric, "value": value, "terms": kind, "k": k}


def _comes_twice(lexicon, terms, k):
    """100 for each list of terms in which a synset comes twice, 0 for the others."""
    different = (lexicon.expand(terms, 40 * k) >= 0).sum(axis=1)
    return 100.0 * (different < lexicon.synsets_per_term[terms].sum(axis=1))


def one_sense(found, seeds, case, ks=(1, 5)):
    """Rows: hit@k with all synsets of a term in the list, with one drawn, and the difference."""
    for k in ks:
        drawn = [
            f.answers(k, ambiguous="random", random_state=seed).hits(k)[:, 0]
            for seed, f in zip(seeds, found, strict=True)
        ]
        yield from _compared(case, k, {"expand": _hits(found, k), "random": drawn}, found)


def training_targets(runs, space, first, rules=("random", "mean"), k=5):
    """Rows: hit@k where another rule says what stands for a synset in training.

    ``first`` has what was found by case with the first term, the paper's rule.
    """
    models = {rule: runs.fit(space, rule=rule) for rule in rules}
    for case, base in first.items():
        hits = {"first term": _hits(base, k)}
        for rule, fitted in models.items():
            found = runs.nearest(fitted, case, base[0].terms.shape[1])
            hits[f"{rule} term"] = _hits(found, k)
        yield from _compared(case, k, hits, base)


def _compared(case, k, hits, found):
    """Rows: hit@k of each method, and what all but the first add to the first."""
    same = _of(case) | {"metric": "hit@k", "k": k}
    base = next(iter(hits))
    for method, own in hits.items():
        yield same | {"method": method, "value": over_classes(own, found)}
        if method != base:
            gain = over_classes(own, found, minus=hits[base])
            yield same | {"method": f"{method} - {base}", "value": gain}


def _hits(found, k):
    return [f.answers(k).hits(k)[:, 0] for f in found]


def _of(case):
    return dict(zip(("images", "label_set"), case, strict=True))
