"""Recomputations for the appendix of Frome et al. (2013)."""

from book.papers.evidence import Evidence, join
from book.papers.printed import printed, printed_table
from zslib.datasets.hierarchy.lexicon import TermLexicon
from zslib.datasets.hierarchy.lists import hop_labels, imagenet_lists


def _ring_sizes(depth):
    """Nodes within 0, 1, 2, … hops of the leftmost leaf of a complete binary tree."""
    sizes = [1]
    for radius in range(1, 2 * depth + 1):
        # Climb u levels, then go down r - u on the other side of the node reached.
        new = sum(
            1 if down == 0 else 2 ** (down - 1)
            for up in range(1, min(radius, depth) + 1)
            if (down := radius - up) <= up
        )
        sizes.append(sizes[-1] + new)
    return sizes


def loop_condition(numbers):
    """Growing while the set has fewer than k members: at least k, and exactly 1 for k = 1."""
    sizes = _ring_sizes(6)
    ks = (1, 2, 5, 10, 20)
    grown = [next(size for size in sizes if size >= k) for k in ks]
    table = printed_table("devise", "table1")
    smallest = {int(k): min(row[k] for row in table.values()) for k in ("2", "5", "10", "20")}
    text = (
        f"From a leaf of a binary tree of {sizes[-1]} nodes the sets for k = {join(ks)} have "
        f"{join(grown)} members. Every mean of Table 1 is at least its k, as it must be: the "
        f"smallest are {join(smallest.values(), 'g')}."
    )
    sizes = [*zip(grown, ks, strict=True), *((size, k) for k, size in smallest.items())]
    return Evidence(grown[0] == 1 and all(size >= k for size, k in sizes), text)


def label_counts(numbers):
    """Unseen labels that Table 1's label sets leave when the 1,000 are taken away."""
    table = printed_table("devise", "table1")
    base = table["1K"]["labels"]
    unseen = {name: table[name]["labels"] - base for name in ("2-hop", "3-hop")}
    whole, release = table["21K"]["labels"], numbers["release with 1K"]
    texts = [
        f"{name}: {table[name]['labels']:,} - {base:,} = {n:,}, the public list has "
        f"{numbers[name]:,}"
        for name, n in unseen.items()
    ]
    texts.append(
        f"21K: {whole:,} printed, and {release:,} synsets in the release and the 1,000 together."
    )
    equal = [n == numbers[name] for name, n in unseen.items()]
    return Evidence(equal == [False, True] and whole != release, "; ".join(texts))


def size_steps(numbers):
    """How much Table 1's mean sizes grow from k = 2 to k = 5."""
    steps = {name: row["5"] / row["2"] for name, row in printed_table("devise", "table1").items()}
    text = "From k = 2 to 5 the mean size grows by the factor " + "; ".join(
        f"{value:.1f} ({name})" for name, value in steps.items()
    )
    small, large = [steps["1K"], steps["2-hop"]], [steps["3-hop"], steps["21K"]]
    return Evidence(max(small) < 10.0 < 5.0 * 10.0 < min(large), text + ".")


def hop_names(numbers):
    """Labels one, two and three links from the 1,000, beside the printed sizes of the hop sets."""
    lists = imagenet_lists("embedded")
    known = len(lists.ilsvrc2012)
    reached = [
        len(hop_labels(lists.is_a, lists.ilsvrc2012, lists.fall2011, steps=steps))
        for steps in (1, 2, 3)
    ]
    sizes = [printed("devise", "table1", name, "labels") - known for name in ("2-hop", "3-hop")]
    text = (
        f"One, two and three links from the {known:,} there are {join(reached, ',')} "
        f"unseen labels; the table leaves {sizes[0]:,} for 2-hop and {sizes[1]:,} for 3-hop."
    )
    nearest = [min(range(3), key=lambda i: abs(reached[i] - size)) + 1 for size in sizes]
    return Evidence(nearest == [1, 2] and reached[1] == sizes[1], text)


def four_terms(numbers):
    """Mean and median number of terms of the 1,000 synsets, beside the printed factor."""
    lists = imagenet_lists("embedded")
    lexicon = TermLexicon({wnid: lists.lemmas[wnid] for wnid in lists.ilsvrc2012})
    sizes = sorted(lexicon.terms_per_synset.tolist())
    mean, median = sum(sizes) / len(sizes), sizes[len(sizes) // 2]
    factor = printed("devise", "text", "candidate terms per prediction")
    text = (
        f"The {len(sizes):,} synsets of ILSVRC 2012 have {mean:.2f} terms in the mean and "
        f"{median} in the median; {sum(size >= factor for size in sizes)} have {factor:g} or more."
    )
    return Evidence(mean < factor / 2, text)
