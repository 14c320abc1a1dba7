"""Hubs by name."""

from types import SimpleNamespace

import numpy as np

from chapters.afternoon.words import hubs_by_name


def test_words_come_by_their_lists_with_queries_that_have_them_wrongly():
    problem = SimpleNamespace(
        targets=np.eye(4),
        target_words=np.array(["uno", "due", "tre", "sei"]),
        test_words=np.array(["one", "two", "three"]),
        test_gold=np.arange(3)[:, None],
    )
    lists = {
        "ridge": np.array([[1, 0], [0, 1], [3, 1]]),
        "reverse": np.array([[0, 1], [1, 0], [2, 3]]),
    }
    assert hubs_by_name(problem, lists, 2) == [
        ["due", "one, three", 3, 2],
        ["uno", "two, three", 2, 2],
    ]
