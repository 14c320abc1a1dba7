"""Systems of the leaderboard beside the numbers that papers print of them, and on what."""

from book.papers import printed_table
from zslib.protocols.attributes.methods import ZERO_SHOT_METHODS, named

# Where zero-shot accuracy on CUB is printed, and on which features, split and class vectors.
_TABLES = {
    ("dark", "table3"): ("DARK, Table 3", "ResNet-101", "proposed", "attributes"),
    ("clarel", "table2"): ("CLAREL, Table 2", "ResNet-101", "proposed", "captions"),
    ("hardneg", "table1"): ("Bucher, Table 1", "VGG-19", "older", "attributes"),
}

_OURS = {"cycle-(U)WGAN": "cycle-UWGAN", "uncertainty": "hard negatives"}
"""Our names of printed rows, where they differ."""

CHOSEN_ON_TEST = ("ZKL", "f-CLSWGAN", "f-VAEGAN-D2")
"""Systems whose public code keeps the step or epoch that is best on test images."""


def beside_papers(results):
    """Rows and heads of the accuracies on CUB that papers print, and of ours in ``results``.

    A system without a result has None for ours; those that are not built are left out.
    """
    ours = {row["method"]: row["value"] for row in results.only(dataset="cub", metric="ACC")}
    rows = []
    for (paper, table), where in _TABLES.items():
        for name, cells in printed_table(paper, table).items():
            system, value = _OURS.get(name, name), cells.get("CUB")
            if value is None or system not in ZERO_SHOT_METHODS:
                continue
            if isinstance(value, dict):
                value = value["ACC" if "ACC" in value else "mean"]
            test = "yes" if system in CHOSEN_ON_TEST else None
            rows.append([named(system), float(value), ours.get(system), *where, test])
    heads = ["system", "paper", "ours", "in", "features", "split", "class vectors"]
    return rows, [*heads, "chosen on test"]


_WHY_APART = {
    "SAE": "validation chooses to compare among features; comparing among class vectors comes "
    "out near print",
    "PSR": "its paper leaves open the sizes, the optimiser and how triplets are drawn",
    "ZKL": "its public code keeps the step that is best on test images",
    "DARK": "what its paper leaves open has chapters of its own",
}


def comparable(rows):
    """Those rows of `beside_papers` that can be compared, as ``{system: (paper, ours)}``.

    They are on attributes and on the proposed split.
    """
    return {
        row[0].removesuffix(" †"): (row[1], getattr(row[2], "mean", row[2]))
        for row in rows
        if row[4:7] == ["ResNet-101", "proposed", "attributes"] and row[2] is not None
    }


def far_from_print(rows):
    """Which rows of `beside_papers` lie more than five points from print, and why, a text.

    Only rows of the proposed split with attributes compare.
    """
    gaps = {name: ours - theirs for name, (theirs, ours) in comparable(rows).items()}
    far = {name: gap for name, gap in gaps.items() if abs(gap) > 5}
    near = f"{len(gaps) - len(far)} of {len(gaps)} systems lie within 5 points of print."
    lines = [f"On attributes and the proposed split {near}" + " Further off:\n" * bool(far)]
    for name, gap in far.items():
        lines.append(f"- {name}, {gap:+.1f}: {_WHY_APART.get(name, 'we do not know why')}.")
    return "\n".join(lines)
