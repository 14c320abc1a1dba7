"""Cells of tables: those of several places, and what is refused; files that are written."""

import numpy as np
import pandas
import pytest

from zslib.protocols import Estimate
from zslib.show.tables import Table
from zslib.show.writing import write_if_changed


def test_a_cell_takes_several_places():
    rows = [["a", 1.0, 2.0], ["b", "it <failed>", ...], ["c", None, 3.0]]
    shown = Table("tbl-a", "One.", ["system", "x", "y"], rows)._repr_mimebundle_()
    assert '<td colspan="2">it &lt;failed&gt;</td></tr>' in shown["text/html"]
    assert shown["text/html"].count("<td") == 8
    # The text of several places does not turn a column of numbers into one of words.
    assert "| :-- | --: | --: |" in shown["text/markdown"]
    assert "| b | it \\<failed\\> |  |" in shown["text/markdown"]


@pytest.mark.parametrize(
    ("cell", "message", "error"),
    [
        (float("nan"), "is nan: pass None", ValueError),
        (Estimate(np.inf, 0.0, 0.0, 3), "is inf.*: pass None", ValueError),
        (Estimate(np.nan, np.nan, np.nan, 3), "is nan: pass None", ValueError),
        (pandas.NA, "is <NA>: pass None", ValueError),
        (np.ones(2), "is of type ndarray: pass one number", TypeError),
        (pandas.Series([1.0]), "is of type Series: pass one number", TypeError),
    ],
)
def test_what_is_no_number_is_refused(cell, message, error):
    with pytest.raises(error, match=f"row 0, column 'x' of table 'tbl-a' {message}"):
        Table("tbl-a", "One.", ["system", "x"], [["a", cell]])


def test_text_that_is_there_is_not_written_again_and_other_bytes_are(tmp_path):
    path = tmp_path / "a.csv"
    write_if_changed(path, "ö\n")
    there = path.stat().st_mtime_ns
    write_if_changed(path, "ö\n")
    assert path.stat().st_mtime_ns == there
    path.write_bytes("ö\n".encode("cp1252"))
    write_if_changed(path, "ö\n")
    assert path.read_text("utf-8") == "ö\n"
