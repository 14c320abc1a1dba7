"""The training of CLAREL: batch after batch, with a curve and checkpoints."""

import sys

import numpy as np

from zslib.arrays import like, take_rows, to_host
from zslib.compatibility.clarel.checkpoint import array_digest, plain, random_digest
from zslib.compatibility.clarel.loss import LossTerms
from zslib.validation import check_learned

_MAY_CHANGE = ("n_batches", "checkpoint", "checkpoint_every", "progress")


def identity(parameters, X, y, texts, pairs):
    """What must be the same for a training to go on: parameters, and digests of the data."""
    same = {name: value for name, value in parameters.items() if name not in _MAY_CHANGE}
    same["random_state"] = random_digest(parameters["random_state"])
    if parameters["word_vectors"] is not None:
        same["word_vectors"] = array_digest(parameters["word_vectors"])
    data = {
        "X": X,
        "y": y,
        "texts": texts,
        "text_rows": np.concatenate([pairs.offsets, pairs.index]),
        "text_ids": pairs.ids,
    }
    return same | {name: array_digest(array) for name, array in data.items()}


class Training:
    """How far a training has come, and how it goes on; ``rng`` is the network's as well."""

    def __init__(self, model, network, rng, X, codes, prepared, pairs):
        self.model, self.network, self.rng = model, network, rng
        self.X, self.codes, self.prepared, self.pairs = X, codes, prepared, pairs
        self.step, self.logged, self.curve = 0, 0, []
        self._sums = like(np.zeros(len(LossTerms._fields)), X)

    def run(self, checkpoint=None):
        """Train until ``model.n_batches`` batches are done, from the checkpoint where it is."""
        model = self.model
        if checkpoint is not None:
            self.restore(checkpoint)
        # An overflow is reported at the next entry of the curve, with its remedy.
        with np.errstate(over="ignore", invalid="ignore"):
            while self.step < model.n_batches:
                self.one_batch()
                if self.step % model.log_every == 0:
                    self.log()
                    if model.progress:
                        loss = f"loss {self.curve[-1]['total']:.4f}"
                        print(f"CLAREL {self.step}/{model.n_batches}, {loss}", file=sys.stderr)
                last = self.step == model.n_batches
                if checkpoint is not None and (self.step % model.checkpoint_every == 0 or last):
                    self.save(checkpoint)
            # Not before the last state is kept: its interval would go on after a later start.
            self.log()

    def one_batch(self):
        """Draw a batch and the texts of its samples, and take a step."""
        model = self.model
        batch = self.rng.choice(self.X.shape[0], model.batch_size, replace=False)
        draw = self.pairs.draw(batch, model.texts_per_image, self.rng)
        same = self.pairs.in_common(draw) if model.exclude_equal else None
        codes = take_rows(self.codes, batch)
        mixed = self.rng.permutation(len(batch)) if model.shuffle_labels else None
        rate = model.learning_rate / model.decay ** (self.step // model.decay_every)
        self._sums += self.network.step(
            take_rows(self.X, batch),
            self.prepared,
            draw,
            codes,
            {"rate": rate, "momentum": model.momentum, "clip": model.clip},
            retrieval_mix=model.retrieval_mix,
            classification_weight=model.classification_weight,
            text_codes=None if mixed is None else take_rows(codes, mixed),
            distance=model.distance,
            same_text=None if same is None else like(same, self.X),
        )
        self.step += 1

    def log(self):
        """Add the means since the last entry to the curve."""
        if self.step == self.logged:
            return
        means = [float(v) / (self.step - self.logged) for v in to_host(self._sums)]
        check_learned(sum(means), "lower learning_rate, or scale the features")
        self.curve.append({"batch": self.step, **dict(zip(LossTerms._fields, means, strict=True))})
        self.logged = self.step
        self._sums = like(np.zeros(len(means)), self.X)

    def _arrays(self):
        """All that training changes in place, by name."""
        parts = self.network.parameters()
        learned = {name: part.value for name, part in parts.items()}
        if self.model.momentum:
            learned |= {f"{name}.velocity": part.velocity for name, part in parts.items()}
        return learned | self.network.buffers()

    def save(self, checkpoint):
        """Write the state."""
        arrays = {name: to_host(array) for name, array in self._arrays().items()}
        sums = to_host(self._sums)
        check_learned(
            sum(float(np.sum(array)) for array in (sums, *arrays.values())),
            "lower learning_rate, or scale the features",
        )
        state = {
            "step": self.step,
            "logged": self.logged,
            "sums": sums.tolist(),
            "curve": self.curve,
            "rng": plain(self.rng.bit_generator.state),
        }
        checkpoint.save(arrays, state)

    def restore(self, checkpoint):
        """Take the state from the checkpoint, if there is one."""
        found = checkpoint.load()
        if found is None:
            return
        arrays, state = found
        if state["step"] > self.model.n_batches:
            raise ValueError(
                f"checkpoint {str(checkpoint.path)!r} is at batch {state['step']}, beyond "
                f"n_batches={self.model.n_batches}: raise n_batches, or delete the file"
            )
        for name, array in self._arrays().items():
            array[...] = like(arrays[name], array)
        self.rng.bit_generator.state = state["rng"]
        self.step, self.logged, self.curve = state["step"], state["logged"], state["curve"]
        self._sums = like(np.array(state["sums"]), self.X)
