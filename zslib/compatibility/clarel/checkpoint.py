"""The state of a training on disk: written all or nothing, read back by the same training only."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np

from zslib.arrays import to_host

_META = "meta"
_ABSENT = "absent"


class Checkpoint:
    """One ``.npz`` file with the state of a training; its ``identity`` says of which training."""

    def __init__(self, path, identity):
        self.path = Path(path)
        self.identity = plain(identity)
        if self.path.suffix != ".npz":
            raise ValueError(f"checkpoint must be a path ending in .npz, got {str(path)!r}")
        if not self.path.parent.is_dir():
            raise ValueError(
                f"checkpoint {str(path)!r} lies in a folder that does not exist: create it"
            )

    def save(self, arrays, state):
        """Replace the file by one with these arrays and this JSON state, all or nothing."""
        meta = json.dumps({"identity": self.identity, "state": state}, allow_nan=False)
        # A fixed name: what a killed process left behind is overwritten by the next one.
        unfinished = self.path.with_name(f".{self.path.name}.part")
        with unfinished.open("wb") as file:
            np.savez(file, **{_META: np.array(meta)}, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, self.path)

    def load(self):
        """The arrays and the state, or None where there is no file yet."""
        if not self.path.exists():
            return None
        try:
            # NumPy would leave a damaged file open that it opened itself.
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            meta = json.loads(str(arrays.pop(_META)[()]))
            identity, state = meta["identity"], meta["state"]
        except Exception as error:
            raise ValueError(
                f"checkpoint {str(self.path)!r} cannot be read ({type(error).__name__}): it is "
                "damaged or no checkpoint; delete it, or pass another path"
            ) from error
        differences = [
            _difference(name, identity, self.identity)
            for name in self.identity | identity
            if identity.get(name, _ABSENT) != self.identity.get(name, _ABSENT)
        ]
        if differences:
            raise ValueError(
                f"checkpoint {str(self.path)!r} belongs to another training: "
                f"{', '.join(differences)}; delete the file, or pass another path"
            )
        return arrays, state


def _difference(name, there, here):
    one, two = there.get(name, _ABSENT), here.get(name, _ABSENT)
    if any(isinstance(value, str) and value.startswith("sha256:") for value in (one, two)):
        return f"{name} differs"
    return f"{name} is {one!r} there and {two!r} here"


def array_digest(array):
    """Digest of an array's shape, type and numbers."""
    host = np.ascontiguousarray(to_host(array))
    digest = hashlib.sha256(f"{host.dtype.str} {host.shape}".encode())
    digest.update(host.data)
    return f"sha256:{digest.hexdigest()[:32]}"


def random_digest(random_state):
    """Identifies a ``random_state``: a seed by itself, a generator by its present state."""
    if isinstance(random_state, np.random.Generator):
        state = random_state.bit_generator.state
    elif isinstance(random_state, np.random.RandomState):
        state = random_state.get_state(legacy=False)
    else:
        return random_state if random_state is None else int(random_state)
    text = json.dumps(plain(state), sort_keys=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def plain(value):
    """``value`` as JSON gives it back, NumPy's arrays and numbers as lists and numbers."""
    return json.loads(json.dumps(value, default=lambda array: array.tolist()))
