"""Every system on your own features: report, table, resuming, refusals, a cluster."""

import csv
import os
import re
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from zslib.cli import main
from zslib.compare import check_comparable, compare
from zslib.compare.run import workers
from zslib.compatibility import ESZSL
from zslib.datasets import synthetic_attributes
from zslib.datasets.attributes.features import read_features
from zslib.protocols import run_zero_shot, unit_length
from zslib.protocols.attributes.leaderboard import run_board

SYSTEMS = ["ESZSL", "SAE", "DeViSE"]
THREE = {"methods": SYSTEMS, "quick": True, "progress": False}
_CLOCK = "seconds"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path_factory.mktemp("cache")))


def small(**changes):
    world = synthetic_attributes("APY", scale=0.04, n_features=24)
    return {
        "features": world.features,
        "labels": world.labels,
        "class_embeddings": world.class_embeddings,
        "unseen_classes": world.unseen_classes,
    } | changes


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.npz"
    np.savez(path, **small())
    return path


def numbers(table):
    """Rows of the table but for what a clock says."""
    with table.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["metric"] != _CLOCK]


def test_report_and_table_from_end_to_end(mine, monkeypatch, capsys):
    monkeypatch.chdir(mine.parent)
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
    for name in SYSTEMS:
        shown = f"{name} (the pick)" if name == best else name
        assert f'<td style="text-align: left">{shown}</td>' in page


def test_a_quick_look_says_what_it_left_out_everywhere(mine, tmp_path):
    """And a whole one does not speak of it; the sizes of the data stand beside both."""
    whole = read_features(mine)
    said = []
    how = {"methods": ["ESZSL", "ridge"], "progress": False, "tell": said.append}
    for quick in (True, False):
        problem = read_features(mine, max_per_class=20 if quick else None)
        page, table = compare(mine, quick=quick, out=tmp_path / f"{quick}.html", **how)
        rows = numbers(table)
        assert {row["size"] for row in rows} == {"quick" if quick else "whole"}
        used = {row["metric"]: (int(row["value"]), int(row["available"])) for row in rows
                if row["available"]}  # fmt: skip
        parts = [("trainval", "training images"), ("test_seen", "test images of seen classes"),
                 ("test_unseen", "test images of unseen classes")]  # fmt: skip
        assert used == {
            words: (len(getattr(problem, part)), len(getattr(whole, part)))
            for part, words in parts
        }
        sizes = f"{len(problem.trainval)} of {len(whole.trainval)} training images"
        text = page.read_text("utf-8")
        assert (sizes in text) == (sizes in said[0]) == quick
        assert ("at most 20 training and 20 test images of a class" in text) == quick
        assert ("Quick" in "".join(said)) == ("Quick" in table.read_text("utf-8")) == quick
        assert f"{len(whole.trainval)} training images" in text
        said.clear()


def test_what_was_found_is_not_computed_again(mine, tmp_path, monkeypatch):
    how = {"methods": ["ESZSL"], "quick": True, "progress": False, "out": tmp_path / "a.html"}
    _, table = compare(mine, **how)
    first = table.read_text("utf-8")
    monkeypatch.setattr(ESZSL, "_fit", None)  # whoever trains now fails
    _, table = compare(mine, **how | {"out": tmp_path / "b.html"})
    assert table.read_text("utf-8") == first
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")], "no half-written file"


def test_stopped_in_the_middle_it_goes_on(mine, tmp_path, monkeypatch, capsys):
    fits, stop_at, fit = [], None, ESZSL._fit

    def counted(self, *arrays):
        fits.append(self)
        if len(fits) == stop_at:
            raise KeyboardInterrupt
        fit(self, *arrays)

    monkeypatch.setattr(ESZSL, "_fit", counted)
    words = ["compare", str(mine), "--quick", "--methods", "ESZSL", "--out"]
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path / "whole"))
    assert main([*words, str(tmp_path / "a.html")]) == 0
    whole, stop_at = len(fits), len(fits) + 5
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path / "stopped"))
    assert main([*words, str(tmp_path / "b.html")]) == 130
    assert "the same command continues where it was" in capsys.readouterr().err
    assert not (tmp_path / "b.html").exists()
    assert main([*words, str(tmp_path / "b.html")]) == 0
    # The one that was stopped in the middle is all that is done twice.
    assert len(fits) == 2 * whole + 1
    assert numbers(tmp_path / "a.csv") == numbers(tmp_path / "b.csv")


