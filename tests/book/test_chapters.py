"""Every chapter of the book keeps to the template."""

import ast
import re
import runpy
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import book
from book.build.opening import opening
from book.parameters import ChapterText
from book.paths import Layout

ROOT = Path(__file__).parents[2]
counts = SimpleNamespace(**runpy.run_path(str(ROOT / "tests" / "counts.py")))
PLACE = Layout(ROOT)
NAMES = PLACE.names()
assert NAMES
ALWAYS = {"dataset": str, "device": str, "seed": int, "n_seeds": int, "quick": bool}


@pytest.fixture(scope="module")
def sources():
    return {name: ChapterText.read(name, PLACE) for name in NAMES}


def prose(source):
    return "\n".join(c.source for c in source.notebook().cells if c.cell_type == "markdown")


def labels(text):
    return re.findall(r"""["']((?:tbl|fig)-[^"']+)["']""", text)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_typed_and_explained(sources, name):
    parameters = sources[name].parameters
    assert {n: parameters[n].type for n in ALWAYS if n in parameters} == ALWAYS
    assert parameters["quick"].default is False
    assert "tune" not in parameters or parameters["tune"].default is False
    assert parameters["device"].default == "cpu"
    assert all(len(p.comment) > 5 for p in parameters.values())
    sources[name].settings(sources[name].full)  # of the published run, within their ranges


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_is_prose_with_a_little_code(sources, name):
    *_, classes, functions = counts.chapter_counts(sources[name].text)
    assert classes == 0, "what is an experiment lies beside the chapter"
    assert functions <= 1, "what computes rows or draws lies beside the chapter"


def test_the_book_has_few_lines_of_code_to_its_words(sources):
    cells = [counts.chapter_counts(source.text) for source in sources.values()]
    words = sum(words for _, words, *_ in cells)
    lines = sum(lines for lines, *_ in cells) + counts.beside_chapters()
    most = 35 * words // 100
    assert lines <= most, f"{lines} lines of code to {words} words: at most {most}"


@pytest.mark.parametrize("name", NAMES)
def test_one_heading_opens_the_chapter(sources, name):
    outside_fences = re.sub(r"^```.*?^```", "", prose(sources[name]), flags=re.M | re.S)
    headings = re.findall(r"^(#+) \S", outside_fences, flags=re.M)
    assert headings.count("#") == 1 and headings[0] == "#"
    steps = [len(b) - len(a) for a, b in pairwise(headings)]
    assert max(steps, default=0) <= 1, "a level of headings is left out"


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_starts_and_finishes_its_records(sources, name):
    code = sources[name].code
    calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    started = [call for call in calls if ast.unparse(call.func) == "book.start"]
    assert [call.args[0].value for call in started] == [name]
    assert code.strip().endswith("chapter.finish()")


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_names_no_file_and_no_kernel_of_one_machine(sources, name):
    assert not re.search(r"""["'](/|~|[A-Z]:\\)\w""", sources[name].code)
    assert sources[name].notebook().metadata.kernelspec.name == "python3"


def test_labels_are_unique_in_the_book(sources):
    # A chapter may show one of two tables under one label; two chapters may not.
    found = [label for s in sources.values() for label in set(labels(s.code))]
    assert not {label for label in found if found.count(label) > 1}


def test_references_lead_to_labels_of_the_book(sources):
    known = {label for s in sources.values() for label in labels(s.code)}
    patterns = [re.compile(re.sub(r"\\\{[^}]*\\\}", ".+", re.escape(label))) for label in known]
    for name, source in sources.items():
        for label in re.findall(r"\{numref\}`[^`]*?((?:tbl|fig)-[^`>]+)>?`", prose(source)):
            assert any(p.fullmatch(label) for p in patterns), f"{name} refers to {label}"


def test_citations_are_in_the_bibliography(sources):
    bibliography = (ROOT / "book" / "references.bib").read_text("utf-8")
    known = re.findall(r"^@\w+\{(\w+),", bibliography, flags=re.M)
    assert len(known) == len(set(known))
    texts = {name: prose(s) for name, s in sources.items()}
    texts |= {str(p): p.read_text("utf-8") for p in (ROOT / "book").glob("*.md")}
    for name, text in texts.items():
        cited = ",".join(re.findall(r"\{cite[:a-z]*\}`([^`]+)`", text))
        assert {*filter(None, map(str.strip, cited.split(",")))} <= {*known}, name


def test_the_contents_list_every_chapter_and_page():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    files = [contents["root"]]
    waiting = [c for part in contents["parts"] for c in part["chapters"]]
    while waiting:
        entry = waiting.pop(0)
        if "glob" in entry:  # what the build writes for the page of a room
            assert entry["glob"] == f"reference/{entry['room']}/*"
            continue
        files.append(entry["file"])
        waiting += [{"room": Path(files[-1]).name} | e for e in entry.get("sections", [])]
    assert len(files) == len(set(files))
    chapters = [f for f in files if re.fullmatch(r"\w+/\d\d_\w+", f)]
    assert chapters == NAMES, "chapters stand in the contents in the order of their numbers"
    pages = {p.relative_to(PLACE.pages).with_suffix("") for p in PLACE.pages.rglob("*.md")}
    assert {f for f in files if f not in chapters} == {p.as_posix() for p in pages}


def test_a_part_without_a_paper_stands_where_the_contents_list_it(tiny_book):
    for name in ("hubness/01_a", "dark/02_b", "dark/01_a", "afternoon/01_a", "unlisted/01_a"):
        tiny_book.write(name)
    order = "afternoon/01_a", "dark/01_a", "dark/02_b", "hubness/01_a"
    lines = "".join(f"      - file: {name}\n" for name in order)
    (tiny_book.root / "_toc.yml").write_text(f"root: index\nparts:\n  - chapters:\n{lines}")
    assert tiny_book.place.names() == [*order, "unlisted/01_a"]
    assert tiny_book.place.matching(["afternoon"]) == ["afternoon/01_a"]
    chapter = book.start("afternoon/01_a", parameters=tiny_book.defaults)
    with pytest.raises(ValueError, match="no claim names the chapter"):
        chapter.verdicts()
    chapter.record(metric="level", value=1.5)
    chapter.finish()  # no claim asks for more
    box = opening("afternoon/01_a", {"question": "Why?"}, chapter.records)
    assert box.endswith("on no data, 2 seeds.\n:::")


def test_chapters_read_chapters_and_nowhere_in_a_circle(sources):
    assert {name for source in sources.values() for name in source.choices_of} <= {*NAMES}
    order = TopologicalSorter({name: source.depends for name, source in sources.items()})
    assert sorted(order.static_order()) == sorted(NAMES)
