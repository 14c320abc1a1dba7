"""Read the source of a chapter: its notebook, its parameters, and what it depends on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from zslib.book.parameters import check_parameters, declared_parameters

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """A chapter as written, in jupytext's MyST Markdown.

    Parameters
    ----------
    name : str
        ``"hubness/02_hubness"``.
    text : str
        The file's text.
    """

    name: str
    text: str

    @classmethod
    def read(cls, name, place):
        """Source of the chapter ``name`` of the book at ``place`` (a `Layout`)."""
        return cls(name, Path(place.source(name)).read_text(encoding="utf-8"))

    @property
    def body(self):
        """The text after the front matter, in which tools note their versions."""
        parts = self.text.split("---\n", 2)
        return parts[2] if self.text.startswith("---\n") and len(parts) == 3 else self.text

    def notebook(self):
        """A fresh notebook, not run."""
        import jupytext

        return jupytext.reads(self.text, fmt="md:myst")

    @cached_property
    def parameters(self):
        """`Parameter` by name, as the cell tagged ``parameters`` declares them.

        Raises
        ------
        ValueError
            When there is not one such cell, or a line in it is not understood.
        """
        cells = [
            cell
            for cell in self.notebook().cells
            if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", [])
        ]
        if len(cells) != 1:
            raise ValueError(
                f"chapter {self.name} must have one code cell tagged 'parameters', it has "
                f"{len(cells)}"
            )
        return declared_parameters(cells[0].source, self.name)

    @property
    def depends(self):
        """Names of the chapters whose records this one reads (``zslib: depends:``)."""
        return tuple(self.notebook().metadata.get("zslib", {}).get("depends", ()))

    @property
    def data_settings(self):
        """Settings whose data the chapter uses (``zslib: settings:``), or None where not said."""
        return self.notebook().metadata.get("zslib", {}).get("settings")

    def settings(self, overrides):
        """Every parameter's value: the defaults with ``overrides``, checked."""
        return check_parameters(self.parameters, overrides, self.name)
