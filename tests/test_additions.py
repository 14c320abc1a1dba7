"""What a new method, data set, chapter and claim touch: few files, and the checks then pass."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
COPIED = (
    "zslib", "tests", "chapters", "book", "results/published", "_toc.yml", "_config.yml",
    "pyproject.toml",
)  # fmt: skip


METHOD = {
    "zslib/compatibility/class_ridge.py": '''
"""Ridge regression from samples to the embeddings of their classes."""

from dataclasses import dataclass

from array_api_compat import device

from zslib.arrays import class_sums, namespace
from zslib.compatibility.base import BilinearModel
from zslib.compatibility.parameters import Positive

__all__ = ["ClassRidge"]


@dataclass(repr=False, eq=False)
class ClassRidge(BilinearModel):
    """Maps samples to embeddings of classes: the score is the inner product there."""

    grid = {"regularization": (0.1, 1.0)}
    year = 2026
    family = "regression"
    look = (6, "D", "--")

    regularization: Positive = 0.1

    def _fit(self, X, codes, embeddings):
        xp = namespace(X)
        sums, _ = class_sums(X, codes, embeddings.shape[0])
        gram, targets = (xp.astype(part, xp.float64) for part in (X.T @ X, sums.T @ embeddings))
        ridge = self.regularization * xp.eye(gram.shape[0], dtype=xp.float64, device=device(X))
        self.coef_ = xp.astype(xp.linalg.solve(gram + ridge, targets), X.dtype)
''',
    "zslib/compatibility/__init__.py": [
        ("ESZSL\n", "ESZSL\nfrom zslib.compatibility.class_ridge import ClassRidge\n"),
        ('    "ESZSL",\n', '    "ESZSL",\n    "ClassRidge",\n'),
    ],
    "tests/compatibility/test_class_ridge.py": """
import numpy as np

from zslib.compatibility import ClassRidge
from zslib.protocols import ZERO_SHOT_METHODS
from zslib.protocols.attributes.methods import origin
from zslib.show.looks import known_look


def test_the_table_has_a_method_that_finds_its_targets():
    X, y, S = np.eye(2), np.array([0, 1]), np.array([[1.0, 2.0], [3.0, 5.0]])
    model = ZERO_SHOT_METHODS["ClassRidge"].estimator(regularization=1e-9).fit(X, y, S)
    assert isinstance(model, ClassRidge)
    np.testing.assert_allclose(model.coef_, S)
    assert origin("ClassRidge") == (2026, "regression")
    assert known_look("ClassRidge") == (6, "D", "--")
""",
}

DATASET = {
    "zslib/datasets/attributes/moons.py": '''
"""Moons."""

from __future__ import annotations

import numpy as np

from zslib.datasets.attributes.problem import ZeroShotProblem
from zslib.datasets.attributes.splits import class_parts
from zslib.datasets.entry import ATTRIBUTES, Dataset
from zslib.datasets.locate import require_folder

__all__ = ["moons"]


def moons(*, folder=None):
    """Three moons of a file, the third unseen."""
    with np.load(require_folder("moons", folder) / "moons.npz", allow_pickle=False) as data:
        features, labels = data["features"], data["labels"]
    parts = class_parts(labels, [0], [1], [2], seen_fraction=0.5, seed=0)
    return ZeroShotProblem(
        name="moons",
        synthetic=False,
        description="moons",
        features=features,
        labels=labels,
        class_embeddings=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=np.float32),
        class_names=np.array(["new", "half", "full"]),
        **parts,
    )


given = {"summary": "moons", "licence": "none", "files": ("moons/moons.npz",)}
ENTRY = Dataset(name="moons", kind="embedded", loaders={ATTRIBUTES: moons}, **given)
''',
    "tests/datasets/attributes/test_moons.py": """
from zslib.datasets import load_problem


def test_the_moons_rise(real_data):
    assert len(load_problem("attributes", "moons").test_unseen) == 10
""",
    "book/pages/data.md": [("# Data\n", "# Data\n\nThree moons among them.\n")],
}


def claim(id, says, chapter, holds, *, before):
    """The edit that puts a claim before another."""
    old = f'[[claim]]\nid = "{before}"'
    new = f"""[[claim]]
id = "{id}"
where = "Appendix"
says = "{says}"
chapter = "{chapter}"
record = {{ metric = "additions", method = "count" }}
holds = "{holds}"
printed = []

