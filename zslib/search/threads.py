"""Threads over blocks, with BLAS held to one thread each."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_running = 0
_limit = None


@cache
def _blas():
    """The BLAS libraries of this process; to look for them takes longer than many a product."""
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread():
    """Hold BLAS to one thread; yields the number of threads it would have used.

    The limit is a setting of the whole process. Calls from several threads share it: the first
    sets it, the last to leave restores what the first found.
    """
    global _running, _limit
    with _lock:
        if _running == 0:
            threads = max((lib.num_threads for lib in _blas().lib_controllers), default=1)
            _limit = _blas().limit(limits=1), threads
            _limit[0].__enter__()
        _running += 1
        threads = _limit[1]
    try:
        yield threads
    finally:
        with _lock:
            _running -= 1
            if _running == 0:
                _limit[0].__exit__(None, None, None)


def run_threads(work, items, *, small=False):
    """Call ``work(iterator)`` in each thread; the iterators share out ``items`` in order.

    As many threads as BLAS is set to use (so ``OMP_NUM_THREADS`` and joblib's limits hold). A
    ``small`` job runs in the calling thread and leaves BLAS as it is. Returns what each call
    returned; an exception in one call stops the others at their next item and is raised.
    """
    if small:
        return [work(iter(items))]
    queue, guard, failed = iter(items), threading.Lock(), threading.Event()

    def share():
        while not failed.is_set():
            with guard:
                try:
                    item = next(queue)
                except StopIteration:
                    return
            yield item

    def guarded(_):
        try:
            return work(share())
        except BaseException:
            failed.set()
            raise

    with one_blas_thread() as threads:
        threads = min(threads, len(items))
        if threads == 1:
            return [work(iter(items))]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(guarded, range(threads)))
