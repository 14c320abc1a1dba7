"""Which library and device an array belongs to, and the few operations that differ between them.

Functions in this package follow their input: NumPy in, NumPy out; CuPy in, CuPy out. Code asks
`namespace` for the array API of its arguments and stays on that device. Random draws always come
from a NumPy `Generator` on the host, so that one seed gives the same draws on every backend.
"""

import math
from numbers import Integral

import array_api_compat.numpy
import numpy as np
from array_api_compat import (
    array_namespace,
    is_array_api_strict_namespace,
    is_cupy_array,
    is_numpy_array,
)
from array_api_compat import device as array_device
from scipy import sparse

__all__ = [
    "add_rows",
    "class_sums",
    "largest_size",
    "like",
    "mean_length",
    "namespace",
    "one_hot",
    "pick",
    "powers_of_two",
    "put",
    "ragged_rows",
    "random_generator",
    "range_power",
    "refuse_unknown",
    "resolve_device",
    "row_blocks",
    "row_norms",
    "take_rows",
    "tanh_in_place",
    "to_host",
    "to_requested_device",
    "unit_rows",
]

_MEMBERS = 2**26  # zeros and ones that `add_rows` makes at once

ENTRIES = 1 << 22
"""Entries of the largest intermediate array that a pass over rows makes; see `row_blocks`."""


def namespace(*arrays):
    """Array API namespace shared by ``arrays`` (None is skipped).

    Examples
    --------
    >>> import numpy as np
    >>> namespace(np.zeros(3)).sqrt(4.0)
    np.float64(2.0)
    """
    present = [a for a in arrays if a is not None]
    if {type(a) for a in present} == {np.ndarray}:
        return array_api_compat.numpy  # at once: loops ask at every step
    try:
        return array_namespace(*present)
    except TypeError as error:
        raise TypeError(
            f"expected arrays of one library, got {[*map(type, present)]}: convert them to one, "
            "for instance with numpy.asarray or cupy.asarray"
        ) from error


def like(host_array, reference):
    """``host_array`` (NumPy) in the library and on the device of ``reference``, dtype kept."""
    if is_numpy_array(reference):
        return np.asarray(host_array)
    xp = namespace(reference)
    return xp.asarray(np.asarray(host_array), device=array_device(reference))


def to_host(array):
    """NumPy copy of ``array`` (a view where it already is NumPy)."""
    if is_numpy_array(array):
        return array
    if is_cupy_array(array):
        return array.get()
    if is_array_api_strict_namespace(namespace(array)):
        # Its second device refuses a silent copy; the first is the host.
        array = array.to_device(namespace(array).Device("CPU_DEVICE"))
    return np.from_dlpack(array).copy()


def row_norms(array):
    """Euclidean length of each row of a (n, d) array, shape (n,).

    Examples
    --------
    >>> import numpy as np
    >>> row_norms(np.array([[3.0, 4.0]]))
    array([5.])
    """
    xp = namespace(array)
    return xp.sqrt(xp.sum(array * array, axis=-1))


def largest_size(array):
    """The largest absolute value, a float, without an array of them all.

    Examples
    --------
    >>> import numpy as np
    >>> largest_size(np.array([[3.0, -4.0]]))
    4.0
    """
    xp = namespace(array)
    return max(float(xp.max(array)), -float(xp.min(array)))


def range_power(array):
    """A power of two near the largest entry, where squares of entries would leave the range, or 1.

    Dividing by it is exact, and keeps products of what is very small or very large in range.

    Examples
    --------
    >>> import numpy as np
    >>> range_power(np.array([[3.0, 4.0]])), range_power(np.array([[3e200]])) == 2.0**665
    (1.0, True)
    """
    largest = largest_size(array)
    exponent = math.frexp(largest)[1] - 1
    third = 340 if array.dtype == namespace(array).float64 else 42  # of the range
    outside = abs(exponent) > third
    return 2.0**exponent if outside and 0 < largest < math.inf else 1.0


def mean_length(array):
    """Mean Euclidean length of the rows of a (n, d) array, whatever its unit.

    Examples
    --------
    >>> import numpy as np
    >>> mean_length(2.0**600 * np.array([[3.0, 4.0], [0.0, 1.0]])) == 3 * 2.0**600
    True
    """
    unit = range_power(array)
    return unit * float(namespace(array).mean(row_norms(array / unit)))


def typed_as(reference, *arrays):
    """Each of the ``arrays`` with the type of ``reference``, itself where it has that already."""
    xp = namespace(reference)
    return tuple(xp.astype(array, reference.dtype, copy=False) for array in arrays)


