"""Every system on your own features: report, table, resuming, refusals, a cluster."""

import contextlib
import csv
import os
import re
import signal
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from zslib.cli import main
from zslib.compare import check_comparable, compare
from zslib.compare.run import _places, workers
from zslib.compatibility import ESZSL
from zslib.datasets import synthetic_attributes
from zslib.datasets.attributes.features import read_features
from zslib.protocols import run_zero_shot, unit_length
from zslib.protocols.attributes.leaderboard import run_board

SYSTEMS = ["ESZSL", "SAE", "DeViSE"]
THREE = {"methods": SYSTEMS, "quick": True}


@pytest.fixture(autouse=True)
def here(own_cache, tmp_path, monkeypatch):
    """Every test is in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def small(**changes):
    world = synthetic_attributes("APY", scale=0.04, n_features=24)
    names = ("features", "labels", "class_embeddings", "unseen_classes")
    return {name: getattr(world, name) for name in names} | changes


@pytest.fixture
def mine():
    np.savez("mine.npz", **small())
    return Path("mine.npz")


def numbers(table):
    """Rows of the table but for what a clock says."""
    with table.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["metric"] != "seconds"]


def test_report_and_table_from_end_to_end(mine, capsys):
    assert main(["compare", "mine.npz", "--quick", "--methods", ",".join(SYSTEMS)]) == 0
    *finding, end = capsys.readouterr().out.split("\n\n")
    assert [text.split(" ", 2)[0] for text in finding] == ["Quick", "The", "Of", "So"]
    assert end == "written to mine.html\nwritten to mine.csv\n"
    rows = numbers(mine.with_suffix(".csv"))
    assert {row["method"] for row in rows} == {*SYSTEMS, "chance", ""}
    found = {(row["method"], row["metric"]): float(row["value"]) for row in rows}
    problem = unit_length(read_features(mine, max_per_class=20))
    run = run_zero_shot("ESZSL", problem, quick=True)
    assert found["ESZSL", "ACC"] == pytest.approx(run.outcome.accuracy)
    assert found["ESZSL", "H"] == pytest.approx(run.outcome.at(run.gamma).harmonic_mean)
    assert found["ESZSL", "gamma"] == pytest.approx(run.gamma)
    page = mine.with_suffix(".html").read_text("utf-8")
    # Self-contained: nothing is fetched, and no placeholder is left.
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert not re.search(r"\$[a-z]", page)
    best = max(SYSTEMS, key=lambda name: found[name, "validation ACC"])
    assert f"Unseen classes under {best}, worst first" in page
    assert f'<td style="text-align: left">{best} (the pick)</td>' in page


def test_a_quick_look_says_what_it_left_out_everywhere(mine):
    """And a whole one does not speak of it; the sizes of the data stand beside both."""
    whole = read_features(mine)
    kinds = ["training images", "test images of seen classes", "test images of unseen classes"]
    for quick in (True, False):
        said = []
        how = {"methods": ["ESZSL"], "quick": quick, "tell": said.append}
        page, table = compare(mine, out=f"{quick}.html", **how)
        rows = numbers(table)
        assert {row["size"] for row in rows} == {"quick" if quick else "whole"}
        rows = {row["metric"]: row for row in rows}
        problem = read_features(mine, max_per_class=20 if quick else None)
        for name, of in (("value", problem), ("available", whole)):
            sizes = [len(part) for part in (of.trainval, of.test_seen, of.test_unseen)]
            assert [int(rows[kind][name]) for kind in kinds] == sizes
        sizes = f"{len(problem.trainval)} of {len(whole.trainval)} training images"
        text = page.read_text("utf-8")
        assert (sizes in text) == (sizes in said[0]) == quick
        assert ("at most 20 training and 20 test images of a class" in text) == quick
        assert ("Quick" in "".join(said)) == ("Quick" in table.read_text("utf-8")) == quick
        assert f"{len(whole.trainval)} training images" in text


def test_stopped_it_goes_on_and_what_was_found_is_not_computed_again(mine, monkeypatch, capsys):
    fits, stop_at, fit = [], None, ESZSL._fit

    def counted(self, *arrays):
        fits.append(self)
        if len(fits) == stop_at:
            raise KeyboardInterrupt
        fit(self, *arrays)

    monkeypatch.setattr(ESZSL, "_fit", counted)
    words = ["compare", str(mine), "--quick", "--methods", "ESZSL", "--out"]
    assert main([*words, "a.html"]) == 0
    whole, stop_at = len(fits), len(fits) + 5
    monkeypatch.setenv("ZSLIB_CACHE", "another")
    assert main([*words, "b.html"]) == 130
    assert "the same command continues where it was" in capsys.readouterr().err
    assert not Path("b.html").exists()
    assert main([*words, "b.html"]) == 0
    # The one that was stopped in the middle is all that is done twice.
    assert len(fits) == 2 * whole + 1
    assert numbers(Path("a.csv")) == numbers(Path("b.csv"))
    assert main([*words, "c.html"]) == 0
    assert len(fits) == 2 * whole + 1
    assert Path("c.csv").read_text("utf-8") == Path("b.csv").read_text("utf-8")
    assert not list(Path().glob(".*")), "no half-written file"


class Watched(contextlib.nullcontext):
    """A progress bar that keeps what stands beside it as it moves."""

    def __init__(self, **options):
        super().__init__(self)
        self.beside, Watched.shown = "", []

    def set_postfix_str(self, text, refresh=True):
        self.beside = text
        if refresh:
            self.shown.append(text)

    def update(self, n):
        if n:
            self.shown.append(self.beside)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one process finds, asked for each system twice, and what its bar shows."""
    folder = tmp_path_factory.mktemp("alone")
    np.savez(folder / "mine.npz", **small())
    twice = THREE | {"methods": SYSTEMS + SYSTEMS, "out": folder / "a.html"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ZSLIB_CACHE", str(folder / "cache"))
        patched.setattr("tqdm.tqdm", Watched)
        _, table = compare(folder / "mine.npz", **twice)
    return SimpleNamespace(numbers=numbers(table), shown=Watched.shown)


def test_two_at_once_find_the_same_and_the_bar_names_what_runs(mine, alone, monkeypatch):
    monkeypatch.setattr("tqdm.tqdm", Watched)
    _, table = compare(mine, jobs=2, out="a.html", **THREE)
    assert numbers(table) == alone.numbers
    assert alone.shown == [*SYSTEMS, ""]  # one that is named twice runs once
    first, *_, last = Watched.shown
    assert (first, last) == (", ".join(SYSTEMS[:2]), "")
    assert len(Watched.shown) == len(SYSTEMS) + 1


def test_a_system_that_fails_is_named(mine, monkeypatch):
    how = {"quick": True, "out": "a.html"}
    for kind in (RuntimeError, ZeroDivisionError, KeyError, ValueError):
        monkeypatch.setattr(ESZSL, "_fit", Mock(side_effect=kind("it <diverged>")))
        with pytest.raises(ValueError, match="no system could be trained"):
            compare(mine, methods=["ESZSL"], **how)
    page, table = compare(mine, methods=["SAE", "ESZSL"], **how)
    (row,) = (row for row in numbers(table) if row["metric"] == "failed")
    assert row["method"] == "ESZSL" and "it <diverged>" in row["why"]
    shown = re.search(r"<td[^>]*>ESZSL</td><td colspan=.4.>(.*?)</td>", page.read_text("utf-8"))
    assert "it &lt;diverged&gt;" in shown[1]


def one_image():
    """One training image of each class, all others of seen classes for testing."""
    arrays = small()
    arrays["class_names"] = np.arange(len(arrays["class_embeddings"])).astype(str)
    seen = ~np.isin(arrays["labels"], arrays.pop("unseen_classes"))
    first = np.unique(arrays["labels"], return_index=True)[1]
    arrays |= {"trainval": first[seen[first]], "test_unseen": np.flatnonzero(~seen)}
    return arrays | {"test_seen": np.setdiff1d(np.flatnonzero(seen), first)}


def twins():
    vectors = small()["class_embeddings"].copy()
    vectors[3] = 2 * vectors[5]
    return small(class_embeddings=vectors)


def without_vectors():
    vectors = small()["class_embeddings"].copy()
    vectors[[2, 4]] = 0
    return small(class_embeddings=vectors)


def huge():
    vectors = small()["class_embeddings"].copy()
    vectors[:, 0] = 1e9
    return small(class_embeddings=vectors)


@pytest.mark.parametrize(
    ("arrays", "words", "message"),
    [
        (small(labels=np.zeros(3, dtype=int)), "", "labels has 3 entries for"),
        (small(unseen_classes=np.array([], dtype=int)), "", "there is no unseen class"),
        (small(class_embeddings=np.eye(5)), "", "of 5 class vectors) must lie in [0, 5)"),
        (twins(), "", "the vectors of class 3, class 5 coincide"),
        (without_vectors(), "", "the vectors of class 2, class 4 are zero"),
        (small(features=np.full_like(small()["features"], np.nan)), "", "holds NaN"),
        (one_image(), "", "give at least four images of some seen classes"),
        (small(features=np.eye(32), labels=np.arange(32)), "", "no image of a seen class is kept"),
        (small(), "--methods ESZLS", "method must be one of 'ALE', "),
        (huge(), "", "bring attributes that are far larger than the others to their scale"),
        (small(), "--out .", ". is a folder: name a page in it by --out"),
        (small(), "--out bad.npz/a.html", "cannot be written: "),
        (small(), "--out report.txt", "give report.txt the ending .html"),
        (small(), "--backend dask", "--backend dask and --scheduler go together"),
        (small(), "--scheduler tcp://127.0.0.1:1", "go together"),
        (small(), "--unseen unicorn", "--unseen has 'unicorn', which class_names lacks"),
    ],
)
def test_refused_before_anything_runs(capsys, arrays, words, message):
    np.savez("bad.npz", **arrays)
    assert main(["compare", "bad.npz", *words.split()]) == 1
    error = capsys.readouterr().err
    assert error.startswith("zslib: ") and message in error
    assert os.listdir() == ["bad.npz"]


def write_tables(world, head, separator, number, encoding):
    """Write features and vectors as tables; the words that compare them."""
    vectors = world["class_embeddings"]
    for name, owners, rows in (
        ("images", world["labels"], world["features"]),
        ("classes", range(len(vectors)), vectors),
    ):
        pairs = zip(owners, rows, strict=True)
        lines = [separator.join([f"{head}{i}", *map(number, row)]) for i, row in pairs]
        Path(f"{name}.csv").write_text("\n".join(lines), encoding)
    unseen = ",".join(f"{head}{i}" for i in world["unseen_classes"])
    return ["compare", "images.csv", "--vectors", "classes.csv", "--unseen", unseen]


def test_words_of_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    world = small()
    world["class_names"] = np.array([f"c, {i}" for i in range(len(world["class_embeddings"]))])
    np.savez("mine.npz", **world)
    words = ["--unseen", '"c, 3",7,"c, 9"', "--out", "~/a.html", "--methods", "ESZSL", "--quick"]
    assert main(["compare", "mine.npz", *words]) == 1
    assert "--unseen has '7', which class_names lacks" in capsys.readouterr().err
    words[1] = '"c, 3", "c, 9"'
    assert main(["compare", "mine.npz", *words]) == 0
    page = (tmp_path / "home" / "a.html").read_text("utf-8")
    assert "and 2 unseen classes" in page
    assert main(["compare", "none.npz"]) == 1
    assert capsys.readouterr().err.endswith("none.npz is not there: check the path\n")


def test_the_data_are_not_replaced_by_the_table(capsys):
    words = write_tables(small(), "c", ",", str, "utf-8")
    assert main(words[:4]) == 1
    assert "lacks unseen_classes: " in (error := capsys.readouterr().err)
    assert error.endswith("given by --vectors, and unseen classes be named by --unseen\n")
    with pytest.raises(SystemExit):
        main([*words[:4], "--unseen", ","])
    assert "--unseen: names nothing" in capsys.readouterr().err
    assert main([*words, "--out", "classes.html"]) == 1
    assert "your data: name the report by --out" in capsys.readouterr().err
    assert sorted(os.listdir()) == ["classes.csv", "images.csv"]
    assert main([*words, "--quick", "--methods", "ESZSL"]) == 0
    end = "written to images_report.html\nwritten to images_report.csv\n"
    assert capsys.readouterr().out.endswith(end)
    assert Path("images.csv").read_text().startswith("c")


def test_tables_of_other_places(capsys):
    """Encoding and decimal sign are named to the command as to the reader."""
    world = small()
    world["features"] = world["features"] * 1000
    world["class_embeddings"] = world["class_embeddings"] * 100_000
    words = write_tables(world, "é", ";", lambda v: f"{v:,.0f}".replace(",", "."), "latin-1")
    words += ["--quick", "--methods", "ESZSL"]
    for more, message in (
        ([], "line 1 is not UTF-8"),
        (["--encoding", "latin-1"], "name the decimal sign, --decimal . or --decimal ,"),
    ):
        assert main([*words, *more]) == 1
        assert message in capsys.readouterr().err
    assert main([*words, "--encoding", "latin-1", "--decimal", ","]) == 0


def test_a_table_replaces_earlier_ones_alone(mine, capsys):
    """Neither class vectors of the data's name, nor any other file that is no such table."""
    words = ["compare", "mine.npz", "--quick", "--methods", "ESZSL"]
    Path("mine.csv").write_text(vectors := "cat,1,2\n")
    Path("mine_report.csv").write_text("")
    for _ in range(2):  # the second time in the place of the first
        assert main(words) == 0
        assert "written to mine_report.csv" in capsys.readouterr().out
    assert Path("mine.csv").read_text() == vectors
    for name in ("mine_report.csv", "mine_report.html"):
        before = Path(name).read_text("utf-8")
        Path(name).write_text(vectors)
        for more in ([], ["--out", "mine_report.html"]):
            assert main([*words, *more]) == 1
            assert f"would replace {name}, which is no earlier" in capsys.readouterr().err
        assert Path(name).read_text() == vectors
        Path(name).write_text(before, "utf-8")


@pytest.mark.parametrize(
    ("path", "page"),
    [("a.csv.gz", "a_report"), ("a.v2.CSV.bz2", "a.v2_report"), ("a.gz", "a"), ("b.npz", "b")],
)
def test_endings_of_packed_data_are_not_in_the_report_s(path, page):
    problem = SimpleNamespace(name=Path(path).stem)
    assert _places(None, problem, path) == (Path(f"{page}.html"), Path(f"{page}.csv"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two workers, each a process of its own."""
    distributed = pytest.importorskip("dask.distributed")
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ZSLIB_CACHE", str(tmp_path_factory.mktemp("cluster")))
        with distributed.LocalCluster(**how) as started:
            yield started


def test_a_cluster_finds_the_same_bits(mine, cluster, alone):
    on_it = {"backend": "dask", "scheduler": cluster.scheduler_address}
    _, table = compare(mine, out="a.html", **THREE, **on_it)
    assert numbers(table) == alone.numbers


def test_a_killed_worker_costs_nothing(cluster):
    # Other features than the cluster has seen, so that there is work to lose.
    np.savez("other.npz", **small(features=small()["features"][:, ::2]))
    problem = check_comparable(read_features("other.npz"))
    dead = []

    def kill(*_):
        if not dead:
            dead.append(cluster.workers[0].pid)
            os.kill(dead[0], signal.SIGKILL)

    with workers(backend="dask", scheduler=cluster.scheduler_address) as (executor, share):
        how = {"executor": executor, "share": share, "ended": kill}
        found, failed = run_board(SYSTEMS, [problem], quick=True, **how)
    expected, _ = run_board(SYSTEMS, [problem], quick=True)
    assert dead
    assert not failed[problem]
    for name, (run,) in expected[problem].items():
        (other,) = found[problem][name]
        assert other.parameters == run.parameters
        scores = (r.outcome.test_unseen.unseen_scores for r in (run, other))
        np.testing.assert_array_equal(*scores)
