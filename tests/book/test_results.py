"""Results are recorded once, and shown as they were recorded."""

from collections import namedtuple
from dataclasses import replace
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest

import book
from book.results import Results
from book.shown import caption_of
from zslib.datasets import locate
from zslib.protocols import Estimate, independent_mean, mean_estimate, over_runs, paired_difference
from zslib.protocols.intervals import Spread
from zslib.show.figures import OTHERS

ABOUT = {"synthetic": False, "setting": "attributes", "description": "", "checksum": ""}
Problem = namedtuple("Problem", ["name", *ABOUT], defaults=ABOUT.values())
PROBLEMS = [Problem("cub_attributes"), Problem("awa"), Problem("made", synthetic=True)]


@pytest.fixture
def chapter(tmp_path):
    made = book.start("demo/01_a", parameters={"seed": 3, "n_seeds": 2}, results=tmp_path)
    for problem in PROBLEMS:
        made.note(problem)
    return made


RUNS = {
    problem: {
        method: [SimpleNamespace(checksum="x", values=v + i + np.array([0, s])) for s in (0, 1)]
        for method, v in (("a", 10.0), ("b", 4.0))
    }
    for i, problem in enumerate(PROBLEMS)
}
"""Runs whose item values are known: 10 for a, 4 for b, more by problem and seed."""
MEASURED = over_runs(lambda run: run.values)


def test_measure_records_estimates_differences_and_means(chapter):
    results = chapter.measure(RUNS, {"P@1": MEASURED}, minus=[("a", "b")], mean=True)
    a, b = ([run.values for run in runs] for runs in RUNS[PROBLEMS[0]].values())
    wanted = paired_difference(a, b, same_items=True)
    assert results.value(dataset="cub", method="a - b") == wanted
    record = chapter.records.only(dataset="cub_attributes", method="a - b")[0]
    assert (record["value"], record["low"]) == (wanted.mean, wanted.low)
    parts = [results.value(dataset=d, method="a") for d in ("cub", "awa", "made (synthetic)")]
    assert results.value(dataset="mean", method="a") == independent_mean(parts)
    (mean,) = chapter.records.only(over="all sets", method="a")
    assert (mean["dataset"], mean["synthetic"]) == ("cub_attributes and awa and made", True)


def test_differences_can_be_named_and_stand_alone(chapter):
    named = chapter.measure(
        RUNS, {"P": MEASURED}, minus={"gain": ("a", "b"), "lost": ("a", "c")}, methods=["b"], k=1
    )
    assert named.of("method") == ["b", "gain"]
    n_records = len(chapter.records)
    assert named.mean().value(method="gain").mean == 6.0
    assert len(chapter.records) == n_records
    chapter.means(named, k=2)
    assert chapter.records.value(over="all sets", method="gain", k=2) == 6.0
    assert len(sum([named, named])) == 2 * len(named)


def test_a_spread_is_recorded_with_its_deviation(chapter):
    spreads = enumerate([Spread(3.0, 0.5), Spread(2.0)])
    chapter.collect({"metric": "P", "value": v, "seed": i} for i, v in spreads)
    assert [(r["value"], r.get("std")) for r in chapter.records] == [(3.0, 0.5), (2.0, None)]


@pytest.mark.parametrize(("missing", "shown"), [("diverges", "diverges"), (None, "–")])
def test_what_is_no_number_is_shown_and_not_recorded_and_has_no_mean(chapter, missing, shown):
    results = chapter.collect(
        {"metric": "ACC", "value": value, "dataset": p, "method": "a"}
        for p, value in zip(PROBLEMS, (missing, 2.0, 4.0), strict=True)
    )
    assert results.of("value") == [missing, 2.0, 4.0]
    assert chapter.records.values() == [2.0, 4.0]
    assert results.mean().of("value") == [None]
    assert results.only(dataset=["awa", "made (synthetic)"]).mean().of("value") == [3.0]
    assert shown in str(results.table("tbl-a", "Some", rows="dataset", columns="metric"))


