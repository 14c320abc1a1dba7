"""The commit that a record names."""

import subprocess

from book.provenance import commit


def test_changed_sources_are_marked_and_changed_results_are_not(tmp_path):
    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    assert commit(tmp_path) is None
    git("init")
    source, record = tmp_path / "zslib.py", tmp_path / "results/published/run.json"
    record.parent.mkdir(parents=True)
    source.write_text("1\n"), record.write_text("1\n")
    git("add", "."), git("commit", "-m", "first")
    clean = commit(tmp_path)
    record.write_text("2\n")
    assert commit(tmp_path) == clean and len(clean) == 40
    source.write_text("2\n")
    assert commit(tmp_path) == clean + "-dirty"
