"""Checks of shapes, types, labels and ranges. Each message names the argument and the remedy."""

import math
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from array_api_compat import is_array_api_obj, is_numpy_array
from scipy import sparse

from zslib.arrays import largest_size, namespace, refuse_unknown, to_host


def as_array(value, name):
    """``value`` as an array: lists, data frames and series become NumPy's.

    What is sparse, or a dict, is a TypeError; masked entries, or rows that differ in length, are a
    ValueError.
    """
    if sparse.issparse(value):
        raise TypeError(
            f"{name} is sparse, and dense vectors are needed: pass {name}.toarray(), or reduce it "
            "first, for instance with sklearn.decomposition.TruncatedSVD"
        )
    if isinstance(value, Mapping):
        raise TypeError(f"{name} is a {type(value).__name__}: give an array or a data frame")
    rows = value if isinstance(value, list | tuple) else (value,)
    if any(map(np.ma.is_masked, rows)):
        raise ValueError(f"{name} has masked entries: fill them, or leave out their rows")
    known = is_array_api_obj(value) and not isinstance(value, (np.ma.MaskedArray, np.matrix))
    if known and not isinstance(value, np.ndarray):
        return value
    try:
        array = value if known else np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} is no array ({error}): give all rows one length") from error
    if array.dtype.kind == "V" and np.can_cast(array.dtype, np.float32):  # bfloat16 and smaller
        return array.astype(np.float32)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def host_array(value, name):
    """What `as_array` gives, as NumPy's."""
    array = as_array(value, name)
    return np.asarray(to_host(array) if hasattr(array, "__dlpack__") else array)


def is_missing(value):
    """Whether a value stands for none: None, NaN, NaT, pandas' NA, a masked entry, a blank text.

    Examples
    --------
    >>> [is_missing(one) for one in (None, float("nan"), " ", "None", 0)]
    [True, True, True, False, False]
    """
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, str | bytes):
        return not value.strip()
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA is neither true nor false
        return type(value).__name__ == "NAType"


def as_labels(values, name):
    """``values`` as an array of whole numbers, or of strings where they are names.

    Names may be of any type of text, bytes in UTF-8 too; texts are NumPy's in the result. Anything
    else, and numbers and names side by side, is a TypeError; a missing one (`is_missing`) a
    ValueError.
    """
    array = as_array(values, name)
    if not is_text(array) and namespace(array).isdtype(array.dtype, "integral"):
        return array
    if is_text(array) and isinstance(values, list | tuple):
        array = np.asarray(values, object)  # beside strings NumPy makes strings of all
    array = np.asarray(to_host(array))
    entries = array.ravel().tolist()
    if array.dtype == "<U32":  # which NumPy makes of strings beside a number
        entries = [None if entry == "nan" else entry for entry in entries]
    _refuse_missing([at for at, entry in enumerate(entries) if is_missing(entry)], name)
    try:
        entries = [one.decode("utf-8") if isinstance(one, bytes) else one for one in entries]
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} has a name which is not UTF-8 ({error}): decode it") from error
    kinds = [isinstance(entry, str) + 2 * _is_whole(entry) for entry in entries]
    odd = next((at for at, kind in enumerate(kinds) if kind in (0, 3 - kinds[0])), None)
    if odd is not None:
        raise TypeError(
            f"{name} must hold integers, or names alone, got {array.dtype} ({entries[odd]!r} at "
            f"{odd}): convert whole numbers by .astype(int), names by .astype(str)"
        )
    dtype = np.int64 if not entries else str if kinds[0] == 1 else None
    return np.array(entries, dtype=dtype).reshape(array.shape)


def _refuse_missing(missing, name):
    """Raise ValueError where places of ``name`` are without a label."""
    if len(missing):
        raise ValueError(
            f"{name} has no label at {len(missing)} place(s), the first in row {missing[0]}: "
            "leave these out"
        )


def _is_whole(value):
    return isinstance(value, Integral) and not isinstance(value, bool)


