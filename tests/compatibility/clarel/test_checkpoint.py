"""Checkpoints: all or nothing, only for the same training; killed runs end as whole ones do."""

import json
import os
import re
import signal
import warnings
from multiprocessing import get_context

import numpy as np
import pytest

from zslib.compatibility import CLAREL
from zslib.compatibility.clarel.checkpoint import Checkpoint, array_digest, random_digest
from zslib.compatibility.clarel.training import Training

SMALL = {
    "embedding_dim": 6,
    "word_dim": 5,
    "filters": (4, 4),
    "lstm_units": 3,
    "batch_size": 4,
    "texts_per_image": 2,
    "n_batches": 23,
    "decay_every": 9,
    "log_every": 4,
    "checkpoint_every": 5,
    "random_state": 3,
}
MEAN = SMALL | {"text_encoder": "mean"}


def data(seed=0, n=12, dtype="float64"):
    """Features, labels, tokens, three texts of each sample, and ids."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(2, 9, (3 * n, 4))
    tokens[:, 2:] *= rng.integers(0, 2, (3 * n, 2))
    rows = [list(range(3 * i, 3 * i + 3)) for i in range(n)]
    X = rng.standard_normal((n, 7)).astype(dtype)
    return X, rng.integers(3, size=n), tokens, rows, rng.integers(20, size=3 * n)


def learned(model):
    arrays = {name: p.value for name, p in model.network_.parameters().items()}
    return arrays | model.network_.buffers()


def assert_same_model(one, other, to_numpy=np.asarray):
    assert one.learning_curve_ == other.learning_curve_
    one, other = learned(one), learned(other)
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(to_numpy(array), to_numpy(other[name]), err_msg=name)


class Stop(Exception):
    pass


def stop_at(batch, fit):
    """Calls ``fit``, whose training raises after this many batches."""
    one_batch, done = Training.one_batch, []

    def counted(self):
        if len(done) == batch:
            raise Stop
        done.append(1)
        one_batch(self)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Stop):
        patch.setattr(Training, "one_batch", counted)
        fit()


@pytest.mark.parametrize(
    ("text_encoder", "batch"), [("mean", 3), ("mean", 5), ("mean", 22), ("paper", 14)]
)
def test_stopped_and_resumed(monkeypatch, tmp_path, text_encoder, batch):
    inputs = data()
    parameters = SMALL | {"text_encoder": text_encoder}
    whole = CLAREL(**parameters).fit(*inputs)
    model = CLAREL(**parameters, checkpoint=tmp_path / "run.npz")
    stop_at(batch, lambda: model.fit(*inputs))
    assert (tmp_path / "run.npz").exists() == (batch >= 5)
    assert not hasattr(model, "network_")
    assert_same_model(model.fit(*inputs), whole)
    # Once more: everything is on disk.
    monkeypatch.setattr(Training, "one_batch", None)
    assert_same_model(model.fit(*inputs), whole)


def test_on_every_library(backend, tmp_path):
    X, y, texts, rows, ids = data(dtype="float32")
    inputs = backend.asarray(X), backend.asarray(y), backend.asarray(texts), rows, ids
    whole = CLAREL(**MEAN).fit(*inputs)
    model = CLAREL(**MEAN, checkpoint=str(tmp_path / "run.npz"))
    stop_at(13, lambda: model.fit(*inputs))
    assert_same_model(model.fit(*inputs), whole, backend.to_numpy)


def train_until_killed(when, path, inputs):
    """Kills its own process after 17 batches, or before the second save is in its place."""
    replace, one_batch, saves = os.replace, Training.one_batch, []

    def one_more(self):
        one_batch(self)
        if when == "batch 17" and self.step == 17:
            os.kill(os.getpid(), signal.SIGKILL)

    def save(source, target):
        saves.append(target)
        if when == "second save" and len(saves) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)

    Training.one_batch, os.replace = one_more, save
    CLAREL(**MEAN, checkpoint=path).fit(*inputs)


@pytest.mark.parametrize("when", ["batch 17", "second save"])
def test_killed_and_resumed_in_another_process(tmp_path, when):
    inputs, path = data(), tmp_path / "run.npz"
    with warnings.catch_warnings(action="ignore"):  # of forks beside threads
        process = get_context("fork").Process(target=train_until_killed, args=(when, path, inputs))
        process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with np.load(path) as stored:
        step = json.loads(str(stored["meta"]))["state"]["step"]
    assert step == (15 if when == "batch 17" else 5)
    assert (tmp_path / ".run.npz.part").exists() == (when == "second save")
    resumed = CLAREL(**MEAN, checkpoint=path).fit(*inputs)
    assert not (tmp_path / ".run.npz.part").exists()
    assert_same_model(resumed, CLAREL(**MEAN).fit(*inputs))


@pytest.mark.parametrize("kind", ["PCG64", "MT19937", "RandomState"])
def test_a_generator_goes_on_where_it_was(tmp_path, kind):
    inputs = data()

    def make(checkpoint=tmp_path / "run.npz", seed=5):
        source = getattr(np.random, kind)(seed)
        random_state = source if kind == "RandomState" else np.random.Generator(source)
        return CLAREL(**MEAN | {"random_state": random_state, "checkpoint": checkpoint})

    stop_at(11, lambda: make().fit(*inputs))
    assert_same_model(make().fit(*inputs), make(None).fit(*inputs))
    with pytest.raises(ValueError, match="random_state differs"):
        make(seed=6).fit(*inputs)


def test_more_batches_go_on_even_within_an_interval_of_the_curve(tmp_path):
    """The entry for the short rest at the first end is of that model, not of the state."""
    inputs, parameters = data(), MEAN | {"checkpoint": tmp_path / "run.npz"}
    short = CLAREL(**parameters).fit(*inputs)
    assert [entry["batch"] for entry in short.learning_curve_] == [4, 8, 12, 16, 20, 23]
    assert_same_model(CLAREL(**parameters).fit(*inputs), short)
    resumed = CLAREL(**parameters | {"n_batches": 38}).fit(*inputs)
    assert_same_model(resumed, CLAREL(**MEAN | {"n_batches": 38}).fit(*inputs))
    with pytest.raises(ValueError, match="is at batch 38, beyond n_batches=23: raise n_batches"):
        CLAREL(**parameters).fit(*inputs)


def test_another_training_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    parameters, inputs = MEAN | {"checkpoint": path}, data()
    X, y, texts, rows, ids = inputs
    CLAREL(**parameters).fit(*inputs)
    before = path.read_bytes()

    def refused(message, inputs=inputs, **changes):
        with pytest.raises(ValueError, match=f"run.npz' belongs to another .*{message}; delete"):
            CLAREL(**parameters | changes).fit(*inputs)
        assert path.read_bytes() == before

    refused("learning_rate is 0.1 there and 0.2 here", learning_rate=0.2)
    refused("retrieval_mix is 0.5 there and 0.0 here", retrieval_mix=0.0)
    refused("random_state is 3 there and 4 here", random_state=4)
    refused("log_every is 4 there and 5 here", log_every=5)
    refused("text_encoder is 'mean' there and 'paper' here", text_encoder="paper")
    refused(re.escape("filters is [4, 4] there and [4, 5] here"), filters=(4, 5))
    refused("X differs", (X + 1e-12, y, texts, rows, ids))
    refused("X differs", (X.astype("float32"), y, texts, rows, ids))
    refused("y differs", (X, y[::-1].copy(), texts, rows, ids))
    refused("texts differs", (X, y, texts[::-1].copy(), rows, ids))
    refused("text_rows differs", (X, y, texts, rows[::-1], ids))
    refused("text_ids differs", (X, y, texts, rows, None))
    refused("decay is .*, y differs, texts differs", (X, 2 * y, texts + 1, rows, ids), decay=2.0)
    # The same rows and the same labels in another form are the same training.
    offsets = 3 * np.arange(len(X) + 1)
    CLAREL(**parameters).fit(X, y, texts, (offsets, np.concatenate(rows)), ids)


def test_files_that_are_no_checkpoint(tmp_path):
    path = tmp_path / "run.npz"
    pickled, other = tmp_path / "pickled.npz", tmp_path / "other.npz"
    np.savez(pickled, meta=np.array([{}], dtype=object), allow_pickle=True)
    np.savez(other, weight=np.ones(3))
    contents = (
        b"",
        b"no archive",
        b"PK\x03\x04 cut short",
        pickled.read_bytes(),
        other.read_bytes(),
    )
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"run.npz' cannot be read .*damaged or no check"):
            Checkpoint(path, {}).load()
    with pytest.raises(ValueError, match=r"must be a path ending in \.npz"):
        Checkpoint(tmp_path / "run.pickle", {})
    with pytest.raises(ValueError, match="folder that does not exist"):
        Checkpoint(tmp_path / "nowhere" / "run.npz", {})


def test_a_failed_write_leaves_the_last_state(monkeypatch, tmp_path):
    checkpoint = Checkpoint(tmp_path / "run.npz", {"a": 1})
    checkpoint.save({"w": np.arange(3.0)}, {"step": 1})

    def full(*args, **arrays):
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space"):
        checkpoint.save({"w": np.zeros(3)}, {"step": 2})
    arrays, state = checkpoint.load()
    assert state == {"step": 1}
    np.testing.assert_array_equal(arrays["w"], np.arange(3.0))


def test_a_diverged_training_is_not_kept(tmp_path):
    parameters = MEAN | {"learning_rate": 1e300, "log_every": 1000}
    path = tmp_path / "run.npz"
    with pytest.raises(ValueError, match="lower learning_rate, or scale the features"):
        CLAREL(**parameters, checkpoint=path).fit(*data())
    assert not path.exists()


def test_identities_are_told_apart():
    base = np.arange(6).reshape(2, 3)
    assert array_digest(base) == array_digest(base.copy(order="F"))
    others = [base.T, base.astype(np.int32), base.reshape(3, 2), base.ravel(), base + 1]
    assert len({array_digest(a) for a in [base, *others]}) == 6
    assert (random_digest(None), random_digest(np.int64(4))) == (None, 4)
    identity = Checkpoint("run.npz", {"rate": np.float32(0.5), "pair": (1, 2)}).identity
    assert identity == {"rate": 0.5, "pair": [1, 2]}
