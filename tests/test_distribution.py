"""What goes out: sdist and wheel, the workflow, Binder's set-up."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
IMPORT_EXAMPLE = """
import doctest, sys, zslib
assert sys.argv[1] in zslib.__file__, zslib.__file__
flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
found = doctest.testfile(sys.argv[2], module_relative=False, optionflags=flags)
sys.exit(found.failed or found.attempted < 5)
"""
EVERY_NAME = """
import pkgutil, zslib
for room in pkgutil.walk_packages(zslib.__path__, "zslib."):
    room.ispkg and exec(f"from {room.name} import *")
"""
SAVED = """
from zslib.datasets import save_zero_shot, synthetic_attributes
save_zero_shot(synthetic_attributes("APY", scale=0.04, n_features=24), "my_features.npz")
"""


def run(*command, cwd, code=0):
    # Some lines of README are about the data of a copy, which a wheel is told of by this variable.
    env = os.environ | {"ZSLIB_DATA": str(ROOT / "data")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def needed(package):
    """Names of a distribution and of all that it requires, extras apart."""
    names, waiting = set(), [package]
    while waiting:
        package = waiting.pop()
        names.add(package.name)
        for line in package.requires or ():
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                found = distribution(wanted.name)
                waiting += [found] if found.name not in names else []
    return names


def test_the_wheel_of_the_sdist_runs_the_readme_elsewhere(tmp_path):
    hatch = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)]
    run(*hatch, "-t", "sdist", cwd=ROOT)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / sdist.name.removesuffix(".tar.gz")
    run(*hatch, "-t", "wheel", cwd=source)
    (wheel,) = tmp_path.glob("*.whl")
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"zslib"}
    venv.create(home := tmp_path / "venv", with_pip=False, symlinks=True)
    (packages,) = home.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(packages)
    (own,) = distributions(name="zslib", path=[str(packages)])
    # Without a network: what the wheel asks for is linked from here, and nothing else is there.
    for wanted in needed(own) - {own.name}:
        found = distribution(wanted)
        for top in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(found.locate_file(top))
    python = str(home / "bin" / "python")
    run(python, "-I", "-c", IMPORT_EXAMPLE, str(home), str(source / "README.md"), cwd=tmp_path)
    run(python, "-I", "-c", EVERY_NAME, cwd=tmp_path)
    run(python, "-I", "-c", SAVED, cwd=tmp_path)
    assert "synthetic" in run(python, "-I", "-m", "zslib", "data", "list", cwd=tmp_path)
    told = run(python, "-I", "-m", "zslib", "run", "--all", "-p", "n", "1", cwd=tmp_path, code=1)
    assert told == "zslib: 'zslib run' makes the book: call it in its repository\n"
    compared = ("compare", "my_features.npz", "--methods", "ESZSL", "--quick")
    run(python, "-I", "-m", "zslib", *compared, cwd=tmp_path)
    (table,) = tmp_path.glob("*.csv")
    assert "ESZSL" in table.read_text()


def test_the_workflow_calls_targets_that_there_are():
    text = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]
    calls = [step["run"].split() for step in steps if step.get("run", "").startswith("make ")]
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.M)
    assert (
        {words[1] for words in calls}
        == {"lint", "test", "kernels", "cupy", "book", "prune"}
        <= set(targets)
    )


def test_binder_finds_notebooks():
    binder = ROOT / ".binder"
    assert os.access(binder / "postBuild", os.X_OK)
    # The theme's button leads to the page's own path, so that is where notebooks have to lie.
    pages = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert "file: hubness/01_setup" in pages
    assert "--to ipynb" in (binder / "postBuild").read_text("utf-8")
    assert "path_to_docs: chapters\n" in (ROOT / "_config.yml").read_text("utf-8")