def as_float32(array, name):
    """A matrix on the host as float32; what its range does not hold is refused."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = array.astype(np.float32)
    if narrow.ndim != 2 or array.dtype.kind != "f":
        return narrow
    lost = ~narrow.any(axis=1) & array.any(axis=1)
    if not _finite_sum(narrow):
        lost |= (np.isfinite(array) & ~np.isfinite(narrow)).any(axis=1)
    if lost.any():
        row = int(lost.argmax())
        far = array[row][np.abs(array[row]).argmax()]
        raise ValueError(
            f"{name} has {far:g} at row {row}, beyond the range of float32: divide it by a "
            "constant"
        )
    return narrow


def as_vectors(value, name, *, like=None, finite=True):
    """``value`` as a (n, d) array that passes `check_vectors`, converted where it must be.

    Integers and truths become float64, float16 becomes float32. Where an array ``like`` it is
    given, it must be of the same library, and gets the same type.
    """
    array = as_array(value, name)
    if is_numpy_array(array) and array.dtype.kind in "OSUTmMV":
        try:
            if array.dtype.kind in "mMV":
                raise TypeError(array.dtype)
            texts = (entry for entry in array.flat if isinstance(entry, str | bytes))
            if any("_" in str(text) for text in texts):  # Python's own grammar has 1_0 for 10
                raise ValueError("no number has an underscore")
            if array.dtype.kind == "O":  # pandas' NA is no number to NumPy, as NaN is
                lost = (type(entry).__name__ == "NAType" for entry in array.flat)
                lost = np.fromiter(lost, bool, array.size).reshape(array.shape)
                array = np.where(lost, np.nan, array) if lost.any() else array
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise (TypeError if isinstance(error, TypeError) else ValueError)(
                f"{name} must hold numbers ({error}): leave other columns out, encode them, or, "
                f"of arrays in a list or column, pass numpy.stack({name})"
            ) from error
    xp = namespace(array, like)
    if xp.isdtype(array.dtype, "complex floating"):
        raise ValueError(f"Complex data not supported: {name} is {array.dtype}")
    dtype = array.dtype if like is None else like.dtype
    if dtype not in (xp.float32, xp.float64):
        dtype = xp.float32 if "float16" in str(array.dtype) else xp.float64
    with np.errstate(over="ignore"):
        given, array = array, xp.astype(array, dtype, copy=False)
    if finite and not _finite_sum(array) and given is not array and xp.all(xp.isfinite(given)):
        raise ValueError(f"{name} has numbers beyond the range of {dtype}: divide it by a number")
    return check_vectors(array, name, finite=finite)


def is_text(array):
    """Whether an array holds strings or objects."""
    return getattr(array.dtype, "kind", "") in tuple("OSUT")


def _is_frame(value):
    return hasattr(value, "columns") and hasattr(value, "index")


def row_names(frame, name, *, numbers=False):
    """Names of the rows, (n,), where ``frame`` is a data frame with an index of text, else None.

    With ``numbers`` an index of whole numbers, as the default one is, has names too, and any
    other but one of text is refused as `as_labels` does. Two rows of one name are a ValueError.
    """
    if not _is_frame(frame):
        return None
    names = np.asarray(frame.index)
    if numbers:
        names = as_labels(names, f"the index of {name}")
    elif not all(isinstance(one, str) for one in names):
        return None
    if len(set(names)) < len(names):
        raise ValueError(f"{name} has two rows of one name: name each once")
    return names


def rows_of_names(values, names, name, where):
    """Place of each of ``values`` among ``names``, which ``where`` has, as int64."""
    rows = {str(known): row for row, known in enumerate(names)}
    missing = sorted({str(value) for value in values.ravel()} - set(rows))
    if missing:
        alike = [known for known in rows if plain_name(known) == plain_name(missing[0])]
        beside = ", ".join(map(repr, list(rows)[:3]))
        if alike:
            beside = f"{alike[0]!r}, which differs in case, blanks or how accents are composed"
        raise ValueError(
            f"{name} has {missing[0]!r}, which {where} lacks ({len(missing)} such): name it "
            f"there, beside {beside}, or leave it out"
        )
    found = np.array([rows[str(value)] for value in values.ravel()], dtype=np.int64)
    return found.reshape(values.shape)


def numbered(**labels):
    """Arrays of labels; where all of them hold names, by their places in alphabetical order."""
    if not all(map(is_text, labels.values())):
        return list(labels.values())
    texts = [as_labels(one, name).astype(str) for name, one in labels.items()]
    sets, writings = [{*np.unique(one).tolist()} for one in texts], {}
    names = sorted(set().union(*sets))
    for name in names:
        writings.setdefault(plain_name(name), set()).add(name)
    for several in writings.values():
        if len(several) > 1 and all(len(several & one) < 2 for one in sets):
            raise ValueError(
                f"{' and '.join(labels)} write a label as {' and '.join(map(repr, several))}: "
                "write it one way, or pass numbers if these are two"
            )
    return [np.searchsorted(names, one) for one in texts]


def plain_name(name):
    """A name without what the eye may miss: case, blanks at its ends, how accents are composed.

    Examples
    --------
    >>> plain_name(" E\u0301mu") == plain_name("émU")
    True
    """
    return unicodedata.normalize("NFKC", str(name)).strip().casefold()


def column_names(frame):
    """Names of the columns of a data frame, or of the first of a dict's series, else None."""
    if isinstance(frame, Mapping):
        index = getattr(next(iter(frame.values()), None), "index", len)
        return None if callable(index) else list(index)
    return list(frame.columns) if _is_frame(frame) else None


