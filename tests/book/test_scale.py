"""The lines of the page on clusters run, on a worker of this machine."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from book.build.plan import plan

pytestmark = pytest.mark.book
PAGE = (Path(__file__).parents[2] / "book" / "pages" / "scale.md").read_text("utf-8")
ADDRESS = "tcp://127.0.0.1:8786"
SWEEP, CHAPTERS = (
    block for block in re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.M | re.S)
    if "dask.distributed" in block
)  # fmt: skip


@pytest.fixture(scope="module")
def address():
    distributed = pytest.importorskip("dask.distributed")
    how = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**how) as cluster:
        yield cluster.scheduler_address


def run(block, address, folder):
    """Run the lines as a script, which is what they are."""
    path = folder / "script.py"
    path.write_text(block.replace(ADDRESS, address))
    command = [sys.executable, path]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_a_sweep(tmp_path, address):
    rng = np.random.default_rng(0)
    vectors, labels = rng.normal(size=(10, 5)), np.arange(200) % 10
    features = vectors[labels] @ rng.normal(size=(5, 8)) + 0.1 * rng.normal(size=(200, 8))
    arrays = {"features": features, "labels": labels, "class_embeddings": vectors}
    np.savez(tmp_path / "my_features.npz", **arrays, unseen_classes=[8, 9])
    told = run(SWEEP, address, tmp_path).splitlines()
    assert [line.split()[0] for line in told] == ["ESZSL", "SAE"]


def test_chapters(tiny_book, address):
    tiny_book.write("demo/01_source")
    tiny_book.write("demo/02_reader", depends=["demo/01_source"])
    block = CHAPTERS.replace("hubness/02_hubness", "demo/01_source")
    block = block.replace("hubness/03_pollution", "demo/02_reader").replace("20}", "3}")
    run(block, address, tiny_book.root)
    assert all(one.done for one in plan(["demo/02_reader"], {"n_seeds": 3}).values())