def typed_like(array, reference):
    """An array of the host with library, device and type of another."""
    return namespace(reference).astype(like(array, reference), reference.dtype)


def take_rows(array, rows):
    """Rows of ``array``, by a host array of row numbers.

    Examples
    --------
    >>> import numpy as np
    >>> take_rows(np.array([[1.0], [2.0], [3.0]]), np.array([2, 0]))
    array([[3.],
           [1.]])
    """
    return namespace(array).take(array, like(rows, array), axis=0)


def ragged_rows(offsets, index, rows):
    """Some rows of a ragged list, as offsets and index of their own.

    Examples
    --------
    >>> import numpy as np
    >>> ragged_rows(np.array([0, 2, 2, 5]), np.array([7, 8, 4, 5, 6]), np.array([2, 0]))
    (array([0, 3, 5]), array([4, 5, 6, 7, 8]))
    """
    counts = np.diff(offsets)[rows]
    ends = np.concatenate([[0], np.cumsum(counts)])
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], counts)
    return ends, index[np.repeat(np.asarray(offsets)[rows], counts) + within]


def add_rows(target, rows, values):
    """Add row j of ``values`` (m, d) to row ``rows[j]`` of ``target`` (n, d), in place.

    Rows that occur several times gather all their values, in an order that does not change from
    run to run; ``rows`` lies where ``target`` does.

    Examples
    --------
    >>> import numpy as np
    >>> target = np.zeros((3, 1))
    >>> add_rows(target, np.array([2, 0, 2]), np.array([[1.0], [2.0], [4.0]]))
    array([[2.],
           [0.],
           [5.]])
    """
    xp = namespace(target, rows, values)
    (n, _), m = target.shape, values.shape[0]
    if is_numpy_array(target):
        ones, places = np.ones(m, dtype=target.dtype), (rows, np.arange(m))
        target += sparse.csr_array((ones, places), shape=(n, m)) @ values
        return target
    # Atomic additions on a GPU come in any order; a product with zeros and ones does not.
    step = max(1, _MEMBERS // max(m, 1))
    for part in slices(n, step):
        here = xp.arange(part.start, part.stop, dtype=rows.dtype, device=array_device(target))
        member = xp.astype(here[:, None] == rows[None, :], target.dtype)
        target[part, :] += member @ values
    return target


def slices(n, size):
    """Consecutive slices of at most ``size`` that cover range(n)."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def row_blocks(n, width):
    """Slices that cut 0 … n-1 into blocks of at most `ENTRIES` / ``width`` rows."""
    return slices(n, max(1, ENTRIES // width))


def one_hot(codes, k, dtype):
    """(n, k) array with 1 in column ``codes[i]`` of row i, else 0.

    Examples
    --------
    >>> import numpy as np
    >>> one_hot(np.array([1, 0]), 3, np.float32)
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    xp = namespace(codes)
    codes = xp.astype(codes, xp.int64, copy=False)  # eight bits would count on from 0 at 256
    columns = xp.arange(k, dtype=xp.int64, device=array_device(codes))
    return xp.astype(codes[:, None] == columns[None, :], dtype)


def pick(array, columns):
    """The entry in column ``columns[i]`` of each row i of an (n, k) array, shape (n,).

    Examples
    --------
    >>> import numpy as np
    >>> pick(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 0]))
    array([2., 3.])
    """
    return array[_all_rows(array, columns), columns]


def _all_rows(array, columns):
    return namespace(array, columns).arange(array.shape[0], device=array_device(array))


def put(array, columns, values):
    """Replace the entry in column ``columns[i]`` of each row i of an (n, k) array; return it.

    ``values`` is one number for each row, or one for all.

    Examples
    --------
    >>> import numpy as np
    >>> put(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 0]), np.array([0.0, 9.0]))
    array([[1., 0.],
           [9., 4.]])
    """
    if is_numpy_array(array) or is_cupy_array(array):
        array[_all_rows(array, columns), columns] = values
    else:
        xp = namespace(array, columns)
        there = one_hot(columns, array.shape[1], xp.bool)
        values = xp.reshape(values, (-1, 1)) if np.ndim(values) else float(values)
        array[...] = xp.where(there, values, array)
    return array


def class_sums(X, codes, k):
    """Sum (k, p) and number (k,) of the rows of each class, 0 to k - 1, with the type of ``X``.

    Examples
    --------
    >>> import numpy as np
    >>> class_sums(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]), 2)
    (array([[5.],
           [2.]]), array([2., 1.]))
    """
    xp = namespace(X, codes)
    sums = xp.zeros((k, X.shape[1]), dtype=X.dtype, device=array_device(X))
    counts = xp.zeros((k,), dtype=X.dtype, device=array_device(X))
    for rows in row_blocks(X.shape[0], k):
        belongs = one_hot(codes[rows], k, X.dtype)
        sums = sums + belongs.T @ X[rows, :]
        counts = counts + xp.sum(belongs, axis=0)
    return sums, counts


def tanh_in_place(array):
    """Replace ``array`` by its hyperbolic tangent, elementwise, and return it."""
    xp = namespace(array)
    if is_numpy_array(array) or is_cupy_array(array):
        return xp.tanh(array, out=array)
    array[...] = xp.tanh(array)
    return array


def unit_rows(array, *, name="array"):
    """Divide each row of a (n, d) array by its Euclidean length.

    Raises
    ------
    ValueError
        When a row has length zero, and so no cosine with others, or NaN or infinity.

    Examples
    --------
    >>> import numpy as np
    >>> unit_rows(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    xp = namespace(array)
    # Scaling by the largest entry first keeps the squares of very small or large rows in range.
    largest = xp.max(xp.abs(array), axis=-1, keepdims=True)
    if not bool(xp.all(xp.isfinite(largest))):
        refuse_unknown(array, name)
    if bool(xp.any(largest == 0)):
        refuse_zero(array, name)
    scaled = array / largest
    return scaled / row_norms(scaled)[:, None]


def refuse_unknown(array, name):
    """Raise ValueError where rows of the (n, d) ``array`` hold NaN or infinity."""
    xp = namespace(array)
    bad = np.flatnonzero(to_host(xp.any(~xp.isfinite(array), axis=1)))
    if bad.size:
        raise ValueError(
            f"{name} holds NaN or infinity in {bad.size} row(s), the first at row {bad[0]}: "
            "remove or repair these rows"
        )


def refuse_zero(array, name):
    """Raise ValueError where rows of the (n, d) ``array`` are zero."""
    zero = np.flatnonzero(to_host(namespace(array).all(array == 0, axis=1)))
    if zero.size:
        raise ValueError(
            f"{name} has {zero.size} zero row(s), the first at row {zero[0]}: the cosine with a "
            "zero vector is undefined; drop these rows"
        )


def powers_of_two(peaks):
    """Powers of two that bring each of ``peaks``, a host array, into [0.5, 1), where floats may.

    Products with them lose no digit. What is zero stays as it is.

    Examples
    --------
    >>> powers_of_two(np.array([3.0, 0.0, 0.3]))
    array([0.25, 1.  , 2.  ])
    """
    exponents = np.frexp(np.asarray(peaks, np.float64))[1]
    return np.ldexp(1.0, np.clip(-exponents, -1022, 1020))


def random_generator(random_state):
    """NumPy `Generator` from None, an integer seed, a `Generator` or a `RandomState`.

    Examples
    --------
    >>> int(random_generator(0).integers(10))
    8
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    if not isinstance(random_state, Integral) or isinstance(random_state, bool):
        raise TypeError(
            "random_state must be None, an integer, a numpy.random Generator or RandomState, got "
            f"{random_state!r}"
        )
    if random_state < 0:
        raise ValueError(f"random_state must not be negative, got {random_state}")
    return np.random.default_rng(int(random_state))


def _gpu_usable():
    """Whether CuPy can solve a tiny system: an import alone proves nothing."""
    try:
        import cupy

        return bool(cupy.linalg.solve(cupy.eye(2), cupy.ones(2)).sum() == 2)
    except Exception:
        return False


def resolve_device(device):
    """``"cpu"`` or ``"gpu"`` for a request of ``"cpu"``, ``"gpu"`` or ``"auto"``."""
    if device not in ("cpu", "gpu", "auto"):
        raise ValueError(f'device must be "cpu", "gpu" or "auto", got {device!r}')
    if device != "cpu" and _gpu_usable():
        return "gpu"
    if device != "gpu":
        return "cpu"
    raise RuntimeError(
        'device="gpu" was asked for, but CuPy finds no usable GPU: install the extra that fits '
        'your driver (zslib[cuda12] or zslib[cuda13]), or pass device="auto"'
    )


def to_requested_device(array, device):
    """Move a NumPy ``array`` to the ``device`` of a chapter ("cpu", "gpu" or "auto")."""
    if resolve_device(device) == "cpu":
        return array
    import cupy

    return cupy.asarray(array)
