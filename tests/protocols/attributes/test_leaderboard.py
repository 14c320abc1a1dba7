"""The leaderboard: every measure of every system."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from zslib.compatibility import CMT, ESZSL, SAE, Centred, ConSE, MapScorer
from zslib.datasets import synthetic_attributes
from zslib.mapping import RidgeMap
from zslib.metrics import k_occurrence
from zslib.nn import Linear, Sequential
from zslib.protocols import ZERO_SHOT_METHODS, ZeroShotMethod, choices, run_zero_shot, unit_length
from zslib.protocols.attributes.evaluate import numbers_kept
from zslib.protocols.attributes.leaderboard import board_measures, board_systems, run_board
from zslib.protocols.processes import processes

CLOSED = ["ESZSL", "SAE"]


class Fails(ESZSL):
    """Cannot be trained where classes are many."""

    def _fit(self, X, codes, embeddings):
        if embeddings.shape[0] > 9:
            raise ValueError("too many classes")
        super()._fit(X, codes, embeddings)


@pytest.fixture(scope="module")
def worlds():
    made = [synthetic_attributes("APY", scale=0.04, n_features=24, seed=seed) for seed in (0, 1)]
    return [unit_length(replace(problem, name=f"world {i}")) for i, problem in enumerate(made)]


@pytest.fixture(scope="module")
def board(worlds):
    runs, failed = run_board(CLOSED, worlds, quick=True)
    assert not any(failed.values())
    return runs


def test_a_row_is_the_run_by_itself(worlds, board):
    assert list(board) == worlds
    for problem, methods in board.items():
        assert list(methods) == CLOSED
        for name, (run,) in methods.items():
            alone = run_zero_shot(name, problem, quick=True)
            assert (run.parameters, run.gamma) == (alone.parameters, alone.gamma)
            assert run.outcome.accuracy == alone.outcome.accuracy


def test_processes_change_nothing_and_return_choices(worlds, board, monkeypatch, tmp_path):
    monkeypatch.setenv("ZSLIB_CACHE", str(tmp_path))
    store, ended = choices.Choices(), []
    choices.install(store)
    with processes(1) as executor:
        options = {"executor": executor, "ended": lambda *of: ended.append(of)}
        found, _ = run_board(CLOSED, worlds, quick=True, **options)
    assert len(store.made) == len({text.split(":")[0] for text in store.made}) >= len(CLOSED)
    assert sorted(ended, key=str) == sorted(((m, p) for p in worlds for m in CLOSED), key=str)
    for problem, methods in board.items():
        for name, (run,) in methods.items():
            (again,) = found[problem][name]
            assert again.parameters == run.parameters
            assert again.outcome.accuracy == run.outcome.accuracy


def test_all_systems_are_all_but_ablations():
    assert board_systems("ESZSL+SAE") == CLOSED
    assert set(ZERO_SHOT_METHODS) - set(board_systems("auto")) == {"DARK-L", "DARK-H"}


def test_columns_are_what_they_say(board):
    for (run,) in (runs for methods in board.values() for runs in methods.values()):
        found = {n: estimate([run]) for n, estimate in board_measures(n_resamples=100).items()}
        at = run.outcome.at(run.gamma)
        for name in ("ACC", "seen", "unseen", "H", "AUSUC"):
            assert found[name].mean == pytest.approx(at.value(name))
            assert found[name].low <= found[name].mean <= found[name].high
        first = run.outcome.zero_shot.unseen[:, :1]
        counts = k_occurrence(first, at.is_seen.size)[~at.is_seen]
        assert found["largest hub"].mean == pytest.approx(counts.max() / counts.mean())
        assert found["pollution"].mean == pytest.approx(100 * at.polluted(1).mean())
        assert found["seconds"].mean > 0
        assert found["numbers kept"].mean == run.outcome.cost["numbers"]


def test_who_cannot_be_trained_is_told_and_the_others_go_on(worlds):
    method = ZeroShotMethod("Fails", Fails, {"feature_penalty": (1.0,)})
    runs, failed = run_board(["ESZSL", method], worlds[:1], quick=True)
    assert list(runs[worlds[0]]) == ["ESZSL"]
    assert "too many classes" in failed[worlds[0]]["Fails"]


def test_numbers_kept():
    X, y, S = np.eye(6), np.arange(6) % 3, np.eye(3, 5)
    for model, expected in (
        (ESZSL(), 6 * 5),
        (SAE(), 6 * 5),
        (CMT(7, n_epochs=1, random_state=0), 6 * 7 + 7 * 5),
        (ConSE(max_iter=2), 6 * 3 + 3 + 3 * 5),
        (Centred(ESZSL()), 6 * 5 + 6 + 5),
        (MapScorer(RidgeMap(1.0)), numbers_kept(RidgeMap(1.0).fit(X, S[y]))),
    ):
        assert numbers_kept(model.fit(X, y, S)) == expected > 0
    rng = np.random.default_rng(0)
    network = Sequential(first=Linear(4, 3, rng), second=Linear(3, 2, rng))
    shared = np.zeros((2, 2), dtype=np.float32)
    holder = SimpleNamespace(
        network_=[network], a_=shared, b_=(shared,), n_=3, whole_=np.arange(9), _own=shared,
        class_embeddings_=S, coef=S,
    )  # fmt: skip
    assert numbers_kept(holder) == (4 * 3 + 3) + (3 * 2 + 2) + 4
