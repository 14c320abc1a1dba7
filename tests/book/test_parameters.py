"""Parameters: declared with types and comments, checked with messages that say what to do."""

import re

import pytest

from book.build.plan import plan
from book.parameters import check_parameters, declared_parameters, injected_names, parse_text

CELL = """\
seed: int = 0  # seed of all draws
rate: float = 0.1  # step length
name: str = "a"  # a word, "a" or "b"
quick: bool = False  # small and fast
"""
DECLARED = declared_parameters(CELL, "demo/01_a")
BOUND = declared_parameters(
    """
from typing import Annotated, Literal

device: str = "cpu"  # where arrays lie
n_seeds: int = 3  # trainings
limit: int = 0  # 0: all
folds: Annotated[int, ">= 1", "<= 4"] = 1  # quarters
share: Annotated[float, "> 0", "< 1"] = 0.5  # of all
tree: Literal["A", "B"] = "A"  # of the hierarchy
maps: Annotated[str, "names of zslib.protocols.METHODS", "or auto"] = "ridge"  # ways
one: Annotated[str, "one of chapters.devise.draw_rings.known_labels"] = "n02129604"  # a wnid
sizes: Annotated[str, "read by chapters.clarel.network.read_sizes"] = ""  # batches
words: Annotated[str, "file"] = ""  # vectors
""",
    "demo/01_a",
)


def test_a_cell_declares_names_types_defaults_and_comments():
    assert list(DECLARED) == ["seed", "rate", "name", "quick"]
    assert [p.type for p in DECLARED.values()] == [int, float, str, bool]
    assert [p.default for p in DECLARED.values()] == [0, 0.1, "a", False]
    assert DECLARED["name"].comment == 'a word, "a" or "b"'


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("seed = 0  # no type", "each line must be"),
        ("seed: list = []  # a list", "with a type among int, float, str, bool"),
        ('k: Annotated[int, "about 3"] = 3  # of a bound', "each line must be"),
        ("k: Optional[int] = 3  # another", "each line must be"),
        ("seed: int = 1 + 1  # computed", "each line must be"),
        ("seed: int  # no default", "each line must be"),
        ("import os  # work", "each line must be"),
        ("seed: int = 0", "'seed' of demo/01_a needs a comment"),
        ("seed: int = 0  # a\nseed: int = 1  # b", "declared twice"),
        ('k: Annotated[int, "> 3"] = 3  # list', "'k' of demo/01_a must be > 3"),
        ('seed: int = "0"  # text', "'seed' of demo/01_a must be int"),
    ],
)
def test_malformed_cells_are_refused(cell, message):
    with pytest.raises((ValueError, TypeError), match=message):
        declared_parameters(cell, "demo/01_a")


def test_overrides_keep_their_types_and_an_integer_may_stand_for_a_float():
    values = check_parameters(DECLARED, {"rate": 1, "quick": True}, "demo/01_a")
    assert values == {"seed": 0, "rate": 1.0, "name": "a", "quick": True}
    assert type(values["rate"]) is float


def test_wrong_types_are_refused():
    wrong = {"seed": [1.0, True, "1", None], "rate": ["0.1", False], "name": [1]}
    for name, values in (wrong | {"quick": [1, "true"]}).items():
        for value in values:
            with pytest.raises(TypeError, match=f"parameter '{name}' of demo/01_a must be"):
                check_parameters(DECLARED, {name: value}, "demo/01_a")


@pytest.mark.parametrize(
    ("name", "text", "must"),
    [
        ("seed", "1.5", "int"),
        ("seed", "-1", ">= 0"),
        ("seed", "", "int"),
        ("rate", "fast", "float"),
        ("rate", "nan", "finite"),
        ("rate", "inf", "finite"),
        ("quick", "perhaps", "bool"),
        ("device", "tpu", "'cpu' or 'gpu' or 'auto' (where"),
        ("n_seeds", "0", ">= 1 (trainings), got 0"),
        ("limit", "-1", ">= 0 (0: all), got -1"),
        ("folds", "5", ">= 1 and <= 4 (quarters), got 5"),
        ("share", "1", "> 0 and < 1 (of all), got 1.0"),
        ("share", "0", "> 0 and < 1 (of all), got 0.0"),
        ("share", "nan", "> 0 and < 1 (of all), got nan"),
        ("tree", "C", "'A' or 'B' (of the hierarchy), got 'C'"),
        ("maps", "nope", "there is no 'nope'"),
        ("maps", "ridge+rigde", "there is no 'rigde' (did you mean 'ridge'?)"),
        ("maps", "ridge+", "there is no ''"),
        ("maps", "RIDGE", "there is no 'RIDGE' (did you mean 'ridge'?)"),
        ("maps", "ridge+ridge", "ridge is named twice"),
        ("maps", "auto+ridge", "there is no 'auto'"),
        ("one", "nope", "one of 'n01440764', 'n01443537', 'n01484850', … (1,000 in all)"),
        ("one", "n02129604+n01440764", "there is no"),
        ("sizes", "ikea", "each data set needs its batches"),
        ("sizes", "ikea:0", "each data set needs its batches"),
        ("sizes", "nope:10", "unknown dataset 'nope'"),
        ("words", "no/such.vec", "the path of a file; vectors, got 'no/such.vec': no such file"),
    ],
)
def test_words_that_are_no_value_are_refused(name, text, must):
    must = f"parameter '{name}' of demo/01_a must be .*{re.escape(must)}"
    with pytest.raises(ValueError, match=must):
        parse_text(DECLARED | BOUND, {name: text}, "demo/01_a")


