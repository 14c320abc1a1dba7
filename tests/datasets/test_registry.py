import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from zslib.datasets import DATASETS, available, data_status, fingerprint, load_problem
from zslib.datasets.attributes.own import save_zero_shot
from zslib.datasets.entry import KINDS
from zslib.datasets.registry import load_problems, resolve, resolve_all, served
from zslib.protocols import repeat

LINGUAL, MODAL = "cross-linguistic", "cross-modal"


def test_without_data():
    assert resolve(LINGUAL) == resolve(MODAL) == "synthetic"
    assert resolve_all("pairs") == ["synthetic"]
    here = [row["name"] for row in data_status() if row["available"]]
    assert here == ["synthetic", "digits", "wordnet"]
    options = {"seed": 2, "quick": True}
    problem, named = load_problem(MODAL, **options), load_problem(MODAL, "synthetic", **options)
    assert problem.synthetic and problem.checksum == named.checksum


def test_with_data(small):
    assert resolve(LINGUAL) == resolve(LINGUAL, "real") == "europarl"
    assert resolve(MODAL) == resolve(MODAL, "real") == "imagenet1k"
    assert resolve(MODAL, "europarl+imagenet1k") == "imagenet1k"
    assert resolve(LINGUAL, "europarl + imagenet1k") == "europarl"
    assert resolve(LINGUAL, "synthetic+imagenet1k") == "synthetic"
    assert resolve(MODAL, "synthetic+imagenet1k") == "imagenet1k"
    rows = {row["name"]: row for row in data_status()}
    assert rows["europarl"]["where"] == f"{small / 'crosslingual'} (ZSLIB_DATA)"
    assert rows["dinu2015"]["where"] == "not here"
    assert set(rows) == set(DATASETS)
    assert resolve_all(LINGUAL) == resolve_all(LINGUAL, "real") == ["europarl", "europarl_dinu"]
    assert resolve_all(MODAL) == ["imagenet1k", "tiny_imagenet"]
    assert resolve_all(MODAL, "europarl_dinu+tiny_imagenet") == ["tiny_imagenet"]
    assert resolve(LINGUAL, "europarl_dinu+tiny_imagenet") == "europarl_dinu"
    shutil.rmtree(small / "visual" / "imagenet1k_sample")
    assert not available("imagenet1k")
    assert resolve(MODAL) == "tiny_imagenet"


def test_loading_by_name(small):
    assert load_problem(LINGUAL).name == "europarl"
    assert load_problem(LINGUAL, quick=True).coverage["test words used"] == 3
    assert len({load_problem(MODAL, "tiny_imagenet", seed=s).checksum for s in range(4)}) > 1
    assert load_problem(MODAL, "imagenet1k", quick=True, dimension=4).targets.shape[1] == 4
    assert len(load_problem(MODAL, "tiny_imagenet", split="fixed").space("test")) == 2


ABSENT = [
    (LINGUAL, "real", r"'europarl' are not here \(no data folder"),
    (MODAL, "tiny_imagenet", "set ZSLIB_DATA to a folder that has visual/tiny"),
    (LINGUAL, "dinu2015", "zslib data fetch dinu2015"),
    ("hierarchy", "real", "'imagenet' are not here"),
    ("hierarchy", "wordnet30", "zslib data fetch wordnet30"),
    ("attributes", "cub+digits", "'cub' are not here"),
    ("pairs", "synthetic+ikea", "'ikea' are not here"),
    ("pairs", "reed_cub", r"has xlsa17/CUB/res101\.mat and reed2016/CUB/text"),
    ("attributes", Path("mine.npz"), r"mine\.npz is not there: check the path"),
    ("attributes", Path("tiny-imagenet"), "tiny-imagenet is not there: check the path"),
]
REFUSALS = {
    load_problems: [(given, words, FileNotFoundError) for *given, words in ABSENT],
    resolve_all: [
        ((LINGUAL, "muse"), "unknown dataset 'muse': known are synthetic, europarl"),
        (("attributes", "YOURS"), "paths of your own files: none is called so here"),
        (("attributes", ""), "paths of your own files: none is called so here"),
        (("attributes", "y" * 5000), "paths of your own files: none is called so here"),
        ((MODAL, "europarl"), "names no data set for the cross-modal setting: choose one of"),
        (("attributes", "europarl+dinu2015"), "no data set for the attributes setting"),
        (("attributes", "x.vec.gz"), r"x\.vec\.gz is not read .* end in \.npz, \.mat, \.csv"),
        (("attributes", "x.npy"), r"x\.npy is not read for .* save its arrays as \.npz"),
        (("translation", "auto"), "setting must be one of"),
        (("attributes", None), "dataset must be a string or a path", TypeError),
        (("attributes", 3), "dataset must be a string or a path", TypeError),
    ],
    load_problem: [
        ((LINGUAL, "europarl+muse"), "unknown dataset 'muse'"),
        ((LINGUAL, "europarl+dinu2015"), "names several data sets for the cross-linguistic"),
        ({"setting": LINGUAL, "seed": -1}, "seed must be at least 0"),
    ],
    served: [(("wordnet", (LINGUAL, MODAL)), "no data set for the cross-modal setting")],
}


