"""Files that say the same thing say the same thing."""

import ast
import importlib
import pkgutil
import re
import tomllib
from functools import cache
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import zslib
from book.parameters import ChapterText
from book.paths import layout
from zslib import code_digest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
GROUPS = {"core": PROJECT["dependencies"]} | PROJECT["optional-dependencies"]
ASKED = {name: [*map(Requirement, texts)] for name, texts in GROUPS.items()}


def read(name):
    return (ROOT / name).read_text("utf-8")


def test_constraints_pin_what_pyproject_asks_for():
    lines = [line for line in read("constraints.txt").splitlines() if not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)
    pinned = {canonicalize_name(name): number for name, number in (s.split("==") for s in lines)}
    for name, specifier in asked("book", "test", "bench", "cluster").items():
        assert name in pinned, f"{name} has no pinned version"
        assert Version(pinned[name]) in specifier


def conda_packages(name):
    """Version ranges by package of an environment file, Python and pip apart."""
    entries = yaml.safe_load(read(name))["dependencies"]
    texts = [entry for entry in entries if isinstance(entry, str)]
    texts += next(entry["pip"] for entry in entries if isinstance(entry, dict))
    given = {canonicalize_name(r.name): r.specifier for r in map(Requirement, texts)}
    assert given.pop("python") == Requirement(f"python{PROJECT['requires-python']}").specifier
    given.pop("pip")
    return given


def asked(*extras):
    wanted = (requirement for group in ("core", *extras) for requirement in ASKED[group])
    return {canonicalize_name(r.name): r.specifier for r in wanted}


def test_conda_users_get_what_pyproject_asks_for():
    given = conda_packages("environment.yml")
    # Of conda-forge, one package for all CUDA versions; of pip, one for each.
    cupy = given.pop("cupy")
    (cuda12,) = ASKED["cuda12"]
    assert (cuda12.name, cupy) == ("cupy-cuda12x", cuda12.specifier)
    assert given == asked("book", "test")


def test_binder_installs_what_a_notebook_needs():
    assert conda_packages(".binder/environment.yml") == asked("book")


def test_version_is_told_once():
    version = zslib.__version__
    assert f"## {version}" in read("CHANGELOG.md")
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version


def test_links_of_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), ROOT / "data/README.md"]
    pages += [*ROOT.glob("book/pages/**/*.md"), *ROOT.glob("chapters/*/*.md")]
    link = r"(?:\]\(|^:link: |^```\{(?:figure|include)\} )([^)#:\s]+)(?=[)#\s])"
    for page in pages:
        text = page.read_text("utf-8")
        labels = re.findall(r"^\((\S+)\)=$", text, flags=re.M)
        for target in re.findall(link, text, flags=re.M):
            path = page.parent / target
            there = path.exists() or path.with_name(f"{path.name}.md").is_file()
            built = "parts" in Path(target).parts  # from records
            assert there or built or target in labels, f"{page} links to {target}"


def test_make_help_names_what_the_readme_names():
    targets = set(re.findall(r"^([a-z]+):.*##", read("Makefile"), flags=re.M))
    assert {"book", "test", "serve", "lint", "bench", "notebooks", "archive", "clean"} <= targets
    for page in ("README.md", "CONTRIBUTING.md", "book/pages/how_to.md"):
        assert set(re.findall(r"\bmake ([a-z]+)\b", read(page))) <= targets | {"sure"}


FLOORS = (
    ("arrays", "validation", "repository"),
    ("search", "optim", "nn"),
    ("metrics",),
    ("datasets", "mapping", "compatibility", "calibration"),
    ("code_digest", "protocols"),
    ("show", "compare", "cli", "__main__"),
)
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}


@cache
def imported(path):
    """Modules that a file imports, each name of a module among them."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.update([node.module], (f"{node.module}.{one.name}" for one in node.names))
    return modules


def test_files_import_from_their_own_floor_or_below():
    wrong = []
    for path in sorted((ROOT / "zslib").rglob("*.py")):
        here = path.relative_to(ROOT).with_suffix("").parts
        if here == ("zslib", "__init__"):
            continue
        assert here[1] in FLOOR, f"{here[1]} has no floor: name it here"
        for module in imported(path):
            package, room, *_ = *module.split("."), ""
            if package == "zslib" and FLOOR.get(room, 0) > FLOOR[here[1]]:
                wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_the_library_knows_neither_the_book_nor_its_chapters():
    def packages(folder):
        paths = (ROOT / folder).rglob("*.py")
        return {module.split(".")[0] for path in paths for module in imported(path)}

    assert not packages("zslib") & {"book", "chapters", "tests"}
    assert not packages("book") & {"chapters", "tests"}


def test_what_one_paper_alone_needs_lies_beside_its_chapters():
    """Each module serves an importer, by a public name of a room, or chapters of two papers."""
    rooms = [f"zslib.{room.name}" for room in pkgutil.iter_modules(zslib.__path__)]
    modules = {room: importlib.import_module(room) for room in rooms if "__main__" not in room}
    exported = {room: m.__all__ for room, m in modules.items() if hasattr(m, "__all__")}
    code = [f"from {room} import {', '.join(names)}" for room, names in exported.items()]
    public = code_digest.reached("\n".join(code))
    papers = {}
    for name in layout(ROOT).names():
        for module in code_digest.reached(ChapterText.read(name, layout(ROOT)).code):
            papers.setdefault(module, set()).add(name.split("/")[0])
    alone = {m for m, names in papers.items() if m.startswith("zslib.") and len(names) == 1}
    assert alone - set(public) == set()