def test_a_table_has_the_papers_numbers_where_there_are_any(chapter):
    cells = enumerate(product("ab", "Hu"))
    rows = [{"method": m, "metric": c, "value": v} for v, (m, c) in cells]
    results = Results(rows, chapter=chapter)
    table = results.table(
        "tbl-a", "Some", rows="method", columns="metric", corner="system", heads={"a": "first"},
        paper=lambda row: 9.5 if row["value"] == 3 else None,
    )  # fmt: skip
    assert [c.header for c in table.columns] == ["system", "H", "u, paper", "u, ours"]
    assert table.rows == [["first", 0, None, 1], ["b", 2, 9.5, 3]]
    with pytest.raises(ValueError, match="two results at"):
        results.table("tbl-a", "Some", rows="method", columns="dataset")


def test_a_table_names_what_heads_its_rows(chapter):
    rows = [{"dataset": "cub", "label_set": "all", "metric": "H", "value": 1.0}]
    table = Results(rows, chapter=chapter).table(
        "tbl-a", "Some", rows=("dataset", "label_set"), columns="metric", corner=["", "set"]
    )
    assert [column.header for column in table.columns] == ["data", "set", "H"]


@pytest.fixture
def drawn(monkeypatch):
    """The matplotlib figures that results draw, and their captions."""
    figures = []
    monkeypatch.setattr(
        "book.shown.figure", lambda fig, caption, **_: figures.append((fig, caption))
    )
    return figures


@pytest.mark.parametrize("kind", ["bars", "curves", "scatter", "forest"])
def test_figures_draw_every_result(chapter, kind, drawn):
    rows = [
        {"dataset": d, "method": m, "metric": k, "x": x, "value": Estimate(x + i, x, x + 2 * i, 2)}
        for d, (i, m) in product(("cub", "awa"), enumerate(("ridge", "own")))
        for k, x in product("PQ", (1, 2, 3))
    ]
    by_set = {"panels": "dataset", "ylabel": "Q"}
    some, options = {
        "bars": ({"metric": "P"}, {"groups": "x", **by_set}),
        "curves": ({"metric": "P"}, {"x": "x", "xlabel": "x", **by_set}),
        "scatter": ({"x": 2}, {"x": "P", "y": "Q", "xlabel": "P", **by_set}),
        "forest": ({"x": 2, "metric": "P"}, {"rows": "dataset", "xlabel": "P", "paper": len}),
    }[kind]
    draw = getattr(Results(rows, chapter=chapter).only(**some), kind)
    draw("fig-a", "A", series="method", alt="Some.", **options)
    ((fig, caption),) = drawn
    axes = fig.axes
    intervals = "" if kind == "scatter" else "; 95% intervals"
    assert caption == f"A (CUB, awa{intervals})."
    assert len(axes) == (1 if kind == "forest" else 2)
    shown = {text.get_text() for text in fig.legends[0].get_texts()}
    assert shown == {"ridge", "own"} | ({"paper"} if kind == "forest" else set())
    if kind == "curves":
        assert axes[0].lines[1].get_xydata().tolist() == [[1, 2], [2, 3], [3, 4]]
    if kind == "bars":
        assert [bar.get_height() for bar in axes[1].patches] == [1, 2, 3, 2, 3, 4]


def curves(rows, chapter, **more):
    options = {"x": "at", "series": "method", "xlabel": "", "ylabel": "", "alt": "a"} | more
    Results(rows, chapter=chapter).curves("fig-a", "A.", **options)


