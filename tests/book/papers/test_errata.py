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

# Entries that hold the fourteen that the project started from.
GIVEN = """
hubness-roadmap hubness-fc7 hubness-caption-8 hubness-orientation hubness-inverse-cosine
hubness-ridge-squares hubness-not-printed devise-loop hardneg-hinge hardneg-nine-percent
dark-label-transform dark-normaliser dark-penalty dark-averages dark-gains clarel-harmonic-mean
clarel-not-printed clarel-distance clarel-alpha
"""


def test_the_entries_given_at_the_start_are_all_there():
    assert set(GIVEN.split()) <= set(ENTRIES)


def test_every_check_confirms_and_changes_no_printed_table():
    before = {paper: copy.deepcopy(read_data(paper, "printed")) for paper in PAPERS}
    for entry in CHECKED:
        confirmed, text = entry.evidence()
        assert confirmed, (entry.id, text)
        assert re.search(r"\d", text) and text.endswith(".") and len(text) < 500, entry.id
    assert before == {paper: read_data(paper, "printed") for paper in PAPERS}


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


def test_named_parameters_exist():
    for named in filter(None, (entry.parameter for entry in ENTRIES.values())):
        path, names = re.fullmatch(r"([\w.]+)\(([\w, ]+)\)", named).groups()
        found = pkgutil.resolve_name(path)
        assert set(names.split(", ")) <= set(inspect.signature(found).parameters), named


def test_a_note_is_an_untold_one_only_without_a_public_answer():
    """What the authors' code does decides, unless the paper prints the contrary."""
    coded = {e.id for e in ENTRIES.values() if e.kind == "unknown" and e.code}
    assert coded == {"clarel-filters", "clarel-text-labels"}


@pytest.mark.parametrize(
    ("id", "path", "value"),
    [
        ("hubness-roadmap", ("hubness", "table10", "none", "P@1"), 38.5),
        ("hardneg-three-percent", ("hardneg", "table1", "BiDiLEL", "CUB", "mean"), 45.6),
        ("clarel-validation", ("dark", "table2", "CUB", "test seen samples"), 1765),
    ],
)
def test_an_altered_number_makes_the_check_fail(monkeypatch, id, path, value):
    tables = {paper: copy.deepcopy(read_data(paper, "printed")) for paper in PAPERS}
    paper, table, *steps, last = path
    place = reduce(getitem, steps, tables[paper][table]["values"])
    assert place[last] != value
    place[last] = value
    module = sys.modules["book.papers.printed"]
    monkeypatch.setattr(module, "read_data", lambda paper, _: tables[paper])
    assert not ENTRIES[id].evidence().confirmed


def test_an_altered_number_of_the_entry_makes_the_check_fail():
    entry = ENTRIES["hubness-test-labels"]
    altered = replace(entry, numbers=entry.numbers | {"test images": 125000})
    assert not altered.evidence().confirmed


GOOD = {
    "id": "dark-x", "paper": "dark", "title": "t", "kind": "open", "where": "w", "printed": "p.",
    "reading": "r.",
}  # fmt: skip


REFUSALS = {
    errata._entries: [
        ([[GOOD | {"paper": "darc"}]], "dark-x: paper must be one of 'hubness', 'devise'"),
        ([[GOOD | {"kind": "typo"}]], "dark-x: kind must be one of 'misprint', 'claim'"),
        ([[GOOD | {"check": "nothing"}]], "dark-x: check must be one of '', 'averages'"),
        ([[GOOD, GOOD]], "dark-x: the id occurs twice"),
    ]
}


def test_malformed_entries_are_refused(refusal):
    assert errata._entries([GOOD])[0].title == "t"
    refusal()
