import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zslib.datasets.attributes import splits
from zslib.datasets.attributes.splits import class_parts, hold_out, select_images, split_classes

labellings = st.lists(st.integers(0, 5), min_size=1, max_size=60).map(np.array)


@given(labellings, st.floats(0, 1), st.integers(0, 99))
def test_hold_out_takes_the_rounded_share_of_each_class(labels, fraction, seed):
    samples = np.arange(len(labels))[::2]
    kept, held = hold_out(labels, samples, fraction=fraction, seed=seed)
    assert np.array_equal(np.sort(np.concatenate([kept, held])), samples)
    for label in np.unique(labels[samples]):
        size = int((labels[samples] == label).sum())
        expected = min(int(np.floor(fraction * size + 0.5)), size - 1)
        assert (labels[held] == label).sum() == expected
        assert (labels[kept] == label).any()
    np.testing.assert_array_equal(hold_out(labels, samples, fraction=fraction, seed=seed)[1], held)


def test_validation_construction_of_the_paper():
    """Appendix C of CLAREL divides 5,875 training images into 4,700 and 1,175."""
    labels = np.repeat(np.arange(100), [*[55] * 25, *[60] * 75])
    kept, held = hold_out(labels, np.arange(5875), seed=1)
    assert (len(kept), len(held)) == (4700, 1175)


def test_hold_out_is_uniform():
    labels = np.zeros(4, dtype=int)
    held = [hold_out(labels, np.arange(4), fraction=0.25, seed=s)[1][0] for s in range(400)]
    assert np.bincount(held, minlength=4).min() > 60


@given(st.integers(6, 60), st.integers(0, 99))
def test_split_classes_is_a_partition_of_the_right_sizes(n, seed):
    classes = np.arange(n) * 3
    train, val, test = split_classes(classes, seed=seed)
    assert np.array_equal(np.sort(np.concatenate([train, val, test])), classes)
    assert len(test) == -(-n // 4)
    assert len(val) == -(-(n - len(test)) // 5)


def test_class_parts_with_given_test_images():
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3, 9])
    is_test = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0], dtype=bool)
    parts = class_parts(labels, [0, 1], [2], [3], is_test=is_test)
    expected = {"trainval": [0, 2, 4], "test_seen": [1, 3, 5], "test_unseen": [7]}
    expected |= {"train": [0, 2], "val": [4]}
    assert {name: rows.tolist() for name, rows in parts.items()} == expected


@given(labellings, st.integers(1, 8), st.integers(0, 99))
def test_select_images_caps_each_class_in_each_part(labels, most, seed):
    parts = class_parts(labels, [0, 1], [2, 3], [4, 5], seed=seed)
    rows, small = select_images(labels, parts, max_per_class=most, seed=seed)
    for name, chosen in small.items():
        back = rows[chosen]
        assert np.isin(back, parts[name]).all()
        assert len(np.unique(back)) == len(back)
        for label in range(6):
            listed = int((labels[parts[name]] == label).sum())
            assert (labels[back] == label).sum() == min(listed, most)
    used = np.concatenate([small[name] for name in ("trainval", "test_seen", "test_unseen")])
    assert np.array_equal(np.sort(used), np.arange(len(rows)))


def test_select_images_without_a_cap_changes_nothing_but_numbers():
    labels, empty = np.array([0, 1, 2, 3, 3, 0]), dict.fromkeys(splits.PARTS, ())
    parts = empty | {"trainval": [5, 1, 2], "test_unseen": [3], "train": [5, 1], "val": [2]}
    rows, small = select_images(labels, parts)
    assert rows.tolist() == [1, 2, 3, 5]
    for name, chosen in small.items():
        assert rows[chosen].tolist() == sorted(parts[name])


def test_groups_are_not_parted():
    rng = np.random.default_rng(0)
    for seed in range(5):
        labels, groups = rng.integers(0, 4, size=60), rng.integers(0, 20, size=60)
        kept, held = hold_out(labels, np.arange(60), fraction=0.3, seed=seed, groups=groups)
        assert sorted([*kept, *held]) == list(range(60))
        assert held.size
        of = [{(labels[i], groups[i]) for i in part} for part in (kept, held)]
        assert not of[0] & of[1]
        plain = hold_out(labels, np.arange(60), fraction=0.3, seed=seed)
        most = np.bincount(labels[plain[1]], minlength=4)
        assert (np.bincount(labels[held], minlength=4) <= most).all()
        # Groups of one are no groups.
        alone = hold_out(labels, np.arange(60), fraction=0.3, seed=seed, groups=np.arange(60))
        np.testing.assert_array_equal(np.concatenate(alone), np.concatenate(plain))


@pytest.mark.parametrize("first", [0, 4])
def test_four_crossed_seeds_have_each_class_unseen_once(first):
    classes = np.arange(3, 26)
    folds = [splits.crossed_classes(classes, seed=seed) for seed in range(first, first + 4)]
    for parts in folds:
        assert sorted(np.concatenate(parts).tolist()) == classes.tolist()
    unseen = [test for _, _, test in folds]
    assert sorted(np.concatenate(unseen).tolist()) == classes.tolist()
    assert {len(test) for test in unseen} == {5, 6}
    two = [splits.crossed_classes(classes, seed=seed, folds=2)[2] for seed in (first, first + 1)]
    assert sorted(np.concatenate(two).tolist()) == classes.tolist()
    other = splits.crossed_classes(classes, seed=4 - first)
    assert not np.array_equal(other[2], unseen[0])