def test_labels_of_an_axis_keep_apart(chapter, drawn):
    places = (1e-5, 1e-4, 1e-3, 0.0033, 0.01, 0.012, 0.1)
    rows = [
        {"method": "a", "at": at, "value": 1.0, "panel": panel}
        for at, panel in product(places, "stuv")
    ]
    curves(rows, chapter, xscale="log", panels="panel")
    for ax in drawn[0][0].axes:
        boxes = [t.get_window_extent() for t in ax.get_xticklabels() if t.get_visible()]
        assert len(ax.get_xticks()) == len(places) > len(boxes) > 2
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize(("n", "bands"), [(3, 0), (4, 2)])
def test_a_band_is_drawn_between_many_places_alone(chapter, drawn, n, bands):
    from matplotlib.collections import PolyCollection

    rows = [
        {"method": method, "at": at, "value": Estimate(at + 1.0, at, at + 2.0, 9)}
        for method, at in product(("ridge", "max-margin"), range(n))
    ]
    curves(rows, chapter)
    ax = drawn[0][0].axes[0]
    assert sum(isinstance(part, PolyCollection) for part in ax.collections) == bands
    assert ax.get_legend_handles_labels()[1] == ["ridge", "max-margin"]


def test_of_many_curves_the_five_that_change_most_have_a_color(chapter, drawn):
    places = product(range(7), range(4))
    curves([{"method": f"{n}", "at": at, "value": float(n * at)} for n, at in places], chapter)
    ax = drawn[0][0].axes[0]
    colors = {line.get_ydata()[-1] / 3: line.get_color() for line in ax.lines}
    assert {n for n, color in colors.items() if color == OTHERS["color"]} == {0, 1}
    assert len(set(colors.values())) == 6
    labels = [text.get_text() for text in drawn[0][0].legends[0].get_texts()]
    assert sorted(labels) == ["2", "3", "4", "5", "6"]
    assert sorted(text.get_text() for text in ax.texts) == ["0", "1"]


def test_the_last_lines_name_missing_data(tmp_path, monkeypatch):
    monkeypatch.delenv("ZSLIB_DATA", raising=False)
    monkeypatch.setattr(locate, "embedded_data", lambda: None)
    real = ["europarl", "europarl_dinu", "imagenet1k", "tiny_imagenet"]
    for dataset, said in (("auto", real), ("synthetic", None)):
        card = book.start("demo/01_a", parameters={"dataset": dataset}, results=tmp_path).finish()
        assert card.run.get("missing") == said
        assert ("Missing data" in repr(card)) == (said is not None)


def test_published_records_are_results_again(chapter, monkeypatch):
    assert len(chapter.published()) == 0
    estimate = Estimate(1.0, 0.5, 1.5, 2, "classes", 7)
    about = {"metric": "H", "method": "a"}
    chapter.record(**about, dataset="cub_attributes", value=estimate, gamma="chosen")
    chapter.record(**about, dataset="made", value=2.0)
    monkeypatch.setattr("book.chapter.published_records", lambda name, root: chapter.records)
    first, second = chapter.published(run="published")
    about |= {"run": "published", "setting": "attributes"}
    assert first == about | {"dataset": "cub", "gamma": "chosen", "value": estimate}
    assert (second["value"].mean, second["dataset"]) == (2.0, "made (synthetic)")


SEVEN = Estimate(1.0, 0.5, 1.5, 1, "classes", 7)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([SEVEN], "; 95% intervals over 7 classes"),
        ([Estimate(1.0, np.nan, np.nan, 1)], ""),
        ([2.0, "ESZSL", None, Estimate(1.0, np.nan, np.nan, 1)], ""),
        ([mean_estimate([1.0, 2.0]), mean_estimate([1.0])], "; 95% intervals over 2 runs"),
        ([SEVEN, replace(SEVEN, n_units=50)], "; 95% intervals over 7 to 50 classes"),
    ],
)
def test_a_caption_speaks_of_intervals_where_there_are_some(values, said):
    rows = [{"method": str(i), "metric": "H", "value": v} for i, v in enumerate(values)]
    results = book.Results(rows, chapter=SimpleNamespace(data="cub"))
    table = results.table("tbl-h", "Scores", rows="method", columns="metric")
    assert table.caption == f"Scores (CUB{said})."


