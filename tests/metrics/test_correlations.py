import numpy as np
from scipy import stats

from zslib.metrics import hub_correlations


def cosine(a, b):
    """Rounded: the same from ``a`` to ``b`` as from ``b`` to ``a`` in every BLAS kernel."""
    return round(a @ b / np.sqrt((a @ a) * (b @ b)), 12)


def test_follows_the_definition(backend):
    rng = np.random.default_rng(0)
    targets = rng.standard_normal((60, 5)) + 0.3
    counts, mask = rng.integers(0, 6, 60), rng.random(60) < 0.3
    mean = targets.mean(axis=0)
    to_mean = [cosine(t, mean) for t in targets]
    nearest = [max(cosine(one, other) for other in targets[mask]) for one in targets]
    inputs = map(backend.asarray, (counts, targets, mask))
    got = hub_correlations(*inputs)
    expected = (*stats.spearmanr(counts, to_mean), *stats.spearmanr(counts, nearest))
    np.testing.assert_allclose(got, expected, rtol=1e-9)
    assert all(type(value) is float for value in got)


def test_memory_mapped_space(tmp_path):
    rng = np.random.default_rng(1)
    targets, counts = rng.standard_normal((50, 4)).astype(np.float32), rng.integers(0, 9, 50)
    np.save(tmp_path / "t.npy", targets)
    mask = np.arange(50) < 10
    mapped = np.load(tmp_path / "t.npy", mmap_mode="r")
    assert hub_correlations(counts, mapped, mask) == hub_correlations(counts, targets, mask)
