"""The printed tables parse, have the shape that the papers print, and recompute where they can."""

import copy

import pytest

from book.papers import load_claims, printed, printed_curves, printed_table
from book.papers.evidence import harmonic_mean_range, rounds_to
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
    if isinstance(values, bool) or not isinstance(values, int | float):
        return []
    return [values]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_has_a_title_and_values(paper):
    tables = read_data(paper, "printed")
    assert tables
    for name, table in tables.items():
        assert set(table) == {"title", "values"}, name
        assert table["title"]
        assert printed_table(paper, name) is table["values"]


@pytest.mark.parametrize(
    ("paper", "table", "size"),
    [(paper, table, size) for paper, sizes in SIZES.items() for table, size in sizes.items()],
)
def test_tables_have_as_many_numbers_as_the_paper_prints(paper, table, size):
    assert len(numbers(printed_table(paper, table))) == size


@pytest.mark.parametrize("paper", ["hubness", "hardneg", "dark", "clarel"])
def test_percentages_lie_between_0_and_100(paper):
    skip = {"hubness": {"table2", "table5"}, "dark": {"table2"}}.get(paper, set())
    for table in read_data(paper, "printed"):
        if table != "text" and table not in skip:
            assert all(0 <= n <= 100 for n in numbers(printed_table(paper, table))), table


def test_precision_rises_with_the_list_length():
    def leaves(values):
        if "P@1" in values:
            yield values
        else:
            for value in values.values():
                yield from leaves(value)

    for table in ("table3", "table7", "table8", "table9", "table10", "table11"):
        for cell in leaves(printed_table("hubness", table)):
            assert cell["P@1"] < cell["P@5"] < cell["P@10"], table


def test_averages_of_dark_recompute():
    table = printed_table("dark", "table3")
    assert len(table) == 14
    for name, row in table.items():
        for measure in ("ACC", "H"):
            mean = sum(row[d][measure] for d in ("AwA2", "aPY", "SUN", "CUB")) / 4
            assert rounds_to(mean, row["Average"][measure], 2), (name, measure)


@pytest.mark.parametrize("table", ["table1", "table3"])
def test_harmonic_means_of_clarel_recompute(table):
    checked = 0
    for row in printed_table("clarel", table).values():
        for dataset in ("CUB", "FLOWERS"):
            cell = row.get(dataset, {})
            if "u" in cell:
                low, high = harmonic_mean_range(cell["u"], cell["s"])
                assert low - 0.05 <= cell["H"] <= high + 0.05
                checked += 1
    assert checked == {"table1": 9, "table3": 12}[table]


def test_runs_printed_twice_agree():
    assert printed("hubness", "table3", "cross-linguistic", "max-margin") == printed(
        "hubness", "table10", "none"
    )
    assert printed("hubness", "table7", "chimera-5") == printed(
        "hubness", "table11", "cross-modal", "random"
    )
    assert printed("clarel", "table1", "CLAREL", "CUB") == printed("clarel", "table3", "6", "CUB")
    assert printed("hardneg", "table1", "Bucher", "aP&Y") == printed(
        "hardneg", "table2", "random", "1"
    )


def test_sizes_of_devise_grow_with_k():
    for row in printed_table("devise", "table1").values():
        assert row["2"] < row["5"] < row["10"] < row["20"] < row["labels"]


def test_what_a_paper_does_not_print_is_none():
    assert printed("hardneg", "table1", "DAP", "CUB", "mean") is None
    assert printed("hardneg", "table1", "uncertainty/correlation", "AwA") is None
    assert printed("clarel", "table1", "COSMO", "CUB", "H") is None
    assert printed("dark", "table3", "DARK", "FLO") is None


def test_unknown_paper_and_table_are_errors():
    with pytest.raises(ValueError, match="paper must be one of hubness, devise"):
        printed("hubnes", "table1")
    with pytest.raises(KeyError, match="no table 'table9' of 'dark'; there are table2, table3"):
        printed("dark", "table9")


def test_papers_without_claims_have_none():
    assert load_claims("hubness")
    assert isinstance(load_claims("clarel"), list)


def test_rounding_helpers_refuse_what_does_not_round():
    assert rounds_to(1.005, 1.01, 2)
    assert rounds_to(1.005, 1.00, 2)
    assert not rounds_to(1.005, 1.02, 2)
    low, high = harmonic_mean_range(30.0, 30.0)
    assert low < 30.0 < high


def test_no_check_changes_the_printed_tables():
    from book.papers import load_errata

    before = {paper: copy.deepcopy(read_data(paper, "printed")) for paper in PAPERS}
    assert all(entry.evidence() is not None for entry in load_errata() if entry.check)
    assert before == {paper: read_data(paper, "printed") for paper in PAPERS}


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
        ends = {"lambda": {0: "4", 0.5: "6", 1: "5"}, "kappa": {0: "3", 0.5: "6"}}[figure]
        for x, line in ends.items():
            row = printed_table("clarel", "table3")[line][data]
            for name in ("u", "s", "H"):
                assert curves[name][x] == pytest.approx(row[name], abs=1.7), (data, x, name)
        first = printed_table("clarel", "table3")[ends[0]]["CUB"]
        if data == "CUB":
            assert abs(curves["u"][0] - first["s"]) > 4