def check_columns(frame, names, name, where="fit", *, others=False):
    """Raise ValueError where a data frame's columns are others than ``names``, or in other order.

    ``where`` had these. None, and the numbers from 0 that pandas gives to columns without names,
    fit any; so do others, where ``others`` may be. How many there are is checked elsewhere.
    """
    got = column_names(frame)
    if None in (names, got) or len(got) != len(names):
        return
    others = others or list(range(len(names))) in (names, got)
    check = check_order if others else _check_same
    check(got, names, f"column {{}} of {name}", where, f"{name}[names]")


def keep_columns(model, X, *y):
    """Keep how many columns ``X`` has, as ``fit`` of ``model`` is given it, and their names.

    scikit-learn sees to names that are all strings, and looks at no others.
    """
    from sklearn.utils.validation import validate_data

    validate_data(model, X, *y, skip_check_array=True)
    model._columns = None if hasattr(model, "feature_names_in_") else column_names(X)


def check_kept_columns(model, X, name="X"):
    """Raise ValueError where ``X`` has other columns than `keep_columns` was given."""
    from sklearn.utils.validation import validate_data

    validate_data(model, X, reset=False, skip_check_array=True)
    check_columns(X, getattr(model, "_columns", None), name)


def check_order(names, known, name, where, remedy=".loc[names]"):
    """Raise ValueError where ``names`` are those ``known``, which ``where`` has, in other order.

    Examples
    --------
    >>> check_order(["b", "a"], ["a", "c"], "row {} of S", "fit")
    >>> check_order(["b", "a"], ["a", "b"], "row {} of S", "fit")
    Traceback (most recent call last):
    ValueError: row 0 of S is 'b', where fit has 'a': give both the same names in one order, ...
    """
    if sorted(map(str, names)) == sorted(map(str, known)):
        _check_same(names, known, name, where, remedy)


def check_paired(a, b, name_a, name_b):
    """Raise ValueError where the rows of ``a`` and ``b`` have the same names in other order.

    Names are the index of a data frame or a series, of text, or of anything else that names each
    row once; what has none fits any. Of text half of the names in other rows are enough.
    """
    known, names = (getattr(rows, "index", ()) for rows in (a, b))
    if callable(known) or callable(names) or len(names) != len(known) or known is names:
        return  # of lists it is a method
    if hasattr(known, "equals") and known.equals(names):
        return
    text = all(isinstance(one, str) for index in (known, names) for one in index)
    if text or len(set(known)) == len(known):
        meant = f", or pass an array as {name_b} if its rows do belong to those of {name_a}"
        row, remedy = f"row {{}} of {name_b}", f".loc[names]{meant}"
        check_order(names, known, row, name_a, remedy)
        places = {name: place for place, name in enumerate(known)}
        moved = sum(places.get(name, place) != place for place, name in enumerate(names))
        if text and 2 * moved >= len(names):
            _check_same(names, known, row, name_a, remedy)


def _check_same(names, known, name, where, remedy):
    """``name`` has a place for the number of the first that differs."""
    for at, (one, other) in enumerate(zip(names, known, strict=True)):
        if str(one) != str(other):
            raise ValueError(
                f"{name.format(at)} is {str(one)!r}, where {where} has {str(other)!r}: give both "
                f"the same names in one order, for instance by {remedy}"
            )


