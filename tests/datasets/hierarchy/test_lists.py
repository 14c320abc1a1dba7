"""ImageNet's lists: rules on small graphs, the real lists, and what the paper says of them."""

import csv
import gzip
from collections import Counter

import numpy as np
import pytest

from chapters.devise.correct_sets import correct_set_sizes
from zslib.datasets import find_folder
from zslib.datasets.files import read_lines
from zslib.datasets.hierarchy import tree
from zslib.datasets.hierarchy import wordnet as wordnet_module
from zslib.datasets.hierarchy.lists import imagenet_lists
from zslib.datasets.hierarchy.readings import READINGS, label_sets, reading_edges
from zslib.datasets.hierarchy.tree import ANIMAL, MISC, hop_labels, misc_under
from zslib.metrics.hierarchy import Hierarchy

TEDDY = "n04399382"


@pytest.fixture(scope="module")
def real_lists():
    return imagenet_lists("real")


@pytest.fixture
def real(real_data, request):
    real_data("imagenet")
    return request.getfixturevalue("real_lists")


# Rules, on graphs small enough to see through.


def test_rule_of_the_tree_on_a_small_graph():
    above = {"cat": ANIMAL, ANIMAL: "organism", "microbe": "organism", "organism": "entity"}
    above |= {"soup": "food", "food": "entity", "broth": "soup", "idea": "entity"}
    links = tree.fall2011_links(above.items(), {"cat", "soup", "broth", "organism"})
    expected = {(node, tree.ROOT) for node in (*tree.CATEGORIES, MISC)}
    expected |= {("soup", MISC), ("broth", MISC), ("organism", MISC)}
    expected |= {("cat", ANIMAL), ("broth", "soup"), (ANIMAL, "organism"), ("microbe", "organism")}
    assert links == tuple(sorted(expected))


def test_misc_under_animal_on_a_small_graph():
    kept = {("cat", ANIMAL), (ANIMAL, tree.ROOT), ("broth", "soup")}
    links = kept | {(MISC, tree.ROOT), ("soup", MISC), (ANIMAL, "organism"), ("organism", MISC)}
    assert set(misc_under(links)) == kept | {("soup", ANIMAL), ("organism", ANIMAL)}


def test_steps_climb_before_they_descend():
    links = [("a", "top"), ("b", "top"), ("c", "a"), ("c", "b"), ("seen", "a"), ("d", "c")]
    assert hop_labels(links, ["seen"], "abcd", steps=1) == ("a",)
    assert hop_labels(links, ["seen"], "abcd", steps=2) == ("a", "c")
    # From a over c to b would descend and then climb: b comes by way of the top, at 3 steps.
    assert hop_labels(links, ["seen"], "abcd", steps=3) == ("a", "b", "c", "d")
    assert hop_labels(links, ["c"], ["b", "d", "top"], steps=1) == ("b", "d")
    assert hop_labels(links, ["c"], ["c", "top"], steps=0) == ()


# Sources.


def write_folder(folder, **changed):
    """A small folder ``imagenet``: a domestic animal and, no subordinate of it, a soup."""
    folder.mkdir(parents=True, exist_ok=True)
    cat, soup = "n02121808", "n07583197"
    texts = {
        "ilsvrc2012_1k.txt": f"{cat}\n",
        "imagenet_fall2011_21841.txt": f"{soup}\n{cat}\n",
        "zeroshot_2hop_1549.txt": f"{soup}\n",
        "zeroshot_3hop_7860.txt": f"{soup}\n",
        "imagenet_fall2011_is_a.tsv.gz": f"{cat}\t{ANIMAL}\n",
        "fall2011_image_counts.tsv.gz": f"{cat}\t12\tfall2011\n{soup}\t3\twinter11\n",
        **changed,
    }
    for name, text in texts.items():
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder


def test_real_folder(tmp_path, monkeypatch):
    folder, cat, soup = tmp_path / "imagenet", "n02121808", "n07583197"
    write_folder(folder)
    lists = imagenet_lists(folder=folder)
    assert lists.name == "imagenet" and lists.published_hops
    assert len(lists.lemmas) == 82_115
    assert lists.fall2011 == (cat, soup)
    assert lists.is_a == ((cat, ANIMAL),)
    assert lists.image_counts == {cat: 12, soup: 3}
    assert label_sets(lists)["2-hop"] == ((soup,), (soup, cat), (3,))
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    assert imagenet_lists() == lists
    write_folder(folder, **{"zeroshot_2hop_1549.txt": f"{cat}\n"})
    assert imagenet_lists().checksum != lists.checksum


MALFORMED = [
    ("ilsvrc2012_1k.txt", "n00015389\n", "list ilsvrc2012 has 'n00015389', which is no noun"),
    ("imagenet_fall2011_21841.txt", "n07583197\nn07583197\n", "more than once"),
    ("zeroshot_2hop_1549.txt", "soup\n", "list two_hop has 'soup', which is no noun"),
    ("imagenet_fall2011_is_a.tsv.gz", "n07583197\n", "line 1: expected 2 columns .*got 1"),
]


@pytest.mark.parametrize("name, text, message", MALFORMED)
def test_malformed_folder(tmp_path, name, text, message, refused):
    folder = write_folder(tmp_path / "imagenet", **{name: text})
    refused(message, imagenet_lists, "real", folder=folder)


