"""What the papers print and claim, as data, and the code that holds results against it."""

from zslib.papers.claims import Verdict, check_claims, load_claims, scorecard_markdown
from zslib.papers.errata import Erratum, errata_markdown, load_errata
from zslib.papers.printed import printed, printed_table

__all__ = [
    "Erratum",
    "Verdict",
    "check_claims",
    "errata_markdown",
    "load_claims",
    "load_errata",
    "printed",
    "printed_table",
    "scorecard_markdown",
]
