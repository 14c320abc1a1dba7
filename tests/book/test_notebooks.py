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
    """A folder with two chapters."""
    for name in NAMES:
        path = tmp_path / "chapters" / f"{name}.md"
        path.parent.mkdir(parents=True)
        shutil.copy(ROOT / "chapters" / f"{name}.md", path)
    return Layout(tmp_path)


def edit(notebook, old, new):
    """Change a cell, add what Jupyter notes, and make the notebook the newer side."""
    read = nbformat.read(notebook, as_version=4)
    (cell,) = (cell for cell in read.cells if old in cell.source)
    cell.source = cell.source.replace(old, new)
    cell.metadata["collapsed"] = True
    nbformat.write(read, notebook)
    os.utime(notebook, (2e9, 2e9))


def done(notebook):
    """Outputs of the last code cell, to fill or to read, and the notebook."""
    read = nbformat.read(notebook, as_version=4)
    return [cell for cell in read.cells if cell.cell_type == "code"][-1].outputs, read


def test_pairing_leaves_git_without_a_change(clone):
    def git(*words):
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        return subprocess.check_output(["git", *who, *words], cwd=clone.root, text=True)

    shutil.copy(ROOT / ".gitignore", clone.root)
    git("init", "--quiet"), git("add", "-A"), git("commit", "--quiet", "-m", "All")
    for _ in range(2):
        written = [pair(name, clone) for name in NAMES]
        assert git("status", "--porcelain") == ""
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
    outputs, read = done(notebook)
    outputs[:] = [nbformat.v4.new_output("stream", text="done")]
    nbformat.write(read, notebook)
    text = source.read_text("utf-8").replace("# Data and label sets", "# Other")
    source.write_text(text, encoding="utf-8")
    os.utime(source, (2e9, 2e9))
    assert pair(name, clone) == notebook
    outputs, read = done(notebook)
    assert any("# Other" in cell.source for cell in read.cells)
    assert [out.text for out in outputs] == ["done"]
