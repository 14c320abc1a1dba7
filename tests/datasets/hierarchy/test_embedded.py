"""The packed WordNet: round trips, the script, and equality with WordNet's own files."""

import hashlib
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.datasets.hierarchy import embedded as module
from zslib.datasets.hierarchy.embedded import (
    embedded_labels,
    embedded_wordnet,
    main,
    pack_wordnet,
    read_labels,
    unpack_wordnet,
)
from zslib.datasets.hierarchy.wordnet import WordNet, read_wordnet, wordnet_folder

LICENCE = "  1 WordNet 3.0 Copyright 2006 by Princeton University.  \n"
TERMS = st.text("abc XYZ.'-0", min_size=1).filter(lambda t: t == t.strip() and "  " not in t)


@st.composite
def wordnets(draw):
    places = draw(st.lists(st.integers(0, 99_999_999), min_size=1, max_size=8, unique=True))
    wnids = [f"n{place:08d}" for place in sorted(places)]
    terms = {w: tuple(draw(st.lists(TERMS, min_size=1, max_size=3))) for w in wnids}
    links = st.sets(st.tuples(st.sampled_from(wnids), st.sampled_from(wnids)), max_size=10)
    return WordNet(terms, tuple(sorted(draw(links))), tuple(sorted(draw(links))))


@given(wordnets())
def test_unpacking_undoes_packing(wordnet):
    again = unpack_wordnet(pack_wordnet(wordnet))
    assert again == wordnet
    assert list(again.lemmas) == list(wordnet.lemmas)


def test_order_of_the_input_does_not_matter():
    lemmas = {"n00000002": ("b",), "n00000001": ("a",)}
    links = (("n00000002", "n00000001"), ("n00000001", "n00000002"))
    one, other = WordNet(lemmas, links), WordNet(dict(sorted(lemmas.items())), links[::-1])
    assert pack_wordnet(one) == pack_wordnet(other)


@pytest.mark.parametrize("cut", ["", "another format, 1 synsets\n1\n\na\n", None])
def test_other_text_is_refused(cut):
    text = pack_wordnet(WordNet({"n00000002": ("b",), "n00000007": ("c",)}, ()))
    with pytest.raises(ValueError, match="not a whole text in the form 'nouns of WordNet"):
        unpack_wordnet(text[:-3] if cut is None else cut)


@pytest.fixture
def sources(tmp_path):
    """A folder with two synsets in WordNet's files, and two lists."""
    first = len(LICENCE)
    line = f"{first:08d} 03 n 01 thing 0 000 | a gloss  \n"
    second = first + len(line)
    line += f"{second:08d} 03 n 02 dog 0 domestic_dog 0 001 @ {first:08d} n 0000 | a gloss  \n"
    (tmp_path / "data.noun").write_bytes((LICENCE + line).encode())
    index = [f"{t} n 1 0 1 0 {p:08d}  \n" for t, p in (("dog", second), ("thing", first))]
    index.insert(1, f"domestic_dog n 1 0 1 0 {second:08d}  \n")
    (tmp_path / "index.noun").write_bytes((LICENCE + "".join(index)).encode())
    (tmp_path / "small.txt").write_text(f"n{second:08d}\n")
    (tmp_path / "large.txt").write_text(f"n{second:08d}\nn{first:08d}\n")
    return tmp_path


def test_script_packs_what_the_readers_read(sources, tmp_path, monkeypatch):
    arguments = [str(sources), str(sources / "small.txt"), str(sources / "large.txt")]
    for out in ("one", "two"):
        main([*arguments, str(tmp_path / out)])
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["fall2011.txt.xz", "ilsvrc2012.txt.xz", "nouns.txt.xz"]
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    monkeypatch.setattr(module.resources, "files", lambda package: tmp_path)
    (tmp_path / "one").rename(tmp_path / "wordnet30")
    assert embedded_wordnet() == read_wordnet(sources)
    dog, thing = read_labels(sources / "large.txt")
    assert embedded_labels() == ((dog,), (thing, dog))


def test_script_refuses_labels_that_are_no_synsets(sources, tmp_path):
    (sources / "large.txt").write_text("n00000003\n")
    out = tmp_path / "out"
    arguments = [sources, sources / "small.txt", sources / "large.txt", out]
    with pytest.raises(ValueError, match="has n00000003, which is no noun synset"):
        main([str(argument) for argument in arguments])
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n00000001\nn00000001\n", "has n00000001 more than once"),
        ("n00000001\n\n", "line 2 is '', not a wnid"),
        ("n0000001\n", "line 1 is 'n0000001', not a wnid"),
        ("v00000001\n", "not a wnid"),
        ("n00000001 dog\n", "not a wnid"),
        ("", "is empty"),
    ],
)
def test_malformed_lists(tmp_path, text, message):
    path = tmp_path / "list.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_labels(path)
    with pytest.raises(FileNotFoundError, match=r"absent\.txt is not there: check the path"):
        read_labels(tmp_path / "absent.txt")


def test_embedded_files_are_small_and_come_with_licences():
    folder = module.resources.files("zslib.datasets.hierarchy") / "wordnet30"
    sizes = {path.name: len(path.read_bytes()) for path in folder.iterdir()}
    assert sum(sizes.values()) < 1_000_000
    assert {"README.md", "LICENSE-wordnet.txt", "LICENSE-labels.txt"} <= set(sizes)
    assert "WordNet 3.0 Copyright 2006" in (folder / "LICENSE-wordnet.txt").read_text()


def test_embedded_text_is_the_one_described():
    folder = module.resources.files("zslib.datasets.hierarchy") / "wordnet30"
    readme = (folder / "README.md").read_text()
    for name in ("nouns", "ilsvrc2012", "fall2011"):
        text = lzma.decompress((folder / f"{name}.txt.xz").read_bytes())
        assert hashlib.sha256(text).hexdigest() in readme
    for number in (len(embedded_wordnet().lemmas), *map(len, embedded_labels())):
        assert f"{number:,}" in readme


def test_wordnets_own_files_give_the_embedded_text():
    if wordnet_folder() is None:
        pytest.skip("WordNet's files are not here")
    folder = module.resources.files("zslib.datasets.hierarchy") / "wordnet30"
    text = pack_wordnet(read_wordnet())
    assert lzma.decompress((folder / "nouns.txt.xz").read_bytes()) == text.encode("ascii")
