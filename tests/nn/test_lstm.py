"""BiLSTM: two loops over the tokens as oracle; padding; the start."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from zslib.nn import BiLSTM
from zslib.nn import lstm as lstm_file


def sigmoid(a):
    return 1.0 / (1.0 + np.exp(-a))


def loop(p, x, mask):
    """Reads only tokens, one text after the other; padded positions are never looked at."""
    h = p["recurrent_weight"].shape[1]
    out = np.zeros((*x.shape[:2], 2 * h))
    for row, text in enumerate(x):
        tokens = [t for t in range(len(text)) if mask is None or mask[row, t]]
        for way, order in enumerate((tokens, tokens[::-1])):
            state, cell = np.zeros(h), np.zeros(h)
            for t in order:
                gates = text[t] @ p["input_weight"][way] + state @ p["recurrent_weight"][way]
                i, f, o, u = (gates + p["bias"][way]).reshape(4, h)
                cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(u)
                state = sigmoid(o) * np.tanh(cell)
                out[row, t, way * h : (way + 1) * h] = state
    return out


@pytest.mark.parametrize("T", [1, 4])
def test_layer(check_layer, texts, T):
    def make(like):
        return BiLSTM(2, 2, np.random.default_rng(0), like=like)

    x, mask = texts(n=3, T=max(T, 2), d=2)
    check_layer(make, loop, x[:, :T] / 50)
    if T > 1:
        check_layer(make, loop, x, mask)


def test_threads_and_pieces_share_out_the_texts_and_change_nothing(monkeypatch, texts):
    x, mask = texts(n=8, T=5, d=2)
    run_threads, used = lstm_file.run_threads, []

    def always_threads(work, items, *, small):
        used.append(len(items))
        return run_threads(work, items)

    results = []
    for size, piece, run in ((160, 32, run_threads), (3, 2, always_threads)):
        monkeypatch.setattr(lstm_file, "TEXTS", size)
        monkeypatch.setattr(lstm_file, "PIECE", piece)
        monkeypatch.setattr(lstm_file, "run_threads", run)
        layer = BiLSTM(2, 4, np.random.default_rng(0), like=np.zeros(1))
        with threadpool_limits(2, user_api="blas"):
            out = layer.forward(x, mask, train=True)
            by_x = layer.backward(np.cos(out))
        results.append([out, by_x, *(p.gradient for p in layer.parameters().values())])
    assert used == [6, 6]
    for whole, shared in zip(*results, strict=True):
        np.testing.assert_allclose(shared, whole, rtol=1e-10, atol=1e-12)


def test_texts_that_have_ended_take_part_in_no_later_step():
    mask = np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1]], bool)
    steps = lstm_file._Steps.of(mask, 4, 3)
    assert steps.n_active.tolist() == [3, 2, 1]
    assert steps.order.tolist() == [[3, 9, 0, 4, 11, 5], [5, 11, 0, 4, 9, 3]]
    assert steps.before.tolist() == [0, 1, 3]
    assert all(steps.place[way, steps.order[way]].tolist() == [*range(6)] for way in (0, 1))


def test_large_inputs_do_not_overflow():
    layer = BiLSTM(1, 2, np.random.default_rng(0))
    for size in (1e4, -1e4):
        out = layer.forward(np.full((1, 3, 1), size, np.float32), train=True)
        assert np.all(np.abs(out) <= 1.0)
        assert np.all(np.isfinite(layer.backward(np.ones_like(out))))


def test_start():
    layer = BiLSTM(30, 20, np.random.default_rng(0))
    for weight, limit in ((layer.input_weight, 0.12**0.5), (layer.recurrent_weight, 0.15**0.5)):
        assert 0.98 * limit < np.abs(weight.value).max() <= limit
    np.testing.assert_array_equal(layer.bias.value[:, 20:40], 1.0)
    assert layer.bias.value.sum() == 40
