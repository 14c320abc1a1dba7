"""Texts among a chapter's parameters: each checked before it runs, and enough alone."""

from pathlib import Path

import pytest

from book.build.plan import plan
from book.build.run import run_chapters
from book.parameters import ChapterText, parse_text
from book.paths import RESULTS, layout
from book.store import read_records

ROOT = Path(__file__).parents[2]
PLACE = layout(ROOT)
SOURCES = {name: ChapterText.read(name, PLACE) for name in PLACE.names()}
TEXTS = [
    (name, p.name)
    for name, source in SOURCES.items()
    for p in source.parameters.values()
    # Data sets and devices are checked otherwise.
    if p.type is str and not p.choices and p.name not in ("dataset", "device")
]


@pytest.mark.parametrize(("chapter", "name"), TEXTS)
def test_each_text_is_checked_before_a_chapter_runs(chapter, name):
    parameters = SOURCES[chapter].parameters
    with pytest.raises(ValueError, match=f"'{name}' of {chapter} must be"):
        parse_text(parameters, {name: "nope"}, chapter)
    for part in filter(None, parameters[name].default.split("+")):  # by the rule, not as default
        assert parse_text(parameters, {name: part}, chapter) == {name: part}


@pytest.mark.parametrize("chapter", SOURCES)
def test_data_that_exercises_name_serve_the_chapter(chapter):
    source = SOURCES[chapter]
    for exercise in source.about.get("exercises", ()):
        words = exercise.get("run", "").split()
        texts = {k: v for p, k, v in zip(words[::3], words[1::3], words[2::3], strict=True) if p}
        source.check_data(source.settings(parse_text(source.parameters, texts, chapter)))


def test_data_of_one_setting_are_refused_where_a_chapter_needs_two():
    for chapter, data in (("hubness/02_hubness", "europarl"), ("devise/02_terms", "wordnet")):
        with pytest.raises(ValueError, match=f"'dataset' of {chapter}: dataset='{data}' names no"):
            plan([chapter], {"dataset": data})


# Those whose tables compare several, which one name leaves without a partner.
@pytest.mark.book
@pytest.mark.usefixtures("light_runs")
@pytest.mark.parametrize(
    ("chapter", "given", "untestable"),
    [
        ("dark/05_comparison", {"methods": "DARK"}, "DARK - best other"),
        ("dark/05_comparison", {"methods": "ESZSL"}, "DARK - best other"),
        ("clarel/06_calibrations", {"methods": "DAP"}, "own distance and stacking"),
        ("together/02_centring", {"methods": "SAE"}, None),
    ],
)
def test_one_name_is_enough(chapter, given, untestable, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(RESULTS, str(tmp_path))
    runs = plan([chapter], given | {"dataset": "digits", "quick": True})
    run_chapters(runs, progress=False)
    records = read_records(runs[chapter].folder)
    assert given["methods"] in records.of("method")
    skipped = [fields.get("method") for fields in records.run["skipped"]]
    assert untestable is None or untestable in skipped
