"""The scorecard as one picture, for the README: a standalone SVG of the forest plots."""

from book.build.forest import KINDS, height, lines_and_tiles
from book.build.render import render

_WIDTH, _GAP = 410, 36
_HEAD, _AXIS, _FOOT = 20, 16, 14
_TILE = 17
_TILES = _WIDTH // _TILE  # in a row


def _panel(title, verdicts, x, y):
    """A paper's results at a place, and the place below them."""
    lines, tiles = lines_and_tiles(verdicts)
    rows = [row for _, row in lines]
    top = _HEAD + (_AXIS + height(rows) if rows else 0)
    squares = [
        (KINDS[verdict.verdict], 1 + _TILE * (i % _TILES), 1 + top + _TILE * (i // _TILES))
        for i, verdict in enumerate(tiles)
    ]
    panel = {"title": title, "verdicts": verdicts, "rows": rows, "squares": squares}
    below = y + top + _TILE * -(-len(tiles) // _TILES) + _FOOT
    return panel | {"x": x, "y": y, "width": _WIDTH}, below


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
    panels, below = [], [8, 8]
    for number, (title, results) in enumerate(verdicts.items()):
        column = min(number, 1)
        x = 10 + column * (_WIDTH + _GAP)
        panel, below[column] = _panel(title, results, x, below[column])
        panels.append(panel)
    width = 20 + 2 * _WIDTH + _GAP
    return render("picture.svg", panels=panels, width=width, height=max(below)) + "\n"
