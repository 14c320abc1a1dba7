"""Answers by way of terms, on a problem small enough to answer by hand."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from chapters.devise.answers import SoftmaxModel, TermModel, TermSpace
from zslib.compatibility import ConSE, DeViSE
from zslib.datasets import WordVectors, ZeroShotProblem
from zslib.mapping import RidgeMap
from zslib.metrics import Hierarchy
from zslib.search import top_k

TERMS = {
    "bird": ["crane"],
    "machine": ["crane", "hoist"],
    "room": ["hall", "ballroom"],
    "oak": ["oak"],
    "elm": ["no vector"],
}
LINKS = [("bird", "thing"), ("machine", "thing"), ("room", "thing"), ("oak", "thing")]
LABELS = ["bird", "machine", "room", "oak"]
WORDS = ["crane", "hoist", "hall", "ballroom", "oak"]


@pytest.fixture
def space():
    return TermSpace(TERMS, WordVectors(np.array(WORDS), np.eye(5, dtype=np.float32)))


@pytest.fixture
def problem(backend):
    """Features that are the vector of the class's first term, and a little of another's."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(5), 8)
    first = np.array([0, 0, 2, 4, 4])
    features = np.eye(5)[first[labels]] + 0.05 * rng.standard_normal((40, 5))
    parts = np.arange(40).reshape(5, 8)
    names, known = np.array(list(TERMS)), parts[[0, 2, 3, 4]]
    host = ZeroShotProblem(
        name="toy", synthetic=True, description="synthetic toy data",
        features=features.astype(np.float32), labels=labels,
        class_embeddings=np.eye(5, dtype=np.float32), class_names=names, class_ids=names,
        trainval=known[:, :5].ravel(), test_seen=known[:, 5:].ravel(), test_unseen=parts[1],
    )  # fmt: skip
    object.__setattr__(host, "features", backend.asarray(host.features))
    return host


@pytest.fixture
def model(space, problem):
    return TermModel(space).fit(problem)


def test_a_seen_image_is_answered_with_all_synsets_of_its_term(space, problem, backend):
    model = TermModel(space, mapping=RidgeMap(alpha=1e-6)).fit(problem)
    near = model.search(problem, problem.test_seen, ["machine", "bird", "room", "oak"], 5)
    assert near.left_out == 3
    found = near.answers(1)
    backend.check(found.predictions)
    # The crane's first synset is the machine, as the label set has it first.
    assert found.hits(1)[:, 0].tolist() == [0.0] * 3 + [100.0] * 6
    two = near.answers(2, n_terms=4)
    assert two.hits(2)[:3, 0].tolist() == [100.0] * 3
    assert two.labels == ("machine", "bird", "room", "oak")


def test_answers_are_the_synsets_of_the_nearest_terms(model, space, problem, backend):
    near = model.search(problem, problem.test_unseen, LABELS, 5)
    lexicon, matrix = space.part(LABELS)
    features = backend.to_numpy(problem.features)[problem.test_unseen]
    queries = model.mapping.transform(backend.asarray(features))
    _, nearest = top_k(queries, backend.asarray(matrix), 5, metric="cosine")
    expected = lexicon.expand(nearest, 3)
    found = near.answers(3, n_terms=5).predictions
    assert np.array_equal(backend.to_numpy(found), backend.to_numpy(expected))


def test_a_hierarchy_in_parts_is_walked_as_far_as_it_goes(model, problem):
    near = model.search(problem, problem.test_unseen, ["bird", "machine", "oak"], 3)
    answers = near.answers(3, n_terms=3)
    parts = Hierarchy([("machine", "thing"), ("oak", "thing")], nodes=["bird"])
    with pytest.raises(ValueError, match="if_fewer"):
        answers.hierarchical(parts, 3)
    # All three are answered, and two of them are in reach of the true one, the machine.
    np.testing.assert_allclose(answers.hierarchical(parts, 3, if_fewer="all"), 200 / 3)


def test_chance_is_the_mean_over_all_ordered_answers(model, problem, backend):
    found = model.search(problem, problem.test_seen, LABELS, 5).answers(2, n_terms=5)
    hierarchy = Hierarchy([*LINKS[:3], ("oak", "room")])
    drawn = []
    for pair in permutations(range(4), 2):
        every = np.tile(pair, (found.gold.shape[0], 1))
        every = replace(found, predictions=backend.asarray(every))
        drawn.append(every.hierarchical(hierarchy, (1, 2)))
    np.testing.assert_allclose(found.chance(hierarchy, (1, 2)), np.mean(drawn, axis=0))