"""
    return old, new + old


CLAIM = {
    "chapters/devise/claims.toml": [
        claim("one-more", "There is one more", "devise/01_data", "> 0", before="four-terms")
    ],
    "chapters/devise/01_data.md": [
        ("chapter.fin", 'chapter.record(metric="additions", method="count", value=1)\nchapter.fin')
    ],
    "tests/golden/devise/01_data.jsonl": [
        ("{", '{"metric": "additions", "method": "count", "value": 1.0}\n{')
    ],
}

ADDED = "devise/05_additions"
CHAPTER = {
    "chapters/devise/05_additions.md": """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Additions

A book grows by methods, data sets, claims and chapters. If one of them touches many files, nobody
adds it, and the book stands still. So this chapter counts the kinds of additions that take few
files, and holds the count against the claim that there are four.

```{code-cell} ipython3
:tags: [parameters]

dataset: str = "auto"  # "auto", "real" or "synthetic"
device: str = "cpu"  # "cpu", "gpu" or "auto"
seed: int = 0  # first seed
n_seeds: int = 1  # how many seeds
quick: bool = False  # nothing to shorten
```

```{code-cell} ipython3
:tags: [hide-input]

import book
from chapters.devise import additions

chapter = book.start("devise/05_additions", parameters=globals())
chapter.collect(additions.count_rows())
chapter.finish()
```
""",
    "chapters/devise/additions.py": '''
"""Kinds of additions."""

from __future__ import annotations

__all__ = ["count_rows"]

KINDS = ("method", "data set", "claim", "chapter")


def count_rows():
    """One row: how many kinds there are."""
    yield {"metric": "additions", "method": "count", "value": float(len(KINDS))}
''',
    "tests/golden/devise/05_additions.jsonl": """
{"metric": "additions", "method": "count", "value": 4.0}
""",
    "_toc.yml": [("devise/04_answers\n", f"devise/04_answers\n{6 * ' '}- file: {ADDED}\n")],
    "book/pages/map.toml": [
        ('"devise/04_answers" =', f'"{ADDED}" = ["devise/01_data"]\n"devise/04_answers" =')
    ],
    "chapters/devise/claims.toml": [
        claim("four-kinds", "There are four", ADDED, ">= 4", before="random-sense-worse")
    ],
}

ADDITIONS = (METHOD, 3), (DATASET, 3), (CLAIM, 3), (CHAPTER, 6)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository, with all additions, and data of its own."""
    root = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        source, target = ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            skip = shutil.ignore_patterns("__pycache__", "*.ipynb")
            shutil.copytree(source, target, ignore=skip)
        else:
            shutil.copy(source, target)
    for edits, _ in ADDITIONS:
        for name, edit in edits.items():
            path = root / name
            text = edit.lstrip("\n") if isinstance(edit, str) else path.read_text("utf-8")
            for old, new in () if isinstance(edit, str) else edit:
                assert old in text, f"{name} has no {old!r} to add to"
                text = text.replace(old, new, 1)
            path.write_text(text, encoding="utf-8")
    (root / "data").symlink_to(ROOT / "data")
    (root / "moons").mkdir()
    features = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    np.savez(root / "moons" / "moons.npz", features=features, labels=np.arange(30) % 3)
    return root


def call(copy, *command):
    here = {"PYTHONPATH": str(copy), "ZSLIB_BOOK": str(copy), "ZSLIB_DATA": str(copy)}
    done = subprocess.run(
        [sys.executable, *command], cwd=copy, env=os.environ | here, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def test_an_addition_touches_few_files():
    assert all(len(edits) <= most for edits, most in ADDITIONS)


@pytest.mark.book
def test_the_checks_pass_with_the_additions(copy):
    where = [
        "tests/compatibility/test_estimator_checks.py", "tests/compatibility/test_class_ridge.py",
        "tests/compatibility/test_refusals.py", "tests/show/test_looks.py",
        "tests/datasets/test_registry.py", "tests/datasets/attributes/test_moons.py",
        "tests/book/papers/test_claims.py", "tests/book/test_chapters.py",
        "tests/test_packaging.py", "tests/golden", "tests/book/build/test_overview.py",
    ]  # fmt: skip
    which = (
        "class_ridge or ClassRidge or moons or every_entry or without_data or printed_path"
        " or 05_additions or devise/01_data and not golden or contents or own_floor or in_the_map"
    )
    said = call(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", which, *where)
    assert "failed" not in said


@pytest.mark.book
def test_the_chapters_run_with_the_additions(copy):
    run = ["run", "devise/01_data", "devise/05_additions", "--quick"]
    both = f"from zslib.cli import main; raise SystemExit(main({run}) or main(['report']))"
    report = call(copy, "-c", both)
    for says in ("There is one more", "There are four"):
        (row,) = (line for line in report.splitlines() if says in line)
        assert row.endswith("✓ held")
