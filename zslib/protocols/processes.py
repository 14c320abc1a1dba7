"""Worker processes that do not outlive whoever started them."""

import contextlib
import os
import tempfile
import threading
import time


@contextlib.contextmanager
def processes(jobs):
    """An executor of so many processes that end with the block, or when this one is killed."""
    from joblib.externals.loky import ProcessPoolExecutor

    # Workers are killed, and remove nothing.
    with tempfile.TemporaryDirectory(prefix="zslib-", ignore_cleanup_errors=True) as folder:
        arguments = folder, os.getpid()
        pool = ProcessPoolExecutor(max_workers=jobs, initializer=_begin, initargs=arguments)
        try:
            yield pool
        finally:
            pool.shutdown(kill_workers=True)


def _begin(folder, parent):
    """End this process and its forks once ``parent`` is gone; ``folder`` has temporary files."""
    tempfile.tempdir = folder

    def watch():
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