def test_the_challenge_takes_the_best_answer(model, problem, backend):
    found = model.search(problem, problem.test_unseen, LABELS, 5).answers(2, n_terms=5)
    hierarchy = Hierarchy([("bird", "a"), ("machine", "a"), ("a", "top"), ("room", "top"),
                           ("oak", "top")])  # fmt: skip
    # The true label, the machine, is in row 1; a bird is one link away by "a", the rest two.
    rows = np.array([[2, 0], [2, 3], [3, 1], [0, -1], [-1, -1]])
    some = replace(found, predictions=backend.asarray(rows), gold=backend.asarray(np.full(5, 1)))
    assert some.challenge_error(hierarchy, 2).tolist() == [1, 2, 0, 1, 2]


def search(model, problem, *, first=None, labels=("oak",), n=1):
    return model.search(problem, problem.test_unseen[:first], list(labels), n)


REFUSALS = [
    (lambda m, p: search(m, p, labels=TERMS, n=3).answers(1), "4 terms are wanted and 3 were"),
    (lambda m, p: search(m, p), "none of 8 images of toy has its class among 1 synsets"),
    (lambda m, p: search(m, p, first=0), "none of 0 images of toy has its class among"),
]


def test_errors(model, problem, refusal):
    refusal(model, problem)


def test_conse_as_a_mapping_is_conse_on_the_first_terms(space, problem, backend):
    model = TermModel(space, mapping=ConSE()).fit(problem)
    lexicon, matrix = space.part()
    features = backend.to_numpy(problem.features)
    known = [i for i in problem.trainval if problem.labels[i] != 4]
    terms = {"bird": "crane", "room": "hall", "oak": "oak"}
    targets = matrix[[lexicon.term_row[name] for name in terms.values()]]
    codes = [list(terms).index(str(problem.class_ids[c])) for c in problem.labels[known]]
    plain = ConSE().fit(features[known], np.array(codes), targets)
    mapped = model.embed(backend.asarray(features[problem.test_unseen]))
    backend.assert_allclose(mapped, plain.embed(features[problem.test_unseen]), atol=1e-3)
    # Rows are convex combinations of unit vectors along the axes.
    np.testing.assert_allclose(backend.to_numpy(mapped).sum(axis=1), 1, rtol=1e-5)


def test_devise_as_a_mapping_lands_at_the_scores_it_ranks_by(space, problem, backend):
    model = TermModel(space, mapping=DeViSE(0.1, random_state=0)).fit(problem)
    mapped = model.embed(problem.features)
    inner = model.mapping
    scores = inner.decision_function(problem.features)
    expected = backend.to_numpy(mapped) @ backend.to_numpy(inner.class_embeddings_).T
    backend.assert_allclose(scores, expected, atol=1e-5)
    # The three named training classes are answered right, the oaks by the term itself.
    near = model.search(problem, problem.test_seen, ["bird", "room", "oak"], 4)
    assert near.answers(1, n_terms=4).hits(1).mean() == 100.0


def test_the_softmax_ranks_its_own_classes(space, problem, backend):
    conse = TermModel(space, mapping=ConSE()).fit(problem)
    found = SoftmaxModel(conse).search(problem, problem.test_seen, ["oak", "bird", "room"])
    order = backend.to_numpy(found.predictions)
    assert np.array_equal(np.sort(order, axis=1), np.tile(np.arange(3), (len(order), 1)))
    # The most probable class is ConSE's where it averages that class alone.
    conse.mapping.n_averaged = 1
    names = np.array(found.labels)[order[:, 0]]
    first = {"bird": "crane", "room": "hall", "oak": "oak"}
    near = conse.search(problem, problem.test_seen, ["oak", "bird", "room"], 1)
    terms = np.array(near.lexicon.terms)[backend.to_numpy(near.terms)[:, 0]]
    assert [first[name] for name in names] == terms.tolist()
    assert found.answers(2).hits(1).mean() == 100.0
    with pytest.raises(KeyError, match="unknown synset"):
        SoftmaxModel(conse).search(problem, problem.test_seen, ["oak", "room"])
