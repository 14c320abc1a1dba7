"""The printed tables parse, have the shape that the papers print, and recompute where they can."""

import pytest

from book.papers import printed, printed_curves, printed_table
from book.papers.evidence import harmonic_mean_range
from book.papers.printed import PAPERS, read_data

# Numbers per table, counted in the papers.
SIZES = {
    "hubness": {
        "table1": 9, "table2": 14, "table3": 12, "table4": 6, "table5": 8, "table7": 9,
        "table8": 9, "table9": 12, "table10": 6, "table11": 12,
    },
    "devise": {"table1": 20},
    "hardneg": {"table1": 31 + 27, "table2": 24},
    "dark": {"table2": 24, "table3": 140},
    "clarel": {"table1": 28, "table2": 8, "table3": 36 + 12},
}  # fmt: skip


def numbers(values):
    if isinstance(values, dict):
        return [number for value in values.values() for number in numbers(value)]
    number = isinstance(values, int | float) and not isinstance(values, bool)
    return [values] if number else []


@pytest.mark.parametrize("paper", PAPERS)
def test_tables_have_as_many_numbers_as_the_paper_prints(paper):
    sizes = {table: len(numbers(printed_table(paper, table))) for table in SIZES[paper]}
    assert sizes == SIZES[paper]
    tables = read_data(paper, "printed").values()
    assert all(set(table) == {"title", "values"} and table["title"] for table in tables)


@pytest.mark.parametrize("paper", ["hubness", "hardneg", "dark", "clarel"])
def test_percentages_lie_between_0_and_100(paper):
    skip = {"hubness": {"table2", "table5"}, "dark": {"table2"}}.get(paper, set())
    for table in read_data(paper, "printed"):
        if table != "text" and table not in skip:
            assert all(0 <= n <= 100 for n in numbers(printed_table(paper, table))), table


def test_precision_rises_with_the_list_length():
    for table in ("table3", "table7", "table8", "table9", "table10", "table11"):
        precisions = numbers(printed_table("hubness", table))  # in threes: P@1, P@5, P@10
        for one, five, ten in zip(*[iter(precisions)] * 3, strict=True):
            assert one < five < ten, table


TWICE = {
    "hubness table3 cross-linguistic max-margin": "hubness table10 none",
    "hubness table7 chimera-5": "hubness table11 cross-modal random",
    "clarel table1 CLAREL CUB": "clarel table3 6 CUB",
    "hardneg table1 Bucher aP&Y": "hardneg table2 random 1",
}


def test_runs_printed_twice_agree():
    for one, other in TWICE.items():
        assert printed(*one.split()) == printed(*other.split()) is not None, one


def test_sizes_of_devise_grow_with_k():
    for row in printed_table("devise", "table1").values():
        assert row["2"] < row["5"] < row["10"] < row["20"] < row["labels"]


def test_what_a_paper_does_not_print_is_none():
    paths = ["hardneg table1 DAP CUB mean", "hardneg table1 uncertainty/correlation AwA"]
    paths += ["clarel table1 COSMO CUB H", "dark table3 DARK FLO"]
    assert [path for path in paths if printed(*path.split()) is not None] == []


@pytest.mark.parametrize(("figure", "points"), [("alpha", 10), ("lambda", 11), ("kappa", 11)])
def test_curves_of_clarel_agree_with_its_table(figure, points):
    """Where a curve and a line of Table 3 are of one training; the swapped legend would not."""
    for data, curves in printed_curves("clarel", figure).items():
        assert {len(curve) for curve in curves.values()} == {points}
        if figure == "alpha":
            continue
        for x in (0, 0.5, 1):
            # H is a mean over trainings; it is not that of the means, but near.
            low, high = harmonic_mean_range(curves["u"][x], curves["s"][x])
            assert low - 0.6 < curves["H"][x] < high + 0.6
        table = printed_table("clarel", "table3")
        ends = {"lambda": {0: "4", 0.5: "6", 1: "5"}, "kappa": {0: "3", 0.5: "6"}}[figure]
        for x, line in ends.items():
            for name in ("u", "s", "H"):
                there = pytest.approx(table[line][data][name], abs=1.7)
                assert curves[name][x] == there, (data, x, name)
        if data == "CUB":
            assert abs(curves["u"][0] - table[ends[0]]["CUB"]["s"]) > 4
