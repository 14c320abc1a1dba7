"""Which images a case draws, and how answers are scored."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from zslib.protocols.hierarchy.scored import Scored, score_rows
from zslib.protocols.hierarchy.terms import TermRuns


def test_only_images_of_the_label_set_are_drawn():
    problem = SimpleNamespace(
        class_ids=np.array(["n1", "n2", "n3"]),
        labels=np.array([0, 1, 2, 0, 1, 2]),
        test_seen=np.array([0, 1, 2]),
        test_unseen=np.array([3, 4, 5]),
    )
    model = SimpleNamespace(search=lambda p, images, labels, n_terms: (sorted(images), labels))
    runs = TermRuns([problem], [0], {"2-hop": ["n1", "n3"]}, 5)
    assert runs.nearest([model], ("unseen", "2-hop"), 9) == [([3, 5], ["n1", "n3"])]
    fewer = TermRuns([problem], [0], {"2-hop": ["n1", "n3"]}, 1)
    assert len(fewer.nearest([model], ("seen", "2-hop"), 9)[0][0]) == 1


def test_scores_are_means_over_images_and_differences_are_paired():
    rng = np.random.default_rng(0)
    hits, hp, random = ([100.0 * rng.random((8, 20)) for _ in range(3)] for _ in range(3))
    found = Scored({"images": "seen"}, "ridge", None, [], hits, hp, random)
    rows = {(r["metric"], r["method"], r["k"]): r["value"].mean for r in score_rows(found, "D")}
    assert rows["hit@k", "ridge", 5] == pytest.approx(np.mean([h[:, 4] for h in hits]))
    assert rows["hp@k", "ridge - random labels", 20] == pytest.approx(
        rows["hp@k", "ridge", 20] - rows["hp@k", "random labels", 20]
    )
