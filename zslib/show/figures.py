"""One style for every figure, and figures with a number, a caption and an alt text."""

import base64
import html
import io
import re
from dataclasses import dataclass
from pathlib import Path

from zslib.show.looks import known_look
from zslib.show.tables import caption_html, check_label, check_line

# Okabe and Ito's palette (safe for colour-blind readers), without its yellow, which is too pale
# on white; black first, for the reference that a figure compares with.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]

IN_COLOR = 5
"""Series of a figure that have a color; with more, nobody finds one again."""

OTHERS = {"color": "0.7", "marker": ".", "linestyle": "-"}
"""The look of the series beyond these, as keywords of matplotlib's ``plot``."""

MARKERS = "osD^vPX*"

ONE_PANEL = 4.7
"""Width of a drawing of one panel, in inches: a phone shows it whole."""

# Hundredths of a point are finer than any screen.
_PLACES = re.compile(r' (?:d|x|y|x1|x2|y1|y2)="[^"]*"')
_LONG = re.compile(r"(\.\d\d)\d+")


def look(name, among=()):
    """Color, marker and line of a method, the same in the whole book.

    Parameters
    ----------
    name : str
    among : sequence
        All that are shown together; those without a look of their own take turns.

    Returns
    -------
    dict
        Keywords of matplotlib's ``plot``.

    Examples
    --------
    >>> look("ridge")
    {'color': '#D55E00', 'marker': 's', 'linestyle': '-'}
    """
    if (found := known_look(name)) is not None:
        color, marker, line = found
    else:
        looks = {other: known_look(other) for other in among}
        others = [other for other, own in looks.items() if own is None]
        turn = others.index(name) if name in others else 0
        taken = {own[0] for own in looks.values() if own is not None}
        free = [i for i in range(len(COLORS)) if i not in taken] or range(len(COLORS))
        color, marker = free[turn % len(free)], MARKERS[turn % len(MARKERS)]
        line = "-" if turn < len(free) else "--"
    return {"color": COLORS[color], "marker": marker, "linestyle": line}


def style():
    """Set matplotlib's defaults to the book's: same input, same file, byte for byte.

    Fonts are drawn as paths, so that a figure looks the same everywhere; the background is white
    and the site turns figures dark by a filter.

    Examples
    --------
    >>> style()
    >>> import matplotlib
    >>> matplotlib.rcParams["svg.hashsalt"]
    'zslib'
    """
    import matplotlib.style
    from cycler import cycler

    matplotlib.style.use(Path(__file__).with_name("book.mplstyle"))
    matplotlib.rcParams["axes.prop_cycle"] = cycler(color=COLORS)


@dataclass(repr=False)
class Figure:
    """What `figure` returns: numbered in the book, an image with caption in Jupyter."""

    svg: str
    name: str
    caption: str
    alt: str

    def __repr__(self):
        return f"{self.caption}\n[{self.alt}]"

    def _markdown(self):
        width = re.search(r'<svg[^>]* width="([\d.]+)pt"', self.svg)
        # Points to CSS pixels. A width also makes Sphinx link the image to its file.
        pixels = round(float(width[1]) * 4 / 3)
        kind = "drawing" + " one-panel" * (pixels <= 96 * ONE_PANEL + 1)
        return (
            f"````{{figure}} figures/{self.name}.svg\n:name: {self.name}\n:alt: {self.alt}\n"
            f":width: {pixels}px\n:class: {kind}\n\n{self.caption}\n````"
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        # An image, since Jupyter drops the <svg> of a notebook that it does not trust yet.
        drawing = base64.b64encode(self.svg.encode()).decode()
        return {
            "text/markdown": self._markdown(),
            "text/html": (
                f'<figure>\n<img src="data:image/svg+xml;base64,{drawing}" '
                f'alt="{html.escape(self.alt)}"/>\n'
                f"<figcaption>{caption_html(self.caption)}</figcaption>\n</figure>"
            ),
            "text/plain": repr(self),
        }


def figure(fig, *, name, caption, alt):
    """Show a matplotlib figure with a number, a caption made at run time and an alt text.

    The last expression of a cell. The book shows it as a numbered ``{figure}`` that any page can
    refer to by ``{numref}`name```; Jupyter shows the same drawing with its caption. Closes
    ``fig``.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        The drawing.
    name : str
        Label, unique in the book: ``"fig-hubness-1"``.
    caption : str
        One sentence of Markdown that names the data (and says synthetic when they are).
    alt : str
        What the figure shows, for a reader who does not see it. One line.

    Returns
    -------
    Figure

    Raises
    ------
    TypeError
        When ``fig`` is no matplotlib figure.
    ValueError
        For a bad label, or an empty caption or alt text.

    Examples
    --------
    >>> style()
    >>> import matplotlib
    >>> matplotlib.use("svg")
    >>> import matplotlib.pyplot as plt
    >>> fig, ax = plt.subplots()
    >>> figure(fig, name="fig-empty", caption="No data.", alt="Empty axes.")
    No data.
    [Empty axes.]
    """
    from matplotlib import pyplot
    from matplotlib.figure import Figure as MatplotlibFigure

    if not isinstance(fig, MatplotlibFigure):
        raise TypeError(
            f"fig must be a matplotlib Figure, got {type(fig).__name__}: pass the fig of "
            "fig, ax = plt.subplots()"
        )
    check_label(name, caption)
    check_line(alt, f"the alt of {name!r}")
    stream = io.StringIO()
    fig.savefig(stream, format="svg", metadata={"Date": None, "Title": alt})
    pyplot.close(fig)
    svg = _PLACES.sub(lambda places: _LONG.sub(r"\1", places[0]), stream.getvalue())
    svg = re.sub(r">\s+<", "><", svg)  # indentation is a tenth of a drawing
    return Figure(svg, name, caption, alt)