def test_requests_that_mean_nothing_or_what_is_not_here(refusal):
    refusal()


def test_options_that_a_set_does_not_have(small, refused):
    words = "europarl has no option 'split': its options are train"
    refused(words, load_problem, LINGUAL, split="fixed", error=TypeError)


@pytest.mark.parametrize("load", [load_problem, repeat])
def test_one_file_of_words_is_no_bilingual_problem(load, tmp_path, refused):
    path = tmp_path / "own.vec"
    path.write_text("dog 1 0\ncat 0 1\n")
    words = "give load_problem the options target_vectors and train_dictionary too"
    refused(words, load, LINGUAL, path, error=TypeError)


def test_fingerprint(small):
    base, sets = fingerprint("real"), "europarl+europarl_dinu+imagenet1k+tiny_imagenet"
    assert base == fingerprint("auto") == fingerprint(sets)
    others = ["synthetic", "europarl+tiny_imagenet", "europarl_dinu+tiny_imagenet"]
    found = {base, *map(fingerprint, others), fingerprint("europarl", settings=[LINGUAL])}
    found |= {fingerprint("real", seed=1), fingerprint("real", quick=True)}
    path = small / "crosslingual" / "opus.test.txt"
    path.write_text(path.read_text() + "sun sole\n")
    found.add(fingerprint("real"))
    # It sees what size and time do not show.
    path = small / "crosslingual" / "vectors.it.npy"
    state, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert len(found | {fingerprint("real")}) == 9


def test_every_entry_is_complete():
    for name, entry in DATASETS.items():
        assert entry.name == name and entry.summary and entry.licence
        assert entry.kind in KINDS
        assert set(entry.quick) <= set(entry.loaders) == set(entry.settings)
        assert not (entry.kind == "synthetic" and entry.files)
        assert entry.kind != "official" or entry.files


def test_settings_of_label_lists():
    assert resolve("hierarchy") == resolve("hierarchy", "synthetic") == "wordnet"
    assert resolve("within 1K") == resolve("beyond 1K") == "synthetic"
    # A request for images leaves the hierarchy to "auto".
    assert resolve("hierarchy", "caltech101") == "wordnet"
    assert resolve("hierarchy", "caltech101+wordnet") == "wordnet"
    settings = ["hierarchy", "within 1K", LINGUAL]
    assert served("synthetic", settings) == settings
    assert served("wordnet", settings) == ["hierarchy"]


def test_attributes_stand_for_several_sets():
    assert resolve_all("attributes") == ["synthetic", "digits"]
    assert resolve_all("attributes", "digits") == ["digits"]
    assert resolve_all("attributes", "digits+synthetic") == ["digits", "synthetic"]
    assert resolve_all("hierarchy", "synthetic") == ["wordnet"]
    assert [p.synthetic for p in load_problems("attributes", quick=True)] == [True, False]
    assert served("digits+synthetic", ("attributes", "hierarchy")) == ["attributes", "hierarchy"]
    both = fingerprint("digits+synthetic", settings=["attributes"])
    assert both != fingerprint("digits", settings=["attributes"])


