"""What the papers print and claim, as data, and the code that holds results against it."""

from zslib.papers.claims import Verdict, chapter_verdicts, check_claims, check_records, load_claims
from zslib.papers.errata import Erratum, load_errata
from zslib.papers.printed import printed, printed_curves, printed_table

__all__ = [
    "Erratum",
    "Verdict",
    "chapter_verdicts",
    "check_claims",
    "check_records",
    "load_claims",
    "load_errata",
    "printed",
    "printed_curves",
    "printed_table",
]
