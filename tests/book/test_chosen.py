"""The published run's choices: read by default, shown, part of the key, and kept again."""

import json
from pathlib import Path

import pytest

import book
from book.build.plan import plan
from book.build.publishing import publish
from zslib.protocols.choices import in_use
from zslib.protocols.sweep import ranked, sweep

NAME = "demo/01_first"
DECLARED = "quick: bool = False  # small and fast\ntune: bool = False  # choose anew\n"
GIVEN = {"dataset": "synthetic", "device": "cpu", "seed": 0, "n_seeds": 2, "quick": False}
GIVEN |= {"level": 1.5}


@pytest.fixture
def place(tiny_book):
    path = tiny_book.write(NAME)
    path.write_text(path.read_text().replace("quick: bool = False  # small and fast\n", DECLARED))
    return tiny_book.place


def run(tune, best=2.0):
    """A run of the chapter in which alpha is chosen; whether it was attempted, and its card."""
    chapter, attempts = book.start(NAME, parameters=GIVEN | {"tune": tune}), []

    def attempt(parameters):
        attempts.append(parameters)
        return {"score": -abs(parameters["alpha"] - best)}

    trials = sweep({"alpha": (1.0, 2.0)}, attempt, "ridge on words")
    best = ranked(trials, "score")[0]["parameters"]
    chapter.record(metric="alpha", value=best["alpha"])
    return bool(attempts), repr(chapter.finish()), chapter.records


def latest(place):
    folder = place.results / NAME
    return folder / (folder / "latest").read_text().strip()


def publish_latest(place):
    """As `publish` does, which refuses this chapter's data."""
    file = latest(place) / "run.json"
    ours = json.loads(file.read_text())
    data = [{"name": "words", "synthetic": False, "checksum": "ab", "description": "words"}]
    file.write_text(json.dumps(ours | {"data": data}))
    publish([NAME])


@pytest.fixture
def published(place):
    """The folder of a book whose chapter has a published run that chose."""
    run(tune=False)
    publish_latest(place)
    return place


def test_choices_go_from_one_run_to_the_next_with_their_date(place):
    attempted, card, _ = run(tune=False)
    assert attempted and "Settings: 1 chosen in this run" in card
    publish_latest(place)
    (entry,) = json.loads(place.chosen(NAME).read_text())
    assert (entry["choice"], entry["parameters"]["level"]) == ("ridge on words", 1.5)
    place.chosen(NAME).write_text(json.dumps([entry | {"date": "2020-02-02"}]))
    attempted, card, _ = run(tune=False, best=1.0)
    assert not attempted and "Settings: 1 setting chosen on 2020-02-02" in card
    (again,) = json.loads((latest(place) / "chosen.json").read_text())
    assert again == entry | {"date": "2020-02-02"}
    attempted, card, records = run(tune=True, best=1.0)
    assert attempted and "Settings: 1 chosen in this run" in card
    assert records.value(metric="alpha") == 1.0


def test_the_key_has_the_choices_that_are_taken_over(place):
    def keys():
        return [plan([NAME], tune=tune)[NAME].key for tune in (False, True)]

    none = keys()
    run(tune=False)
    assert latest(place).name == none[0]
    publish_latest(place)
    some = keys()
    assert some[0] != none[0] and some[1] == none[1]
    run(tune=False)
    assert latest(place).name == some[0]
    text = place.chosen(NAME).read_text()
    place.chosen(NAME).write_text(text.replace("2.0", "2.5"))
    new = keys()
    assert new[0] not in (*none, *some) and new[1] == none[1]


def test_a_chapter_takes_the_choices_of_those_that_it_names(published):
    other, own = "demo/02_other", published.chapter_file(NAME)
    path, text = own.with_name("02_other.md"), own.read_text().replace(NAME, other)
    path.write_text(text)
    alone = plan([other])[other].key
    path.write_text(text.replace("depends: []", f"choices_of: [{NAME}]"))
    assert plan([other])[other].key != alone
    book.start(other, parameters=GIVEN | {"tune": False})
    trial, *_ = sweep({"alpha": (3.0, 4.0)}, pytest.fail, "ridge on words")
    assert trial["parameters"]["alpha"] in (1.0, 2.0)


def test_publishing_a_run_without_choices_leaves_none(published):
    book.start(NAME, parameters=GIVEN | {"tune": True}).finish()
    assert not (latest(published) / "chosen.json").exists()
    publish_latest(published)
    assert not published.chosen(NAME).exists()


def test_choices_are_in_use_from_start_to_finish(place):
    chapter = book.start(NAME, parameters=GIVEN | {"tune": False})
    assert in_use() is not None
    chapter.finish()
    assert in_use() is None


def test_a_broken_file_stops_the_chapter_unless_it_chooses_anew(place):
    place.chosen(NAME).parent.mkdir(parents=True)
    place.chosen(NAME).write_text("[{")
    with pytest.raises(ValueError, match=r"chosen\.json is no readable JSON .* `-p tune true`"):
        book.start(NAME, parameters=GIVEN | {"tune": False})
    book.start(NAME, parameters=GIVEN | {"tune": True})


def test_a_chapter_that_chooses_declares_it(tiny_book):
    tiny_book.write(NAME)
    chapter = book.start(NAME, parameters=GIVEN)
    sweep({"alpha": (1.0,)}, lambda parameters: {"score": 0.0}, "ridge on words")
    with pytest.raises(ValueError, match="declare `tune: bool = False` among its parameters"):
        chapter.finish()


BOOK = Path(__file__).parents[2] / "results" / "book.json"


@pytest.mark.skipif(not BOOK.is_file(), reason="no book is built")
def test_the_default_book_chooses_nothing_anew():
    chose = []
    for name, key in json.loads(BOOK.read_text()).items():
        run = json.loads((BOOK.parent / name / key / "run.json").read_text())
        asked, made = run["parameters"], run.get("choices", {}).get("made")
        chose += [name] * bool(made and asked.get("tune") is False and not asked.get("quick"))
    assert chose == []
