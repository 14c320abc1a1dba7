"""A drawing of one label's correct set: the label in the middle, a circle for each link."""

import numpy as np
from matplotlib import pyplot
from matplotlib.patches import Circle

from chapters.devise.correct_sets import reading_hierarchy
from zslib.datasets import load_problem
from zslib.datasets.hierarchy.readings import label_sets, reading_edges
from zslib.show.figures import COLORS, look


def known_labels():
    """The wnids of the 1,000 labels, as the package carries them."""
    return label_sets(load_problem("hierarchy", "wordnet"))["1K"].valid


def correct_set_figure(lists, reading, label, ks):
    """Correct sets of a label among the 1,000, as far as they can be drawn legibly."""
    known = label_sets(lists)["1K"].valid
    hierarchy, if_fewer = reading_hierarchy(lists, reading), reading_edges(lists, reading).if_fewer
    names = {node: lists.lemmas.get(node, [node])[0] for node in hierarchy.nodes}
    sizes = hierarchy.correct_set_sizes([label], known, ks, if_fewer=if_fewer)[0].tolist()
    drawn = [k for k, size in zip(ks, sizes, strict=True) if size <= max(40, sizes[1])]
    fig, ax = pyplot.subplots(figsize=(7.4, 7.4))
    draw_correct_set(ax, hierarchy, label, known, drawn, names, if_fewer=if_fewer)
    return fig


def answers_figure(lists, reading, label, answers):
    """Systems' answers to an image of ``label``, each on the ring of its distance from the label.

    ``answers`` is ``{system: labels}``, the first answers first.
    """
    hierarchy = reading_hierarchy(lists, reading)
    hops = hierarchy.distances_from(label)
    known = {name: [a for a in ranked if a in hops] for name, ranked in answers.items()}
    every = {node for ranked in known.values() for node in ranked}
    reach = max(1, *(hops[node] for node in every))
    layout = ring_layout(hierarchy, label, reach, every)
    fig, ax = pyplot.subplots(figsize=(7.4, 6.8))
    place = _draw_rings(ax, layout, range(1, reach + 1), limit=1.25 * reach)
    for size, (name, ranked) in zip((13, 7), known.items(), strict=False):
        # Hollow, since two systems' answers and the true label may be one node.
        style = look(name, answers) | {"linestyle": "none", "mfc": "none", "mew": 1.6}
        places = np.array([place[node] for node in ranked]).reshape(-1, 2)
        ax.plot(*places.T, ms=size, label=f"answers of {name}", zorder=3, **style)
    for node in {label, *every}:
        ranks = [f"{m} {ranked.index(node) + 1}" for m, ranked in known.items() if node in ranked]
        text = lists.lemmas.get(node, [node])[0] + (f" ({', '.join(ranks)})" if ranks else "")
        _write(ax, text, place[node], layout[node], valid=True, gap=0.0375 * reach)
    ax.plot(0, 0, "*", color="black", ms=14, zorder=2, label="true label")
    fig.legend(loc="outside upper center", ncols=1 + len(answers))
    return fig


def ring_layout(hierarchy, label, radius, keep):
    """Where to draw the nodes on shortest ways from a label to others."""
    hops = hierarchy.distances_from(label, radius=radius)
    previous = {label: None}
    for node in list(hops)[1:]:
        near = hierarchy.parents(node) + hierarchy.children(node)
        # Where a way must not climb again, a neighbour can be nearer by more than one link.
        previous[node] = next(n for n in near if hops.get(n) == hops[node] - 1)
    used = {label, *keep}
    for node in reversed(hops):  # those further out first
        if node in used:
            used.add(previous[node])
    after = {node: [] for node in hops if node in used}
    for node in list(after)[1:]:
        after[previous[node]].append(node)
    ends = list(_ends(after, label))
    angle = {node: 2 * np.pi * i / len(ends) for i, node in enumerate(ends)}
    for node in reversed(after):
        if node not in angle:
            angle[node] = float(np.mean([angle[other] for other in after[node]]))
    return {node: (hops[node], angle[node], previous[node]) for node in after}


def _ends(after, node):
    """Nodes without a further one, in the order of a walk that keeps branches together."""
    if not after[node]:
        yield node
    for other in after[node]:
        yield from _ends(after, other)


def draw_correct_set(ax, hierarchy, label, valid_labels, ks, names, *, if_fewer="error"):
    """Draw the growing correct set of a label (hCorrectSet of Frome et al. 2013, A.3).

    Valid labels are filled, in the colour of the smallest k whose correct set has them; other
    nodes of the hierarchy are hollow. Dotted circles stand at the radii at which growing stops.
    """
    valid = set(valid_labels)
    stops = hierarchy.stop_radii([label], valid_labels, ks, if_fewer=if_fewer)[0]
    radii = dict(zip(ks, stops.tolist(), strict=True))
    reach = max(radii.values())
    layout = ring_layout(hierarchy, label, reach, valid)
    place = _draw_rings(ax, layout, set(radii.values()) - {0}, limit=1.35 * max(1, reach))
    style = {"marker": "o", "ls": "none", "mec": "0.4", "zorder": 2}
    for node, (hops, *_) in layout.items():
        mark = style | {"ms": 5, "mfc": "white"}
        if node in valid:
            i = next(i for i, k in enumerate(ks) if radii[k] >= hops)
            within = f"within {radii[ks[i]]} link{'s' * (radii[ks[i]] != 1)}"
            color = COLORS[i % len(COLORS)]
            mark |= {"ms": 7, "mfc": color, "label": f"k = {ks[i]}: {within}"}
        ax.plot(*place[node], **mark)
        _write(ax, names[node], place[node], layout[node], valid=node in valid)
    legend = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    where = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.03), "ncols": 3}
    ax.legend(legend.values(), legend, title="in the correct set from", **where)
    return radii


def _draw_rings(ax, layout, radii, limit):
    """Circles and the links of a `ring_layout`; returns the place of each node."""
    place = {node: (r * np.cos(a), r * np.sin(a)) for node, (r, a, _) in layout.items()}
    for radius in radii:
        ax.add_patch(Circle((0, 0), radius, fill=False, ls=":", color="0.7", lw=0.8))
    for node, (*_, previous) in layout.items():
        if previous is not None:
            ends = zip(place[node], place[previous], strict=True)
            ax.plot(*ends, color="0.8", lw=0.8, zorder=1)
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
    ax.axis("off")
    return place


def _write(ax, name, place, spot, *, valid, gap=0.15):
    """A name beside its node: a label's points away from the middle, never upside down."""
    (x, y), (hops, angle, _) = place, spot
    degrees = (np.degrees(angle) + 180) % 360 - 180
    right = abs(degrees) <= 90
    style = {"ha": "center", "fontsize": 7.5 if valid else 6.5, "color": "0.1" if valid else "0.4"}
    if hops and valid:
        x, y = x + gap * np.cos(angle), y + gap * np.sin(angle)
        style["ha"] = "left" if right else "right"
        style["rotation"] = degrees if right else degrees - 180
    else:
        y += 1.5 * gap
    # An outline instead would draw each letter as a path of its own, twice.
    box = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.3}
    ax.text(x, y, name, va="center", rotation_mode="anchor", bbox=box, **style)
