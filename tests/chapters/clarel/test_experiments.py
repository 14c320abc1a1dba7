"""The chapters' experiments on image-text pairs: what they measure, by slow loops."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from chapters.clarel import balancing, comparison, losses
from chapters.clarel.ablation import absolute, range_rows, side_rows
from chapters.clarel.baseline import with_class_texts
from chapters.clarel.departures import with_tested_in_validation
from chapters.clarel.intervals import joint_estimate
from chapters.clarel.shown import nearest_texts, own_and_others
from chapters.clarel.text_network import GROUPS, AppendixNetwork, LossCheck
from tests.datasets.pairs.test_problem import own_texts
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
        options = {"changes": {"batch_size": 16}, "keep_scores": True}
        return run_clarel(problem, [0, 1], n_batches=60, **options)


def by_metric(rows):
    return {row["metric"]: row["value"] for row in rows}


def mean(outcomes, measure="H"):
    return np.mean([outcome.value(measure) for outcome in outcomes])


def test_appendix_b_holds_and_a_false_answer_is_seen(problem, run, monkeypatch):
    broken, rises = balancing.check_appendix_b({problem: run}, np.linspace(0, 2, 9))
    assert broken == max(rises.values()) == 0

    def events(seen, unseen, alpha):
        return seen < unseen, *np.tile(seen < unseen, (2, len(alpha), 1))

    monkeypatch.setattr(balancing, "events", events)
    assert balancing.check_appendix_b({problem: run}, [0.0, 1.0])[0] > 0


def test_events_are_counted_one_image_at_a_time(problem, run):
    result, alpha = run.test[0], 0.3
    D = balancing.distances(result, "unseen")
    stay = move = nearer = 0
    for row in D:
        tr, ts = row[problem.is_seen].min(), row[~problem.is_seen].min()
        nearer += tr < ts
        stay += (1 + alpha) * tr < ts
        move += tr < ts <= (1 + alpha) * tr
    wanted = {"images": len(D), "nearer to a seen class": nearer, "stay": stay, "move": move}
    assert by_metric(balancing.event_counts(problem, run, [alpha])) == wanted
    tr, ts = balancing.nearest_distances(problem, result, "unseen")
    rows = balancing.error_rows(problem, replace(run, test=run.test[:1]))
    errors = by_metric(row for row in rows if row["method"] == "α = 0")
    labels = problem.labels[problem.test_unseen]
    wrong = np.mean([np.mean((tr < ts)[labels == c]) for c in np.unique(labels)])
    assert errors["unseen taken for seen, %"].mean == pytest.approx(100 * wrong)
    gap = errors["unseen taken for seen, %"].mean - errors["seen taken for unseen, %"].mean
    assert errors["error of unseen minus error of seen"].mean == pytest.approx(gap)


def test_stacking_of_logarithms_answers_alike_and_distances_order_alike(problem, run):
    assert balancing.answered_otherwise(problem, run) == 0
    outcome = run.test[0].outcome
    plain = balancing.of_distances(outcome)
    np.testing.assert_array_equal(plain.test_unseen.seen[:, 0], outcome.test_unseen.seen[:, 0])
    distances = np.exp(-outcome.test_unseen.seen_scores[:, 0].astype(float))
    np.testing.assert_allclose(-plain.test_unseen.seen_scores[:, 0], distances)


_A, _B = {0.2: 5.0, 0.5: 6.5, 1.0: 90.0}, {0.2: 8.0, 0.5: 7.0, 1.0: 1.0}
CURVES = {"FLOWERS": {"H": _A, "u": _A, "s": _B}, "CUB": {"H": _B, "u": _B, "s": _A}}


def test_the_range_is_picked_on_validation_and_measured_on_test(problem, run):
    other = replace(run, validation=run.validation[::-1], test=run.test[::-1], alpha=0.0)
    runs = {0.2: run, 0.5: other}
    moved = {}
    for measure in ("H", "seen"):
        level = {x: mean(r.outcomes("validation"), measure) for x, r in runs.items()}
        best, worst = (runs[pick(level, key=level.get)].outcomes() for pick in (max, min))
        moved[measure] = mean(best, measure) - mean(worst, measure)
    found = by_metric(range_rows(problem, "lambda", runs, CURVES, 0.2, 0.6))
    assert found["range of H from 0.2 to 0.6"].mean == pytest.approx(moved["H"])
    assert found["range of H minus the authors'"].mean == pytest.approx(moved["H"] - 1.5)
    named = replace(problem, name="cub-class-captions")
    found = by_metric(range_rows(named, "lambda", runs, CURVES, 0.2, 0.6))
    assert found["range of H minus the authors'"].mean == pytest.approx(moved["H"] - 1.0)
    assert found["range of seen minus the authors'"].mean == pytest.approx(moved["seen"] - 1.5)
    assert not list(range_rows(problem, "lambda", {0.0: run}, CURVES, 0.2, 0.6))


def test_errors_apart_and_the_best_alpha_of_the_test(problem, run):
    apart = []
    for alpha, result in product((0.0, run.alpha), run.test):
        share = {}
        for side in ("seen", "unseen"):
            tr, ts = balancing.nearest_distances(problem, result, side)
            labels = problem.labels[getattr(problem, f"test_{side}")]
            wrong = ((1 + alpha) * tr < ts) == (side == "unseen")
            share[side] = np.mean([wrong[labels == c].mean() for c in np.unique(labels)])
        apart.append(100 * abs(share["unseen"] - share["seen"]))
    found = balancing.balance_row(problem, run, 50)["value"].mean
    assert found == pytest.approx(np.mean(apart[2:]) - np.mean(apart[:2]))
    tried = [mean(run.outcomes(alpha=alpha)) for alpha in np.linspace(0, 2, 41)]
    assert mean(balancing.best_on_test(run)) >= max(tried) - 1e-9


def test_what_classifiers_add_with_rescaling_and_without(problem, run):
    alphas = {"line 1": 0.0, "line 2": 0.1, "line 3": 0.2, "line 6": 0.4}
    lines = {name: run.outcomes(alpha=alpha) for name, alpha in alphas.items()}
    one, two, three, six = map(mean, lines.values())
    values = {row["method"]: row["value"].mean for row in side_rows(problem, lines)}
    assert values["(6 - 3) - (1 - 2)"] == pytest.approx((six - three) - (one - two))
    assert values["3 - half of 6"] == pytest.approx(three - six / 2)


def test_the_best_other_is_so_on_validation_data():
    runs = {"one": (None, {"H": 3.0, "ACC": 1.0}), "two": (None, {"H": 2.0, "ACC": 4.0})}
    assert (comparison.best_other(runs, "H"), comparison.best_other(runs, "ACC")) == ("one", "two")


def test_own_texts_and_texts_of_the_class_by_draw_and_budget(monkeypatch):
    """Texts are pooled after the split, and each budget has the learning rate of the whole."""
    monkeypatch.setattr("zslib.protocols.pairs.runs.SHORT_GRID", {"learning_rate": (2.5, 5.0)})
    monkeypatch.setattr(comparison, "DRAWS", {"two texts at a time": 2})
    monkeypatch.setattr(comparison, "BUDGETS", {"a third": 1 / 3, "in full": 1.0})
    problem = synthetic_pairs(n_seen=6, n_val=2, n_unseen=2, images_per_class=6)
    problem = problem.scaled("unit length")
    whole = problem, problem.validation_problem()
    pooled = tuple(with_class_texts(p) for p in whole)
    found = comparison.level_runs(problem, [3], 18, must_learn=False)
    kinds = {comparison.OWN: whole, comparison.OF_CLASS: pooled}
    for (draw, texts), (kind, (data, held)) in product(comparison.DRAWS.items(), kinds.items()):
        changes = {"texts_per_image": texts}
        again = {"held_out": held, "must_learn": False}
        chosen = run_clarel(data, [3], n_batches=18, changes=changes, test=False, **again)
        changes["learning_rate"] = chosen.model.learning_rate
        for budget, n in zip(comparison.BUDGETS, (6, 18), strict=True):
            model = short_clarel(data, n_batches=n, **changes)
            alone = run_image_text(model, data, [3], **again).outcomes()
            assert mean(found[draw, budget][kind]) == mean(alone)


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
    near = pytest.approx((wanted.low, wanted.high), abs=0.06 * (wanted.high - wanted.low))
    assert (found.low, found.high) == near


def test_absolute():
    for ends, wanted in (((-3.0, 1.0), (1.0, 0.0, 3.0)), ((-3.0, -1.0), (2.0, 1.0, 3.0))):
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
    assert comparison.known_text_share(problem) == pytest.approx(100 * np.mean(shared))


@pytest.fixture(scope="module")
def pairs(problem):
    made = losses.HeldOutPairs(problem, [0], n_batches=20, embedding_dim=6, device="cpu")
    return made.train(("before training",))


def to_texts(pairs, image):
    """Distances of an image to the texts that it may be given, one by one."""
    (model,) = pairs.models["before training"]
    z = model.embed_images(pairs.problem.features[[image]])
    texts = (model.embed_texts(pairs.texts[[t]]) for t in pairs.asked[1])
    return np.array([np.linalg.norm(z - t) for t in texts])


def test_the_nearest_texts_of_an_image_are_shown_with_whose_they_are(pairs):
    rows = nearest_texts(pairs, pairs.models["before training"][0], n_images=3, k=2)
    places = [int(row[0].rsplit(" ", 1)[1]) for row in rows]
    assert places == sorted(places)
    images, _, belongs = pairs.asked
    own = []
    for image, mine in zip(images, belongs, strict=True):
        d = to_texts(pairs, image)
        own.append(1 + np.sum(d < d[mine].min()))
    assert (places[0], places[-1]) == (min(own), max(own))
    assert (rows[0][2] == "own") == (places[0] == 1)


def test_texts_of_an_image_and_of_others_of_its_class(problem):
    label = problem.labels[problem.trainval[0]]
    mates = problem.trainval[problem.labels[problem.trainval] == label]
    own, *others = ({problem.texts[t] for t in own_texts(problem, i)} for i in mates)
    lines = own_and_others(problem, n=2)
    assert [whose for _, whose, _ in lines] == 2 * ["its own"] + 2 * ["another image's"]
    for name, whose, text in lines:
        assert name == problem.class_names[label]
        assert (text in own) == (whose == "its own")
        assert text in set().union(own, *others)


def test_own_texts_and_spread_by_loops(pairs):
    (measured,) = pairs.measures()["before training"]
    (model,) = pairs.models["before training"]
    held, rows = pairs.problem, pairs.problem.test_unseen
    images, _, belongs = pairs.asked
    d, own = to_texts(pairs, images[0]), belongs[0]
    in_order = np.mean([a < b for a in d[own] for b in d[~own]])
    assert measured.nearer[0] == pytest.approx(100 * in_order)
    np.testing.assert_array_equal(measured.classes, held.labels[images])
    # Classes drawn anew: the second twice, the last not at all.
    classes = np.unique(held.labels[rows])
    for times in (np.ones(classes.size), np.r_[1.0, 2.0, np.ones(classes.size - 3), 0.0]):
        parts = [
            model.embed_images(held.features[np.tile(rows[held.labels[rows] == c], int(n))])
            for c, n in zip(classes, times, strict=True)
            if n
        ]
        z = np.concatenate(parts)
        within = sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)
        found = losses.spread_within(measured.spread["validation classes"], times[None, :])
        assert found == pytest.approx([100 * within / ((z - z.mean(axis=0)) ** 2).sum()], rel=1e-4)
    spread = losses.spread_over_classes("validation classes")
    one, same = spread([measured]), spread([measured], [measured])
    assert one.low <= one.mean <= one.high
    assert (one.unit, one.n_units) == ("classes", classes.size)
    assert (same.mean, same.low, same.high) == (0.0, 0.0, 0.0)


def test_equal_texts_meet_as_often_as_they_are_drawn(pairs):
    rng, met, ids = np.random.default_rng(0), [], pairs.problem.text_ids
    for _ in range(400):
        rows = rng.choice(len(pairs.problem.trainval), pairs.model.batch_size, replace=False)
        texts = (pairs.index[pairs.offsets[i] : pairs.offsets[i + 1]] for i in rows)
        drawn = [set(ids[own].tolist()) for own in texts]
        met += [any(a & b for j, b in enumerate(drawn) if j != i) for i, a in enumerate(drawn)]
    assert losses.share_meeting_equals(pairs) == pytest.approx(100 * np.mean(met), abs=5)


@pytest.fixture(scope="module")
def network(problem):
    return AppendixNetwork(problem, embedding_dim=16, max_tokens=6, seed=0, device="cpu")


def test_formulas_give_the_sizes_of_the_arrays(network):
    for name, formula, size, _ in network.sizes():
        assert eval(formula.replace("·", "*")) == size, name


def test_gradients_agree_with_differences_and_penalties_turn(network):
    check = LossCheck(network, narrow=True)
    for group in GROUPS:
        assert min(check.errors(group, 0, "float64", np.array([1e-5, 1e-6]))) < 1e-5
    rows = {name: row for name, *row in check.penalty_rows()}
    _, _, cosine, change = rows["convolutions 1 and 2 of a block"]
    # What is normalised afterwards: no length counts, so the gradient is at a right angle.
    assert max(cosine, change) < 1e-3
    assert rows["shifts β"][2] is None


def test_validation_data_as_the_authors_make_them(problem):
    grown = with_tested_in_validation(problem)
    known = np.union1d(problem.trainval, problem.test_seen)
    np.testing.assert_array_equal(np.sort(grown.trainval), known)
    assert grown.test_seen.size == 0
    for part in ("train", "val"):
        classes = np.unique(problem.labels[getattr(problem, part)])
        np.testing.assert_array_equal(np.unique(grown.labels[getattr(grown, part)]), classes)
        own = np.isin(problem.labels[problem.test_seen], classes)
        assert np.isin(problem.test_seen[own], getattr(grown, part)).all()
    held = grown.validation_problem()
    assert held.trainval.size > problem.validation_problem().trainval.size
