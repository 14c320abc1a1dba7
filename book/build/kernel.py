"""Kernels that run with this very interpreter, and do not get in each other's way."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.forkserver
import os
import signal
import sys
import threading
from importlib.metadata import EntryPoint
from unittest import mock

import numpy as np
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from threadpoolctl import ThreadpoolController

__all__ = ["ForkedProvisioner", "kernel_manager_class", "start_server"]

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_FORKED = "zslib-forked"
# Whether linear algebra takes one thread in what the server of a process forks.
_started = {}
_PRELOADED = [
    "ipykernel.kernelapp",
    "matplotlib.pyplot",
    "scipy.stats",
    "book",
    "zslib.protocols",
]


def start_server(one_thread):
    """Start the process that kernels of this one are forked from, where the system has such.

    It has imported what all chapters import, which each would else take seconds to do.
    """
    # Elsewhere what is preloaded may not outlive a fork: Apple's linear algebra does not.
    if os.getpid() in _started or sys.platform != "linux":
        return
    multiprocessing.set_forkserver_preload(_PRELOADED)
    with mock.patch.dict(os.environ, _variables(one_thread)):
        multiprocessing.forkserver.ensure_running()
    _started[os.getpid()] = one_thread


def kernel_manager_class(folder, *, environment, one_thread):
    """A subclass of `jupyter_client.AsyncKernelManager` for one run.

    No installed kernel specification is needed: the kernel is ``python -m ipykernel_launcher``
    of the running interpreter, or what that becomes in a fork of `start_server`. Channels are
    sockets in ``folder``, which is empty and has a short path (they allow about a hundred
    characters), since kernels that start at the same time race for free ports. With
    ``one_thread`` linear algebra takes one: chapters share the cores.
    """
    specification = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="Python 3",
        language="python",
        env=_variables(one_thread) | environment,
    )
    if _started.get(os.getpid()) == one_thread:
        specification.metadata = {"kernel_provisioner": {"provisioner_name": _FORKED}}
        KernelProvisionerFactory.provisioners[_FORKED] = EntryPoint(
            _FORKED,
            f"{__name__}:{ForkedProvisioner.__name__}",
            KernelProvisionerFactory.GROUP_NAME,
        )

    class OwnKernelManager(AsyncKernelManager):
        @property
        def kernel_spec(self):
            return specification

        def __init__(self, **options):
            super().__init__(**options)
            self.connection_file = os.path.join(folder, "kernel.json")
            if sys.platform != "win32":
                self.transport = "ipc"
                self.ip = os.path.join(folder, "socket")

    return OwnKernelManager


def _variables(one_thread):
    """What of the environment counts when a kernel starts or imports."""
    variables = {
        # The order of sets of words must not change what a chapter shows.
        "PYTHONHASHSEED": "0",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        # As ipykernel would set it, before Matplotlib is imported.
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    return variables | (dict.fromkeys(_THREADS, "1") if one_thread else {})


class ForkedProvisioner(LocalProvisioner):
    """Of Jupyter's kernels: forks them from the process that `start_server` has started."""

    async def launch_kernel(self, cmd, **options):
        self.process = _Forked(cmd[3:], options["env"], options.get("cwd"))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Forked:
    """A kernel that was forked, as `subprocess.Popen` would show it."""

    stdin = stdout = stderr = None

    def __init__(self, arguments, environment, folder):
        told = arguments, environment, folder or os.getcwd()
        context = multiprocessing.get_context("forkserver")
        # No daemon: a chapter may start processes of its own.
        self._process = context.Process(target=_kernel, args=told)
        with mock.patch.dict(os.environ, environment):  # of a server that is started anew
            self._process.start()
        self.pid = self._process.pid

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout=None):
        self._process.join(timeout)
        return self.poll()

    def send_signal(self, number):
        os.kill(self.pid, number)


def _kernel(arguments, environment, folder):
    """The life of a forked kernel."""
    from ipykernel.kernelapp import IPKernelApp

    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    # Else all that are forked from one process draw alike.
    np.random.seed()  # noqa: NPY002
    _threads_for_numpy_alone()
    multiprocessing.set_start_method(None, force=True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # The process that forks is its parent in the eyes of the system.
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])


def _threads_for_numpy_alone():
    """One thread for SciPy's linear algebra where that is a library of its own.

    Threads that wait for the next product keep a core busy: products by the two libraries in turn
    would take many times as long.
    """
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    others = [library for library in found if "numpy" not in library.filepath]
    if len(others) < len(found):
        for library in others:
            library.set_num_threads(1)


def _end_with_parent():
    multiprocessing.parent_process().join()
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
