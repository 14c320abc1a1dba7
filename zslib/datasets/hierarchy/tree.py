"""ImageNet's Fall 2011 tree and the zero-shot label sets near the seen classes, by rule."""

from collections import defaultdict

ROOT, MISC = "fall11", "fa11misc"  # nodes of ImageNet's Fall 2011 tree that are no synsets
ANIMAL = "n00015388"
CATEGORIES = {
    "n00017222": "plant",
    "n09287968": "geological formation",
    "n00019128": "natural object",
    "n00523513": "sport",
    "n00021939": "artifact",
    "n12992868": "fungus",
    "n00007846": "person",
    ANIMAL: "animal",
}


def fall2011_links(hypernyms, labels):
    """Links of ImageNet's Fall 2011 tree, from WordNet's and the labels.

    Under the root ``fall11`` are eight synsets (`CATEGORIES`) and ``fa11misc``, "Misc". Misc's
    children are the labels that are neither a category nor below one. The tree's synsets are
    the categories, Misc's children and everything below them; its links are WordNet's between
    these, and those to the root and to Misc.
    """
    hypernyms = list(hypernyms)
    children = defaultdict(list)
    for child, parent in hypernyms:
        children[parent].append(child)
    misc = set(labels) - _below(CATEGORIES, children)
    nodes = _below([*CATEGORIES, *misc], children)
    links = {(c, p) for c, p in hypernyms if c in nodes and p in nodes}
    links |= {(node, ROOT) for node in (*CATEGORIES, MISC)}
    return tuple(sorted(links | {(node, MISC) for node in misc}))


def _below(nodes, children):
    """The nodes and all that are below them."""
    below, waiting = set(nodes), list(nodes)
    while waiting:
        new = [c for c in children[waiting.pop()] if c not in below]
        below.update(new)
        waiting += new
    return below


def misc_under(is_a, category=ANIMAL):
    """The links of the Fall 2011 tree with Misc's children under a category instead of Misc.

    With *animal* it is the graph of the published 2-hop and 3-hop lists, and close to Table 1.
    Where Misc has a child that the category itself is below, as *organism* is above *animal*,
    the link from the category to it is left out: it would close a cycle, and the two are as
    near by the link the other way.
    """
    is_a = set(is_a)
    misc = {child for child, parent in is_a if parent == MISC}
    kept = {(c, p) for c, p in is_a if MISC not in (c, p) and not (c == category and p in misc)}
    return tuple(sorted(kept | {(node, category) for node in misc}))


def hop_labels(is_a, seen, labels, *, steps):
    """Unseen labels within so many steps of a seen one: the 2-hop and 3-hop sets.

    Paths climb any number of links and then descend any number, in the tree with Misc's
    children under *animal* (`misc_under`). At most 1 step gives the published list
    called 2-hop (1,549 labels), at most 2 steps the one called 3-hop (7,860).
    """
    # SciPy's graphs are not loaded with the package's data sets, which need them here alone.
    from zslib.metrics.hierarchy import Hierarchy

    tree = Hierarchy(misc_under(is_a), paths="up_then_down")
    starts = [node for node in seen if node in tree]
    reached = tree.within(starts, steps) if starts else set()
    return tuple(sorted(reached.intersection(labels).difference(seen)))
