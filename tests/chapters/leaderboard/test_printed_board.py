"""What papers print of the leaderboard's systems stands beside ours."""

from book.papers import printed
from book.results import Results
from chapters.leaderboard.printed_board import CHOSEN_ON_TEST, beside_papers, comparable
from zslib.protocols import ZERO_SHOT_METHODS


def test_each_printed_row_has_its_number_and_ours():
    ours = [
        {"dataset": "cub", "metric": "ACC", "method": "ZKL", "value": 49.0},
        {"dataset": "awa1", "metric": "ACC", "method": "SAE", "value": 9.0},
        {"dataset": "cub", "metric": "H", "method": "SAE", "value": 8.0},
        {"metric": "rank", "method": "SAE", "value": 1.0},
    ]
    rows, heads = beside_papers(Results(ours))
    found = {(row[0], row[3]): dict(zip(heads, row, strict=True)) for row in rows}
    zkl = found["ZKL", "DARK, Table 3"]
    assert (zkl["ours"], zkl["chosen on test"]) == (49.0, "yes")
    assert zkl["paper"] == printed("dark", "table3", "ZKL", "CUB", "ACC")
    sae = found["SAE", "DARK, Table 3"]
    assert (sae["ours"], sae["chosen on test"], sae["split"]) == (None, None, "proposed")
    mined = found["hard negatives", "Bucher, Table 1"]
    assert mined["paper"] == printed("hardneg", "table1", "uncertainty", "CUB", "mean")
    assert (mined["features"], mined["split"]) == ("VGG-19", "older")
    assert ("JLSE †", "Bucher, Table 1") in found
    assert ("DAP", "Bucher, Table 1") not in found  # no number on CUB
    assert {row[0].removesuffix(" †") for row in rows} <= set(ZERO_SHOT_METHODS)
    assert CHOSEN_ON_TEST[0] in ZERO_SHOT_METHODS


def test_what_compares_is_of_the_same_features_split_and_vectors():
    where = ["Table 3", "ResNet-101", "proposed", "attributes", None]
    rows = [
        ["SAE", 33.3, 50.0, *where],
        ["ALE", 54.9, 54.0, *where],
        ["nameless", 50.0, 40.0, *where],
        ["not run", 50.0, None, *where],
        ["Bucher", 60.0, 43.0, "Table 1", "VGG-19", "older", "attributes", None],
    ]
    pairs = {"SAE": (33.3, 50.0), "ALE": (54.9, 54.0), "nameless": (50.0, 40.0)}
    assert comparable(rows) == pairs
