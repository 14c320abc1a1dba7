"""Fixtures shared by all tests: the array libraries that every public array function runs on."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import Executor, Future

import array_api_strict
import numpy as np
import pytest
from hypothesis import settings

from zslib import arrays
from zslib.protocols import choices

# A slow or busy machine is no failure.
settings.register_profile("zslib", deadline=None)
settings.load_profile("zslib")
# Tests have books of their own.
os.environ.pop("ZSLIB_BOOK", None)


class Backend:
    """Sends NumPy arrays to one library and device, and brings results back."""

    def __init__(self, name):
        self.name = name
        self.device = None
        if name == "strict-device1":
            self.device = array_api_strict.Device("device1")

    def asarray(self, array):
        array = np.asarray(array)
        if self.name == "numpy":
            return array
        if self.name == "cupy":
            import cupy

            return cupy.asarray(array)
        return array_api_strict.asarray(array, device=self.device)

    def check(self, array):
        """Assert that ``array`` belongs to this library and device."""
        if self.name == "numpy":
            assert isinstance(array, np.ndarray | np.generic)
        elif self.name == "cupy":
            import cupy

            assert isinstance(array, cupy.ndarray)
        else:
            assert isinstance(array, array_api_strict._array_object.Array)
            if self.device is not None:
                assert array.device == self.device
        return array

    def to_numpy(self, array):
        return arrays.to_host(self.check(array))

    def some(self, cases):
        """All cases on NumPy; the first on the others, where the same lines run more slowly."""
        return cases if self.name == "numpy" else cases[:1]


GPU = arrays._gpu_usable()


def pytest_report_header():
    return "CuPy: tested too" if GPU else "CuPy: finds no usable GPU, not tested"


@pytest.fixture(params=["numpy", "strict", "strict-device1", *(["cupy"] if GPU else [])])
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
    choices.use(None)


@pytest.fixture
def numerical_gradient():
    """``numerical_gradient(f, w)``: central differences of the float function f at the array w."""

    def gradient(f, w, step=1e-6):
        slopes = np.empty_like(w)
        for place in np.ndindex(w.shape):
            moved = w.copy()
            moved[place] = w[place] + step
            above = f(moved)
            moved[place] = w[place] - step
            slopes[place] = (above - f(moved)) / (2 * step)
        return slopes

    return gradient


FORKS = """
import json, os, signal, sys
from ipykernel.kernelapp import IPKernelApp
from zslib import book, protocols

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who has ended is gone, and waits for no one
for line in sys.stdin:
    if child := os.fork():
        os.setpgid(child, child)
        print(child, flush=True)
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    given = json.loads(line)
    os.environ.clear()
    os.environ.update(given["env"])
    os.chdir(given["cwd"])
    IPKernelApp.launch_instance([*given["cmd"], f"--IPKernelApp.parent_handle={os.getppid()}"])
    os._exit(0)
"""


class ForkedKernel:
    """A kernel as `subprocess.Popen` would show it, started without its seconds of imports."""

    stdin = stdout = stderr = None

    def __init__(self, server, cmd, *, env=None, cwd=None, **_):
        asked = {"cmd": cmd[3:], "env": dict(env or os.environ), "cwd": cwd or os.getcwd()}
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        self.pid = int(server.stdout.readline())

    def poll(self):
        with contextlib.suppress(ProcessLookupError):
            return os.kill(self.pid, 0)
        return 1

    def wait(self, timeout=None):
        while self.poll() is None:
            time.sleep(0.01)
        return 1

    def send_signal(self, number):
        os.kill(self.pid, number)


class Here(Executor):
    """Takes each task at once, in this process."""

    def submit(self, function, *args, **options):
        done = Future()
        done.set_result(function(*args, **options))
        return done


@pytest.fixture(scope="session")
def forks():
    """A process with the imports of a chapter, which forks kernels."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", FORKS], **pipes) as server:
        yield server


@pytest.fixture
def light_runs(forks, monkeypatch):
    """Chapters that run one at a time do so in this process, with a forked kernel.

    Those that run by two have workers and kernels as users have.
    """
    from jupyter_client.provisioning import local_provisioner

    from zslib.book.build import run

    usual = run.processes

    def processes(jobs):
        return usual(jobs) if jobs > 1 else contextlib.nullcontext(Here())

    def launch(cmd, **options):
        return ForkedKernel(forks, cmd, **options)

    monkeypatch.setattr(run, "processes", processes)
    monkeypatch.setattr(local_provisioner, "launch_kernel", launch)
