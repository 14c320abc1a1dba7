"""Folders of runs at work: who has them, and what a kill leaves."""

import os
import signal
import sys
import threading
import warnings
from multiprocessing import get_context

import pytest

from book.store import publish_run
from book.unfinished import SOCKETS, at_work, replace_run, unfinished

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no forks")


def work(folder, at, sockets=None):
    """Work on the run "abc" in ``folder`` that kills its process at a moment."""
    replace = os.replace

    def replace_or_die(source, target):
        if at in str(target):
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)
        if at == "after" and ".replaced-" not in str(target):
            os.kill(os.getpid(), signal.SIGKILL)

    os.replace = replace_or_die
    with unfinished(folder, "abc") as place:
        (place / "records.jsonl").write_text("new")
        if at == "working":
            (place / SOCKETS).symlink_to(sockets)
            os.kill(os.getpid(), signal.SIGKILL)
        replace_run(place, folder / "abc")


def kill(*arguments):
    """Kill a process amid its work."""
    with warnings.catch_warnings(action="ignore"):  # of forks beside threads
        process = get_context("fork").Process(target=work, args=arguments)
        process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def names(folder):
    """What is in a folder beside the files of locks, which stay."""
    return sorted(name for name in os.listdir(folder) if not name.startswith(".lock-"))


def test_a_folder_is_one_process_s_alone_and_gone_after(tmp_path):
    assert at_work(tmp_path, "abc") is None
    with unfinished(tmp_path, "abc") as folder:
        assert at_work(tmp_path, "abc") == folder
        assert at_work(tmp_path, "other") is None
        with unfinished(tmp_path, "other"):
            assert at_work(tmp_path, "abc") == folder  # the second leaves the first alone
        (folder / "part").mkdir()
    assert names(tmp_path) == []
    assert at_work(tmp_path, "abc") is None


def test_an_error_removes_the_folder(tmp_path):
    with pytest.raises(ZeroDivisionError), unfinished(tmp_path, "abc"):
        1 / 0  # noqa: B018
    assert names(tmp_path) == []


def test_equal_runs_take_turns(tmp_path):
    order = []

    def second():
        with unfinished(tmp_path, "abc") as folder:
            order.append(("second", names(folder)))

    thread = threading.Thread(target=second)
    with unfinished(tmp_path, "abc") as folder:
        thread.start()
        (folder / "records.jsonl").write_text("first")
        thread.join(0.2)
        order.append("first")
        publish_run(folder, tmp_path, "abc")
    thread.join()
    assert order == ["first", ("second", [])]
    assert names(tmp_path) == ["abc", "latest"]


def test_the_next_run_removes_what_a_killed_one_left(tmp_path):
    results, sockets = tmp_path / "results", tmp_path / "sockets"
    (sockets / "below").mkdir(parents=True)
    kill(results, "working", sockets)
    assert names(results) == [".unfinished-abc"]
    assert at_work(results, "abc") is None
    with unfinished(results, "other") as folder:
        assert names(results) == [folder.name]
    assert names(tmp_path) == ["results"]


@pytest.mark.parametrize(
    ("at", "left", "found"),
    [
        (".replaced-abc", [".unfinished-abc", "abc"], "old"),
        ("/abc", [".replaced-abc", ".unfinished-abc"], "old"),
        ("after", [".replaced-abc", "abc"], "new"),
    ],
)
@pytest.mark.parametrize("key", ["abc", "other"])
def test_a_kill_while_a_run_is_replaced_loses_none(tmp_path, at, left, found, key):
    records = tmp_path / "abc" / "records.jsonl"
    records.parent.mkdir()
    records.write_text("old")
    kill(tmp_path, at)
    assert names(tmp_path) == left
    with unfinished(tmp_path, key):
        assert records.read_text() == found
    assert names(tmp_path) == ["abc"]


def test_what_is_no_run_can_be_replaced_too(tmp_path):
    (tmp_path / "new").mkdir()
    replace_run(tmp_path / "new", tmp_path / "abc")
    assert names(tmp_path) == ["abc"]