class Watched:
    """A progress bar that keeps what stands beside it as it moves."""

    shown: list = []

    def __init__(self, **options):
        self.beside = ""
        self.shown.clear()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

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
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ZSLIB_CACHE", str(folder / "cache"))
        patched.setattr("tqdm.tqdm", Watched)
        twice = THREE | {"methods": SYSTEMS + SYSTEMS}
        _, table = compare(folder / "mine.npz", out=folder / "a.html", **twice)
    return SimpleNamespace(numbers=numbers(table), shown=[*Watched.shown])


def test_two_at_once_find_the_same_and_the_bar_names_what_runs(mine, tmp_path, alone, monkeypatch):
    monkeypatch.setattr("tqdm.tqdm", Watched)
    _, table = compare(mine, jobs=2, out=tmp_path / "a.html", **THREE)
    assert numbers(table) == alone.numbers
    assert alone.shown == [*SYSTEMS, ""]  # one that is named twice runs once
    assert Watched.shown[0] == ", ".join(SYSTEMS[:2])
    assert Watched.shown[-1] == ""
    assert len(Watched.shown) == len(SYSTEMS) + 1


def test_a_system_that_fails_is_named(mine, tmp_path, monkeypatch):
    how = {"quick": True, "progress": False, "out": tmp_path / "a.html"}
    for kind in (RuntimeError, ZeroDivisionError, KeyError, ValueError):

        def fails(self, *arrays, kind=kind):
            raise kind("it <diverged>")

        monkeypatch.setattr(ESZSL, "_fit", fails)
        with pytest.raises(ValueError, match="no system could be trained"):
            compare(mine, methods=["ESZSL"], **how)
    page, table = compare(mine, methods=["SAE", "ESZSL"], **how)
    (row,) = [row for row in numbers(table) if row["metric"] == "failed"]
    assert row["method"] == "ESZSL"
    assert "it <diverged>" in row["why"]
    shown = re.search(r"<td[^>]*>ESZSL</td><td colspan=.4.>(.*?)</td>", page.read_text("utf-8"))
    assert "it &lt;diverged&gt;" in shown[1]


def one_image():
    """One training image of each class, all others of seen classes for testing."""
    world = synthetic_attributes("APY", scale=0.04)
    first = np.unique(world.labels, return_index=True)[1]
    seen = np.isin(world.labels, world.seen_classes)
    return {
        "features": world.features, "labels": world.labels,
        "class_embeddings": world.class_embeddings, "class_names": world.class_names,
        "trainval": first[np.isin(world.labels[first], world.seen_classes)],
        "test_seen": np.setdiff1d(np.flatnonzero(seen), first),
        "test_unseen": np.flatnonzero(~seen),
    }  # fmt: skip


