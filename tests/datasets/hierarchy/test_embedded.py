"""The packed WordNet: round trips, and equality with WordNet's own files."""

import hashlib
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.datasets.hierarchy import embedded
from zslib.datasets.hierarchy.embedded import read_labels, unpack_wordnet
from zslib.datasets.hierarchy.wordnet import WordNet, read_wordnet, wordnet_folder

FOLDER = embedded.resources.files("zslib.datasets.hierarchy") / "wordnet30"
TERMS = st.text("abc XYZ.'-0", min_size=1).filter(lambda t: t == t.strip() and "  " not in t)


@st.composite
def wordnets(draw):
    places = draw(st.lists(st.integers(0, 99_999_999), min_size=1, max_size=8, unique=True))
    wnids = [f"n{place:08d}" for place in sorted(places)]
    terms = {w: tuple(draw(st.lists(TERMS, min_size=1, max_size=3))) for w in wnids}
    links = st.sets(st.tuples(st.sampled_from(wnids), st.sampled_from(wnids)), max_size=10)
    return WordNet(terms, tuple(sorted(draw(links))), tuple(sorted(draw(links))))


@given(wordnets())
def test_unpacking_undoes_packing(make, wordnet):
    again = unpack_wordnet(make.pack_wordnet(wordnet))
    assert again == wordnet
    assert list(again.lemmas) == list(wordnet.lemmas)


def test_order_of_the_input_does_not_matter(make):
    lemmas = {"n00000002": ("b",), "n00000001": ("a",)}
    links = (("n00000002", "n00000001"), ("n00000001", "n00000002"))
    one, other = WordNet(lemmas, links), WordNet(dict(sorted(lemmas.items())), links[::-1])
    assert make.pack_wordnet(one) == make.pack_wordnet(other)


@pytest.mark.parametrize("cut", ["", "another format, 1 synsets\n1\n\na\n", None])
def test_other_text_is_refused(make, cut):
    text = make.pack_wordnet(WordNet({"n00000002": ("b",), "n00000007": ("c",)}, ()))
    with pytest.raises(ValueError, match="not a whole text in the form 'nouns of WordNet"):
        unpack_wordnet(text[:-3] if cut is None else cut)


MALFORMED = [("n00000001\nn00000001\n", "has n00000001 more than once"), ("", "is empty")]


@pytest.mark.parametrize("text, message", MALFORMED)
def test_malformed_lists(tmp_path, text, message, refused):
    path = tmp_path / "list.txt"
    path.write_text(text)
    refused(message, read_labels, path)
    with pytest.raises(FileNotFoundError, match=r"absent\.txt is not there: check the path"):
        read_labels(tmp_path / "absent.txt")


def test_embedded_files_are_small_and_come_with_licences():
    sizes = {path.name: len(path.read_bytes()) for path in FOLDER.iterdir()}
    assert sum(sizes.values()) < 1_000_000
    assert {"README.md", "LICENSE-wordnet.txt", "LICENSE-labels.txt"} <= set(sizes)
    assert "WordNet 3.0 Copyright 2006" in (FOLDER / "LICENSE-wordnet.txt").read_text()


def test_embedded_text_is_the_one_described():
    readme = (FOLDER / "README.md").read_text()
    for name in ("nouns", "ilsvrc2012", "fall2011"):
        text = lzma.decompress((FOLDER / f"{name}.txt.xz").read_bytes())
        assert hashlib.sha256(text).hexdigest() in readme
    for number in (len(embedded.embedded_wordnet().lemmas), *map(len, embedded.embedded_labels())):
        assert f"{number:,}" in readme


def test_wordnets_own_files_give_the_embedded_text(make):
    if wordnet_folder() is None:
        pytest.skip("WordNet's files are not here")
    text = make.pack_wordnet(read_wordnet())
    assert lzma.decompress((FOLDER / "nouns.txt.xz").read_bytes()) == text.encode("ascii")
