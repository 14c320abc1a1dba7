"""What the papers print and claim, as data, and the code that holds results against it."""

from zslib.papers.claims import Verdict, check_claims, load_claims, scorecard_markdown
from zslib.papers.printed import printed, printed_table

__all__ = [
    "Verdict",
    "check_claims",
    "load_claims",
    "printed",
    "printed_table",
    "scorecard_markdown",
]
