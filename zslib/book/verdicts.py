"""The claims that a chapter checks, with their verdicts, as a table of that chapter."""

from __future__ import annotations

from zslib.book.tables import Markdown, Table
from zslib.papers import check_claims

__all__ = ["verdict_table"]


def verdict_table(chapter, *, name, caption):
    """Verdicts of a chapter's own records on the claims that name the chapter.

    Parameters
    ----------
    chapter : Chapter
        Its name starts with the paper's short name.
    name, caption : str
        As for `Table`.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        When no claim names the chapter.

    """
    verdicts = [
        verdict
        for verdict in check_claims(chapter.name.split("/")[0], chapter.records)
        if verdict.claim.chapter == chapter.name
    ]
    if not verdicts:
        raise ValueError(f"no claim names the chapter {chapter.name!r}: see the claims' data file")
    rows = [
        [
            f"{v.claim.says} ({v.claim.where})",
            v.claim.setting or None,
            v.paper_value,
            v.ours,
            Markdown(f"**{v.verdict}**"),
            v.why,
        ]
        for v in verdicts
    ]
    return Table(name, caption, ["claim", "setting", "paper", "ours", "verdict", "why"], rows)
