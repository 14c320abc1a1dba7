"""Tables and figures with numbers, captions and one look for each method."""

from zslib.show.figures import COLORS, Figure, figure, look, style
from zslib.show.tables import Column, Markdown, Table

__all__ = ["COLORS", "Column", "Figure", "Markdown", "Table", "figure", "look", "style"]