def check_vectors(array, name, *, finite=True):
    """Return ``array`` when it is a non-empty (n, d) float array of finite numbers.

    What is no array, or not float32 or float64, is a TypeError, all else a ValueError.
    """
    xp = namespace(array)
    if array.ndim != 2:
        raise ValueError(
            f"{name} must be a 2-d array of row vectors, got shape {tuple(array.shape)}. Reshape "
            "your data: one vector by vector[None, :], one number a row by column[:, None]"
        )
    if array.dtype not in (xp.float32, xp.float64):
        raise TypeError(
            f"{name} must be float32 or float64, got {array.dtype}: convert it, for instance "
            f"with {name}.astype('float32')"
        )
    shape = tuple(array.shape)
    if shape[0] == 0:
        raise ValueError(f"{name} is empty, shape {shape}: give at least one vector")
    if shape[1] == 0:  # in scikit-learn's words
        raise ValueError(f"{name} has 0 feature(s) ({shape=}) while a minimum of 1 is required.")
    if finite and not _finite_sum(array):
        refuse_unknown(array, name)
    return array


def _finite_sum(array):
    """Whether the entries' sum is finite, so that all are; it takes a tenth of looking at each."""
    xp = namespace(array)
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(xp.isfinite(xp.sum(array)))


def check_same_width(a, b, name_a, name_b):
    """Raise ValueError unless ``a`` and ``b`` have the same number of columns."""
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"{name_a} has {a.shape[1]} columns and {name_b} has {b.shape[1]}: "
            "they must lie in the same space"
        )


def check_length(values, name, n, of):
    """Raise ValueError unless ``values`` are one for each of ``n`` rows ``of`` another array."""
    if tuple(values.shape) != (n,):
        raise ValueError(
            f"{name} has shape {tuple(values.shape)}: give one for each of the {n} rows of {of}"
        )


def check_same_rows(X, Y, name_x="X", name_y="Y"):
    """Raise ValueError unless both have as many rows."""
    if X.shape[0] != Y.shape[0]:
        raise ValueError(
            f"{name_x} has {X.shape[0]} rows and {name_y} has {Y.shape[0]}: "
            "row i of one must belong to row i of the other"
        )


def check_pairs(X, Y, name_x="X", name_y="Y"):
    """Check two vector arrays of one library, paired row by row; return them."""
    namespace(X, Y)
    check_vectors(X, name_x)
    check_vectors(Y, name_y)
    check_same_rows(X, Y, name_x, name_y)
    if X.dtype != Y.dtype:
        raise TypeError(
            f"{name_x} is {X.dtype} and {name_y} is {Y.dtype}: convert one to the other's type"
        )
    return X, Y


def whole_numbers(values, name, what, *, low=0):
    """``values`` as a non-empty 1-d array of integers of at least ``low``; ``what`` says which."""
    array = as_array(values, name)
    xp, shape = namespace(array), tuple(array.shape)
    if array.ndim != 1 or shape[0] == 0:
        raise ValueError(f"{name} must be a non-empty 1-d array of {what}, got shape {shape}")
    if not xp.isdtype(array.dtype, "integral"):
        raise TypeError(f"{name} must hold integers, {what}, got {array.dtype}")
    if int(xp.min(array)) < low:
        raise ValueError(f"{name} must not be below {low}, found {int(xp.min(array))}")
    return array


def check_weights(weights, name, n):
    """``weights`` of n samples as float64 on the host: finite, at least 0, and not all 0."""
    array = host_array(weights, name).astype(np.float64)
    if array.shape != (n,) or not np.all(np.isfinite(array) & (array >= 0)) or not array.any():
        raise ValueError(
            f"{name} must have a finite weight of at least 0 for each of the {n} samples, not all "
            "of them 0"
        )
    return array


def check_mask(mask, name, size, what):
    """``mask`` as an array of truths over ``size`` things; ``what`` says which, for the error."""
    mask = as_array(mask, name)
    if mask.dtype != namespace(mask).bool or tuple(mask.shape) != (size,):
        raise TypeError(
            f"{name} must be a boolean mask over the {size} {what}, got {mask.dtype} of shape "
            f"{tuple(mask.shape)}"
        )
    return mask


