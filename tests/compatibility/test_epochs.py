"""Passes over the samples against the plain loop."""

from types import SimpleNamespace

import numpy as np
import pytest

from zslib.compatibility.epochs import train_epochs


def test_every_sample_once_a_pass_and_the_mean_of_their_losses():
    seen = []

    def step(batch, epoch):
        seen.append((epoch, batch))
        return float(np.mean(batch) + 10.0 * epoch)

    rng = np.random.default_rng(0)
    curve = train_epochs(SimpleNamespace(n_epochs=2, batch_size=3), step, 7, rng, "none")
    for epoch in range(2):
        batches = [batch for e, batch in seen if e == epoch]
        assert [len(batch) for batch in batches] == [3, 3, 1]
        assert sorted(np.concatenate(batches)) == list(range(7))
    # The mean over samples, whatever the sizes of the batches.
    np.testing.assert_allclose(curve, [3.0, 13.0])


def test_a_loss_that_left_the_numbers_ends_the_training():
    epochs, model = [], SimpleNamespace(n_epochs=5, batch_size=2)

    def step(batch, epoch):
        epochs.append(epoch)
        return 1.0 if epoch < 1 else float("inf")

    with pytest.raises(ValueError, match="step less far"):
        train_epochs(model, step, 2, np.random.default_rng(0), "step less far")
    assert epochs == [0, 1]
