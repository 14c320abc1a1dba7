import numpy as np
import pytest
from scipy import stats

from zslib.metrics import hub_correlations


def cosine(a, b):
    """Rounded: the same from ``a`` to ``b`` as from ``b`` to ``a`` in every BLAS kernel."""
    return round(a @ b / np.sqrt((a @ a) * (b @ b)), 12)


@pytest.mark.parametrize("exclude_self", [False, True])
def test_follows_the_definition(backend, exclude_self):
    rng = np.random.default_rng(0)
    targets = rng.standard_normal((60, 5)) + 0.3
    counts, mask = rng.integers(0, 6, 60), rng.random(60) < 0.3
    mean = targets.mean(axis=0)
    to_mean = [cosine(t, mean) for t in targets]
    others = [set(np.flatnonzero(mask)) - ({i} if exclude_self else set()) for i in range(60)]
    nearest = [max(cosine(targets[i], targets[j]) for j in others[i]) for i in range(60)]
    inputs = map(backend.asarray, (counts, targets, mask))
    got = hub_correlations(*inputs, exclude_self=exclude_self)
    expected = (*stats.spearmanr(counts, to_mean), *stats.spearmanr(counts, nearest))
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    assert all(type(value) is float for value in got)


def test_duplicate_of_a_training_item_keeps_cosine_one_when_self_is_excluded():
    """An element that equals another training item has it as nearest, at cosine 1."""
    targets = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [-1.0, 0.5]])
    mask = np.array([True, True, True, False, False])
    counts = np.array([4, 3, 0, 2, 1])
    got = hub_correlations(counts, targets, mask, exclude_self=True)
    nearest = [1, 1, 0, 0.8, 0.5 / np.sqrt(1.25)]
    np.testing.assert_allclose(got.training_rho, stats.spearmanr(counts, nearest).statistic)


def test_memory_mapped_space(tmp_path):
    rng = np.random.default_rng(1)
    targets, counts = rng.standard_normal((50, 4)).astype(np.float32), rng.integers(0, 9, 50)
    np.save(tmp_path / "t.npy", targets)
    mask = np.arange(50) < 10
    mapped = np.load(tmp_path / "t.npy", mmap_mode="r")
    assert hub_correlations(counts, mapped, mask) == hub_correlations(counts, targets, mask)
