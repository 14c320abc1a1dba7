"""Section A.2 of DeViSE in numbers: how terms and synsets belong together, and what it matters."""

from itertools import product

import numpy as np

from chapters.devise.estimates import compared, metric_rows, over_classes
from zslib.arrays import to_host
from zslib.datasets.words.term_vectors import TERM_SOURCES


def ambiguity(lexicons, lemmas):
    """Rows: terms of synsets and synsets of terms, for each label set's lexicon."""
    for name, lexicon in lexicons.items():
        senses = lexicon.synsets_per_term
        first = [lemmas[wnid][0].lower() for wnid in lexicon.synsets]
        _, row, holders = np.unique(first, return_inverse=True, return_counts=True)
        counts = {
            "terms per synset": lexicon.terms_per_synset.mean(),
            "terms with several synsets, %": 100 * (senses > 1).mean(),
            "synsets of one term, at most": int(senses.max()),
            "synsets that share a first term": int((holders[row] > 1).sum()),
        }
        yield from metric_rows(counts, label_set=name)


def shared_terms(lexicons, lemmas, examples):
    """Rows: how many synsets each ``(term, label set)`` names, and how many have no other term."""
    for term, name in examples:
        synsets = lexicons[name].synsets_of(term)
        counts = {
            f"synsets of '{term}'": len(synsets),
            f"synsets whose only term is '{term}'": sum(len(lemmas[s]) == 1 for s in synsets),
        }
        yield from metric_rows(counts, label_set=name)


def synsets_with(lemmas, terms):
    """Row: how many synsets have all of these terms."""
    count = sum({term.lower() for term in of} >= set(terms) for of in lemmas.values())
    return metric_rows({"synsets with " + ", ".join(terms): count})


def synsets_sharing(lexicons, lists, examples):
    """Term, label set, synset, its terms and one parent, for each synset of the examples."""
    parent = dict(reversed(lists.wordnet))  # the first listed
    return [
        [term, name, wnid, ", ".join(lists.lemmas[wnid][:4]), lists.lemmas[parent[wnid]][0]]
        for term, name in examples
        for wnid in lexicons[name].synsets_of(term)
    ]


def sizes_of_synsets(lexicons):
    """Rows: synsets in percent by number of terms; those with more than ten count as of ten."""
    for name in ("1K", "21K"):
        sizes = np.minimum(lexicons[name].terms_per_synset, 10)
        for size, n in enumerate(np.bincount(sizes, minlength=11)[1:], start=1):
            yield {"method": name, "terms": size, "value": 100 * n / sizes.size}


def case_sizes(nearest):
    """Rows: images, labels and terms of each case, in the first seed."""
    for case, (first, *_) in nearest.items():
        counts = {
            "test images": first.gold.shape[0],
            "of a class without a term vector": first.left_out,
            "labels": len(first.lexicon.synsets),
            "terms": len(first.lexicon.terms),
        }
        yield from metric_rows(counts, **_columns(case))


def list_lengths(nearest, case):
    """Rows: lists that stay short of k synsets, and hit@k, by the number of nearest terms."""
    for k, factor in product((5, 20), (1, 2, 4, 8)):
        answers = [near.answers(k, n_terms=factor * k) for near in nearest]
        short = [100.0 * (to_host(a.predictions)[:, -1] < 0) for a in answers]
        values = {
            "lists shorter than k, %": over_classes(short, nearest),
            "hit@k": over_classes([a.hits(k)[:, 0] for a in answers], nearest),
        }
        yield from metric_rows(values, k=k, factor=factor, **_columns(case))


def repeated_synsets(nearest, source):
    """Rows: lists of 4k terms, near an image or drawn at random, in which a synset comes twice.

    And how many more of the former do, which is what being near each other adds.
    """
    kind = next(kind for kind, words in TERM_SOURCES.items() if words == source)
    lexicon, rng = nearest[0].lexicon, np.random.default_rng(0)
    size = len(lexicon.terms)
    drawn = np.array([rng.choice(size, min(80, size), replace=False) for _ in range(5000)])
    for k in (1, 5, 20):
        twice = [_comes_twice(lexicon, to_host(near.terms)[:, : 4 * k], k) for near in nearest]
        near = over_classes(twice, nearest)
        chance = float(_comes_twice(lexicon, drawn[:, : 4 * k], k).mean())
        values = {
            "lists with a repeated synset, %": near,
            "random lists with a repeated synset, %": chance,
            "excess of lists with a repeated synset, points": near - chance,
        }
        yield from metric_rows(values, terms=kind, k=k)


def _comes_twice(lexicon, terms, k):
    """100 for each list of terms in which a synset comes twice, 0 for the others."""
    different = (lexicon.expand(terms, 40 * k) >= 0).sum(axis=1)
    return 100.0 * (different < lexicon.synsets_per_term[terms].sum(axis=1))


def expected_hits(near, k):
    """Per image, how likely its class is among k synsets, in percent, where each term names one.

    A term becomes one of its synsets, each as likely as the others and whatever the other terms
    become: the mean over all ways to draw them, by following each until the list is full.
    """
    lexicon, gold = near.lexicon, to_host(near.gold)
    terms = to_host(near.terms)[:, : 4 * k]
    senses = {
        row: [lexicon.row_of[synset] for synset in lexicon.synsets_of(lexicon.terms[row])]
        for row in np.unique(terms).tolist()
    }

    def chance(rest, wanted, found):
        if len(found) == k or not rest:
            return 0.0
        ways = [s == wanted or chance(rest[1:], wanted, found | {s}) for s in senses[rest[0]]]
        return sum(ways) / len(ways)

    hits = np.zeros(len(gold))
    for i, (row, wanted) in enumerate(zip(terms.tolist(), gold.tolist(), strict=True)):
        naming = [place for place, term in enumerate(row) if wanted in senses[term]]
        if naming:
            hits[i] = 100.0 * chance(row[: naming[-1] + 1], wanted, frozenset())
    return hits


def one_sense(nearest, case):
    """Rows: hit@k with all synsets of a term, expected with one of them, and the difference."""
    for k in (1, 5):
        hits = {"expand": _hits(nearest, k), "random": [expected_hits(n, k) for n in nearest]}
        pairs = [("random", "expand")]
        yield from compared(hits, nearest, pairs, metric="hit@k", k=k, **_columns(case))


def training_targets(runs, space, first):
    """Rows: hit@5 where another rule says what stands for a synset in training.

    ``first`` has the nearest terms by case with the first term, the paper's rule.
    """
    models = {rule: runs.fit(space, rule=rule) for rule in ("random", "mean")}
    for case, base in first.items():
        hits = {"first term": _hits(base, 5)}
        for rule, fitted in models.items():
            hits[f"{rule} term"] = _hits(runs.nearest(fitted, case, base[0].terms.shape[1]), 5)
        pairs = [(f"{rule} term", "first term") for rule in models]
        yield from compared(hits, base, pairs, metric="hit@k", k=5, **_columns(case))


def _hits(nearest, k):
    return [near.answers(k).hits(k)[:, 0] for near in nearest]


def _columns(case):
    return dict(zip(("images", "label_set"), case, strict=True))
