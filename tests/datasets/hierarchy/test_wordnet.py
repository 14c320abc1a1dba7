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


def index_noun(synsets=SYNSETS, offsets=None, licence=LICENCE):
    offsets = offsets or data_noun(synsets)[1]
    senses = {}
    for (terms, _), offset in zip(synsets, offsets, strict=True):
        for term in terms:
            senses.setdefault(term.lower(), []).append(offset)
    return licence + "".join(
        f"{term} n {len(found)} 2 @ ~ {len(found)} 0 {' '.join(f'{o:08d}' for o in found)}  \n"
        for term, found in sorted(senses.items())
    )


@pytest.fixture
def folder(tmp_path):
    """A folder with both files, of the six synsets above."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    (folder / "data.noun").write_bytes(data_noun()[0].encode())
    (folder / "index.noun").write_bytes(index_noun().encode())
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
    assert repr(wordnet) == "<WordNet: 6 synsets, 5 hypernym and 1 instance links>"


DOG = f"{data_noun()[1][2]:08d}"


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("data", " n 02 animal", " n 03 animal", r"line 4 is not a noun .*'\d{8} 03 n 03 animal"),
        ("data", " n 02 animal", " v 02 animal", "type n expected"),
        ("data", "| a gloss", "x | a gloss", "counts of words or pointers do not fit"),
        ("data", "#m", "?m", r"unknown pointer symbol '\?m'"),
        ("data", " 0c ", " 0z ", "line 7 is not a noun synset"),
        ("data", "@i", "@  ", "counts of words or pointers|says that it is at"),
        ("data", "gloss;", "gloss,;", "line 4 says that it is at .* another version, or its line"),
        ("data", "\n", "\r\n", "says that it is at"),
        ("data", "WordNet 3.0", "WordNet 3.1", "is of WordNet 3.1: wnids are places in the files"),
        ("data", f"@i {DOG}", "@i 00009999", "has a link to n00009999, where no synset is"),
        ("data", f"@i {DOG} n", "@i 00009999 v", "a hypernym that is no noun"),
        ("index", "beast n", "brute n", "gives 'brute' the synset .* no such term"),
        ("index", "beast n 1 2 @ ~ 1 0", "  ", "lacks 'beast'"),
        ("index", "beast n 1", "beast n 2", "line 4 is not in WordNet's format"),
        ("index", "beast n 1", "beast v 1", "line 4 is not in WordNet's format"),
        ("index", "beast n 1", "beast n", "line 4 is not in WordNet's format"),
    ],
)
def test_damage_is_named(folder, name, old, new, message):
    path = folder / f"{name}.noun"
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())
    with pytest.raises(ValueError, match=message):
        read_wordnet(folder)


def test_missing_files_say_what_to_do(tmp_path, folder, no_wordnet):
    with pytest.raises(FileNotFoundError, match=r"data\.noun and index\.noun not found: install"):
        read_wordnet()
    (folder / "index.noun").unlink()
    with pytest.raises(FileNotFoundError, match=r"index\.noun not found in .*fetch_wordnet"):
        read_wordnet(folder)


def test_folders_in_order(folder, no_wordnet, own_cache, monkeypatch):
    assert wordnet_folder() is None
    monkeypatch.setattr(module, "_SYSTEM_FOLDER", folder)
    assert wordnet_folder() == folder
    for place in (own_cache, no_wordnet):
        (place / "wordnet").mkdir(parents=True)
        for name in module.FILES:
            (place / "wordnet" / name).touch()
        assert wordnet_folder() == place / "wordnet"


@pytest.fixture
def archives(site, pack, monkeypatch, no_wordnet):
    """Archives of the small files on a local site, whose checksums are taken as right."""
    texts = {"data.noun": data_noun()[0].encode(), "index.noun": index_noun().encode()}
    checksums = {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}
    monkeypatch.setattr(module, "CHECKSUMS", checksums)
    changed = texts | {"data.noun": texts["data.noun"] + b"x"}
    site.files |= {
        "/whole.tar.gz": pack(".tar.gz", {f"dict/{name}": text for name, text in texts.items()}),
        "/changed.zip": pack(".zip", {f"wordnet/{name}": text for name, text in changed.items()}),
        "/part.zip": pack(".zip", {"wordnet/data.noun": texts["data.noun"]}),
        "/damaged.zip": b"PK, but no more",
    }
    return lambda *names: [f"{site.url}/{name}" for name in names]


def test_fetch_goes_on_to_the_next_archive(archives, own_cache):
    seen = []
    folder = fetch_wordnet(
        progress=lambda *report: seen.append(report),
        archives=archives(
            "absent.tar.gz", "damaged.zip", "part.zip", "changed.zip", "whole.tar.gz"
        ),
    )
    assert folder == own_cache / "wordnet"
    assert sorted(path.name for path in folder.iterdir()) == ["data.noun", "index.noun"]
    assert len(read_wordnet().lemmas) == 6
    assert seen[-1][0] == "whole.tar.gz"
    assert seen[-1][1] == seen[-1][2]
    # Once there, nothing is asked for again.
    assert fetch_wordnet(archives=()) == folder


def test_fetch_tells_each_reason(archives, own_cache):
    with pytest.raises(ConnectionError) as caught:
        fetch_wordnet(archives=archives("absent.zip", "changed.zip", "part.zip", "damaged.zip"))
    message = str(caught.value)
    for reason in ("404", "data.noun is not that of WordNet 3.0", "it has no index.noun"):
        assert reason in message
    assert "damaged" in message
    assert "wordnet-base" in message
    assert list((own_cache / "wordnet").iterdir()) == []