def test_ranges_and_choices_are_told_before_the_comment():
    told = [BOUND[name].told for name in ("device", "folds", "tree")]
    assert told == ["where arrays lie", ">= 1 and <= 4; quarters", "'A' or 'B'; of the hierarchy"]


def test_unknown_names_are_refused_with_those_there_are():
    message = r"no parameter 'sede' \(did you mean 'seed'\?\); it has: seed: int = 0"
    for check in (check_parameters, parse_text):
        with pytest.raises(ValueError, match=message):
            check(DECLARED, {"sede": "1"}, "demo/01_a")


def test_words_of_a_command_line_become_values():
    for texts, values in (
        (("3", "1e-3", "12", "True"), (3, 1e-3, "12", True)),
        (("0", "2", "b", "no"), (0, 2.0, "b", False)),
        (("1", "-1", "", "False"), (1, -1.0, "", False)),
    ):
        found = parse_text(DECLARED, dict(zip(DECLARED, texts, strict=True)), "demo/01_a")
        assert repr([*found.values()]) == repr([*values])  # with their types


@pytest.mark.parametrize(
    ("chapter", "parameters", "error", "message"),
    [
        ("01_first", {"levle": 1.0}, ValueError, "no parameter 'levle'"),
        ("01_first", {"n_seeds": "3"}, TypeError, "'n_seeds' of demo/01_first must be int"),
        ("01_first", {"n_seeds": 0}, ValueError, "'n_seeds' of demo/01_first must be >= 1"),
        ("01_first", {"device": "tpu"}, ValueError, "'device' of demo/01_first must be 'cpu' or"),
        ("02", {}, FileNotFoundError, "no chapter 'demo/02'.*nearest: .*demo/01_first"),
    ],
)
def test_plans_are_checked_before_anything_runs(tiny_book, chapter, parameters, error, message):
    tiny_book.write("demo/01_first")
    with pytest.raises(error, match=message):
        plan([f"demo/{chapter}"], parameters)


def test_chapters_read_for_their_records_take_the_parameters_they_know(tiny_book):
    tiny_book.write("demo/01_source")
    path = tiny_book.write("demo/02_reader", depends=["demo/01_source"])
    path.write_text(path.read_text().replace("seed: int", "extra: int = 0  # more\nseed: int"))
    runs = plan(["demo/02_reader"], {"extra": 5, "level": 4.0})
    assert runs["demo/02_reader"].parameters["extra"] == 5
    assert runs["demo/01_source"].given == {"level": 4.0}


@pytest.fixture
def edited(tiny_book):
    """Function that plans the book's one chapter after a change of its text."""

    def edit(old, new, *arguments, **options):
        path = tiny_book.write("tiny/01_a")
        path.write_text(path.read_text().replace(old, new))
        return next(iter(plan(["tiny/01_a"], *arguments, **options).values()))

    return edit


@pytest.mark.parametrize("tags", ["", ":tags: [hide-input]\n"])
def test_a_chapter_needs_one_parameters_cell(edited, tags):
    with pytest.raises(ValueError, match="must have one code cell tagged 'parameters', it has 0"):
        edited(":tags: [parameters]\n", tags)


def test_the_full_run_takes_the_values_that_the_front_matter_names(edited):
    front = "zslib:\n", "zslib:\n  full: {n_seeds: 9, level: 4}\n"
    usual, full = edited(*front), edited(*front, {"level": 0.5}, full=True)
    assert usual.parameters == full.parameters | {"n_seeds": 2, "level": 1.5}
    assert full.given == {"n_seeds": 9, "level": 0.5}
    assert usual.key != full.key


@pytest.mark.parametrize(("name", "error"), [("n_sed", ValueError), ("n_seeds", TypeError)])
def test_full_values_are_checked_like_others(edited, name, error):
    with pytest.raises(error, match=rf"(?=.*{name}).*zslib: full"):
        edited("zslib:\n", f"zslib:\n  full: {{{name}: 0.5}}\n", full=True)


def test_names_and_files_that_are_there_are_taken():
    values = {"maps": "max-margin+ridge", "one": "n01440764", "sizes": "ikea:3+cub:1"}
    for texts in (values | {"words": __file__}, {"maps": "auto"}):
        assert parse_text(BOUND, texts, "demo/01_a") == texts


def test_names_in_the_cell_that_papermill_adds_are_found():
    cells = ["", "seed: int = 0  # of draws", "# Parameters\nseed = 3\nsede = 4\n", "own = 5"]
    assert injected_names(cells) == ["seed", "sede"]
    assert injected_names(cells[:2]) == []
