"""Entries stand beside loaders; the catalogue finds them, and joins those of one name."""

import sys

from zslib.datasets import DATASETS, attributes, catalogue
from zslib.datasets.entry import Dataset, below

FILE = """
from zslib.datasets.attributes.digits import digits_segments
from zslib.datasets.entry import KINDS, ATTRIBUTES, Dataset

ENTRY = Dataset("new", "embedded", {ATTRIBUTES: digits_segments}, "a set", "free")
"""


def test_a_new_data_set_is_one_file(tmp_path, monkeypatch):
    (tmp_path / "new_set.py").write_text(FILE)
    monkeypatch.setattr(attributes, "__path__", [*attributes.__path__, str(tmp_path)])
    found = catalogue._collected()
    monkeypatch.delitem(sys.modules, "zslib.datasets.attributes.new_set")
    assert set(found) == {*DATASETS, "new"}
    assert found["new"].settings == ("attributes",)


def test_entries_of_one_name_are_one_data_set():
    own = Dataset("birds", "real", {"attributes": len}, "birds", "none", files=below("a/b", "c"))
    auto, files = {"pairs": 1}, below("a/b", "c", "d")
    both = own | Dataset("birds", "real", {"pairs": len}, auto=auto, files=files)
    assert (both.settings, both.summary, both.folder) == (("attributes", "pairs"), "birds", "a/b")
    assert both.files == ("a/b/c", "a/b/d")
    assert both.auto == {"pairs": 1}
