"""A cell of a table may take the places of those that follow it."""

from zslib.show.tables import Table


def test_a_cell_takes_several_places():
    rows = [["a", 1.0, 2.0], ["b", "it <failed>", ...], ["c", None, 3.0]]
    shown = Table("tbl-a", "One.", ["system", "x", "y"], rows)._repr_mimebundle_()
    assert '<td colspan="2">it &lt;failed&gt;</td></tr>' in shown["text/html"]
    assert shown["text/html"].count("<td") == 8
    # The text of several places does not turn a column of numbers into one of words.
    assert "| :-- | --: | --: |" in shown["text/markdown"]
    assert "| b | it \\<failed\\> |  |" in shown["text/markdown"]
