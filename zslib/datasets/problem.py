"""What the problems of all settings share: frozen fields, a checksum, arrays on one device."""

from dataclasses import replace

import numpy as np
from array_api_compat import is_numpy_array

from zslib.arrays import namespace, to_host, to_requested_device
from zslib.validation import as_array, as_vectors, check_indices, host_array


class Problem:
    """Base of frozen dataclasses; a subclass names its vector arrays in ``_ARRAYS``.

    Of NumPy's it keeps copies that cannot be written to, unless they are read-only or memory maps.
    """

    _ARRAYS = ()

    def _set(self, name, value):
        object.__setattr__(self, name, value)

    def _present(self):
        """The vector arrays that are not None, by name."""
        arrays = {name: getattr(self, name) for name in self._ARRAYS}
        return {name: array for name, array in arrays.items() if array is not None}

    def _check_description(self):
        if ("synthetic" in self.description.lower()) != bool(self.synthetic):
            raise ValueError(
                f"description {self.description!r} must have the word 'synthetic' exactly when "
                f"the data are synthetic (synthetic={self.synthetic})"
            )
        self._set("coverage", dict(self.coverage))

    def _check_vectors(self):
        first = None
        for name, array in self._present().items():
            array = as_array(array, name)
            floats = array.dtype in (namespace(array).float32, namespace(array).float64)
            array = as_vectors(array, name, like=None if floats else first)
            first = array if first is None else first
            self._set(name, _owned(array))
        present = self._present()
        namespace(*present.values())
        kinds = {str(array.dtype) for array in present.values()}
        if len(kinds) > 1:
            raise TypeError(
                f"{', '.join(present)} mix {' and '.join(sorted(kinds))}: convert them to one type"
            )

    def to(self, device):
        """The same problem with its vector arrays, only these, on "cpu", "gpu" or "auto"."""
        present = self._present()
        moved = {n: to_requested_device(to_host(a), device) for n, a in present.items()}
        if all(moved[n] is a for n, a in present.items()):
            return self
        return replace(self, **moved)


def _owned(array):
    """An array that nobody else changes, since results are kept by its content."""
    mapped = isinstance(array, np.memmap) or isinstance(getattr(array, "base", None), np.memmap)
    if not is_numpy_array(array) or mapped or not array.flags.writeable:
        return array
    array = array.copy(order="K")
    array.flags.writeable = False
    return array


def check_problem(problem, *fields, kind):
    """Raise TypeError unless ``problem`` has the ``fields`` that tell its kind from others."""
    if not all(hasattr(problem, name) for name in fields):
        raise TypeError(f"problem must be of the class {kind}, got {type(problem).__name__}")


def integers(values, name, size):
    """``values`` as a 1-d int64 array of numbers in [0, size), or an error that names them."""
    values = host_array(values, name)
    if values.ndim != 1:
        raise ValueError(f"{name} must be a 1-d array, got shape {values.shape}")
    if not values.size:
        return np.empty(0, dtype=np.int64)
    return check_indices(values, name, size).astype(np.int64)


def add_array(digest, array):
    """Add type, shape and content of an array to a hash."""
    array = to_host(array)
    digest.update(f"{array.dtype.str}{array.shape}".encode())
    digest.update(np.ascontiguousarray(array).data)


def add_words(digest, words, end="\0", between="\n"):
    """Add words to a hash."""
    digest.update((between.join(map(str, words)) + end).encode())
