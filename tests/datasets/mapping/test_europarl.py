import numpy as np
import pytest

from zslib.datasets import europarl, europarl_vectors


def test_choices(crosslingual_folder, refused):
    with pytest.raises(ValueError, match=r"in the training and in the test set \(dog\)"):
        europarl(train="dinu", folder=crosslingual_folder)
    options = {"overlap": "drop-train", "folder": crosslingual_folder}
    problem = europarl(train="dinu", test="europarl", **options)
    assert problem.train_words.tolist() == ["the", "house"]
    assert "Dinu" in problem.description
    small = europarl(limit=5, folder=crosslingual_folder)
    assert len(small.targets) == 5 and "most frequent 5" in small.description
    refused("train must be one of", europarl, train="muse", folder=crosslingual_folder)


def test_damaged_files(crosslingual_folder, refused):
    path = crosslingual_folder / "vectors.it.npy"
    np.save(path, np.ones((3, 4), np.float16))
    with pytest.raises(ValueError, match="there are 7 words: one of the two files is damaged"):
        europarl(folder=crosslingual_folder)
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    refused("Python objects", europarl_vectors, "it", folder=crosslingual_folder)
    refused("language must be one of", europarl_vectors, "fr", folder=crosslingual_folder)


@pytest.mark.parametrize(
    ("train", "pairs", "words", "shared", "alone"),
    [("europarl", 5000, 3659, 112, 75), ("dinu", 4580, 3230, 100, 63)],
)
def test_real_counts(real_data, train, pairs, words, shared, alone):
    """The counts that the data set's README gives."""
    real_data("crosslingual")
    problem = europarl(train=train)
    assert problem.targets.shape == (92_790, 300)
    coverage = problem.coverage
    assert coverage["source words"] in (12_941, 54_850)  # the repository's edition, the full one
    assert coverage["training pairs used"] == len(problem.X_train) == pairs
    assert coverage["training words used"] == words
    assert coverage["test pairs listed"] == 1869
    assert coverage["test words listed"] == 1500
    assert coverage["test pairs used"] == 1372
    assert coverage["test pairs without a source vector only"] == 114
    assert coverage["test pairs without either vector"] == 249
    assert coverage["test words used"] == len(problem.X_test) == 1081
    assert coverage["test words with an answer that is a training target"] == shared
    assert coverage["test words with no other answer"] == alone


def test_real_dictionaries_that_overlap(real_data):
    real_data("crosslingual")
    with pytest.raises(ValueError, match=r"255 word\(s\) are in the training and in the test"):
        europarl(train="dinu", test="europarl")


def test_all_words_that_no_training_pair_has(crosslingual_folder):
    everything = europarl(test="all", folder=crosslingual_folder)
    published = europarl(folder=crosslingual_folder)
    assert not {"the", "house", "ox"} & set(everything.test_words.tolist())
    # A word that two dictionaries list keeps the translations of the published one.
    answers = dict(zip(everything.test_words.tolist(), everything.test_gold, strict=True))
    for word, gold in zip(published.test_words.tolist(), published.test_gold, strict=True):
        assert answers[word].tolist() == gold.tolist()