def twins(arrays):
    vectors = arrays["class_embeddings"].copy()
    vectors[3] = 2 * vectors[5]
    return arrays | {"class_embeddings": vectors}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (small(labels=np.zeros(3, dtype=int)), "labels has 3 entries for"),
        (small(unseen_classes=np.array([], dtype=int)), "there is no unseen class"),
        (small(class_embeddings=np.eye(5)), "labels (each the row of a class) must lie in [0, 5)"),
        (twins(small()), "the vectors of class 3, class 5 coincide"),
        (small(features=np.full_like(small()["features"], np.nan)), "holds NaN"),
        (one_image(), "every training class has one or two"),
        (small(features=np.eye(32), labels=np.arange(32)), "no image of a seen class is kept"),
    ],
    ids=["lengths", "unseen", "vector", "coincide", "nan", "one image", "no test"],
)
def test_refused_before_anything_runs(tmp_path, capsys, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    assert main(["compare", str(tmp_path / "bad.npz"), "--out", str(tmp_path / "a.html")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("zslib: ")
    assert message in error
    assert not (tmp_path / "a.html").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--methods", "ESZLS"], "unknown method 'ESZLS': choose from"),
        (["--out", "report.txt"], "give report.txt the ending .html"),
        (["--backend", "dask"], "--backend dask and --scheduler go together"),
        (["--scheduler", "tcp://127.0.0.1:1"], "go together"),
        (["--unseen", "unicorn"], "--unseen has 'unicorn', which class_names lacks"),
    ],
)
def test_mistakes_are_one_message(mine, capsys, words, message):
    assert main(["compare", str(mine), *words]) == 1
    assert message in capsys.readouterr().err


def test_the_data_are_not_replaced_by_the_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    world = small()
    for name, owners, rows in (
        ("images", world["labels"], world["features"]),
        ("classes", range(len(world["class_embeddings"])), world["class_embeddings"]),
    ):
        lines = [f"c{i},{','.join(map(str, row))}\n" for i, row in zip(owners, rows, strict=True)]
        Path(f"{name}.csv").write_text("".join(lines))
    unseen = ",".join(f"c{i}" for i in world["unseen_classes"])
    words = ["compare", "images.csv", "--vectors", "classes.csv", "--unseen", unseen]
    assert main(words[:4]) == 1
    assert "lacks unseen_classes: " in (error := capsys.readouterr().err)
    assert error.endswith("given by --vectors, and unseen classes be named by --unseen\n")
    with pytest.raises(SystemExit):
        main([*words[:4], "--unseen", ","])
    assert "--unseen: names nothing" in capsys.readouterr().err
    assert main([*words, "--out", "classes.html"]) == 1
    assert "your data: name the report by --out" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["classes.csv", "images.csv"]
    assert main([*words, "--quick", "--methods", "ESZSL"]) == 0
    end = "written to images_report.html\nwritten to images_report.csv\n"
    assert capsys.readouterr().out.endswith(end)
    assert Path("images.csv").read_text().startswith("c")


def test_tables_of_other_places(tmp_path, capsys):
    """Encoding and decimal sign are named to the command as to the reader."""
    world, heads = small(), [f"é{i}" for i in range(len(small()["class_embeddings"]))]
    files = []
    for name, owners, rows in (
        ("images", world["labels"], world["features"] * 1000),
        ("classes", range(len(heads)), world["class_embeddings"] * 100_000),
    ):
        files.append(tmp_path / f"{name}.csv")
        lines = [
            ";".join([heads[i], *(f"{v:,.0f}".replace(",", ".") for v in row)])
            for i, row in zip(owners, rows, strict=True)
        ]
        files[-1].write_text("\n".join(lines), encoding="latin-1")
    unseen = ",".join(heads[i] for i in world["unseen_classes"])
    words = ["compare", str(files[0]), "--vectors", str(files[1]), "--unseen", unseen, "--quick"]
    words += ["--methods", "ESZSL", "--out", str(tmp_path / "a.html")]
    for more, message in (
        ([], "line 1 is not UTF-8"),
        (["--encoding", "latin-1"], "name the decimal sign, --decimal . or --decimal ,"),
    ):
        assert main([*words, *more]) == 1
        assert message in capsys.readouterr().err
    assert main([*words, "--encoding", "latin-1", "--decimal", ","]) == 0


def test_a_table_replaces_earlier_ones_alone(mine, monkeypatch, capsys):
    """Neither class vectors of the data's name, nor any other file that is no such table."""
    monkeypatch.chdir(mine.parent)
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


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two workers, each a process of its own."""
    distributed = pytest.importorskip("dask.distributed")
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ZSLIB_CACHE", str(tmp_path_factory.mktemp("cluster")))
        with distributed.LocalCluster(**how) as started:
            yield started


def test_a_cluster_finds_the_same_bits(mine, tmp_path, cluster, alone):
    on_it = {"backend": "dask", "scheduler": cluster.scheduler_address}
    _, table = compare(mine, out=tmp_path / "a.html", **THREE, **on_it)
    assert numbers(table) == alone.numbers


def test_a_killed_worker_costs_nothing(tmp_path, cluster):
    # Other features than the cluster has seen, so that there is work to lose.
    np.savez(tmp_path / "other.npz", **small(features=small()["features"][:, ::2]))
    problem = check_comparable(read_features(tmp_path / "other.npz"))
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
