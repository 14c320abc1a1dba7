"""Chapters and their notebooks in step: the newer side wins, and git sees no change of its own."""

import os
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from book.notebooks import pair
from book.paths import Layout

ROOT = Path(__file__).parents[2]
NAMES = ["devise/01_data", "hubness/08_synthetic"]


@pytest.fixture
def clone(tmp_path):
    """A repository with two chapters, all committed."""
    shutil.copy(ROOT / ".gitignore", tmp_path)
    for name in NAMES:
        path = tmp_path / "chapters" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "chapters" / f"{name}.md", path)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "-A")
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    git(tmp_path, *who, "commit", "--quiet", "-m", "All")
    return Layout(tmp_path)


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def edit(notebook, old, new):
    """Change a cell, add what Jupyter notes, and make the notebook the newer side."""
    read = nbformat.read(notebook, as_version=4)
    (cell,) = (cell for cell in read.cells if old in cell.source)
    cell.source = cell.source.replace(old, new)
    cell.metadata["collapsed"] = True
    nbformat.write(read, notebook)
    os.utime(notebook, (2e9, 2e9))


def test_pairing_leaves_git_without_a_change(clone):
    for _ in range(2):
        written = [pair(name, clone) for name in NAMES]
        assert git(clone.root, "status", "--porcelain") == ""
    assert written == [None, None]


def test_an_edited_cell_changes_its_lines_alone(clone):
    name = NAMES[0]
    source = clone.chapter_file(name)
    notebook, before = pair(name, clone), source.read_text("utf-8")
    edit(notebook, "# Data and label sets", "# Data, and sets of labels")
    assert pair(name, clone) == source
    after = before.replace("# Data and label sets", "# Data, and sets of labels")
    assert source.read_text("utf-8") == after
    assert pair(name, clone) is None


def test_an_edited_source_reaches_a_notebook_that_keeps_its_outputs(clone):
    name = NAMES[0]
    source, notebook = clone.chapter_file(name), pair(name, clone)
    read = nbformat.read(notebook, as_version=4)
    last = next(cell for cell in reversed(read.cells) if cell.cell_type == "code")
    last.outputs = [nbformat.v4.new_output("stream", text="done")]
    nbformat.write(read, notebook)
    text = source.read_text("utf-8").replace("# Data and label sets", "# Other")
    source.write_text(text, encoding="utf-8")
    os.utime(source, (2e9, 2e9))
    assert pair(name, clone) == notebook
    read = nbformat.read(notebook, as_version=4)
    assert any("# Other" in cell.source for cell in read.cells)
    last = next(cell for cell in reversed(read.cells) if cell.cell_type == "code")
    assert [out.text for out in last.outputs] == ["done"]
