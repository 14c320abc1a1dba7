"""Forest plots of verdicts, drawn as SVG that takes the page's width and colours."""

from __future__ import annotations

from collections import Counter
from html import escape

from book.papers.claims import FAILED, HELD, MIXED, NOT_TESTABLE, OPEN
from book.papers.effects import ratios

__all__ = [
    "KINDS",
    "MARKS",
    "anchor",
    "axis",
    "bar",
    "chip",
    "drawing",
    "key",
    "lines_and_tiles",
    "named",
    "names",
    "panel",
    "strip",
    "told_counts",
]

KINDS = {kind: kind for kind in (HELD, MIXED, FAILED, OPEN)} | {NOT_TESTABLE: "untested"}
"""Each verdict's class in the style sheet."""

MARKS = {HELD: "✓", MIXED: "±", FAILED: "✗", OPEN: "?", NOT_TESTABLE: "∅"}

LEFT, RIGHT = -1.5, 3.0
LINE, MARGIN = 10, 7  # pixels from line to line, and around them

# A verdict is told by its shape too: a disc, a diamond, a square, a ring.
_SHAPES = {
    HELD: '<circle r="4"/>',
    MIXED: '<path d="M-5 0 0-5 5 0 0 5Z"/>',
    FAILED: '<path d="M-4-4h8v8h-8Z"/>',
    OPEN: '<circle class="ring" r="3.5"/>',
}


def _across(ratio):
    """Place of a ratio from left to right, in percent; what is beyond an end is at it."""
    return f"{100 * (min(max(ratio, LEFT), RIGHT) - LEFT) / (RIGHT - LEFT):.1f}%"


def _row(ratio, y):
    """Interval and mark of a ratio; an arrowhead where an end of the plot cuts it off."""
    parts = []
    if ratio.low is not None:
        ends = f'x1="{_across(ratio.low)}" x2="{_across(ratio.high)}"'
        parts.append(f'<line {ends} y1="{y:g}" y2="{y:g}"/>')
    least = ratio.value if ratio.low is None else ratio.low
    most = ratio.value if ratio.high is None else ratio.high
    arrows = (
        (least < LEFT, "0%", "M5-4 0 0 5 4"),
        (most > RIGHT, "100%", "M-5-4 0 0-5 4"),
    )
    for beyond, x, path in arrows:
        if beyond:
            parts.append(f'<svg x="{x}" y="{y:g}"><path class="cut" d="{path}"/></svg>')
    if LEFT <= ratio.value <= RIGHT:
        shape = _SHAPES[ratio.verdict.verdict]
        parts.append(f'<svg x="{_across(ratio.value)}" y="{y:g}">{shape}</svg>')
    kind = KINDS[ratio.verdict.verdict]
    told = escape(f"{ratio.verdict.claim.headline}: {named(ratio)}")
    return f'<g class="{kind}"><title>{told}</title>{"".join(parts)}</g>'


def named(ratio):
    """A ratio after the data that it is of."""
    return f"{ratio.verdict.dataset} {ratio}".replace("_", "-")


def drawing(rows, label):
    """Pixels high, and SVG: lines of ratios, on the marks of no effect and of the printed one."""
    first = -LINE * max(len(rows) - 1, 0) / 2
    lines = "".join(
        f'<line class="{kind}" x1="{_across(x)}" x2="{_across(x)}" y1="0" y2="100%"/>'
        for x, kind in ((0, "zero"), (1, "one"))
    )
    drawn = "".join(_row(ratio, first + LINE * i) for i, row in enumerate(rows) for ratio in row)
    height = 2 * (MARGIN - first)
    return height, (
        f'<svg class="strip" style="height:{height:g}px" role="img" '
        f'aria-label="{escape(label)}">{lines}<svg y="50%">{drawn}</svg></svg>'
    )


def _shown(verdict):
    """The number over all data sets, or that of each."""
    found = ratios(verdict)
    return [ratio for ratio in found if ratio.whole] or found


def strip(verdict):
    """A claim's row of a forest plot: our effect over the printed one, as SVG.

    Examples
    --------
    >>> from book.papers import check_claims
    >>> strip(next(v for v in check_claims("dark", []) if v.claim.id == "best-acc"))[:46]
    '<svg class="strip" style="height:14px" role="i'
    """
    rows = _shown(verdict)
    told = "; ".join(map(named, rows)) or "no number"
    return drawing([[row] for row in rows], f"Our effect over the printed one: {told}")[1]


