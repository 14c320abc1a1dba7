"""WordNet's own files: small ones written by hand, and the real ones where they are."""

import hashlib

import pytest

from zslib.datasets.hierarchy import wordnet as module
from zslib.datasets.hierarchy.wordnet import fetch_wordnet, read_wordnet, wordnet_folder

LICENCE = "  1 WordNet 3.0 Copyright 2006 by Princeton University.  \n  2 more  \n"
# (terms, [(pointer symbol, position of its target in this list)])
SYNSETS = (
    (["entity"], [("~", 1), ("~", 2)]),
    (["animal", "beast"], [("@", 0), ("~", 2), ("~i", 3)]),
    (["dog", "domestic_dog"], [("@", 1), ("@", 0), ("#m", 0)]),
    (["Laika"], [("@i", 2)]),
    (["twelfth", *(f"t{i}" for i in range(11))], [("@", 0), (";c", 1)]),
    (["Dog"], [("@", 0)]),
)


def data_noun(synsets=SYNSETS, licence=LICENCE):
    """Text of ``data.noun`` and the offsets of its lines."""

    def lines(offsets):
        for (terms, pointers), offset in zip(synsets, offsets, strict=True):
            words = " ".join(f"{term} 0" for term in terms)
            links = "".join(f"{symbol} {offsets[to]:08d} n 0000 " for symbol, to in pointers)
            counts = f"{len(terms):02x} {words} {len(pointers):03d}"
            yield f"{offset:08d} 03 n {counts} {links}| a gloss; with | a bar  \n"

    offsets = [0] * len(synsets)
    place = len(licence)
    for i, line in enumerate(lines(offsets)):
        offsets[i] = place
        place += len(line)
    return licence + "".join(lines(offsets)), offsets


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the file, of the six synsets above, whose checksum is taken as right."""
    folder, content = tmp_path / "wordnet", data_noun()[0].encode()
    folder.mkdir()
    (folder / "data.noun").write_bytes(content)
    monkeypatch.setattr(module, "CHECKSUM", hashlib.sha256(content).hexdigest())
    return folder


@pytest.fixture
def no_wordnet(tmp_path, monkeypatch):
    """No WordNet on this machine, neither as data nor as a package."""
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("ZSLIB_DATA", str(empty))
    monkeypatch.setattr(module, "_SYSTEM_FOLDER", empty)
    return empty


def test_synsets_terms_and_links(folder):
    wordnet = read_wordnet(folder)
    entity, animal, dog, laika, twelfth, other = (f"n{o:08d}" for o in data_noun()[1])
    assert list(wordnet.lemmas) == [entity, animal, dog, laika, twelfth, other]
    assert wordnet.lemmas[dog] == ("dog", "domestic dog")
    assert wordnet.lemmas[twelfth] == ("twelfth", *(f"t{i}" for i in range(11)))
    expected = {(animal, entity), (dog, animal), (dog, entity), (twelfth, entity), (other, entity)}
    assert set(wordnet.hypernyms) == expected
    assert wordnet.instances == ((laika, dog),)


def test_any_other_file_is_refused(folder, no_wordnet, refused):
    path = folder / "data.noun"
    content = path.read_bytes()
    for other in (content[:-60], content.replace(b"\n", b"\r\n"), content.replace(b"3.0", b"3.1")):
        path.write_bytes(other)
        refused(r"data\.noun is not that of WordNet 3\.0.*fetch_", read_wordnet, folder)
    path.unlink()
    for place in (None, folder):
        with pytest.raises(FileNotFoundError, match=r"data\.noun not found.*fetch_wordnet"):
            read_wordnet(place)


def test_folders_in_order(folder, no_wordnet, own_cache, monkeypatch):
    assert wordnet_folder() is None
    monkeypatch.setattr(module, "_SYSTEM_FOLDER", folder)
    assert wordnet_folder() == folder
    for place in (own_cache, no_wordnet):
        (place / "wordnet").mkdir(parents=True)
        (place / "wordnet" / "data.noun").touch()
        assert wordnet_folder() == place / "wordnet"


@pytest.fixture
def archives(site, pack, folder, no_wordnet):
    """Archives of the small file on a local site."""
    content = (folder / "data.noun").read_bytes()
    site.files |= {
        "/whole.tar.gz": pack(".tar.gz", {"dict/data.noun": content, "dict/index.noun": b"x"}),
        "/changed.zip": pack(".zip", {"wordnet/data.noun": content + b"x"}),
        "/part.zip": pack(".zip", {"wordnet/index.noun": b"x"}),
        "/damaged.zip": b"PK, but no more",
    }
    return lambda *names: [f"{site.url}/{name}" for name in names]


def test_fetch_goes_on_to_the_next_archive(archives, own_cache):
    seen = []
    tried = archives("absent.tar.gz", "damaged.zip", "part.zip", "changed.zip", "whole.tar.gz")
    folder = fetch_wordnet(progress=lambda *report: seen.append(report), archives=tried)
    assert folder == own_cache / "wordnet"
    assert sorted(path.name for path in folder.iterdir()) == ["data.noun"]
    assert len(read_wordnet().lemmas) == 6
    assert seen[-1][0] == "whole.tar.gz" and seen[-1][1] == seen[-1][2]
    # Once there, nothing is asked for again.
    assert fetch_wordnet(archives=()) == folder


def test_fetch_tells_each_reason(archives, own_cache):
    with pytest.raises(ConnectionError) as caught:
        fetch_wordnet(archives=archives("absent.zip", "changed.zip", "part.zip", "damaged.zip"))
    not_that, none = "data.noun is not that of WordNet 3.0", "it has no data.noun"
    for reason in ("404", not_that, none, "damaged", "wordnet-base"):
        assert reason in str(caught.value)
    assert list((own_cache / "wordnet").iterdir()) == []