def test_sources_that_are_not_here(tmp_path, monkeypatch, embedded, refused):
    monkeypatch.setenv("ZSLIB_DATA", str(tmp_path))
    monkeypatch.setattr(wordnet_module, "_SYSTEM_FOLDER", tmp_path)
    assert imagenet_lists() == embedded  # the package
    assert embedded.name == "wordnet" and not embedded.published_hops
    assert embedded.image_counts is label_sets(embedded)["3-hop"].weights is None
    refused("set ZSLIB_DATA", imagenet_lists, "real", error=FileNotFoundError)
    refused("wordnet-base", imagenet_lists, "wordnet", error=FileNotFoundError)
    folder = write_folder(tmp_path / "imagenet")
    (folder / "ilsvrc2012_1k.txt").unlink()
    refused(r"ilsvrc2012_1k\.txt is not there: complete", imagenet_lists, error=FileNotFoundError)
    refused("source must be", imagenet_lists, "imagenet21k")
    refused("reading must be", reading_edges, embedded, "H")


def test_unknown_wnid(embedded, refused):
    assert embedded.terms(["n02012849", TEDDY]) == (("crane",), ("teddy", "teddy bear"))
    refused("wnids has 'n00000001', which is no noun", embedded.terms, [TEDDY, "n00000001"])


# The lists themselves.


def test_counts(embedded):
    assert len(embedded.wordnet) == len(set(embedded.wordnet)) == 75_850
    assert len(embedded.instance_links) == 8_577
    assert len(embedded.lemmas) == 82_115
    assert len(embedded.ilsvrc2012) == len(set(embedded.ilsvrc2012)) == 1_000
    assert len(embedded.fall2011) == len(set(embedded.fall2011)) == 21_841
    assert set(embedded.ilsvrc2012).difference(embedded.fall2011) == {TEDDY}
    assert len(embedded.is_a) == 34_904
    assert len({node for link in embedded.is_a for node in link}) == 32_325 + 2
    assert sum(parent == MISC for _, parent in embedded.is_a) == 2_350
    assert (len(embedded.two_hop), len(embedded.three_hop)) == (1_549, 7_860)
    assert set(embedded.two_hop) < set(embedded.three_hop) < set(embedded.fall2011)


def test_package_has_what_the_real_files_have(real, embedded):
    for part in ("wordnet", "instance_links", "lemmas", "ilsvrc2012", "fall2011", "is_a"):
        assert getattr(embedded, part) == getattr(real, part), part


def test_rules_give_the_published_lists_exactly(real):
    labels = {*real.ilsvrc2012, *real.fall2011}
    assert tree.fall2011_links(real.wordnet, labels) == real.is_a
    for published, steps in ((real.two_hop, 1), (real.three_hop, 2)):
        assert hop_labels(real.is_a, real.ilsvrc2012, real.fall2011, steps=steps) == published


def test_other_graphs_do_not_give_the_published_lists(real):
    """Under Misc itself, animal and its 42 children would be missing."""
    climbing = Hierarchy(real.is_a, paths="up_then_down")
    for published, steps, missing in ((real.two_hop, 1, 1), (real.three_hop, 2, 43)):
        near = climbing.within(real.ilsvrc2012, steps).intersection(real.fall2011)
        assert near < set(published) | set(real.ilsvrc2012)
        assert len(set(published) - near) == missing
    # Nor does WordNet; and with paths of any form the second list would be larger.
    near = Hierarchy(real.wordnet).within(real.ilsvrc2012, 2).intersection(real.fall2011)
    assert len(near.difference(real.ilsvrc2012)) == 5_989
    moved = Hierarchy(misc_under(real.is_a))
    near = moved.within(real.ilsvrc2012, 2).intersection(real.fall2011)
    assert set(real.three_hop) < near.difference(real.ilsvrc2012)


def test_image_counts_cover_the_labels(real):
    assert set(real.image_counts) > set(real.fall2011)
    assert len(real.image_counts) == 21_845
    assert TEDDY not in real.image_counts
    for name, row in label_sets(real).items():
        assert (row.weights is None) == (name == "1K")
        assert row.weights is None or min(row.weights) > 0


# What A.2 says of terms.


def test_terms_per_synset_and_synsets_per_term(embedded):
    seen = embedded.terms(embedded.ilsvrc2012)
    assert sum(map(len, seen)) == 1_860
    first = Counter(terms[0] for terms in seen)
    assert {term for term, n in first.items() if n > 1} == {"crane", "maillot"}
    assert [terms for terms in seen if "crane" in terms] == [("crane",), ("crane",)]
    synsets = Counter(t for terms in embedded.terms(embedded.fall2011) for t in set(terms))
    assert max(synsets.values()) == 9
    assert {term for term, n in synsets.items() if n == 9} == {"head", "queen"}


# Table 1.


KS = (2, 5, 10, 20)


@pytest.fixture
def table_of_readings(real):
    lines = read_lines(find_folder("imagenet") / "table1_readings.tsv")
    return {
        (row["reading"], row["set"], row["average"]): [float(row[f"k{k}"]) for k in KS]
        for row in csv.DictReader(lines, delimiter="\t")
    }


@pytest.mark.parametrize("reading", READINGS)
def test_readings_give_the_table_of_readings(real, table_of_readings, reading):
    for name, row in correct_set_sizes(real, reading, KS).items():
        # In A four labels of the last two rows have no link.
        assert row.left_out <= 4 * (reading == "A")
        for average, alike in (("image", False), ("class", True)):
            wanted = table_of_readings[reading, name, average]
            np.testing.assert_allclose(row.means(alike=alike), wanted, rtol=0, atol=0.51e-4)