def check_indices(indices, name, size):
    """Raise unless the integer array ``indices`` is within [0, size)."""
    xp = namespace(indices)
    if not xp.isdtype(indices.dtype, "integral"):
        if xp.isdtype(indices.dtype, "real floating"):  # as pandas has integers with gaps
            _refuse_missing(np.flatnonzero(np.isnan(to_host(indices))), name)
        remedy = "where they are whole, convert them by .astype(int)"
        if xp.isdtype(indices.dtype, "bool"):
            remedy = "of a mask give numpy.flatnonzero, of labels .astype(int)"
        raise TypeError(f"{name} must hold integers, got {indices.dtype}: {remedy}")
    if indices.size and (int(xp.min(indices)) < 0 or int(xp.max(indices)) >= size):
        raise ValueError(
            f"{name} must lie in [0, {size}), found {int(xp.min(indices))} to "
            f"{int(xp.max(indices))}"
        )
    return indices


def check_once(rows, name):
    """Raise where a row number stands twice, as in a mask of zeros and ones."""
    if np.unique(rows).size < rows.size:
        raise ValueError(
            f"{name} lists a row of targets twice: give row numbers, each once; of a mask of "
            "zeros and ones numpy.flatnonzero"
        )


def _shown(value):
    """The value as an error shows it: of an array or a frame its type."""
    return type(value).__name__ if getattr(value, "shape", ()) else repr(value)


def check_integer(value, name, *, low, high=None, high_means=""):
    """Return ``value`` as int when it is an integer in [low, high]."""
    if not _is_whole(value):
        raise TypeError(f"{name} must be an integer, got {_shown(value)}")
    if value < low or (high is not None and value > high):
        limit = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name} must be {limit}{high_means}, got {value}")
    return int(value)


def check_each(values, name, check, what, **limits):
    """Return the values of a sequence, each checked by ``check(value, name, **limits)``."""
    if not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence of {what}, got {values!r}")
    return [check(value, name, **limits) for value in values]


def check_ks(ks, high=None, high_means=""):
    """``ks``, an integer or several, as a tuple of at least one, each in [1, high]."""
    if getattr(ks, "ndim", 1) == 0:  # an array of one number, and no sequence
        ks = (ks[()],)
    ks = tuple(ks) if isinstance(ks, Iterable) else (ks,)
    if not ks:
        raise ValueError("ks is empty: give at least one k, for instance [1, 5, 10]")
    return tuple(check_integer(k, "k", low=1, high=high, high_means=high_means) for k in ks)


def check_generator(rng):
    """Return ``rng`` when random numbers can be drawn from it; all layers share one."""
    if not isinstance(rng, (np.random.Generator, np.random.RandomState)):
        raise TypeError(
            f"rng must be a numpy.random.Generator, got {rng!r}: make one for all by "
            "numpy.random.default_rng(seed)"
        )
    return rng