def test_pairs_of_real_data(real_data):
    real_data("visual/ikea", "visual/cub", "visual/wikipedia_xmodal")
    named = "ikea+cub+wikipedia_xmodal"
    for dataset, names in (("auto", ["flowers", "cub_captions"]), (named, named.split("+"))):
        found = resolve_all("pairs", dataset)
        assert [name for name in found if not name.startswith("reed")] == names
    for problem in load_problems("pairs", named, quick=True):
        assert problem.setting == "pairs"
        assert len(problem.val)


def test_metric_learning_has_image_attributes_in_one_unit():
    assert resolve_all("metric learning") == ["synthetic", "digits"]
    problem, digits = load_problems("metric learning", quick=True)
    assert problem.name == "synthetic-apy" and digits.image_attributes is None
    assert problem.image_attributes.shape[1] == problem.class_embeddings.shape[1] == 64
    assert (problem.class_embeddings**2).sum(axis=1).min() > 1.5


def test_metric_learning_on_real_data(real_data):
    real_data("visual/cub", "visual/awa1", "visual/apy")
    assert resolve_all("metric learning") == ["cub", "awa1"]
    assert resolve_all("metric learning", "apy+digits") == ["apy", "digits"]
    problems = load_problems("metric learning", "cub+awa1+apy", quick=True)
    assert [len(problem.unseen_classes) for problem in problems] == [50, 10, 12]
    for problem in problems:
        assert "standard split" in problem.description and not len(problem.test_seen)
    assert "VGG" in load_problem("metric learning", "cub", quick=True).description


def test_paths(tmp_path):
    path = tmp_path / "mine.npz"
    path.write_bytes(b"one")
    one = fingerprint(str(path), settings=("attributes",))
    path.write_bytes(b"other")
    assert fingerprint(str(path), settings=("attributes",)) != one
    assert resolve_all("pairs", path) == [str(path)]
    assert resolve_all("attributes", f"digits+{path}") == ["digits", str(path)]
    assert served(str(path), ("cross-linguistic", "attributes")) == ["attributes"]


def test_a_path_may_be_a_bare_name(tmp_path, monkeypatch):
    problem = load_problem("attributes", "digits")
    save_zero_shot(problem, tmp_path / "mine.npz")
    monkeypatch.chdir(tmp_path)
    for name in ("MINE", "cub", "a+b"):
        (tmp_path / name).mkdir()
        with np.load("mine.npz") as stored:
            for key in stored:
                np.save(tmp_path / name / f"{key}.npy", stored[key])
    for path in ("MINE", "./MINE", Path("MINE"), "./cub", Path("cub"), "a+b", tmp_path / "a+b"):
        found = load_problem("attributes", path)
        np.testing.assert_array_equal(found.labels, problem.labels)
        assert len(fingerprint(path, settings=("attributes",))) == 64
        assert len(resolve_all("attributes", path)) == 1
    # A name of the catalogue goes before a folder that has it.
    with pytest.raises(FileNotFoundError, match="the files of 'cub' are not here"):
        load_problem("attributes", "cub")


def test_names_as_captions_and_problems_have_them(small):
    known = fingerprint("tiny_imagenet", settings=(MODAL,))
    for name in ("tiny_imagenet", "tiny-imagenet", "tiny_imagenet_classes"):
        assert resolve_all(MODAL, name) == resolve_all(MODAL, f"europarl-dinu+{name}")
        assert resolve(MODAL, name) == "tiny_imagenet"
        assert fingerprint(name, settings=(MODAL,)) == known
    assert resolve_all(LINGUAL, "europarl-dinu+europarl") == ["europarl_dinu", "europarl"]
    assert resolve(LINGUAL, "europarl-dinu") == "europarl_dinu"


def test_vectors_and_dictionary_by_path(tmp_path):
    words = ["one", "two", "three", "four"]
    for name in ("en", "it"):
        lines = [f"{name}-{w} {n} {n * n} 1" for n, w in enumerate(words)]
        (tmp_path / f"{name}.vec").write_text("4 3\n" + "\n".join(lines) + "\n")
    (tmp_path / "pairs.txt").write_text("".join(f"en-{w} it-{w}\n" for w in words))
    rest = {"target_vectors": tmp_path / "it.vec", "train_dictionary": tmp_path / "pairs.txt"}
    problem = load_problem(LINGUAL, tmp_path / "en.vec", **rest)
    assert (len(problem.train_words), len(problem.targets)) == (3, 4)
