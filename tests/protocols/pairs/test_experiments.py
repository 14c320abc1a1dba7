"""The chapters' experiments on image-text pairs: what they measure, by slow loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chapters.clarel.ablation import (
    absolute,
    range_rows,
    rate_rows,
    side_rows,
    sweep_rows,
    widest_range,
)
from chapters.clarel.balancing import (
    answered_otherwise,
    check_appendix_b,
    distances,
    equal_errors,
    error_rows,
    event_counts,
    nearest_distances,
    of_distances,
)
from chapters.clarel.comparison import hub_rows, known_text_share, ranked_counts
from chapters.clarel.departures import (
    departures,
    swept_on_test,
    with_tested_in_validation,
)
from chapters.clarel.intervals import joint_estimate
from chapters.clarel.losses import (
    TERMS,
    HeldOutPairs,
    curve_rows,
    loss_rows,
    share_meeting_equals,
    spread_over_classes,
    spread_within,
)
from chapters.clarel.shown import nearest_texts
from chapters.clarel.text_network import GROUPS, AppendixNetwork
from chapters.clarel.validation_sets import against_printed, validation_counts
from zslib.datasets import synthetic_pairs
from zslib.protocols import Estimate, run_clarel
from zslib.protocols.attributes.intervals import zero_shot_estimate
from zslib.protocols.attributes.rescaling import choose_alpha
from zslib.protocols.pairs.evaluate import check_losses, evaluate_image_text
from zslib.protocols.pairs.runs import chosen_rows


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


def by_metric(rows, **columns):
    return {
        row["metric"]: row["value"]
        for row in rows
        if all(row.get(k) == v for k, v in columns.items())
    }


def test_appendix_b_holds_and_a_false_answer_is_seen(problem, run, monkeypatch):
    broken, rises = check_appendix_b({problem: run}, np.linspace(0, 2, 9))
    assert broken == 0
    assert max(rises.values()) == 0
    monkeypatch.setattr(
        "chapters.clarel.balancing.events",
        lambda seen, unseen, alpha: (seen < unseen, seen < unseen, seen < unseen),
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
    found = by_metric(event_counts(problem, run, [alpha]))
    wanted = {"images": len(D), "nearer to a seen class": nearer, "stay": stay, "move": move}
    assert found == wanted
    tr, ts = nearest_distances(problem, result, "unseen")
    errors = by_metric(error_rows(problem, replace(run, test=run.test[:1])), method="α = 0")
    of = problem.labels[problem.test_unseen]
    wrong = np.mean([np.mean((tr < ts)[of == c]) for c in np.unique(of)])
    assert errors["unseen taken for seen, %"].mean == pytest.approx(100 * wrong)
    gap = errors["unseen taken for seen, %"].mean - errors["seen taken for unseen, %"].mean
    assert errors["error of unseen less error of seen"].mean == pytest.approx(gap)


def test_equal_errors_are_nearest_to_each_other(run):
    alphas = np.linspace(0, 1, 21)
    gaps = []
    for alpha in alphas:
        wrong = []
        for result in run.test:
            outcome = result.outcome
            of = {
                k: getattr(outcome, f"test_{k}").flips > np.log1p(alpha)
                for k in ("seen", "unseen")
            }
            wrong.append(of["unseen"].mean() - (~of["seen"]).mean())
        gaps.append(abs(np.mean(wrong)))
    assert equal_errors(run, alphas) == alphas[int(np.argmin(gaps))]


def test_stacking_of_logarithms_answers_alike_and_distances_order_alike(problem, run):
    assert answered_otherwise(problem, run) == 0
    outcome = run.test[0].outcome
    plain = of_distances(outcome)
    np.testing.assert_array_equal(plain.test_unseen.seen[:, 0], outcome.test_unseen.seen[:, 0])
    np.testing.assert_allclose(
        plain.test_unseen.seen_scores[:, 0],
        -np.exp(-outcome.test_unseen.seen_scores[:, 0].astype(float)),
    )


CURVES = {"A": {"H": {0.2: 5.0, 0.5: 6.5, 1.0: 90.0}}, "B": {"H": {0.2: 8.0, 0.5: 7.0, 1.0: 1.0}}}


def test_weights_of_the_loss(problem, run):
    rows = list(sweep_rows(problem, "kappa", {0.5: run}))
    H = [o.value("H") for o in run.outcomes()]
    assert by_metric(rows, kappa=0.5)["H"].mean == pytest.approx(np.mean(H))
    assert widest_range(CURVES, 0.2, 0.6) == 1.5
    runs = {0.2: run, 0.5: run, 1.0: run}
    found = by_metric(range_rows(problem, "kappa", runs, CURVES, 0.2, 0.6))
    assert found["range of H from 0.2 to 0.6"].mean == 0
    assert found["range of H less the authors'"].mean == -1.5
    assert not list(range_rows(problem, "lambda", {0.0: run}, CURVES, 0.2, 0.6))
    skipped = replace(run, passed_over=[{"parameters": {"learning_rate": 10.0}, "failed": "up"}])
    chosen = by_metric(chosen_rows(problem, skipped))
    assert chosen["chosen passed over"] == "10"
    assert chosen["chosen learning rate"] == run.parameters["learning_rate"]
    one = [{"parameters": {"learning_rate": 2.0}, "H": 7.0}]
    two = [
        {"parameters": {"learning_rate": rate}, **of}
        for rate, of in ((5.0, {"failed": "up"}), (1.0, {"H": 9.0}))
    ]
    runs = {"line 6": replace(run, trials=one), "line 4": replace(run, trials=two)}
    rates = [(r["method"], r["learning_rate"], r["value"]) for r in rate_rows({problem: runs})]
    assert rates == [
        ("line 6", 1.0, None), ("line 6", 2.0, 7.0), ("line 6", 5.0, None),
        ("line 4", 1.0, 9.0), ("line 4", 2.0, None), ("line 4", 5.0, "failed"),
    ]  # fmt: skip


def test_the_range_is_picked_on_validation_and_measured_on_test(problem, run):
    other = replace(run, validation=run.validation[::-1], test=run.test[::-1], alpha=0.0)
    runs = {0.2: run, 0.5: other}
    H = {x: np.mean([o.value("H") for o in r.outcomes("validation")]) for x, r in runs.items()}
    best, worst = max(H, key=H.get), min(H, key=H.get)
    tests = {x: np.mean([o.value("H") for o in r.outcomes()]) for x, r in runs.items()}
    found = by_metric(range_rows(problem, "lambda", runs, CURVES, 0.2, 0.6))
    assert found["range of H from 0.2 to 0.6"].mean == pytest.approx(tests[best] - tests[worst])


def test_half_and_gap(run):
    lines = {"line 1": run.outcomes(alpha=0.0), "line 3": run.outcomes(), "line 6": run.outcomes()}
    rows = {r["method"]: r["value"] for r in side_rows("data", lines)}
    tests = [o.value("H") for o in run.outcomes()]
    assert rows["3 - half of 6"].mean == pytest.approx(np.mean(tests) / 2)
    gaps = [[abs(o.seen - o.unseen) for o in lines[f"line {n}"]] for n in (6, 1)]
    assert rows["6 - 1"].mean == pytest.approx(np.mean(gaps[0]) - np.mean(gaps[1]))


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


def test_known_texts_and_hubs(problem, run):
    found = []
    training = {}
    for i in problem.trainval:
        rows = problem.text_index[problem.text_offsets[i] : problem.text_offsets[i + 1]]
        training.setdefault(problem.labels[i], set()).update(problem.text_ids[rows].tolist())
    for i in problem.test_seen:
        rows = problem.text_index[problem.text_offsets[i] : problem.text_offsets[i + 1]]
        found.append(bool(set(problem.text_ids[rows].tolist()) & training[problem.labels[i]]))
    assert known_text_share(problem) == pytest.approx(100 * np.mean(found))
    outcomes = {"CLAREL": run.outcomes()}
    counts = [
        np.bincount(o.predictions("ACC"), minlength=problem.is_seen.size)[problem.unseen_classes]
        for o in outcomes["CLAREL"]
    ]
    hubs = by_metric(hub_rows(problem, outcomes), method="CLAREL")
    assert hubs["largest N_1 over fair share"].mean == pytest.approx(
        np.mean([c.max() / c.mean() for c in counts])
    )
    drawn = [r["value"] for r in ranked_counts(problem, outcomes) if r["method"] == "CLAREL"]
    assert drawn == sorted(counts[0].tolist(), reverse=True)


@pytest.fixture(scope="module")
def pairs(problem):
    made = HeldOutPairs(problem, [0], n_batches=20, embedding_dim=6, device="cpu")
    return made.train(("before training",))


def test_the_nearest_texts_of_an_image_are_shown_with_whose_they_are(pairs):
    (model,) = pairs.models["before training"]
    held = pairs.problem
    images, texts, belongs = pairs.asked
    found = nearest_texts(pairs, model, n_images=3, k=2)
    assert len(found) == 6
    places = [int(row[0].rsplit(" ", 1)[1]) for row in found]
    assert places == sorted(places)
    own = []
    for i, image in enumerate(images):
        z = model.embed_images(held.features[image : image + 1])[0]
        d = [np.linalg.norm(z - model.embed_texts(pairs.texts[t : t + 1])[0]) for t in texts]
        order = np.argsort(d, kind="stable")
        own.append(1 + min(order.tolist().index(j) for j in np.flatnonzero(belongs[i])))
    assert (places[0], places[-1]) == (min(own), max(own))
    assert {row[2] for row in found} <= {"own", "of its class", "of another"}
    assert (found[0][2] == "own") == (places[0] == 1)


def test_own_texts_and_spread_by_loops(pairs):
    (measured,) = pairs.measures()["before training"]
    (model,) = pairs.models["before training"]
    held = pairs.problem
    image = next(i for i in held.test_unseen if held.text_offsets[i] < held.text_offsets[i + 1])
    z = model.embed_images(held.features[image : image + 1])[0]
    images, texts, belongs = pairs.asked
    d = [np.linalg.norm(z - model.embed_texts(pairs.texts[t : t + 1])[0]) for t in texts]
    own = belongs[list(images).index(image)]
    told = list(zip(d, own, strict=True))
    pairs_in_order = [a < b for a, x in told for b, y in told if x and not y]
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
        z, of = model.embed_images(held.features[drawn]).astype(float), held.labels[drawn]
        between = sum(
            (of == c).sum() * ((z[of == c].mean(0) - z.mean(0)) ** 2).sum() for c in np.unique(of)
        )
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
    assert share_meeting_equals(pairs, 200) == pytest.approx(100 * np.mean(met), abs=5)


def test_curves_are_means_over_trainings(pairs):
    rows = list(curve_rows(pairs, ["before training"], ["text_retrieval"]))
    log = pairs.models["before training"][0].learning_curve_
    assert [r["value"] for r in rows] == [entry["text_retrieval"] for entry in log]


def test_losses_at_the_end_are_those_of_the_last_batches(pairs, monkeypatch):
    models = pairs.models["before training"]
    monkeypatch.setitem(pairs.models, "CLAREL", models)
    rows = [r for r in loss_rows(pairs, []) if r["metric"] == "loss at the end of training"]
    last = models[0].learning_curve_[-1]
    assert {r["part"]: r["value"] for r in rows} == {term: last[term] for term in TERMS}


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


def test_rows_of_errors_are_geometric_means(network, monkeypatch):
    check = network.checker(narrow=True)
    monkeypatch.setattr(check, "errors", lambda group, s, dtype, steps: [10.0 ** -(s + 1), 1e-4])
    rows = list(check.error_rows([0, 2], np.array([1e-2, 1e-3])))
    found = [r["value"] for r in rows if r["part"] == "LSTM"]
    assert found == pytest.approx([1e-4, 1e-2, 1e-4])  # the smallest, then by step


def test_counts_of_validation_sets(problem):
    counts = validation_counts(problem, 0.25, 0)
    seen = np.isin(problem.labels[problem.trainval], np.unique(problem.labels[problem.train]))
    assert counts["kept"] + counts["seen validation"] == seen.sum()
    assert counts["trainval"] == len(problem.trainval)
    _, train, kept, away, _, val = counts["lines"]["all images"]
    assert train == kept + away >= counts["kept"] + counts["seen validation"]
    printed = {"train": train, "validation, unseen classes": val}
    apart, beyond = against_printed(counts, printed)[0].values()
    assert (apart, beyond) == (0, max(0, train + val - len(problem.trainval)))


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


def test_departures_change_what_they_name(problem, run, monkeypatch):
    """Only alpha or prototypes where a name says so, and the training where it says that."""
    asked = []

    def trained(p, seeds, changes=None, **options):
        asked.append(changes)
        return run

    def again(model, p, seeds, **options):
        asked.append(options)
        return replace(run, alpha=0.25)

    monkeypatch.setattr("chapters.clarel.departures.run_clarel", trained)
    monkeypatch.setattr("chapters.clarel.departures.run_image_text", again)
    found, rows = departures(problem, [0, 1], n_batches=60)
    assert asked[0] is None
    assert {"shuffle_labels": True} in asked
    assert asked[-2]["prototypes_from"] == ("trainval", "test_seen", "test_unseen")
    assert asked[-1]["held_out"].trainval.size > problem.validation_problem().trainval.size
    alphas = {r["method"]: r["value"] for r in rows}
    assert alphas["α from overlapping data"] == 0.25
    each = [choose_alpha([r.outcome])[0] for r in run.validation]
    assert alphas["α averaged"] == pytest.approx(np.mean(each))
    for name, alpha in alphas.items():
        gammas = {o.gamma for o in found[name]}
        assert gammas == {np.log1p(alpha)}, name
    assert found.keys() == alphas.keys()


def test_a_sweep_on_test_images_never_loses(problem, run, monkeypatch):
    other = replace(run, validation=run.validation[::-1], test=run.test[::-1], alpha=0.0)
    monkeypatch.setattr(
        "chapters.clarel.departures.run_at",
        lambda p, mix, weight, seeds, **o: run if mix == weight else other,
    )
    points, settings = [0.0, 0.5], {"lambda": 0.5, "kappa": 0.5}
    rows = list(swept_on_test(problem, [0, 1], points, settings))
    H = {
        part: [np.mean([o.value("H") for o in r.outcomes(part)]) for r in (other, run)]
        for part in ("validation", "test")
    }
    wanted = max(H["test"]) - H["test"][int(np.argmax(H["validation"]))]
    assert [r["value"] for r in rows] == [pytest.approx(wanted)] * 2
    assert wanted >= 0


def test_prototypes_of_all_texts(problem):
    class Fixed:
        """Counts the texts of each prototype."""

        n_parameters_, learning_curve_ = 0, []

        def fit(self, X, y, texts, text_rows, text_ids):
            return self

        def get_params(self, deep=True):
            return {}

        def class_prototypes(self, texts, labels, n_classes):
            self.counts.append(np.bincount(labels, minlength=n_classes))
            return np.zeros((n_classes, 2))

        def distances(self, X, prototypes):
            return np.ones((len(X), len(prototypes)))

    Fixed.counts = []
    for parts in (("trainval", "test_unseen"), ("trainval", "test_seen", "test_unseen")):
        evaluate_image_text(Fixed(), problem, retrieval=False, prototypes_from=parts)
    ours, theirs = Fixed.counts
    per_image = np.diff(problem.text_offsets)[problem.test_seen]
    added = np.bincount(problem.labels[problem.test_seen], per_image, minlength=ours.size)
    np.testing.assert_array_equal(theirs - ours, added)


def test_a_training_above_a_guess_has_failed(pairs):
    (model,) = pairs.models["before training"]
    with pytest.raises(ValueError, match=r"the loss of \w+ ends at .*, that of a guess is"):
        check_losses(model)
