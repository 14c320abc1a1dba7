"""Table 1 of Hubness and Pollution, from what other chapters recorded."""

from itertools import pairwise

from zslib.protocols.intervals import Estimate

_SPACES = {"cross-linguistic": "full", "cross-modal": "labels"}
_STEPS = {
    "standard mapping": ("hubness/02_hubness", "ridge", ("cross-linguistic", "cross-modal")),
    "max-margin": ("hubness/02_hubness", "max-margin", ("cross-linguistic", "cross-modal")),
    "data augmentation": ("hubness/03_pollution", "chimera-5", ("cross-modal",)),
    "negative evidence": ("hubness/04_negatives", "intruder", ("cross-linguistic", "cross-modal")),
}

READS = tuple(dict.fromkeys(source for source, *_ in _STEPS.values()))
"""The chapters whose records the table is made of."""


def roadmap(records):
    """Rows: P@1 after each step of the table and in each setting, of ``{chapter: Records}``."""
    for step, (source, method, settings) in _STEPS.items():
        for setting in settings:
            columns = {"metric": "P@1", "method": method, "setting": setting}
            for record in records[source].only(space=_SPACES[setting], **columns):
                where = {name: record[name] for name in ("setting", "dataset", "synthetic")}
                yield where | {"metric": "P@1", "method": step, "value": Estimate.of(record)}


def largest_steps(results):
    """After which step P@1 rises most, or falls least: (data set, step), of rows of `roadmap`."""
    for data in results.of("dataset"):
        rows = list(results.only(dataset=data))
        rises = [after["value"].mean - before["value"].mean for before, after in pairwise(rows)]
        yield data, rows[1 + rises.index(max(rises))]["method"]
