"""Systems on a small synthetic world: which settings are chosen, and on what."""

import numpy as np
import pytest

from chapters.devise import systems
from chapters.devise.answers import TermSpace
from chapters.devise.terms import TermRuns
from zslib.datasets import WordVectors
from zslib.datasets.attributes.synsets import synthetic_within


@pytest.fixture
def world(monkeypatch):
    """Two runs on synthetic images, with the terms at the places of the classes."""
    monkeypatch.setattr(systems, "GRIDS", {
        "DeViSE": {"learning_rate": (1e-4, 1.0)}, "softmax": {"regularization": (1e-5, 10.0)},
    })  # fmt: skip
    loaded = []

    def load(seed):
        loaded.append(seed)
        return synthetic_within(seed=0, n_classes=12, images_per_class=20, noise=0.5)

    problems = [load(0), load(1)]
    p = problems[0]
    names = p.class_ids.tolist()
    space = TermSpace({n: [n] for n in names}, WordVectors(np.array(names), p.class_embeddings))
    loaded.clear()
    return TermRuns(problems, [0, 1], {"1K": names}, 1000, load), space, loaded


def test_settings_are_chosen_on_three_seeds_of_training_images(world):
    runs, space, loaded = world
    models, chosen = systems.fit_systems(runs, space, "toy terms")
    assert loaded == [0, 1, 2]
    assert set(models) == {"ridge", "DeViSE", "ConSE", "softmax"}
    assert chosen["DeViSE"]["parameters"] == {"learning_rate": 1.0}
    assert chosen["softmax"]["parameters"] == {"regularization": 1e-5}
    for method, fitted in models.items():
        near = runs.nearest(fitted, ("seen", "trained"), 4)
        right = np.mean([found.answers(1).hits(1).mean() for found in near])
        assert right > 50, method


def test_held_out_images_are_training_images(world):
    runs, _, _ = world
    held = systems._held_out(runs)
    for of in held.problems:
        whole = np.concatenate([of.trainval, of.test_seen])
        assert sorted(whole.tolist()) == runs.problem.trainval.tolist()
