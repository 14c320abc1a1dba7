"""The edition of the real data in the repository: size, checksums, and what it changes."""

import re
from pathlib import Path

import pytest

from zslib.datasets import DATASETS, europarl, load_problem, locate
from zslib.datasets.files import SUMS, file_hash, read_lines

DATA = Path(__file__).parents[2] / "data"
if not (DATA / SUMS).is_file():
    pytest.skip("a copy of the repository has data", allow_module_level=True)
LISTED = dict(line.split("  ")[::-1] for line in (DATA / SUMS).read_text().splitlines())
TABLE = [line.split("\t") for line in (DATA / "reference.tsv").read_text().splitlines()[1:]]
REFERENCE = {measure: (float(full), float(embedded)) for measure, full, embedded in TABLE}


@pytest.fixture
def only_data(real_data, monkeypatch):
    monkeypatch.delenv("ZSLIB_DATA", raising=False)
    return real_data


def test_the_files_are_those_listed_and_small():
    files = (p for p in DATA.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    found = {path.relative_to(DATA).as_posix(): path for path in files}
    about = {SUMS, "README.md", "make.py", "reference.tsv"}
    assert set(found) - about <= set(LISTED)
    for name in set(found) - about:
        assert file_hash(found[name]) == LISTED[name], name
    assert sum(path.stat().st_size for path in found.values()) <= 68_000_000


def test_every_file_listed_is_read_by_a_set_or_a_check():
    read = {n for e in DATASETS.values() for n in (*e.files, *e.optional_files)}
    plain = {name: name.removesuffix(".gz").removesuffix(".bz2") for name in LISTED}
    beside = {
        name
        for name in LISTED
        if name.startswith("visual/xlsa17_splits/")  # counted in Table 2 of Guo et al.
        or name.endswith((".txt", "table1_readings.tsv.gz"))  # licences, a test's table
    }
    assert not {name for name in LISTED if not {name, plain[name]} & read} - beside
    for entry in DATASETS.values():
        if entry.kind == "embedded":
            assert set(entry.files) <= {*plain, *plain.values()}, entry.name


def test_editions_agree_within_0_3_points_and_the_readme_says_so():
    readme = (DATA / "README.md").read_text("utf-8")
    assert len(REFERENCE) >= 16
    for measure, (full, embedded) in REFERENCE.items():
        # Of the flowers' test images, twelve are a point.
        assert abs(full - embedded) <= (0.5 if measure.startswith("flowers") else 0.3), measure
        row = rf"\| *{re.escape(measure)} *\| *{full:.2f} *\| *{embedded:.2f} *\|"
        assert re.search(row, readme), measure


def test_the_reference_numbers_are_those_of_the_files(make, only_data):
    only_data("crosslingual", "visual/cub", "visual/awa1", "visual/tiny_imagenet", "visual/ikea")
    only_data("visual/wikipedia_xmodal", "visual/flowers")
    found = make.reference_numbers(synsets=False)
    assert len(found) == len(REFERENCE) - 2
    for measure, value in found.items():
        assert value == pytest.approx(REFERENCE[measure][1], abs=0.05), measure


def test_leaving_english_words_out_changes_no_count(only_data):
    only_data("crosslingual")
    assert europarl().coverage["training pairs without a source vector only"] == 0
    ranks = [int(line.split("\t")[2]) for line in read_lines(DATA / "crosslingual/words.en.tsv")]
    assert ranks == sorted(ranks)
    limited = europarl(limit=20_000).coverage
    assert limited["source words"] == sum(rank < 20_000 for rank in ranks)
    assert limited["target words"] == 20_000


def test_non_commercial_texts_are_in_a_folder_of_their_own():
    assert {"visual/ikea/NON-COMMERCIAL.txt"} == {n for n in LISTED if "NON-COMMERCIAL" in n}
    assert "non-commercial" in DATASETS["ikea"].licence
    assert DATASETS["ikea"].folder == "visual/ikea"


def test_without_a_folder_the_rest_works(tmp_path, monkeypatch, only_data):
    only_data("visual/cub")
    (tmp_path / "visual").mkdir()
    (tmp_path / SUMS).symlink_to(DATA / SUMS)
    (tmp_path / "visual" / "cub").symlink_to(DATA / "visual" / "cub")
    monkeypatch.setattr(locate, "embedded_data", lambda: tmp_path)
    assert load_problem("attributes", quick=True).name == "cub"
    for setting, name in (("attributes", "awa1"), ("attributes", "sun"), ("pairs", "flowers")):
        with pytest.raises(FileNotFoundError, match=f"'git checkout -- data/visual/{name}'"):
            load_problem(setting, name)
