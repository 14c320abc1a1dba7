import numpy as np
import pytest

from zslib.datasets import available, dinu2015, resolve
from zslib.datasets.mapping.dinu2015 import FILES


@pytest.fixture
def official(tmp_path, monkeypatch):
    """The four files in their format, a few words long, in the data folder."""
    folder = tmp_path / "data" / "dinu2015"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    target = [b"la", b"casa", b"cane", b"gatto", b"perch\xe9", b"perch\xe8"]
    for side, listed in (("source", [b"the", b"house", b"dog", b"cat"]), ("target", target)):
        lines = [b"%d 5" % len(listed)]
        lines += [b"%b %f %f %f %f %f" % (word, *rng.standard_normal(5)) for word in listed]
        (folder / FILES[side]).write_bytes(b"\n".join(lines) + b"\n")
    (folder / FILES["train"]).write_text("the la\nhouse casa\n")
    (folder / FILES["test"]).write_text("dog cane\ncat gatto\ncat micio\n")
    monkeypatch.setenv("ZSLIB_DATA", str(folder.parent))
    return folder


def test_official_format(official):
    problem = dinu2015()
    assert problem.train_words.tolist() == ["the", "house"]
    assert problem.target_words.tolist() == ["la", "casa", "cane", "gatto", "perch\ufffd"]
    assert problem.coverage["target duplicate words left out"] == 1
    assert problem.coverage["test pairs without a target vector only"] == 1
    assert [g.tolist() for g in problem.test_gold] == [[2], [3]]
    assert (problem.name, len(dinu2015(limit=4).targets)) == ("dinu2015", 4)


def test_found_in_the_data_folder_or_the_cache(official, own_cache, monkeypatch, refused):
    assert available("dinu2015")
    # It is large, and so asked for by name.
    assert resolve("cross-linguistic", "auto") == "synthetic"
    own_cache.mkdir(exist_ok=True)
    official.rename(own_cache / "dinu2015")
    assert available("dinu2015")
    assert dinu2015().name == "dinu2015"
    (own_cache / "dinu2015" / FILES["test"]).unlink()
    assert not available("dinu2015")
    refused("zslib data fetch dinu2015", dinu2015, error=FileNotFoundError)


def test_truncated_vectors(official, refused):
    path = official / FILES["target"]
    path.write_bytes(path.read_bytes()[:-40])
    refused(r"IT\.200K.*line 7: expected a word and 5 numbers", dinu2015)
