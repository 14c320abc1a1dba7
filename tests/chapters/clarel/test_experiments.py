"""The chapters' experiments on image-text pairs: what they measure, by slow loops."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from chapters.clarel.ablation import absolute, range_rows, side_rows
from chapters.clarel.balancing import (
    answered_otherwise,
    balance_row,
    best_on_test,
    check_appendix_b,
    distances,
    error_rows,
    event_counts,
    nearest_distances,
    of_distances,
)
from chapters.clarel.baseline import with_class_texts
from chapters.clarel.comparison import (
    BUDGETS,
    DRAWS,
    OF_CLASS,
    OWN,
    batches_of,
    best_other,
    known_text_share,
    level_runs,
)
from chapters.clarel.departures import with_tested_in_validation
from chapters.clarel.intervals import joint_estimate
from chapters.clarel.losses import (
    HeldOutPairs,
    share_meeting_equals,
    spread_over_classes,
    spread_within,
)
from chapters.clarel.shown import nearest_texts, own_and_others
from chapters.clarel.text_network import GROUPS, AppendixNetwork
from zslib.datasets import synthetic_pairs
from zslib.protocols import Estimate, run_clarel, run_image_text, short_clarel
from zslib.protocols.attributes.intervals import zero_shot_estimate


@pytest.fixture(scope="module")
def problem():
    made = synthetic_pairs(n_seen=8, n_val=3, n_unseen=4, images_per_class=8, seed=2)
    return made.scaled("unit length")


@pytest.fixture(scope="module")
def run(problem, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZSLIB_CACHE", str(tmp_path_factory.mktemp("cache")))
        return run_clarel(
            problem, [0, 1], n_batches=60, changes={"batch_size": 16}, keep_scores=True
        )


def by_metric(rows):
    return {row["metric"]: row["value"] for row in rows}


def own_texts(problem, image):
    return problem.text_index[problem.text_offsets[image] : problem.text_offsets[image + 1]]


def test_appendix_b_holds_and_a_false_answer_is_seen(problem, run, monkeypatch):
    broken, rises = check_appendix_b({problem: run}, np.linspace(0, 2, 9))
    assert broken == 0
    assert max(rises.values()) == 0
    monkeypatch.setattr(
        "chapters.clarel.balancing.events",
        lambda seen, unseen, alpha: (seen < unseen, *np.tile(seen < unseen, (2, len(alpha), 1))),
    )
    assert check_appendix_b({problem: run}, [0.0, 1.0])[0] > 0


def test_events_are_counted_one_image_at_a_time(problem, run):
    result, alpha = run.test[0], 0.3
    D = distances(result, "unseen")
    stay = move = nearer = 0
    for row in D:
        tr, ts = row[problem.is_seen].min(), row[~problem.is_seen].min()
        nearer += tr < ts
        stay += (1 + alpha) * tr < ts
        move += tr < ts <= (1 + alpha) * tr
    wanted = {"images": len(D), "nearer to a seen class": nearer, "stay": stay, "move": move}
    assert by_metric(event_counts(problem, run, [alpha])) == wanted
    tr, ts = nearest_distances(problem, result, "unseen")
    rows = error_rows(problem, replace(run, test=run.test[:1]))
    errors = by_metric(row for row in rows if row["method"] == "α = 0")
    labels = problem.labels[problem.test_unseen]
    wrong = np.mean([np.mean((tr < ts)[labels == c]) for c in np.unique(labels)])
    assert errors["unseen taken for seen, %"].mean == pytest.approx(100 * wrong)
    gap = errors["unseen taken for seen, %"].mean - errors["seen taken for unseen, %"].mean
    assert errors["error of unseen minus error of seen"].mean == pytest.approx(gap)


def test_stacking_of_logarithms_answers_alike_and_distances_order_alike(problem, run):
    assert answered_otherwise(problem, run) == 0
    outcome = run.test[0].outcome
    plain = of_distances(outcome)
    np.testing.assert_array_equal(plain.test_unseen.seen[:, 0], outcome.test_unseen.seen[:, 0])
    np.testing.assert_allclose(
        plain.test_unseen.seen_scores[:, 0],
        -np.exp(-outcome.test_unseen.seen_scores[:, 0].astype(float)),
    )


_A, _B = {0.2: 5.0, 0.5: 6.5, 1.0: 90.0}, {0.2: 8.0, 0.5: 7.0, 1.0: 1.0}
CURVES = {"FLOWERS": {"H": _A, "u": _A, "s": _B}, "CUB": {"H": _B, "u": _B, "s": _A}}


def test_the_range_is_picked_on_validation_and_measured_on_test(problem, run):
    other = replace(run, validation=run.validation[::-1], test=run.test[::-1], alpha=0.0)
    runs = {0.2: run, 0.5: other}
    H = {x: np.mean([o.value("H") for o in r.outcomes("validation")]) for x, r in runs.items()}
    best, worst = max(H, key=H.get), min(H, key=H.get)
    tests = {x: np.mean([o.value("H") for o in r.outcomes()]) for x, r in runs.items()}
    found = by_metric(range_rows(problem, "lambda", runs, CURVES, 0.2, 0.6))
    moved = tests[best] - tests[worst]
    assert found["range of H from 0.2 to 0.6"].mean == pytest.approx(moved)
    assert found["range of H minus the authors'"].mean == pytest.approx(moved - 1.5)
    named = replace(problem, name="cub-class-captions")
    same = by_metric(range_rows(named, "lambda", runs, CURVES, 0.2, 0.6))
    assert same["range of H minus the authors'"].mean == pytest.approx(moved - 1.0)
    level = {x: [o.value("seen") for o in r.outcomes("validation")] for x, r in runs.items()}
    best, other = (pick(level, key=lambda x: np.mean(level[x])) for pick in (max, min))
    seen = {x: np.mean([o.value("seen") for o in r.outcomes()]) for x, r in runs.items()}
    assert same["range of seen minus the authors'"].mean == pytest.approx(
        seen[best] - seen[other] - 1.5
    )
    assert not list(range_rows(problem, "lambda", {0.0: run}, CURVES, 0.2, 0.6))


def test_errors_apart_and_the_best_alpha_of_the_test(problem, run):
    sides = {}
    for state, alpha in (("before", 0.0), ("after", run.alpha)):
        apart = []
        for result in run.test:
            share = {}
            for side in ("seen", "unseen"):
                tr, ts = nearest_distances(problem, result, side)
                labels = problem.labels[getattr(problem, f"test_{side}")]
                wrong = ((1 + alpha) * tr < ts) == (side == "unseen")
                share[side] = np.mean([wrong[labels == c].mean() for c in np.unique(labels)])
            apart.append(100 * abs(share["unseen"] - share["seen"]))
        sides[state] = np.mean(apart)
    found = balance_row(problem, run, 50)["value"].mean
    assert found == pytest.approx(sides["after"] - sides["before"])

    def H(outcomes):
        return np.mean([outcome.value("H") for outcome in outcomes])

    tried = [H(run.outcomes(alpha=alpha)) for alpha in np.linspace(0, 2, 201)]
    assert H(best_on_test(run)) >= max(tried) - 1e-9


def test_what_classifiers_add_with_rescaling_and_without(problem, run):
    alphas = {"line 1": 0.0, "line 2": 0.1, "line 3": 0.2, "line 6": 0.4}
    lines = {name: run.outcomes(alpha=alpha) for name, alpha in alphas.items()}
    one, two, three, six = (np.mean([o.value("H") for o in found]) for found in lines.values())
    values = {row["method"]: row["value"].mean for row in side_rows(problem, lines)}
    assert values["(6 - 3) - (1 - 2)"] == pytest.approx((six - three) - (one - two))
    assert values["3 - half of 6"] == pytest.approx(three - six / 2)


def test_the_best_other_is_so_on_validation_data():
    trial = {"parameters": {"a": 2}, "H": 3.0, "ACC": 1.0}
    chosen = SimpleNamespace(
        parameters={"a": 2}, trials=[{"parameters": {"a": 1}, "H": 9.0}, trial]
    )
    other = SimpleNamespace(parameters={}, trials=[{"parameters": {}, "H": 2.0, "ACC": 4.0}])
    runs = {"one": chosen, "two": other}
    assert (best_other(runs, "H"), best_other(runs, "ACC")) == ("one", "two")


def test_own_texts_and_texts_of_the_class_by_draw_and_budget(monkeypatch):
    monkeypatch.setattr("zslib.protocols.pairs.runs.SHORT_GRID", {"learning_rate": (2.5, 5.0)})
    monkeypatch.setitem(DRAWS, "ten texts at a time", 2)
    problem = synthetic_pairs(n_seen=8, n_val=3, n_unseen=3, images_per_class=12)
    problem = problem.scaled("unit length")
    found = level_runs(problem, [3], 12, must_learn=False)
    assert set(found) == {(draw, budget) for draw in DRAWS for budget in BUDGETS}
    pooled = with_class_texts(problem, own_ids=True)
    for (draw, budget), kinds in found.items():
        assert list(kinds) == [OWN, OF_CLASS]
        n = {"a tenth": 5, "a third": 5, "in full": 12}[budget]
        assert batches_of(budget, 12) == n
        for data, held, (outcome,) in (
            (problem, problem.validation_problem(), kinds[OWN]),
            (
                pooled,
                with_class_texts(problem.validation_problem(), own_ids=True),
                kinds[OF_CLASS],
            ),
        ):
            changes = {"texts_per_image": DRAWS[draw]}
            again = {"held_out": held, "must_learn": False}
            chosen = run_clarel(data, [3], n_batches=12, changes=changes, test=False, **again)
            rate = chosen.model.learning_rate
            model = short_clarel(data, n_batches=n, learning_rate=rate, **changes)
            (alone,) = run_image_text(model, data, [3], **again).outcomes()
            assert outcome.value("H") == alone.value("H")


def test_joint_intervals_are_those_of_a_difference(run):
    """Of H of one method less another's, they are `zero_shot_estimate`'s, up to the draws."""
    one, other = run.outcomes(), run.outcomes(alpha=0.0)

    def difference(seen, unseen):
        first, second = 2 * seen * unseen / np.maximum(seen + unseen, 1e-12)
        return first - second

    found = joint_estimate([one, other], difference, n_resamples=8000)
    wanted = zero_shot_estimate(one, "H", minus=other, n_resamples=8000)
    assert found.mean == pytest.approx(wanted.mean)
    assert (found.unit, found.n_units) == (wanted.unit, wanted.n_units)
    spread = wanted.high - wanted.low
    np.testing.assert_allclose(
        [found.low, found.high], [wanted.low, wanted.high], atol=0.06 * spread
    )


@pytest.mark.parametrize(
    ("ends", "wanted"), [((-3.0, 1.0), (1.0, 0.0, 3.0)), ((-3.0, -1.0), (2.0, 1.0, 3.0))]
)
def test_absolute(ends, wanted):
    found = absolute(Estimate(sum(ends) / 2, *ends, 2))
    assert (found.mean, found.low, found.high) == wanted


def test_known_texts_by_loop(problem):
    training, shared = {}, []
    for i in problem.trainval:
        ids = problem.text_ids[own_texts(problem, i)].tolist()
        training.setdefault(problem.labels[i], set()).update(ids)
    for i in problem.test_seen:
        ids = problem.text_ids[own_texts(problem, i)]
        shared.append(bool(set(ids) & training[problem.labels[i]]))
    assert known_text_share(problem) == pytest.approx(100 * np.mean(shared))


@pytest.fixture(scope="module")
def pairs(problem):
    made = HeldOutPairs(problem, [0], n_batches=20, embedding_dim=6, device="cpu")
    return made.train(("before training",))


def test_the_nearest_texts_of_an_image_are_shown_with_whose_they_are(pairs):
    (model,) = pairs.models["before training"]
    held = pairs.problem
    images, texts, belongs = pairs.asked
    rows = nearest_texts(pairs, model, n_images=3, k=2)
    places = [int(row[0].rsplit(" ", 1)[1]) for row in rows]
    assert places == sorted(places)
    own = []
    for i, image in enumerate(images):
        z = model.embed_images(held.features[image : image + 1])[0]
        d = [np.linalg.norm(z - model.embed_texts(pairs.texts[t : t + 1])[0]) for t in texts]
        order = np.argsort(d, kind="stable")
        own.append(1 + min(order.tolist().index(j) for j in np.flatnonzero(belongs[i])))
    assert (places[0], places[-1]) == (min(own), max(own))
    assert (rows[0][2] == "own") == (places[0] == 1)


def test_texts_of_an_image_and_of_others_of_its_class(problem):
    image = problem.trainval[0]
    lines = own_and_others(problem, n=2)
    own = {problem.texts[i] for i in own_texts(problem, image)}
    label = str(problem.class_names[problem.labels[image]])
    assert [line[:2] for line in lines] == [[label, "its own"]] * 2 + [
        [label, "another image's"]
    ] * 2
    for _, whose, text in lines:
        assert (text in own) == (whose == "its own")
        assert (
            problem.labels[image]
            in problem.labels[
                [
                    i
                    for i in problem.trainval
                    if text in {problem.texts[t] for t in own_texts(problem, i)}
                ]
            ]
        )


def test_own_texts_and_spread_by_loops(pairs):
    (measured,) = pairs.measures()["before training"]
    (model,) = pairs.models["before training"]
    held = pairs.problem
    image = next(i for i in held.test_unseen if held.text_offsets[i] < held.text_offsets[i + 1])
    z = model.embed_images(held.features[image : image + 1])[0]
    images, texts, belongs = pairs.asked
    d = [np.linalg.norm(z - model.embed_texts(pairs.texts[t : t + 1])[0]) for t in texts]
    own = belongs[list(images).index(image)]
    ranked = list(zip(d, own, strict=True))
    pairs_in_order = [a < b for a, x in ranked for b, y in ranked if x and not y]
    assert measured.nearer[list(images).index(image)] == pytest.approx(
        100 * np.mean(pairs_in_order)
    )
    rows = held.test_unseen
    np.testing.assert_array_equal(measured.classes, held.labels[images])
    # Classes drawn anew: the second twice, the last not at all.
    classes = np.unique(held.labels[rows])
    for times in (np.ones(classes.size), np.r_[1.0, 2.0, np.ones(classes.size - 3), 0.0]):
        own = [
            np.tile(rows[held.labels[rows] == c], int(t))
            for c, t in zip(classes, times, strict=True)
        ]
        drawn = np.concatenate(own)
        z, labels = model.embed_images(held.features[drawn]).astype(float), held.labels[drawn]
        parts = [z[labels == c] for c in np.unique(labels)]
        between = sum(len(part) * ((part.mean(0) - z.mean(0)) ** 2).sum() for part in parts)
        total = ((z - z.mean(0)) ** 2).sum()
        found = spread_within(measured.spread["validation classes"], times[None, :])
        assert found == pytest.approx([100 * (1 - between / total)])
    one = spread_over_classes("validation classes")([measured])
    assert one.low <= one.mean <= one.high
    assert (one.unit, one.n_units) == ("classes", classes.size)
    same = spread_over_classes("validation classes")([measured], [measured])
    assert (same.mean, same.low, same.high) == (0.0, 0.0, 0.0)


def test_equal_texts_meet_as_often_as_they_are_drawn(pairs):
    rng, same = np.random.default_rng(0), pairs.ids
    met = []
    for _ in range(400):
        rows = rng.choice(len(pairs.images), pairs.model.batch_size, replace=False)
        drawn = [
            {int(same[t]) for t in pairs.index[pairs.offsets[i] : pairs.offsets[i + 1]]}
            for i in rows
        ]
        met += [any(a & b for j, b in enumerate(drawn) if j != i) for i, a in enumerate(drawn)]
    assert share_meeting_equals(pairs) == pytest.approx(100 * np.mean(met), abs=5)


@pytest.fixture(scope="module")
def network(problem):
    return AppendixNetwork(problem, embedding_dim=16, max_tokens=6, seed=0, device="cpu")


def test_formulas_give_the_sizes_of_the_arrays(network):
    for name, formula, size, _ in network.sizes():
        assert eval(formula.replace("·", "*")) == size, name


def test_gradients_agree_with_differences_and_penalties_turn(network):
    check = network.checker(narrow=True)
    steps = 10.0 ** np.arange(-3, -7, -1)
    for group in GROUPS:
        assert min(check.errors(group, 0, "float64", steps)) < 1e-5
    rows = {name: row for name, *row in check.penalty_rows()}
    _, _, cosine, change = rows["convolutions 1 and 2 of a block"]
    # What is normalised afterwards: no length counts, so the gradient is at a right angle.
    assert cosine < 1e-3
    assert change < 1e-3
    assert rows["shifts β"][2] is None


def test_validation_data_as_the_authors_make_them(problem):
    grown = with_tested_in_validation(problem)
    np.testing.assert_array_equal(
        np.sort(grown.trainval), np.sort(np.concatenate([problem.trainval, problem.test_seen]))
    )
    assert grown.test_seen.size == 0
    for part in ("train", "val"):
        classes = np.unique(problem.labels[getattr(problem, part)])
        np.testing.assert_array_equal(np.unique(grown.labels[getattr(grown, part)]), classes)
        own = np.isin(problem.labels[problem.test_seen], classes)
        assert np.isin(problem.test_seen[own], getattr(grown, part)).all()
    held = grown.validation_problem()
    assert held.trainval.size > problem.validation_problem().trainval.size
