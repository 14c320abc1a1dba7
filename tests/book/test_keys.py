"""Keys: equal when nothing that a number depends on has changed, and only then."""

from unittest.mock import Mock

import pytest

from book import keys
from book.build.plan import plan
from book.keys import data_fingerprint, outdated, run_key
from book.parameters import ChapterText
from zslib import code_digest

GIVEN = {"chapter": "demo/01_a", "code": "text", "parameters": {"seed": 0}}
GIVEN |= {"fingerprint": {"dataset": "abc"}, "depends": {"demo/02_b": "123"}}


def key(**changes):
    return run_key(**(GIVEN | changes))


def test_equal_input_gives_an_equal_key_whatever_the_order():
    assert key(parameters={"a": 1, "b": 2}) == key(parameters={"b": 2, "a": 1})


def test_any_change_gives_another_key():
    changes = {
        "chapter": ["demo/01_b"], "code": ["texts"], "parameters": [{"seed": 1}, {"seed": "0"}],
        "fingerprint": [{"dataset": "abd"}], "depends": [{"demo/02_b": "124"}, {}],
    }  # fmt: skip
    others = {key(**{name: value}) for name, values in changes.items() for value in values}
    assert len(others | {key()}) == 8


def test_version_and_sources_of_the_package_count(monkeypatch):
    before = key()
    monkeypatch.setattr(keys.zslib, "__version__", "99.0")
    changed = key()
    monkeypatch.setattr(keys, "package_digest", lambda code, chapter=None: "other")
    assert len({before, changed, key()}) == 3


def test_the_data_count_by_seed_and_size():
    data = {"dataset": "synthetic"}
    given = [data | {"seed": s, "quick": quick} for s in (0, 1) for quick in (True, False)]
    assert len({str(data_fingerprint(parameters)) for parameters in given}) == 4


def test_the_data_count_by_their_name_and_the_content_of_files(tmp_path):
    parameters = {"dataset": "synthetic", "vectors": str(tmp_path / "a.vec")}
    (tmp_path / "a.vec").write_text("text")
    one = data_fingerprint(parameters)
    (tmp_path / "a.vec").write_text("longer text")
    assert data_fingerprint(parameters) != one
    with pytest.raises(ValueError, match="unknown dataset 'nothing'"):
        data_fingerprint({"dataset": "nothing"})


NAME = "demo/01_first"


def planned(tiny_book, **parameters):
    """What ``run.json`` would say of a run, and a function: what it no longer matches."""
    one = plan([NAME], parameters)[NAME]
    run = {"parameters": one.parameters, "digests": one.digests}
    return lambda **options: outdated(run, ChapterText.read(NAME, tiny_book.place), **options)


def change(tiny_book, old, new):
    path = tiny_book.place.chapter_file(NAME)
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))


def test_a_run_matches_its_sources_until_these_change(tiny_book):
    tiny_book.write(NAME)
    missing = planned(tiny_book)
    assert missing() == []
    change(tiny_book, "Text of the chapter.", "Other words.")
    change(tiny_book, "seed=s)", "seed=s)  # why")
    assert missing() == []
    change(tiny_book, "n_seeds: int = 2", "n_seeds: int = 9")
    assert missing() == ["settings"]
    assert planned(tiny_book, n_seeds=2)() == ["settings"]
    change(tiny_book, "zslib:", "zslib:\n  full: {n_seeds: 2}")
    assert missing() == []
    change(tiny_book, "value=level + s", "value=level - s")
    assert missing() == ["chapter"]


def test_words_of_figures_make_no_other_number(tiny_book):
    shown = 'results.only(metric="m").bars("fig-one", "Text", alt="Bars", x="method")\n'
    tiny_book.write(NAME, body=f'{shown}message = "a"')
    missing = planned(tiny_book)
    for number, words in enumerate(('"Text"', '"Bars"', '"a"')):
        change(tiny_book, words, f'"other {number}"')
        assert missing() == []
    change(tiny_book, 'x="method"', 'x="dataset"')
    assert missing() == ["chapter"]


def test_a_run_matches_the_package_and_data_of_its_day(tiny_book, monkeypatch):
    tiny_book.write(NAME)
    missing = planned(tiny_book)
    monkeypatch.setattr(keys, "package_digest", lambda code, recorded=False: "other")
    assert missing() == ["package"]
    monkeypatch.undo()
    monkeypatch.setattr(keys, "data_fingerprint", lambda parameters, settings: "other")
    assert missing() == ["data"]
    assert missing(data=False) == []
    monkeypatch.setattr(keys, "data_fingerprint", Mock(side_effect=FileNotFoundError))
    assert missing() == []  # nothing can be said


def test_what_only_shows_or_judges_does_not_count_for_records():
    code = "import book\nfrom chapters.hubness import drawings, variance"
    names = {*code_digest.reached(code, skip=keys._NOT_RECORDED)}
    assert {"book.chapter", "book.results", "book.records", "chapters.hubness.variance"} <= names
    assert not {"book.figures", "book.papers.claims", "chapters.hubness.drawings"} & names
    assert not any(name.startswith("zslib.show") for name in names)


@pytest.mark.parametrize(("name", "recorded"), [("printed", True), ("claims", False)])
def test_a_paper_s_data_count_for_every_chapter(monkeypatch, tmp_path, name, recorded):
    file = tmp_path / "dark" / f"{name}.toml"
    file.parent.mkdir()
    monkeypatch.setattr(keys, "CHAPTERS", tmp_path)

    def digest(**options):
        keys.package_digest.cache_clear()
        return keys.package_digest("import book", **options)

    file.write_text("a = 1")
    before = digest(), digest(recorded=True)
    file.write_text("a = 2")
    assert (digest() != before[0], digest(recorded=True) != before[1]) == (True, recorded)
    keys.package_digest.cache_clear()


def test_claims_count_for_the_chapters_that_they_name(monkeypatch, tmp_path):
    file = tmp_path / "dark" / "claims.toml"
    file.parent.mkdir()
    monkeypatch.setattr(keys, "CHAPTERS", tmp_path)

    def digests():
        keys.package_digest.cache_clear()
        names = ("dark/05_comparison", "hubness/05_roadmap")
        return [keys.package_digest("import book", chapter=name) for name in names]

    file.write_text('chapter = "dark/05_comparison"\nholds = "> 0"')
    before = digests()
    file.write_text('chapter = "dark/05_comparison"\nholds = "< 0"')
    assert [a == b for a, b in zip(before, digests(), strict=True)] == [False, True]
    keys.package_digest.cache_clear()
