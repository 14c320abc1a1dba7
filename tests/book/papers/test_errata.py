"""Every erratum that can be recomputed is, and a check fails when a number is altered."""

import copy
import inspect
import pkgutil
import re
import sys
from dataclasses import replace
from functools import reduce
from operator import getitem

import pytest

from book.papers import errata, load_errata
from book.papers.errata import checks
from book.papers.printed import PAPERS, read_data

ENTRIES = {entry.id: entry for entry in load_errata()}
CHECKED = [entry for entry in ENTRIES.values() if entry.check]

# The fourteen entries that the project started from, each with the entries that now hold it.
GIVEN = {
    1: ["hubness-roadmap"],
    2: ["hubness-fc7", "hubness-caption-8"],
    3: ["hubness-orientation"],
    4: ["hubness-inverse-cosine"],
    5: ["hubness-ridge-squares"],
    6: ["hubness-not-printed"],
    7: ["devise-loop"],
    8: ["hardneg-hinge"],
    9: ["hardneg-nine-percent"],
    10: ["dark-label-transform", "dark-normaliser", "dark-penalty"],
    11: ["dark-averages", "dark-gains"],
    12: ["clarel-harmonic-mean"],
    13: ["clarel-not-printed", "clarel-distance"],
    14: ["clarel-alpha"],
}


def test_the_entries_given_at_the_start_are_all_there():
    assert list(GIVEN) == list(range(1, 15))
    for ids in GIVEN.values():
        assert set(ids) <= set(ENTRIES)


@pytest.mark.parametrize("entry", CHECKED, ids=lambda entry: entry.id)
def test_every_check_confirms(entry):
    confirmed, text = entry.evidence()
    assert confirmed, text
    assert re.search(r"\d", text)
    assert text.endswith(".")
    assert len(text) < 500


def test_every_check_belongs_to_an_entry():
    used = {(entry.paper, entry.check) for entry in CHECKED}
    assert used == {(paper, name) for paper in PAPERS for name in checks(paper)}
    assert ENTRIES["hubness-fc7"].evidence() is None


def test_entries_are_whole_sentences_in_few_words():
    for entry in ENTRIES.values():
        assert entry.id.startswith(entry.paper + "-")
        for text in filter(None, (entry.printed, entry.reading, entry.code)):
            assert text.endswith("."), entry.id
            assert len(text.split()) < 50, entry.id
        assert len(entry.title) < 60
        assert bool(entry.numbers) <= bool(entry.check), entry.id


def test_papers_come_in_the_order_of_the_book():
    order = [PAPERS.index(entry.paper) for entry in load_errata()]
    assert order == sorted(order)
    assert set(order) == set(range(5))


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES.values() if e.parameter], ids=lambda entry: entry.id
)
def test_named_parameters_exist(entry):
    path, names = re.fullmatch(r"([\w.]+)\(([\w, ]+)\)", entry.parameter).groups()
    found = pkgutil.resolve_name(path)
    assert set(names.split(", ")) <= set(inspect.signature(found).parameters)


def test_a_note_is_an_untold_one_only_without_a_public_answer():
    """What the authors' code does decides, unless the paper prints the contrary."""
    contrary = {"clarel-filters", "clarel-text-labels"}
    coded = {e.id for e in ENTRIES.values() if e.kind == "unknown" and e.code}
    assert coded == contrary


@pytest.fixture
def alter(monkeypatch):
    """Return a function that replaces one printed number for the duration of a test."""
    tables = {paper: copy.deepcopy(read_data(paper, "printed")) for paper in PAPERS}

    def change(paper, table, *path, value):
        *steps, last = path
        place = reduce(getitem, steps, tables[paper][table]["values"])
        assert place[last] != value
        place[last] = value

    module = sys.modules["book.papers.printed"]
    monkeypatch.setattr(module, "read_data", lambda paper, name: tables[paper])
    return change


@pytest.mark.parametrize(
    ("id", "path", "value"),
    [
        ("hubness-roadmap", ("hubness", "table10", "none", "P@1"), 38.5),
        ("hardneg-three-percent", ("hardneg", "table1", "BiDiLEL", "CUB", "mean"), 45.6),
        ("clarel-validation", ("dark", "table2", "CUB", "test seen samples"), 1765),
    ],
)
def test_an_altered_number_makes_the_check_fail(alter, id, path, value):
    alter(*path, value=value)
    assert not ENTRIES[id].evidence().confirmed


def test_an_altered_number_of_the_entry_makes_the_check_fail():
    numbers = {**ENTRIES["hubness-test-labels"].numbers, "test images": 125000}
    assert not replace(ENTRIES["hubness-test-labels"], numbers=numbers).evidence().confirmed


GOOD = {
    "id": "dark-x", "paper": "dark", "title": "t", "kind": "open", "where": "w", "printed": "p.",
    "reading": "r.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([GOOD | {"paper": "darc"}], "dark-x: paper must be one of 'hubness', 'devise'"),
        ([GOOD | {"kind": "typo"}], "dark-x: kind must be one of 'misprint', 'claim'"),
        ([GOOD | {"check": "nothing"}], "dark-x: check must be one of '', 'averages'"),
        ([GOOD, GOOD], "dark-x: the id occurs twice"),
    ],
)
def test_malformed_entries_are_refused(entries, message):
    assert errata._entries([GOOD])[0].title == "t"
    with pytest.raises(ValueError, match=message):
        errata._entries(entries)
