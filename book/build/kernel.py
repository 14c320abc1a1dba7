"""Kernels that run with this very interpreter, and do not get in each other's way."""

import os
import sys

from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec

_THREADS = [f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "BLIS")]
_THREADS += ["VECLIB_MAXIMUM_THREADS"]


def kernel_manager_class(folder, *, environment, one_thread):
    """A subclass of `jupyter_client.AsyncKernelManager` for one run.

    No installed kernel specification is needed: the kernel is this module, run by the running
    interpreter. Channels are sockets in ``folder``, which is empty and has a short path (they
    allow about a hundred characters), since kernels that start at the same time race for free
    ports. With ``one_thread`` linear algebra takes one: chapters share the cores.
    """
    variables = {
        # The order of sets of words must not change what a chapter shows.
        "PYTHONHASHSEED": "0",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        # As ipykernel would set it, before Matplotlib is imported.
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }

    class OwnKernelManager(AsyncKernelManager):
        kernel_spec = KernelSpec(
            # -P: a folder named as a module, where the book is, is not taken for that.
            argv=[sys.executable, "-P", "-m", __name__, "-f", "{connection_file}"],
            display_name="Python 3",
            language="python",
            env=variables | (dict.fromkeys(_THREADS, "1") if one_thread else {}) | environment,
        )

        def __init__(self, **options):
            super().__init__(**options)
            self.connection_file = os.path.join(folder, "kernel.json")
            if sys.platform != "win32":
                self.transport = "ipc"
                self.ip = os.path.join(folder, "socket")

    return OwnKernelManager


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
    from ipykernel.kernelapp import IPKernelApp

    threads_for_numpy_alone()
    IPKernelApp.launch_instance()
