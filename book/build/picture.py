"""The scorecard as one picture, for the README: a standalone SVG of the forest plots."""

from __future__ import annotations

from html import escape

from book.build.forest import KINDS, axis, drawing, lines_and_tiles, told_counts

__all__ = ["picture"]

_WIDTH, _GAP = 410, 36
_TILE = 17
_STYLE = """
text{font:12px sans-serif;fill:#4b5563}
text.title{font-weight:bold;fill:#111827}
.strip svg,.axis svg{overflow:visible}
.axis text{text-anchor:middle}
.held{fill:#00704f;stroke:#00704f}
.mixed{fill:#7443a8;stroke:#7443a8}
.failed{fill:#b8400a;stroke:#b8400a}
.open,.untested{fill:#5b6676;stroke:#5b6676}
.strip g line{stroke-width:2.5}
.strip .ring{fill:#fff;stroke-width:2}
.strip .cut{fill:none;stroke-width:2}
.strip .zero{stroke:#4b5563}
.strip .one{stroke:#4b5563;stroke-dasharray:3 2}
rect.open,rect.untested{fill:#fff}
"""


def _panel(verdicts, title):
    """A paper's claims as SVG, and how many pixels high it is."""
    lines, tiles = lines_and_tiles(verdicts)
    told = told_counts(verdicts)
    head = escape(f"{title}: ")
    parts = [f'<text class="title" y="13">{head}<tspan font-weight="normal">{told}</tspan></text>']
    y = 20
    if lines:
        height, plot = drawing([row for _, row in lines], title)
        parts += [f'<svg y="{y}" height="16">{axis()}</svg>']
        parts += [f'<svg y="{y + 16}" height="{height:g}">{plot}</svg>']
        y += 16 + height
    for place, verdict in enumerate(tiles):
        across, down = place % (_WIDTH // _TILE) * _TILE, place // (_WIDTH // _TILE) * _TILE
        parts.append(
            f'<rect class="{KINDS[verdict.verdict]}" x="{across + 1}" y="{y + down + 1}" '
            'width="13" height="13"/>'
        )
    y += _TILE * -(-len(tiles) // (_WIDTH // _TILE))
    return "".join(parts), y + 14


def picture(verdicts):
    """The results of all papers, the first on the left and the others on the right.

    Parameters
    ----------
    verdicts : dict
        The `book.papers.Verdict` of each paper's results, by its title.

    Returns
    -------
    str
        SVG, on white.

    Examples
    --------
    >>> picture({"Nothing": []}).count("<svg")  # the frame, and a panel in it
    2
    """
    panels, heights = [], [8, 8]
    for number, (title, of) in enumerate(verdicts.items()):
        column = min(number, 1)
        drawn, height = _panel(of, title)
        x = 10 + column * (_WIDTH + _GAP)
        panels.append(f'<svg x="{x}" y="{heights[column]}" width="{_WIDTH}">{drawn}</svg>')
        heights[column] += height
    width, height = 20 + 2 * _WIDTH + _GAP, max(heights)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" '
        f'width="{width}" height="{height:g}"><style>{_STYLE}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(panels) + "\n</svg>\n"
    )
