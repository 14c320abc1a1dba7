"""What the papers print and claim, as data, and the code that holds results against it."""

from book.papers.claims import check_records, load_claims
from book.papers.errata import load_errata
from book.papers.printed import printed, printed_curves, printed_table
from book.papers.verdicts import chapter_verdicts, check_claims

__all__ = [
    "chapter_verdicts",
    "check_claims",
    "check_records",
    "load_claims",
    "load_errata",
    "printed",
    "printed_curves",
    "printed_table",
]