def axis():
    """The scale above the strips, as HTML."""
    ticks = "".join(
        f'<svg x="{_across(x)}" y="12"><text>{text}</text></svg>'
        for x, text in ((-1, "−1"), (0, "0 none"), (1, "1 as printed"), (2, "2"))
    )
    return f'<svg class="axis" height="16" aria-hidden="true">{ticks}</svg>'


def lines_and_tiles(verdicts):
    """Pairs of a verdict and its ratios, the smallest first, and the verdicts without ratios."""
    found = [(verdict, _shown(verdict)) for verdict in verdicts]
    lines = sorted((pair for pair in found if pair[1]), key=lambda pair: pair[1][0].value)
    return lines, [verdict for verdict, row in found if not row]


def panel(verdicts, name):
    """All results of a paper in little: a line for each with a printed size, else a tile.

    Examples
    --------
    >>> panel([], "Nothing")
    ''
    """
    lines, without = lines_and_tiles(verdicts)
    rows = [row for _, row in lines]
    tiles = "".join(
        f'<i class="{KINDS[v.verdict]}" title="{escape(v.claim.headline)}">{MARKS[v.verdict]}</i>'
        for v in without
    )
    label = f"{name}: {len(rows)} effects of ours over the printed ones"
    drawn = axis() + drawing(rows, label)[1] if rows else ""
    return drawn + (f'<span class="tiles" aria-hidden="true">{tiles}</span>' if tiles else "")


def anchor(claim):
    """Where a claim stands on the scorecard."""
    return f"claim-{claim.paper}-{claim.id.replace('/', '-')}"


def names(verdicts):
    """What the lines and tiles of `panel` are, in their order, as a list that opens, in HTML.

    Examples
    --------
    >>> names([])
    ''
    """
    lines, without = lines_and_tiles(verdicts)
    lists = (
        ("lines, from the top", [verdict for verdict, _ in lines]),
        ("tiles", without),
    )
    told = "".join(f"<p>{head}</p><ol>{''.join(map(_item, of))}</ol>" for head, of in lists if of)
    return f'<details class="names"><summary>which is which</summary>{told}</details>' * bool(told)


def _item(verdict):
    claim = verdict.claim
    setting = f" <small>{escape(claim.setting)}</small>" if claim.setting else ""
    return (
        f'<li><b class="{KINDS[verdict.verdict]}" aria-hidden="true">{MARKS[verdict.verdict]}</b> '
        f'<a href="scorecard.html#{anchor(claim)}">{escape(claim.headline)}</a>{setting}</li>'
    )


def chip(verdict):
    """A verdict with its sign, as HTML; a narrow page shows the sign alone.

    Examples
    --------
    >>> chip("mixed")
    '<span class="chip mixed"><b aria-hidden="true">±</b> <span>mixed</span></span>'
    """
    sign = f'<b aria-hidden="true">{MARKS[verdict]}</b>'
    return f'<span class="chip {KINDS[verdict]}">{sign} <span>{verdict}</span></span>'


def key():
    """The shapes and signs of the verdicts, as HTML; what cannot be tested has no shape."""
    shapes = {KINDS[kind]: (shape, chip(kind)) for kind, shape in _SHAPES.items()}
    shapes[""] = (
        '<path class="cut" d="M-2-4-6 0-2 4M2-4 6 0 2 4"/>',
        '<span class="told">beyond the plot</span>',
    )
    drawn = [
        f'<svg class="strip sign" aria-hidden="true"><svg x="50%" y="50%">'
        f'<g class="{kind or "open"}">{shape}</g></svg></svg> {told}'
        for kind, (shape, told) in shapes.items()
    ]
    return " ".join([*drawn, chip(NOT_TESTABLE)])


def told_counts(verdicts):
    """How many verdicts there are of each kind, as text."""
    counts = Counter(KINDS[verdict.verdict] for verdict in verdicts)
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS.values() if counts[kind])


def bar(verdicts):
    """How many verdicts of each kind, as a bar with its legend, in HTML.

    Examples
    --------
    >>> bar([])
    ''
    """
    if not verdicts:
        return ""
    counts = Counter(KINDS[verdict.verdict] for verdict in verdicts)
    pieces = "".join(
        f'<i class="{kind}" style="flex:{counts[kind]}"></i>'
        for kind in KINDS.values()
        if counts[kind]
    )
    return (
        f'<span class="bar" aria-hidden="true">{pieces}</span>'
        f'<span class="told">{told_counts(verdicts)}</span>'
    )