def check_real(value, name, *, low=None, high=None, inclusive=True):
    """Return ``value`` as float when it is a finite number in the range."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {_shown(value)}")
    value = float(value)
    too_low = low is not None and (value < low or (not inclusive and value == low))
    too_high = high is not None and (value > high or (not inclusive and value == high))
    if not math.isfinite(value) or too_low or too_high:
        words = ("at least", "at most") if inclusive else ("above", "below")
        limits = zip(words, (low, high), strict=True)
        bounds = [f", {word} {limit}" for word, limit in limits if limit is not None]
        raise ValueError(f"{name} must be a finite number{''.join(bounds)}, got {value}")
    return value


def check_share(value, name):
    """Return ``value`` as float when it is a number at least 0 and below 1."""
    value = check_real(value, name, low=0.0)
    if value >= 1.0:
        raise ValueError(f"{name} must be below 1, got {value}")
    return value


def check_gradient(parameter, gradient):
    """Raise unless the gradient fits the parameter; a wrong shape would broadcast silently."""
    xp = namespace(parameter, gradient)
    if parameter.dtype not in (xp.float32, xp.float64):
        raise TypeError(
            f"parameter must be float32 or float64, got {parameter.dtype}: steps or squares of "
            "gradients would be lost"
        )
    if parameter.shape != gradient.shape or parameter.dtype != gradient.dtype:
        raise ValueError(
            f"gradient has shape {tuple(gradient.shape)} and type {gradient.dtype}, the parameter "
            f"{tuple(parameter.shape)} and {parameter.dtype}: they must be the same"
        )


def check_learned(learned, remedy, *, what="training"):
    """Raise ValueError, with a ``remedy``, unless ``learned``, an array or a float, is finite."""
    if isinstance(learned, float):
        finite, kind = math.isfinite(learned), "numbers"
    else:
        xp = namespace(learned)
        finite, kind = _finite_sum(learned) or bool(xp.all(xp.isfinite(learned))), learned.dtype
    if not finite:
        raise ValueError(f"{what} left the range of {kind}: {remedy}")


def check_trained(accuracy, n_choices, n_items):
    """Raise ValueError unless a training tells its own training items apart.

    ``accuracy``, a share of ``n_items`` for each of which there are ``n_choices``, must be above
    chance by more than two of chance's standard errors, or half way to one.
    """
    chance = 1.0 / n_choices
    needed = chance + 2.0 * math.sqrt(chance * (1.0 - chance) / n_items)
    if n_choices > 1 and not accuracy > min(needed, (1.0 + chance) / 2.0):
        raise ValueError(
            f"training failed: it is right on {100 * accuracy:.3g}% of its own items, chance is "
            f"{100 * chance:.3g}%"
        )


def check_narrowed(learned, dtype, remedy):
    """float64's ``learned`` as ``dtype``; ValueError where one overflows, or all underflow."""
    xp = namespace(learned)
    largest, kind = largest_size(learned), xp.finfo(dtype)
    if not largest <= float(kind.max) or 0 < largest < float(kind.smallest_normal):
        raise ValueError(f"training left the range of {dtype}: {remedy}")
    return xp.astype(learned, dtype)


@contextmanager
def in_range(**arrays):
    """Compute with ``arrays`` in silence, and name them in a ValueError where that fails.

    What overflows is for the caller to find in what comes out, by `check_learned`.
    """
    try:
        with np.errstate(all="ignore"):
            yield
    except (np.linalg.LinAlgError, ArithmeticError) as error:
        raise ValueError(
            f"no solution in range ({error}): {sizes(**arrays)}; bring all rows to a length near "
            "one, or give more regularization"
        ) from error


def sizes(**arrays):
    """How large the rows of each array are, as words of an error."""
    peaks = {name: to_host(abs(array)).max(axis=1) for name, array in arrays.items()}
    words = [
        f"of {name} from {rows.min():.3g} to {rows.max():.3g}" for name, rows in peaks.items()
    ]
    return f"largest entries of the rows {', '.join(words)}"


def check_choice(value, name, choices):
    """Return ``value`` when it is one of ``choices``."""
    if value not in choices:
        known = ", ".join(repr(c) for c in choices)
        raise ValueError(f"{name} must be one of {known}, got {value!r}")
    return value


def check_disjoint(train_words, test_words):
    """Raise ValueError when training and test words overlap: that is no longer zero-shot."""
    common = sorted(set(map(str, train_words)) & set(map(str, test_words)))
    if common:
        raise ValueError(
            f"{len(common)} word(s) are in the training and in the test set "
            f"({', '.join(common[:5])}): such a test is not zero-shot; remove them from one"
        )


def check_alike(rows, name):
    """Raise ValueError where series in a dict name their entries in more than one order."""
    named = {key: row for key, row in rows.items() if not callable(getattr(row, "index", len))}
    first = next(iter(named.values()), None)
    if odd := [key for key, row in named.items() if list(row.index) != list(first.index)]:
        raise ValueError(
            f"{name}[{str(odd[0])!r}] names its entries otherwise, or in other order, than the "
            f"first series: make a data frame of them, pandas.DataFrame({name}).T"
        )


def check_row_names(given, names, name, where):
    """Raise where the index of ``given`` has ``where``'s ``names`` in other order."""
    index = getattr(given, "index", ())
    if names is None or callable(index) or list(index) == list(range(len(index))):
        return
    check_order(index, names, f"row {{}} of {name}", where)