@pytest.mark.parametrize(
    ("row", "mean", "ends"),
    [
        ({"method": "a - b"}, 1.0, "[−0.3, 2.2]"),
        ({"method": "a", "calibration": "chosen - none"}, 1.0, "[−0.3, 2.2]"),
        ({"method": "a"}, 1.0, "[0.0, 2.2]"),
        ({"method": "a"}, 99.0, "[97.7, 100.0]"),
        ({"method": "a", "metric": "N_k"}, 99.0, "[97.7, 100.2]"),
    ],
)
def test_intervals_over_few_classes_are_shown_as_verdicts_take_them(row, mean, ends):
    # t of 7 classes over the normal quantile, times the root of 7/6, is 1.35.
    value = Estimate(mean, mean - 0.95, mean + 0.9, 1, "classes", 7)
    rows = [{"metric": "H", "value": value} | row]
    results = book.Results(rows, chapter=SimpleNamespace(data="cub"))
    assert ends in str(results.table("tbl-h", "Scores", rows="method", columns="metric"))


def test_clear_counts_intervals_as_verdicts_take_them():
    value = Estimate(1.0, 0.05, 1.9, 1, "classes", 7)
    rows = [{"method": "a - b", "metric": "H", "value": value}]
    many = [row | {"value": replace(value, n_units=n)} for row in rows for n in (7, 30)]
    assert book.Results(many).clear(1) == 1 and book.Results(many).clear(-1) == 0


@pytest.mark.parametrize(
    ("caption", "data", "n_seeds", "shown"),
    [
        ("Gain, means over data sets", "cub", 3, "Gain (CUB)."),
        ("Gain, mean over data sets", "cub, awa1", 1, "Gain, mean over data sets (CUB, AwA1)."),
        ("ACC, means of 1 run, and crosses", "cub", 1, "ACC, and crosses (CUB)."),
        ("Loss, with dropout, means over trainings", "ikea", 1, "Loss, with dropout (IKEA)."),
        ("Loss, means over trainings", "ikea", 2, "Loss, means over trainings (IKEA)."),
        ("ACC, mean ± standard deviation over runs", "cub", 1, "ACC (CUB)."),
        ("Weights, means over seen classes", "cub", 1, "Weights, means over seen classes (CUB)."),
    ],
)
def test_a_caption_says_no_means_that_a_run_has_not(caption, data, n_seeds, shown):
    about = SimpleNamespace(data=data, parameters={"n_seeds": n_seeds})
    row = {"method": "a", "metric": "H", "value": 1.0}
    table = Results([row], chapter=about).table("tbl-h", caption, rows="method", columns="metric")
    assert table.caption == caption_of(caption, data, about) == shown


def test_the_mean_over_one_data_set_is_not_shown_beside_it():
    about, row = SimpleNamespace(data="cub"), {"method": "a", "metric": "ACC", "value": 3.0}
    own, mean = row | {"dataset": "cub", "setting": "attributes"}, row | {"dataset": "mean"}
    one = Results([own, mean, mean | {"method": "b"}], chapter=about)
    shown = [(row["dataset"], row["method"]) for row in one._telling()]
    assert shown == [("cub", "a"), ("cub", "b")]
    table = str(one.only(method="a").table("tbl-a", "A", rows="method", columns="dataset"))
    assert "CUB" in table and "mean" not in table
    two = Results([*one, own | {"dataset": "awa1"}], chapter=about)
    assert len(two._telling()) == len(two)


def test_the_mean_over_others_as_well_is_shown_beside_the_one_set():
    row = {"method": "a", "metric": "ACC", "value": 3.0}
    both = Results([row | {"dataset": "cub"}, row | {"dataset": "awa1"}])
    picked = (both + both.mean()).only(dataset=["cub", "mean"])
    assert [row["dataset"] for row in picked._telling()] == ["cub", "mean"]
