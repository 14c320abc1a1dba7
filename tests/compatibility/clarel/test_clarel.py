"""CLAREL: a whole step against finite differences, what it learns, prototypes, bad input."""

import itertools
import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from zslib.arrays import random_generator
from zslib.compatibility import CLAREL, clarel_settings
from zslib.compatibility.clarel.loss import clarel_loss, embedding_distances
from zslib.compatibility.clarel.network import ClarelNetwork, make_encoder
from zslib.compatibility.clarel.pairs import Pairs
from zslib.compatibility.clarel.training import Progress
from zslib.nn import Dropout

SMALL = {
    "embedding_dim": 8,
    "word_dim": 6,
    "filters": (4, 6),
    "lstm_units": 4,
    "batch_size": 8,
    "n_batches": 6,
    "random_state": 0,
}


def pairs_data(seed=0, *, n_traits=3, per_class=10, p=12, dtype="float64"):
    """Classes are pairs of traits; images show them noisily, texts name them among filler.

    Unseen are the classes with twice the same trait: each trait occurs in seen classes too. No fit
    writes to the arrays.
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_traits**2), per_class)
    first, second = labels // n_traits, labels % n_traits
    views = rng.standard_normal((2, n_traits, p))
    X = views[0, first] + views[1, second] + 0.2 * rng.standard_normal((len(labels), p))
    named = np.stack([2 + first, 2 + n_traits + second], axis=1)
    filler = rng.integers(2 + 2 * n_traits, 14 + 2 * n_traits, named.shape)
    tokens = rng.permuted(np.concatenate([named, filler], axis=1), axis=1)
    tokens = np.concatenate([tokens, 0 * tokens[:, :1]], axis=1)
    X = X.astype(dtype)
    X.flags.writeable = labels.flags.writeable = tokens.flags.writeable = False
    return X, labels, tokens, first == second


def fit(X, labels, tokens, seen, **parameters):
    return CLAREL(**SMALL | parameters).fit(X[seen], labels[seen], tokens[seen])


@pytest.mark.parametrize(
    "parameters",
    [
        {"text_encoder": "mean", "learning_rate": 0.3},
        {"text_encoder": None, "learning_rate": 0.3},
        {"text_encoder": "paper", "learning_rate": 0.3, "filters": (16, 16), "lstm_units": 16},
        {"text_encoder": "mean", "distance": "squared", "learning_rate": 0.03},
        {"text_encoder": "mean", "classification_weight": 0.0, "learning_rate": 0.3},
    ],
    ids=lambda p: ", ".join(str(v) for v in p.values()),
)
def test_recognises_classes_never_seen(parameters):
    parameters |= {"n_batches": 300, "decay_every": 100, "dropout": 0}
    right = {"unseen": [], "all": []}
    for seed in range(3):
        X, labels, texts, unseen = pairs_data(seed, n_traits=5)
        if parameters["text_encoder"] is None:
            texts = np.stack([np.isin(np.arange(30), row) for row in texts]).astype(float)
        model = fit(X, labels, texts, ~unseen, **parameters)
        assert model.learning_curve_[-1]["total"] < model.learning_curve_[0]["total"]
        classes, codes = np.unique(labels[unseen], return_inverse=True)
        prototypes = model.class_prototypes(texts[unseen], codes, len(classes))
        right["unseen"].append(model.predict(X[unseen], prototypes) == codes)
        every = model.class_prototypes(texts, labels, 25)
        right["all"].append(model.predict(X[~unseen], every) == labels[~unseen])
    assert np.mean(right["unseen"]) > 0.5  # one in 5 by chance
    assert np.mean(right["all"]) > 0.4  # one in 25 by chance


@pytest.mark.parametrize("text_encoder", ["mean", "paper", None])
def test_a_step_descends_the_gradient_of_the_whole(text_encoder, numerical_gradient):
    """With a small rate, (before - after) / rate is the gradient of loss and penalty."""
    X, labels, tokens, _ = pairs_data(per_class=2)
    texts = np.random.default_rng(1).standard_normal((18, 3)) if text_encoder is None else tokens
    parameters = {"text_encoder": text_encoder, "dropout": 0.0, "convolution_penalty": 0.01}
    model = CLAREL(0.3, 0.4, **SMALL | parameters)
    ids = np.arange(18) % 7
    settings = {"retrieval_mix": 0.3, "classification_weight": 0.4, "distance": "euclidean"}

    def network():
        rng = random_generator(0)
        pairs = Pairs(len(X), len(texts), None, ids)
        encoder = make_encoder(model, texts, pairs, rng, X[:1, :1])
        net = ClarelNetwork(12, 9, 8, encoder, 0.0, rng, like=X[:1, :1])
        return net, pairs, encoder.prepare(texts)

    def loss(net, pairs, prepared):
        batch = np.arange(8)
        draw = pairs.draw(batch, 1, None)
        z = net.image_layer.forward(X[batch])
        t = net.text_layer.forward(net.encoder.encode(prepared, draw, train=True))
        terms, _ = clarel_loss(
            z,
            t,
            net.image_classifier.forward(z),
            net.text_classifier.forward(t),
            labels[batch],
            same_text=pairs.in_common(draw),
            **settings,
        )
        learned = net.parameters().values()
        return float(terms.total) + sum(p.penalty * np.sum(p.value**2) for p in learned)

    net, pairs, prepared = network()
    start = {name: p.value.copy() for name, p in net.parameters().items()}
    batch = np.arange(8)
    draw = pairs.draw(batch, 1, None)
    same = pairs.in_common(draw)
    inputs = X[batch], prepared, draw, labels[batch]
    terms = net.step(*inputs, {"rate": 1e-3}, same_text=same, **settings)
    other, *rest = network()
    penalty = sum(p.penalty * np.sum(p.value**2) for p in other.parameters().values())
    assert float(terms[0]) + penalty == pytest.approx(loss(other, *rest), rel=1e-12)
    rng = np.random.default_rng(2)
    for name, p in net.parameters().items():
        stepped = (start[name] - p.value) / 1e-3
        towards = rng.standard_normal(stepped.shape)
        place = other.parameters()[name].value

        def along(t, place=place, name=name, towards=towards):
            place[...] = start[name] + t * towards
            value = loss(other, *rest)
            place[...] = start[name]
            return value

        slope = (along(1e-6) - along(-1e-6)) / 2e-6
        assert np.sum(stepped * towards) == pytest.approx(slope, rel=1e-4, abs=1e-6), name


@pytest.mark.parametrize("text_encoder", ["mean", "paper", None])
def test_every_library_trains_the_same(backend, text_encoder):
    X, labels, tokens, _ = pairs_data(per_class=3)
    texts = np.random.default_rng(1).standard_normal((27, 3)) if text_encoder is None else tokens
    here, there = (CLAREL(**SMALL, text_encoder=text_encoder) for _ in range(2))
    there.fit(X, labels, texts)
    here.fit(*(backend.asarray(a) for a in (X, labels, texts)))
    for name, p in here.network_.parameters().items():
        expected = there.network_.parameters()[name].value
        backend.assert_allclose(p.value, expected, atol=1e-8, err_msg=name)
    backend.assert_equal(here.classes_, np.arange(9))
    prototypes = here.class_prototypes(backend.asarray(texts), backend.asarray(labels), 9)
    expected = there.class_prototypes(texts, labels, 9)
    backend.assert_allclose(prototypes, expected, atol=1e-8)
    scores = backend.to_numpy(here.decision_function(backend.asarray(X), prototypes))
    np.testing.assert_allclose(scores, there.decision_function(X, expected), atol=1e-7)
    predicted = backend.to_numpy(here.predict(backend.asarray(X), prototypes))
    assert predicted.dtype == np.int64
    np.testing.assert_array_equal(predicted, there.predict(X, expected))
    assert here.learning_curve_[-1]["total"] == pytest.approx(there.learning_curve_[-1]["total"])


@pytest.mark.parametrize("text_encoder", ["mean", "paper", None])
def test_float32_stays_float32(text_encoder):
    X, labels, tokens, _ = pairs_data(dtype="float32")
    texts = X[:, :4] if text_encoder is None else tokens
    model = CLAREL(**SMALL, text_encoder=text_encoder).fit(X, labels, texts)
    arrays = {name: p.value for name, p in model.network_.parameters().items()}
    for name, array in (arrays | model.network_.buffers()).items():
        assert array.dtype == np.float32, name
    prototypes = model.class_prototypes(texts, labels, 9)
    assert prototypes.dtype == model.embed_images(X).dtype == np.float32
    assert model.decision_function(X, prototypes).dtype == np.float32
    wide = model.decision_function(X.astype(float), prototypes.astype(float))
    assert wide.dtype == np.float64
    np.testing.assert_allclose(model.decision_function(X, prototypes), wide, rtol=1e-4)


def test_prototypes_distances_and_predictions():
    X, labels, tokens, unseen = pairs_data()
    for distance in ("euclidean", "squared"):
        model = fit(X, labels, tokens, ~unseen, text_encoder="mean", distance=distance)
        embedded = model.embed_texts(tokens)
        assert embedded.shape == (90, 8)
        table, layer = model.network_.encoder.weight.value, model.network_.text_layer
        words = np.mean([table[t] for t in tokens[7] if t], axis=0)
        np.testing.assert_allclose(embedded[7], words @ layer.weight.value + layer.bias.value)
        prototypes = model.class_prototypes(tokens, labels, 9)
        expected = [embedded[labels == c].mean(axis=0) for c in range(9)]
        np.testing.assert_allclose(prototypes, expected, rtol=1e-10)
        images = model.embed_images(X)
        head = model.network_.image_layer
        np.testing.assert_allclose(images, X @ head.weight.value + head.bias.value)
        d = model.distances(X, prototypes)
        np.testing.assert_allclose(d, embedding_distances(images, prototypes, distance=distance))
        np.testing.assert_array_equal(model.decision_function(X, prototypes), -d)
        np.testing.assert_array_equal(model.predict(X, prototypes), d.argmin(axis=1))


def test_many_texts_in_blocks():
    X, labels, tokens, _ = pairs_data()
    for text_encoder in ("mean", "paper"):
        model = CLAREL(**SMALL, text_encoder=text_encoder).fit(X, labels, tokens)
        many = np.tile(tokens, (6, 1))
        once = model.embed_texts(tokens)
        np.testing.assert_allclose(model.embed_texts(many), np.tile(once, (6, 1)), atol=1e-12)


def test_seeds_labels_and_scikit_learn():
    X, labels, tokens, _ = pairs_data(per_class=4)
    model = CLAREL(0.2, **SMALL, text_encoder="mean")
    assert clone(model).get_params() == model.get_params()
    assert model.get_params()["retrieval_mix"] == 0.2
    with pytest.raises(NotFittedError):
        model.embed_images(X)
    assert model.fit(X, labels, tokens) is model
    same = clone(model).fit(X, labels, tokens)
    other = clone(model).set_params(random_state=1).fit(X, labels, tokens)
    renamed = clone(model).fit(X, 10 - 3 * labels, tokens)
    np.testing.assert_array_equal(model.embed_images(X), same.embed_images(X))
    assert not np.allclose(model.embed_images(X), other.embed_images(X))
    np.testing.assert_array_equal(renamed.classes_, np.unique(10 - 3 * labels))
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.embed_texts(tokens), model.embed_texts(tokens))
    # 12 and 6 numbers to 8, two classifiers of 9 classes, and 20 word vectors.
    assert model.n_parameters_ == 13 * 8 + 7 * 8 + 2 * 9 * 9 + 20 * 6
    assert model.n_features_in_ == 12


def test_labels_play_no_part_without_classifiers():
    X, labels, tokens, _ = pairs_data(per_class=4)
    parameters = SMALL | {"text_encoder": "mean", "classification_weight": 0.0}
    model = CLAREL(**parameters).fit(X, labels, tokens)
    shuffled = CLAREL(**parameters).fit(X, labels[::-1].copy(), tokens)
    np.testing.assert_array_equal(model.embed_images(X), shuffled.embed_images(X))
    with_them = CLAREL(**parameters | {"classification_weight": 0.5})
    one = with_them.fit(X, labels, tokens).embed_images(X)
    assert not np.allclose(one, with_them.fit(X, labels[::-1].copy(), tokens).embed_images(X))


def test_words_without_training_stay_silent():
    X, labels, tokens, _ = pairs_data(per_class=4)
    for text_encoder in ("mean", "paper"):
        model = CLAREL(**SMALL, text_encoder=text_encoder, n_tokens=25).fit(X, labels, tokens)
        table = model.network_.encoder.weight.value
        assert table.shape == (25, 6)
        assert not table[[0, 1, 20, 24]].any()
        assert table[2:20].any(axis=1).all()
        assert np.all(np.isfinite(model.embed_texts(np.array([[24, 1]]))))


@pytest.fixture
def steps(monkeypatch):
    """What each step of a training is given, and the losses that it gives back."""
    taken, step = [], ClarelNetwork.step

    def watched(self, X, prepared, draw, codes, descent, **loss):
        losses = step(self, X, prepared, draw, codes, descent, **loss)
        taken.append({"X": X, "codes": codes, "losses": losses, **descent, **loss})
        return losses

    monkeypatch.setattr(ClarelNetwork, "step", watched)
    return taken


def test_learning_rate_falls_in_steps(steps):
    X, labels, tokens, _ = pairs_data()
    falling = {"n_batches": 7, "decay_every": 3, "decay": 4, "learning_rate": 0.8}
    CLAREL(**SMALL | falling, text_encoder="mean").fit(X, labels, tokens)
    rates = [step["rate"] for step in steps]
    np.testing.assert_allclose(rates, [0.8] * 3 + [0.2] * 3 + [0.05])


def test_learning_curve_is_the_mean_of_each_interval(steps):
    X, labels, tokens, _ = pairs_data()
    model = CLAREL(**SMALL | {"n_batches": 8}, text_encoder="mean", log_every=3)
    model.fit(X, labels, tokens)
    names = ["total", "text_retrieval", "image_retrieval"]
    names += ["text_classification", "image_classification"]
    assert [entry["batch"] for entry in model.learning_curve_] == [3, 6, 8]
    for entry, part in zip(model.learning_curve_, (steps[:3], steps[3:6], steps[6:]), strict=True):
        expected = np.mean([step["losses"] for step in part], axis=0)
        np.testing.assert_allclose([entry[n] for n in names], expected)


def test_batches_are_drawn_without_replacement(steps):
    X, labels, tokens, _ = pairs_data(per_class=3)
    CLAREL(**SMALL | {"n_batches": 20}, text_encoder="mean").fit(X, labels, tokens)
    batches = [step["X"] for step in steps]
    assert len(batches) == 20
    assert all(len(np.unique(batch, axis=0)) == 8 for batch in batches)
    assert len(np.unique(np.concatenate(batches), axis=0)) == len(X) == 27


def test_labels_of_texts_shuffled_in_the_batch(steps):
    X, labels, tokens, _ = pairs_data(per_class=3)
    CLAREL(**SMALL, text_encoder="mean", shuffle_labels=True).fit(X, labels, tokens)
    for step in steps:
        np.testing.assert_array_equal(np.sort(step["codes"]), np.sort(step["text_codes"]))
    assert any((step["codes"] != step["text_codes"]).any() for step in steps)


def test_progress(capsys, monkeypatch):
    X, labels, tokens, _ = pairs_data(per_class=3)
    model = CLAREL(**SMALL, text_encoder="mean", log_every=2)
    model.fit(X, labels, tokens)
    assert capsys.readouterr().err == ""
    model.set_params(progress=True).fit(X, labels, tokens)
    error = capsys.readouterr().err
    assert error.endswith("\n")
    last = error.strip().rpartition("\r")[2]
    loss = f"{model.learning_curve_[-1]['total']:.4f}"
    pattern = rf"CLAREL 6/6 \[#{{24}}\], loss {loss}, [0-9.]+ batches/s, 0:00:00 left"
    assert re.fullmatch(pattern, last.strip()), last
    # A second later, and another: at most two lines a second.
    times = iter([0.0, 0.1, 0.2, 0.3, 1.0])
    monkeypatch.setattr("zslib.compatibility.clarel.training.monotonic", lambda: next(times))
    with Progress("x", 100) as progress:
        for done in (1, 2, 3, 50):
            progress.update(done, None)
    lines = capsys.readouterr().err.strip().split("\r")
    assert [line.split()[1] for line in lines if line] == ["1/100", "50/100"]
    assert "50.0 batches/s, 0:00:01 left" in lines[-1]


def test_divergence_is_reported():
    X, labels, tokens, _ = pairs_data()
    for scale, rate in ((1e30, 0.1), (1.0, 1e300)):
        with pytest.raises(ValueError, match="lower learning_rate, or scale the features"):
            fit(scale * X, labels, tokens, labels >= 0, text_encoder="mean", learning_rate=rate)


def test_bad_input():
    X, labels, tokens, _ = pairs_data(per_class=3)

    def refused(message, error=ValueError, X=X, y=labels, texts=tokens, **parameters):
        model = CLAREL(**SMALL | {"text_encoder": "mean"} | parameters)
        with pytest.raises(error, match=message):
            model.fit(X, y, texts)
        assert not hasattr(model, "network_")

    for name in ("retrieval_mix", "classification_weight"):
        for value in (-0.01, 1.01):
            refused(f"{name} must be a finite number, at least 0.0, at most 1.0", **{name: value})
        refused(f"{name} must be a number", TypeError, **{name: "half"})
    refused("batch_size must be between 2 and 27 .*one alone has nothing", batch_size=1)
    refused("batch_size must be between 2 and 27 .*no more samples", batch_size=28)
    refused("X has one row", X=X[:1], y=labels[:1], texts=tokens[:1])
    refused("X has 27 rows and texts 26", texts=tokens[:26])
    refused("y must have one label for each of the 27 rows", y=labels[:26])
    refused("y must hold integers", TypeError, y=labels.astype(float))
    empty = tokens.copy()
    empty[5] = 0
    refused(r"1 text\(s\) without tokens, the first is row 5", texts=empty)
    refused("texts must hold token numbers", TypeError, texts=X)
    refused("must be from 0 to 9", n_tokens=10)
    refused("n_tokens must be at least 2", n_tokens=1)
    refused("texts must be float32 or float64", TypeError, text_encoder=None)
    refused("distance must be one of", distance="cosine")
    refused("text_encoder must be one of 'paper', 'mean', None", text_encoder="lstm")
    refused("dropout must be below 1, got 1.0", dropout=1.0)
    refused("dropout must be a finite number, at least 0.0, got -0.1", dropout=-0.1)
    refused("exclude_equal must be one of True, False, got 'no'", exclude_equal="no")
    refused("learning_rate must be .* above 0", learning_rate=0.0)
    refused("decay must be .* at least 1", decay=0.5)
    # Those of the paper's encoder as well, whichever is asked for.
    for text_encoder in ("mean", "paper", None):
        asked = {"text_encoder": text_encoder}
        if text_encoder is None:
            asked["texts"] = X
        refused("kernel_width must be odd", kernel_width=4, **asked)
        refused("lstm_units must be at least 1", lstm_units=0, **asked)
        refused("pooling must be one of 'mean', 'last', got 'x'", pooling="x", **asked)
        refused("convolution_penalty must be .* at least 0", convolution_penalty=-1, **asked)
        refused("filters must be two numbers", filters=(3, 4, 5), **asked)
        refused("filters must be a pair of integers, got 3", TypeError, filters=3, **asked)
        refused(r"filters\[1\] must be at least 1", filters=(3, 0), **asked)
        refused(r"filters\[0\] must be an integer", TypeError, filters=(3.5, 3), **asked)
    refused("X holds NaN", X=X * np.nan)
    refused("momentum must be below 1, got 1.0", momentum=1.0)
    refused("clip must be .* above 0", clip=0.0)
    refused("dropout_each must be one of True, False", dropout_each=1.5)
    for name in ("embedding_dim", "n_batches", "texts_per_image", "log_every", "lstm_units"):
        refused(f"{name} must be at least 1", **{name: 0})


def test_bad_input_after_fit():
    X, labels, tokens, _ = pairs_data(per_class=3)
    model = CLAREL(**SMALL, text_encoder="mean").fit(X, labels, tokens)
    prototypes, some = model.class_prototypes, labels != 2
    for call, given, words in (
        (prototypes, (tokens[some], labels[some], 10), r"2 class\(es\) without texts \(2, 9\)"),
        (prototypes, (tokens, labels + 1, 9), r"labels must lie in \[0, 9\)"),
        (prototypes, (tokens, labels[:3], 9), "labels must have one class for each of the 27"),
        (model.embed_texts, (np.zeros((1, 2), int),), "without tokens"),
        (model.embed_images, (X[:, :5],), "X has 5 columns, but this CLAREL was fitted on 12"),
        (model.distances, (X, np.ones((2, 5))), "they must lie in the same space"),
    ):
        with pytest.raises(ValueError, match=words):
            call(*given)


def test_texts_lose_numbers_one_by_one(monkeypatch):
    """Dropout of each: every text is thinned and projected, and then the mean is taken."""
    X, labels, tokens, _ = pairs_data(per_class=3)
    rows = [[i, (i + 1) % 27, (i + 2) % 27] for i in range(27)]
    drawn = {}
    forward, step = Dropout.forward, ClarelNetwork.step

    def thinned(self, x, mask=None, *, train=False):
        out = forward(self, x, mask, train=train)
        drawn["text" if x.shape[1] != 12 else "image"] = out
        return out

    def watched(self, X, prepared, draw, codes, descent, **loss):
        linear, owner = self.text_layer, draw.owner
        before = linear.weight.value.copy(), linear.bias.value.copy()
        linear_forward = linear.forward

        def seen(x, **options):
            drawn["mean"] = linear_forward(x, **options)
            return drawn["mean"]

        linear.forward = seen
        result = step(self, X, prepared, draw, codes, descent, **loss)
        linear.forward = linear_forward
        projected = drawn["text"] @ before[0] + before[1]
        means = [projected[owner == i].mean(axis=0) for i in range(draw.n)]
        np.testing.assert_allclose(drawn["mean"], means, rtol=1e-10, atol=1e-12)
        assert len(drawn["text"]) == 24
        return result

    monkeypatch.setattr(Dropout, "forward", thinned)
    monkeypatch.setattr(ClarelNetwork, "step", watched)
    for text_encoder in ("mean", "paper"):
        model = CLAREL(**SMALL, text_encoder=text_encoder, dropout=0.5, dropout_each=True)
        model.fit(X, labels, tokens, rows)
    with monkeypatch.context() as patched:
        patched.setattr(ClarelNetwork, "step", step)
        first = SMALL | {"n_batches": 1}  # later ones would draw other batches
        once, each = (
            CLAREL(**first, text_encoder="mean", dropout=0.0, dropout_each=each)
            .fit(X, labels, tokens, rows)
            .embed_texts(tokens)
            for each in (False, True)
        )
    np.testing.assert_allclose(once, each, rtol=1e-10)


def test_momentum_and_clipping_by_a_loop():
    """Steps of a whole training, written out for each variable."""
    X, labels, tokens, _ = pairs_data(per_class=3)
    parameters = SMALL | {"text_encoder": "mean", "dropout": 0.0, "learning_rate": 0.5}
    n = parameters["n_batches"]
    stages = [
        CLAREL(**parameters | {"n_batches": k}, momentum=0.9, clip=0.02).fit(X, labels, tokens)
        for k in range(1, n + 1)
    ]
    values = [{k: p.value for k, p in s.network_.parameters().items()} for s in stages]
    for name in values[0]:
        moves = [b[name] - a[name] for a, b in itertools.pairwise(values)]
        for before, after in itertools.pairwise(moves):
            gradient = (0.9 * before - after) / 0.5
            assert np.linalg.norm(gradient) < 0.02 * (1 + 1e-6), name
    plain = CLAREL(**parameters | {"n_batches": 1}).fit(X, labels, tokens)
    start = CLAREL(**parameters | {"n_batches": 1, "learning_rate": 1e-30}).fit(X, labels, tokens)
    for name, p in plain.network_.parameters().items():
        origin = start.network_.parameters()[name].value
        gradient = (origin - p.value) / 0.5
        gradient *= min(1.0, 0.02 / np.linalg.norm(gradient))
        np.testing.assert_allclose(values[0][name], origin - 0.5 * gradient, rtol=1e-8, atol=1e-12)


def test_text_codes_are_those_of_the_text_classifier():
    rng = np.random.default_rng(0)
    z, t, a, b = (rng.standard_normal((4, 3)) for _ in range(4))
    codes, other = np.array([0, 1, 2, 0]), np.array([1, 1, 0, 2])
    terms, gradients = clarel_loss(z, t, a, b, codes, text_codes=other)
    of_texts, expected = clarel_loss(z, t, a, b, other)
    of_images, also = clarel_loss(z, t, a, b, codes)
    assert float(terms.text_classification) == float(of_texts.text_classification)
    assert float(terms.image_classification) == float(of_images.image_classification)
    np.testing.assert_array_equal(gradients[3], expected[3])
    np.testing.assert_array_equal(gradients[2], also[2])


@pytest.mark.parametrize("text_encoder", ["mean", "paper"])
def test_given_word_vectors_stay(text_encoder):
    X, labels, tokens, _ = pairs_data(per_class=3)
    given = np.random.default_rng(5).standard_normal((25, 4))
    model = CLAREL(**SMALL | {"word_dim": 9}, text_encoder=text_encoder, word_vectors=given)
    model = clone(model).fit(X, labels, tokens)
    np.testing.assert_array_equal(model.network_.encoder.weight.value, given)
    assert not any("embedding" in name for name in model.network_.parameters())
    assert model.embed_texts(np.array([[24, 3]])).shape == (1, 8)
    with pytest.raises(ValueError, match="must be from 0 to 9"):
        model.set_params(word_vectors=given[:10]).fit(X, labels, tokens)


def test_losses_beside_those_of_a_guess():
    X, labels, tokens, _ = pairs_data(per_class=4)
    model = CLAREL(**SMALL | {"n_batches": 200}, text_encoder="mean", learning_rate=0.3)
    found = model.fit(X, labels, tokens).losses_and_guesses()
    last = model.learning_curve_[-1]
    assert found["retrieval"] == pytest.approx(
        ((last["text_retrieval"] + last["image_retrieval"]) / 2, np.log(8))
    )
    assert found["classification"][1] == pytest.approx(np.log(9))
    assert all(loss < guess for loss, guess in found.values())
    alone = clone(model).set_params(retrieval_mix=0.0, classification_weight=0.0)
    assert alone.fit(X, labels, tokens).losses_and_guesses() == {
        "retrieval": (pytest.approx(alone.learning_curve_[-1]["image_retrieval"]), np.log(8))
    }
    classes = clone(model).set_params(classification_weight=1.0).fit(X, labels, tokens)
    assert classes.losses_and_guesses().keys() == {"classification"}


def test_the_settings_of_the_authors():
    assert clarel_settings("paper") == {}
    model = CLAREL(**SMALL | clarel_settings("authors") | {"filters": (4, 6)})
    X, labels, tokens, _ = pairs_data(per_class=3)
    encoder = model.fit(X, labels, tokens).network_.encoder
    assert list(encoder.layers.layers) == [
        "embedding", "block1", "halve1", "block2", "halve2", "lstm", "pool",
    ]  # fmt: skip
    norm = encoder.layers.layers["block2"].shortcut.layers["shortcut_norm"]
    assert (norm.momentum, norm.epsilon) == (0.95, 1e-6)
    # Half of the sum of squares, times 0.001.
    weight = encoder.layers.layers["block1"].branch.layers["conv1"].weight
    weight.zero_gradient()
    half = 0.001 * np.sum(weight.value**2) / 2
    assert float(weight.add_penalty()) == pytest.approx(half)
    np.testing.assert_allclose(weight.gradient, 0.001 * weight.value)
    with pytest.raises(ValueError, match="which must be one of 'paper', 'authors'"):
        clarel_settings("ours")


@pytest.mark.parametrize("unit", [1e-4, 1e-6, 1e-9])
def test_vectors_in_a_unit_in_which_nothing_is_learned_are_refused(unit):
    X, labels, _, _ = pairs_data()
    model = CLAREL(**SMALL | {"n_batches": 3}, text_encoder=None)
    with pytest.raises(ValueError, match=r"training failed: .* is .*bring rows to a length near"):
        model.fit(unit * X, labels, unit * X[:, :5])
    with pytest.raises(NotFittedError):
        model.embed_images(X)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [-99, 99])
@pytest.mark.parametrize("part", ["images", "texts"])
def test_vectors_of_a_useless_unit_are_refused(part, exponent, dtype):
    X, labels, _, _ = pairs_data(dtype=dtype)
    texts, unit = X[:, :5].copy(), X.dtype.type(2.0**exponent)
    X, texts = (X * unit, texts) if part == "images" else (X, texts * unit)
    model = CLAREL(**SMALL, text_encoder=None)
    with pytest.raises(ValueError, match=r"scale the features|told no (image|class) from another"):
        model.fit(X, labels, texts)
    with pytest.raises(NotFittedError):
        model.embed_images(X)
