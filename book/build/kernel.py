"""Kernels that run with this very interpreter, and do not get in each other's way."""

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import suppress
from unittest.mock import patch

from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.provisioning import LocalProvisioner

_THREADS = [f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "BLIS")]
_THREADS += ["VECLIB_MAXIMUM_THREADS"]

# The C library of Linux gives memory back as soon as an array is freed, and pages for the next one
# take longer than the arithmetic on it, most of all in virtual machines. Up to 1 GiB is kept.
_KEPT = {f"MALLOC_{name}_THRESHOLD_": str(2**30) for name in ("MMAP", "TRIM")}

# -P: a folder named as a module, where the book is, is not taken for that.
_ARGV = [sys.executable, "-P", "-m", "book.build.kernel"]
# What every chapter imports, which takes longer than a short chapter does.
_IMPORTED = ["ipykernel.kernelapp", "scipy.linalg", "matplotlib.pyplot", "jupytext"]
_IMPORTED += ["book", "zslib.protocols"]


def kernel_manager_class(folder, *, environment, one_thread, forks=False):
    """A subclass of `jupyter_client.AsyncKernelManager` for one run.

    No installed kernel specification is needed: the kernel is this module, run by the running
    interpreter. Channels are sockets in ``folder``, which is empty and has a short path (they
    allow about a hundred characters), since kernels that start at the same time race for free
    ports. With ``one_thread`` linear algebra takes one: chapters share the cores. With ``forks``
    the kernels that a process starts are forks of one that has imported already what chapters
    import: code, and the number of threads, are then those of the first.
    """
    variables = {
        # The order of sets of words must not change what a chapter shows.
        "PYTHONHASHSEED": "0",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        **_KEPT,
        # As ipykernel would set it, before Matplotlib is imported.
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }

    class OwnKernelManager(AsyncKernelManager):
        kernel_spec = KernelSpec(
            argv=[*_ARGV, "-f", "{connection_file}"],
            display_name="Python 3",
            language="python",
            env=variables | (dict.fromkeys(_THREADS, "1") if one_thread else {}) | environment,
        )

        def __init__(self, **options):
            super().__init__(**options)
            # Elsewhere a library may refuse to be used in a fork.
            if forks and sys.platform == "linux":
                self.provisioner = _Forks(kernel_spec=self.kernel_spec, parent=self)
            self.connection_file = os.path.join(folder, "kernel.json")
            if sys.platform != "win32":
                self.transport = "ipc"
                self.ip = os.path.join(folder, "socket")

    return OwnKernelManager


class _Forks(LocalProvisioner):
    """Starts a kernel as a fork."""

    async def launch_kernel(self, cmd, **options):
        self.process = _Fork(cmd[len(_ARGV) :], options["env"], options.get("cwd") or os.getcwd())
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Fork:
    """A kernel's process, with what a provisioner asks of a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, argv, environment, folder):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_IMPORTED)
        self._process = context.Process(target=_launch, args=(argv, environment, folder))
        # The first start is that of the server, whose interpreter reads some of these. Ctrl-C is
        # for those who ask it for kernels.
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with patch.dict(os.environ, environment | {"PYTHONSAFEPATH": "1"}):
                self._process.start()
        finally:
            signal.signal(signal.SIGINT, interrupt)
        self.pid = self._process.pid

    def poll(self):
        return self._process.exitcode

    def wait(self):
        self._process.join()
        return self.poll()

    def send_signal(self, number):
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


def _launch(argv, environment, folder):
    """The kernel, in a fork; it ends with the process that asked for it."""

    def watch():
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    os.setsid()  # what it starts is killed with it
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # It is started for someone who has the connection file, and need not print it.
    _kernel([*argv, f"--IPKernelApp.parent_handle={os.getppid()}"])


def _kernel(argv=None):
    from ipykernel.kernelapp import IPKernelApp

    threads_for_numpy_alone()
    IPKernelApp.launch_instance(argv)


def threads_for_numpy_alone():
    """One thread for SciPy's linear algebra where that is a library of its own.

    Threads that wait for the next product keep a core busy: products by the two libraries in turn
    would take many times as long.
    """
    import scipy.linalg  # noqa: F401 - both libraries are loaded
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    others = [library for library in libraries if "numpy" not in library.filepath]
    if len(others) < len(libraries):
        for library in others:
            library.set_num_threads(1)


if __name__ == "__main__":
    _kernel()
