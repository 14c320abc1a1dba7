"""Fixtures shared by all tests: the array libraries that every public array function runs on."""

import contextlib
import os
import shutil
import sys
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial

import array_api_strict
import numpy as np
import pytest
from hypothesis import settings

from zslib import arrays
from zslib.datasets import synthetic_crosslingual, synthetic_crossmodal
from zslib.datasets.mapping import synthetic
from zslib.datasets.mapping.labels import split_labels
from zslib.protocols import choices
from zslib.protocols.mapping.methods import Method

# A slow or busy machine is no failure.
settings.register_profile("zslib", deadline=None, max_examples=50)
settings.load_profile("zslib")
# Tests have books of their own.
os.environ.pop("ZSLIB_BOOK", None)


# Not the device that an array lands on unasked: what forgets the device of its arguments fails.
DEVICE = array_api_strict.Device("device1")


class Backend:
    """Sends NumPy arrays to one library and device, and brings results back."""

    def __init__(self, name):
        self.name = name

    def asarray(self, array):
        array = np.asarray(array)
        if self.name == "cupy":
            import cupy

            return cupy.asarray(array)
        return array if self.name == "numpy" else array_api_strict.asarray(array, device=DEVICE)

    def check(self, array):
        """Assert that ``array`` belongs to this library and device."""
        if self.name == "numpy":
            assert isinstance(array, np.ndarray | np.generic)
        elif self.name == "cupy":
            import cupy

            assert isinstance(array, cupy.ndarray)
        else:
            assert isinstance(array, array_api_strict._array_object.Array)
            assert array.device == DEVICE
        return array

    def to_numpy(self, array):
        return arrays.to_host(self.check(array))

    def assert_equal(self, array, expected):
        """Assert that ``array`` is of this library and equals the NumPy array ``expected``."""
        np.testing.assert_array_equal(self.to_numpy(array), expected)

    def assert_allclose(self, array, expected, **tolerances):
        """Assert that ``array`` is of this library and close to the NumPy array ``expected``."""
        np.testing.assert_allclose(self.to_numpy(array), expected, **tolerances)

    def some(self, cases):
        """All cases on NumPy; the first on the others, where the same lines run more slowly."""
        return cases if self.name == "numpy" else cases[:1]


def refusals(cases):
    """Triples of a call, words and an error, from a module's ``REFUSALS``.

    These are such cases, without the error where it is a ValueError; or, by function or functions,
    what these are given (by place, or by name in a dictionary) in the place of a call.
    """
    if isinstance(cases, dict):
        cases = [
            (partial(f, **given) if isinstance(given, dict) else partial(f, *given), *rest)
            for functions, several in cases.items()
            for f in (functions if isinstance(functions, tuple) else [functions])
            for given, *rest in several
        ]
    return [(*case, ValueError)[:3] for case in cases]


def pytest_generate_tests(metafunc):
    if "refusal" in metafunc.fixturenames:
        metafunc.parametrize("refusal", refusals(metafunc.module.REFUSALS), indirect=True)


@pytest.fixture
def refusal(request):
    """``refusal(*given)``: the call of one of the module's ``REFUSALS`` fails in its words."""
    call, words, error = request.param

    def check(*given):
        with pytest.raises(error, match=words):
            call(*given)

    return check


# The build without windows loads a page in two thirds of the time.
CHROMIUM = "chromium-headless-shell", "chromium", "chromium-browser"
FLAGS = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
FLAGS = [f"--{flag}" for flag in f"{FLAGS} disable-component-update disable-sync".split()]


@pytest.fixture(scope="module")
def browser():
    """Chromium; tests that ask for it are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        pytest.skip(f"no Chromium: install Debian's package {CHROMIUM[0]}")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


GPU = arrays._gpu_usable()


def pytest_report_header():
    return "CuPy: tested too" if GPU else "CuPy: finds no usable GPU, not tested"


@pytest.fixture(params=["numpy", "strict", *(["cupy"] if GPU else [])])
def backend(request):
    return Backend(request.param)


@pytest.fixture
def frame():
    """``frame(array, index=..., columns=...)``: a data frame."""
    import pandas

    return pandas.DataFrame


@pytest.fixture(autouse=True)
def no_choices_in_use():
    """A chapter that a test starts and does not finish leaves none to the next test."""
    yield
    choices.install(None)


@pytest.fixture(autouse=True)
def _close_figures():
    """What a test draws and does not show is closed: pyplot warns of many that are open."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def numerical_gradient():
    """``numerical_gradient(f, w)``: central differences of the float function f at the array w."""
    from book.papers.evidence import central_differences

    return central_differences


class Here(Executor):
    """Takes each task at once, in this process."""

    def submit(self, function, *args, **options):
        done = Future()
        done.set_result(function(*args, **options))
        return done


@pytest.fixture
def light_runs(monkeypatch):
    """Chapters that run one at a time are started by this process.

    Those that run by two have workers, as users have.
    """
    from book.build import run

    usual, here = run.processes, contextlib.nullcontext(Here())
    monkeypatch.setattr(run, "processes", lambda jobs: usual(jobs) if jobs > 1 else here)


@pytest.fixture(scope="session")
def languages():
    """A small problem across languages."""
    return synthetic_crosslingual(n_targets=300, n_train=120, n_test=40, dimension=24)


@pytest.fixture(scope="session")
def small_images():
    """``small_images(fold)``: a small problem of images and words, with other labels to test."""
    sizes = {"_TOPICS": 20, "_LABEL_TOPICS": 12, "_DIMENSION": 24, "_VISUAL_DIMENSION": 20}

    def problem(fold=0):
        with pytest.MonkeyPatch.context() as patched:
            for name, size in sizes.items():
                patched.setattr(synthetic, name, size)
            patched.setattr(synthetic, "split_labels", partial(split_labels, fold=fold))
            return synthetic_crossmodal(n_targets=300, n_labels=60, test_images=50)

    return problem


@pytest.fixture(scope="session")
def images(small_images):
    """A small problem of images and words."""
    return small_images()


@pytest.fixture
def short_tuning(monkeypatch):
    """Quick runs of maps tune on one candidate with a hundredth of the updates."""

    def shortest(self):
        grid = {key: list(values)[:1] for key, values in self.grid.items()}
        return replace(self, grid=grid, updates=tuple(u // 100 for u in self.updates))

    monkeypatch.setattr(Method, "smaller", shortest)


@pytest.fixture
def own_cache(tmp_path_factory, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path_factory.mktemp("cache")))
