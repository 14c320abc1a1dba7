"""Where numbers come from: code, machine and cost of a run."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from zslib.show.tables import escape


class RunCard:
    """How a run came about, as a small table."""

    def __init__(self, run):
        self.run = run

    def _lines(self):
        run, machine = self.run, self.run["machine"]
        data = "; ".join(f"{d['description']} ({d['checksum'][:12]})" for d in run["data"])
        return {
            "Data": data or "none",
            **({"Missing data": ", ".join(run["missing"])} if run.get("missing") else {}),
            **({"Not trained": "; ".join(run["failed"])} if run.get("failed") else {}),
            "Parameters": ", ".join(
                f"{k}: {'none' if v == '' else v}" for k, v in run["parameters"].items()
            ),
            **({"Settings": told_choices(run["choices"])} if run.get("choices") else {}),
            "Code": f"zslib {run['version']}, commit {self._commit()}",
            "Record set": f"{run['chapter']}/{run['key']}",
            "Machine": f"{machine['processor']}, {machine['cores']} cores, "
            f"device {machine.get('accelerator', run['device'])}, "
            f"Python {machine['python']}, NumPy {machine['numpy']}",
            "Cost": f"{run['wall_seconds']:.0f} s"
            + (f", {run['peak_memory_mib']:,} MiB at most" if run["peak_memory_mib"] else ""),
        }

    def _commit(self):
        sha, _, state = (self.run["commit"] or "unknown").partition("-")
        return sha[:12] + (" with changes" if state else "")

    def __repr__(self):
        return "\n".join(f"{name}: {text}" for name, text in self._lines().items())

    def _repr_mimebundle_(self, include=None, exclude=None):
        rows = "\n".join(f"| {name} | {escape(text)} |" for name, text in self._lines().items())
        markdown = f"| This run | how it came about |\n| :-- | :-- |\n{rows}"
        return {"text/markdown": markdown, "text/plain": repr(self)}


def told_choices(choices):
    """How many choices on validation data were taken over, and how many this run made.

    Examples
    --------
    >>> told_choices({"taken": {"2026-11-21": 12}, "made": 1})
    '12 settings chosen on 2026-11-21, 1 chosen in this run'
    """
    taken, made = choices["taken"], choices["made"]
    n = sum(taken.values())
    before = [f"{n} setting{'s' * (n != 1)} chosen on {' and '.join(taken)}"] * bool(taken)
    return ", ".join(before + [f"{made} chosen in this run"] * bool(made or not taken))


def commit(root):
    """The commit of the sources, with "-dirty" where they differ from it; None without git."""

    def git(*words):
        silent = {"stderr": subprocess.DEVNULL, "text": True}
        return subprocess.check_output(["git", *words], cwd=root, **silent).strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!results")
        return git("rev-parse", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def peak_memory():
    """Largest resident size of this process in MiB; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10))


def accelerator():
    """Name of the graphics card that CuPy uses."""
    import cupy

    return cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()


def machine(device="cpu"):
    """The machine, as far as numbers and times depend on it; its name is not among that."""
    import numpy

    from zslib.protocols.sweep import linear_algebra

    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.is_file() else ""
    if line := re.search(r"^model name.*?:(.*)$", text, re.MULTILINE):
        processor = line[1].strip()
    facts = {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
    }
    if libraries := linear_algebra():
        *kernel, threads = max(libraries, key=lambda library: int(library[-1]))
        facts["blas"] = f"{' '.join(kernel).strip()}, threads {threads}"
    return facts | {"accelerator": accelerator()} if device == "gpu" else facts
