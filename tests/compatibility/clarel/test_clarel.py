"""CLAREL: a whole step against finite differences, what it learns, prototypes, bad input."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from zslib.arrays import random_generator
from zslib.compatibility import CLAREL, clarel_settings
from zslib.compatibility.clarel.loss import clarel_loss, embedding_distances
from zslib.compatibility.clarel.network import ClarelNetwork, make_encoder
from zslib.compatibility.clarel.pairs import Pairs

SMALL = {
    "text_encoder": "mean",
    "embedding_dim": 8,
    "word_dim": 6,
    "filters": (4, 6),
    "lstm_units": 4,
    "batch_size": 8,
    "n_batches": 6,
    "random_state": 0,
}


def pairs_data(seed=0, *, n_traits=3, per_class=3, dtype="float64"):
    """Classes are pairs of traits; images show them noisily, texts name them among filler.

    Unseen are the classes with twice the same trait: each trait occurs in seen classes too. No fit
    writes to the arrays.
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_traits**2), per_class)
    first, second = labels // n_traits, labels % n_traits
    views = rng.standard_normal((2, n_traits, 12))
    X = views[0, first] + views[1, second] + 0.2 * rng.standard_normal((len(labels), 12))
    named = np.stack([2 + first, 2 + n_traits + second], axis=1)
    filler = rng.integers(2 + 2 * n_traits, 14 + 2 * n_traits, named.shape)
    tokens = rng.permuted(np.concatenate([named, filler], axis=1), axis=1)
    tokens = np.concatenate([tokens, 0 * tokens[:, :1]], axis=1)
    X = X.astype(dtype)
    X.flags.writeable = labels.flags.writeable = tokens.flags.writeable = False
    return X, labels, tokens, first == second


X, LABELS, TOKENS, _ = pairs_data()
ENCODERS = pytest.mark.parametrize("text_encoder", ["mean", "paper", None])


def make(**parameters):
    return CLAREL(**SMALL | parameters)


def fit(X=X, y=LABELS, texts=TOKENS, rows=None, **parameters):
    return make(**parameters).fit(X, y, texts, rows)


def texts_for(text_encoder):
    """Tokens, or vectors of three numbers."""
    vectors = np.random.default_rng(1).standard_normal((27, 3))
    return vectors if text_encoder is None else TOKENS


def network(pairs, texts=TOKENS, **parameters):
    model, rng = make(**parameters), random_generator(0)
    encoder = make_encoder(model, texts, pairs, rng, X[:1, :1])
    return ClarelNetwork(model, 12, 9, encoder, rng, like=X[:1, :1])


PAPER = {"text_encoder": "paper", "filters": (16, 16), "lstm_units": 16}


@pytest.mark.parametrize(
    "parameters",
    [
        {"learning_rate": 0.3},
        {"learning_rate": 0.3, "text_encoder": None},
        {"learning_rate": 0.3, **PAPER, "n_batches": 200, "decay_every": 70},
        {"learning_rate": 0.03, "distance": "squared"},
        {"learning_rate": 0.3, "classification_weight": 0.0},
    ],
    ids=lambda p: ", ".join(str(v) for v in p.values()),
)
def test_recognises_classes_never_seen(parameters):
    parameters = {"n_batches": 300, "decay_every": 100, "dropout": 0, **parameters}
    right = {"unseen": [], "all": []}
    for seed in range(3):
        X, labels, texts, unseen = pairs_data(seed, n_traits=5, per_class=10)
        if parameters.get("text_encoder", "mean") is None:
            texts = np.stack([np.isin(np.arange(30), row) for row in texts]).astype(float)
        model = fit(X[~unseen], labels[~unseen], texts[~unseen], **parameters)
        assert model.learning_curve_[-1]["total"] < model.learning_curve_[0]["total"]
        classes, codes = np.unique(labels[unseen], return_inverse=True)
        prototypes = model.class_prototypes(texts[unseen], codes, len(classes))
        right["unseen"].append(model.predict(X[unseen], prototypes) == codes)
        every = model.class_prototypes(texts, labels, 25)
        right["all"].append(model.predict(X[~unseen], every) == labels[~unseen])
    assert np.mean(right["unseen"]) > 0.5  # one in 5 by chance
    assert np.mean(right["all"]) > 0.4  # one in 25 by chance


@ENCODERS
def test_a_step_descends_the_gradient_of_the_whole(text_encoder):
    """With a small rate, (before - after) / rate is the gradient of loss and penalty."""
    texts, batch = texts_for(text_encoder), np.arange(8)
    pairs = Pairs(27, 27, None, np.arange(27) % 7)
    draw = pairs.draw(batch, 1, None)
    options = {"text_encoder": text_encoder, "dropout": 0.0, "convolution_penalty": 0.01}
    net, other = (network(pairs, texts, **options) for _ in range(2))
    moving = other.parameters()
    prepared = net.encoder.prepare(texts)
    settings = {"retrieval_mix": 0.3, "classification_weight": 0.4, "distance": "euclidean"}
    settings["same_text"] = pairs.in_common(draw)

    def penalty():
        return sum(p.penalty * np.sum(p.value**2) for p in moving.values())

    def loss():
        z = other.image_layer.forward(X[batch])
        t = other.text_layer.forward(other.encoder.encode(prepared, draw, train=True))
        logits = other.image_classifier.forward(z), other.text_classifier.forward(t)
        terms, _ = clarel_loss(z, t, *logits, LABELS[batch], **settings)
        return float(terms.total) + penalty()

    terms = net.step(X[batch], prepared, draw, LABELS[batch], {"rate": 1e-3}, **settings)
    assert float(terms[0]) + penalty() == pytest.approx(loss(), rel=1e-12)
    rng = np.random.default_rng(2)
    for name, p in net.parameters().items():
        place, start = moving[name].value, moving[name].value.copy()
        stepped = (start - p.value) / 1e-3
        towards, around = rng.standard_normal(stepped.shape), []
        for t in (1e-6, -1e-6):
            place[...] = start + t * towards
            around.append(loss())
        place[...] = start
        slope = (around[0] - around[1]) / 2e-6
        assert np.sum(stepped * towards) == pytest.approx(slope, rel=1e-4, abs=1e-6), name


@ENCODERS
def test_every_library_trains_the_same(backend, text_encoder):
    host = X, LABELS, texts_for(text_encoder)
    images, labels, texts = map(backend.asarray, host)
    here = fit(images, labels, texts, text_encoder=text_encoder)
    there = fit(*host, text_encoder=text_encoder)
    for name, p in here.network_.parameters().items():
        expected = there.network_.parameters()[name].value
        backend.assert_allclose(p.value, expected, atol=1e-8, err_msg=name)
    backend.assert_equal(here.classes_, np.arange(9))
    prototypes = here.class_prototypes(texts, labels, 9)
    expected = there.class_prototypes(*host[:0:-1], 9)
    backend.assert_allclose(prototypes, expected, atol=1e-8)
    scores = here.decision_function(images, prototypes)
    backend.assert_allclose(scores, there.decision_function(X, expected), atol=1e-7)
    predicted = here.predict(images, prototypes)
    assert backend.to_numpy(predicted).dtype == np.int64
    backend.assert_equal(predicted, there.predict(X, expected))
    assert here.learning_curve_[-1]["total"] == pytest.approx(there.learning_curve_[-1]["total"])


@ENCODERS
def test_float32_stays_float32(text_encoder):
    images = X.astype("float32")
    texts = images[:, :4] if text_encoder is None else TOKENS
    model = fit(images, LABELS, texts, text_encoder=text_encoder)
    arrays = {name: p.value for name, p in model.network_.parameters().items()}
    for name, array in (arrays | model.network_.buffers()).items():
        assert array.dtype == np.float32, name
    prototypes = model.class_prototypes(texts, LABELS, 9)
    assert prototypes.dtype == model.embed_images(images).dtype == np.float32
    narrow = model.decision_function(images, prototypes)
    wide = model.decision_function(X, prototypes.astype(float))
    assert (narrow.dtype, wide.dtype) == (np.float32, np.float64)
    np.testing.assert_allclose(narrow, wide, rtol=1e-4)


@pytest.mark.parametrize("distance", ["euclidean", "squared"])
def test_prototypes_distances_and_predictions(distance):
    model = fit(distance=distance)
    network, embedded = model.network_, model.embed_texts(TOKENS)
    table, layer = network.encoder.weight.value, network.text_layer
    words = np.array([np.mean([table[t] for t in row if t], axis=0) for row in TOKENS])
    np.testing.assert_allclose(embedded, words @ layer.weight.value + layer.bias.value)
    prototypes = model.class_prototypes(TOKENS, LABELS, 9)
    expected = [embedded[c == LABELS].mean(axis=0) for c in range(9)]
    np.testing.assert_allclose(prototypes, expected, rtol=1e-10)
    images, layer = model.embed_images(X), network.image_layer
    np.testing.assert_allclose(images, X @ layer.weight.value + layer.bias.value)
    d = model.distances(X, prototypes)
    np.testing.assert_allclose(d, embedding_distances(images, prototypes, distance=distance))
    np.testing.assert_array_equal(model.decision_function(X, prototypes), -d)
    np.testing.assert_array_equal(model.predict(X, prototypes), d.argmin(axis=1))


@pytest.mark.parametrize("text_encoder", ["mean", "paper"])
def test_many_texts_in_blocks(text_encoder, monkeypatch):
    model = fit(text_encoder=text_encoder)
    once = model.embed_texts(TOKENS)
    monkeypatch.setattr("zslib.compatibility.clarel.clarel._TEXTS_AT_ONCE", 10)
    np.testing.assert_allclose(model.embed_texts(TOKENS), once, atol=1e-12)


def test_seeds_labels_and_scikit_learn():
    model = make(retrieval_mix=0.2)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.embed_images(X)
    assert model.fit(X, LABELS, TOKENS) is model
    images = model.embed_images(X)
    same = clone(model).fit(X, LABELS, TOKENS)
    other = clone(model).set_params(random_state=1).fit(X, LABELS, TOKENS)
    renamed = clone(model).fit(X, 10 - 3 * LABELS, TOKENS)
    np.testing.assert_array_equal(images, same.embed_images(X))
    assert not np.allclose(images, other.embed_images(X))
    np.testing.assert_array_equal(renamed.classes_, np.unique(10 - 3 * LABELS))
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.embed_texts(TOKENS), model.embed_texts(TOKENS))
    # 12 and 6 numbers to 8, two classifiers of 9 classes, and 20 word vectors.
    assert model.n_parameters_ == 13 * 8 + 7 * 8 + 2 * 9 * 9 + 20 * 6
    assert model.n_features_in_ == 12


def test_labels_play_no_part_without_classifiers():
    for weight in (0.0, 0.5):
        one, other = (
            fit(y=y, classification_weight=weight).embed_images(X) for y in (LABELS, LABELS[::-1])
        )
        assert np.array_equal(one, other) == (weight == 0.0)


@pytest.mark.parametrize("text_encoder", ["mean", "paper"])
def test_words_without_training_stay_silent(text_encoder):
    model = fit(text_encoder=text_encoder, n_tokens=25)
    trained = model.network_.encoder.weight.value.any(axis=1)
    np.testing.assert_array_equal(trained, np.isin(np.arange(25), np.unique(TOKENS[TOKENS > 0])))
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
    fit(n_batches=7, decay_every=3, decay=4, learning_rate=0.8)
    rates = [step["rate"] for step in steps]
    np.testing.assert_allclose(rates, [0.8] * 3 + [0.2] * 3 + [0.05])


def test_learning_curve_is_the_mean_of_each_interval(steps):
    curve = fit(n_batches=8, log_every=3).learning_curve_
    kinds = "retrieval", "classification"
    names = ["total", *(f"{of}_{kind}" for kind in kinds for of in ("text", "image"))]
    assert [entry["batch"] for entry in curve] == [3, 6, 8]
    for entry, part in zip(curve, (steps[:3], steps[3:6], steps[6:]), strict=True):
        expected = np.mean([step["losses"] for step in part], axis=0)
        np.testing.assert_allclose([entry[n] for n in names], expected)


def test_batches_are_drawn_without_replacement(steps):
    fit(n_batches=20)
    batches = [step["X"] for step in steps]
    assert [len(np.unique(batch, axis=0)) for batch in batches] == [8] * 20
    assert len(np.unique(np.concatenate(batches), axis=0)) == len(X) == 27


def test_labels_of_texts_shuffled_in_the_batch(steps):
    fit(shuffle_labels=True)
    for step in steps:
        np.testing.assert_array_equal(np.sort(step["codes"]), np.sort(step["text_codes"]))
    assert any((step["codes"] != step["text_codes"]).any() for step in steps)


def test_progress(capsys):
    fit(log_every=2)
    assert capsys.readouterr().err == ""
    curve = fit(log_every=2, progress=True).learning_curve_
    expected = [f"CLAREL {e['batch']}/6, loss {e['total']:.4f}" for e in curve]
    assert capsys.readouterr().err.splitlines() == expected


NO_TOKENS = TOKENS * (np.arange(27) != 5)[:, None]
FITTED = fit()
SHARE, NUMBER = "must be a finite number, at least 0.0, at most 1.0", "must be a number"
REFUSALS = {
    fit: [
        *(
            ({"X": scale * X, "learning_rate": rate}, "lower learning_rate, or scale the features")
            for scale, rate in ((1e30, 0.1), (1.0, 1e300))
        ),
        *(
            ({name: value}, f"{name} {words}", *error)
            for name in ("retrieval_mix", "classification_weight")
            for value, words, *error in ((-0.01, SHARE), (1.01, SHARE), ("1", NUMBER, TypeError))
        ),
        ({"batch_size": 1}, "batch_size must be between 2 and 27 .*one alone has nothing"),
        ({"batch_size": 28}, "batch_size must be between 2 and 27 .*no more rows"),
        ({"X": X[:1], "y": LABELS[:1], "texts": TOKENS[:1]}, "one alone has nothing"),
        ({"texts": TOKENS[:26]}, "X has 27 rows and texts 26"),
        ({"y": LABELS[:26]}, "y .*: give one for each of the 27 rows of X"),
        ({"y": LABELS.astype(float)}, "y must hold integers", TypeError),
        ({"y": LABELS.astype(str)}, "y must hold integers, .* of names numpy.unique", TypeError),
        ({"texts": NO_TOKENS}, r"1 text\(s\) without tokens, the first is row 5"),
        ({"texts": X}, "texts must hold token numbers", TypeError),
        ({"n_tokens": 10}, r"texts .*must lie in \[0, 10\)"),
        ({"n_tokens": 1}, "n_tokens must be at least 2"),
        ({"text_encoder": None}, "texts must be float32 or float64", TypeError),
        ({"distance": "cosine"}, "distance must be one of"),
        ({"text_encoder": "lstm"}, "text_encoder must be one of 'paper', 'mean', None"),
        ({"dropout": 1.0}, "dropout must be .* below 1.0, got 1.0"),
        ({"dropout": -0.1}, "dropout must be a finite number, at least 0.0, got -0.1"),
        ({"exclude_equal": "no"}, "exclude_equal must be one of False, True, got 'no'"),
        ({"learning_rate": 0.0}, "learning_rate must be .* above 0"),
        ({"decay": 0.5}, "decay must be .* at least 1"),
        # Those of the paper's encoder as well, whichever is asked for.
        *(
            ({"text_encoder": encoder, "texts": TOKENS if encoder else X, **wrong}, *words)
            for encoder in ("mean", "paper", None)
            for wrong, *words in (
                ({"kernel_width": 4}, "kernel_width must be odd"),
                ({"lstm_units": 0}, "lstm_units must be at least 1"),
                ({"pooling": "x"}, "pooling must be one of 'mean', 'last', got 'x'"),
                ({"convolution_penalty": -1}, "convolution_penalty must be .* at least 0"),
                ({"filters": (3, 4, 5)}, "filters must be two numbers"),
                ({"filters": 3}, "filters must be a sequence of integers, got 3", TypeError),
                ({"filters": (3, 0)}, "filters must be at least 1"),
                ({"filters": (3.5, 3)}, "filters must be an integer", TypeError),
            )
        ),
        ({"X": X * np.nan}, "X holds NaN"),
        ({"momentum": 1.0}, "momentum must be .* below 1.0, got 1.0"),
        ({"clip": 0.0}, "clip must be .* above 0"),
        ({"dropout_each": 1.5}, "dropout_each must be one of False, True"),
        *(
            ({name: 0}, f"{name} must be at least 1")
            for name in ("embedding_dim", "n_batches", "texts_per_image", "log_every")
        ),
    ],
    FITTED.class_prototypes: [
        ((TOKENS[LABELS != 2], LABELS[LABELS != 2], 10), r"2 class\(es\) without texts \(2, 9\)"),
        ((TOKENS, LABELS + 1, 9), r"labels must lie in \[0, 9\)"),
        ((TOKENS, LABELS[:3], 9), "labels .*: give one for each of the 27 rows of texts"),
        ((TOKENS.tolist(), LABELS, 9), "arrays of one library", TypeError),
    ],
    FITTED.embed_texts: [((np.zeros((1, 2), int),), "without tokens")],
    FITTED.embed_images: [((X[:, :5],), "X has 5 features, but CLAREL is expecting 12")],
    FITTED.distances: [((X, np.ones((2, 5))), "they must lie in the same space")],
}


def test_bad_input(refusal):
    refusal()


def test_a_fit_that_is_refused_leaves_the_model():
    model = fit()
    expected = model.embed_images(X)
    with pytest.raises(ValueError, match="give one for each of the 27 rows"):
        model.fit(X[:, :5], LABELS[:26], TOKENS)
    np.testing.assert_array_equal(model.embed_images(X), expected)


def test_columns_and_rows_of_data_frames(frame):
    columns, names = list("abcdefghijkl"), [f"image {i}" for i in range(27)]
    images = frame(X, columns=columns, index=names)
    labels = frame(LABELS[:, None], index=names)[0]
    model = fit(images, labels)
    prototypes = model.class_prototypes(TOKENS, LABELS, 9)
    np.testing.assert_array_equal(
        model.distances(images, prototypes), fit().distances(X, prototypes)
    )
    for use in (model.embed_images, lambda images: model.predict(images, prototypes)):
        with pytest.raises(ValueError, match="feature names should match"):
            use(images[columns[::-1]])
    with pytest.raises(ValueError, match="column 0 of X is '11', where fit has '0'"):
        fit(frame(X)).embed_images(frame(X).iloc[:, ::-1])
    with pytest.raises(ValueError, match="row 0 of y is 'image 26'"):
        fit(images, labels[::-1])
    rows = frame(np.arange(27)[:, None], index=names)[0].map(lambda i: [i])
    with pytest.raises(ValueError, match="row 0 of text_rows is 'image 26'"):
        fit(images, labels, rows=rows[::-1])


def spied(monkeypatch, layer):
    """What the layer is given and what it gives back, call by call."""
    calls, forward = [], layer.forward

    def watched(x, **options):
        calls.append((x, forward(x, **options)))
        return calls[-1][1]

    monkeypatch.setattr(layer, "forward", watched)
    return calls


def test_texts_lose_numbers_one_by_one(monkeypatch):
    """Dropout of each: every text is thinned and projected, and then the mean is taken."""
    rows = [[i, (i + 1) % 27, (i + 2) % 27] for i in range(27)]
    pairs, batch = Pairs(27, 27, rows, None), np.arange(8)
    net, draw = network(pairs, dropout=0.5, dropout_each=True), pairs.draw(batch, 3, None)
    dropped, projected = (spied(monkeypatch, p) for p in (net._text_dropout, net.text_layer))
    settings = {"retrieval_mix": 0.5, "classification_weight": 0.5, "distance": "euclidean"}
    prepared = net.encoder.prepare(TOKENS)
    net.step(X[batch], prepared, draw, LABELS[batch], {"rate": 0.1}, **settings)
    thinned = dropped[0][1]
    assert len(thinned) == 24
    means = [thinned[draw.owner == i].mean(axis=0) for i in batch]
    np.testing.assert_allclose(projected[0][0], means, rtol=1e-10, atol=1e-12)
    # One batch: later ones would draw others.
    once, each = (
        fit(rows=rows, n_batches=1, dropout=0.0, dropout_each=each).embed_texts(TOKENS)
        for each in (False, True)
    )
    np.testing.assert_allclose(once, each, rtol=1e-10)


def test_momentum_and_clipping_by_a_loop():
    """Steps of a whole training, written out for each variable."""

    def values(**parameters):
        learned = fit(dropout=0.0, **{"learning_rate": 0.5} | parameters).network_.parameters()
        return {name: p.value for name, p in learned.items()}

    stages = [values(n_batches=k, momentum=0.9, clip=0.02) for k in range(1, 7)]
    plain, start = values(n_batches=1), values(n_batches=1, learning_rate=1e-30)
    for name, origin in start.items():
        moves = [b[name] - a[name] for a, b in itertools.pairwise(stages)]
        for before, after in itertools.pairwise(moves):
            gradient = (0.9 * before - after) / 0.5
            assert np.linalg.norm(gradient) < 0.02 * (1 + 1e-6), name
        gradient = (origin - plain[name]) / 0.5
        gradient *= min(1.0, 0.02 / np.linalg.norm(gradient))
        first = stages[0][name]
        np.testing.assert_allclose(first, origin - 0.5 * gradient, rtol=1e-8, atol=1e-12)


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
    given = np.random.default_rng(5).standard_normal((25, 4))
    model = clone(make(word_dim=9, text_encoder=text_encoder, word_vectors=given))
    model.fit(X, LABELS, TOKENS)
    np.testing.assert_array_equal(model.network_.encoder.weight.value, given)
    assert not any("embedding" in name for name in model.network_.parameters())
    with pytest.raises(ValueError, match=r"must lie in \[0, 10\)"):
        model.set_params(word_vectors=given[:10]).fit(X, LABELS, TOKENS)


def test_losses_beside_those_of_a_guess():
    model = fit(n_batches=200, learning_rate=0.3)
    found, last = model.losses_and_guesses(), model.learning_curve_[-1]
    mean = (last["text_retrieval"] + last["image_retrieval"]) / 2
    assert found["retrieval"] == pytest.approx((mean, np.log(8)))
    assert found["classification"][1] == pytest.approx(np.log(9))
    assert all(loss < guess for loss, guess in found.values())
    alone = fit(retrieval_mix=0.0, classification_weight=0.0)
    assert alone.losses_and_guesses() == {
        "retrieval": (pytest.approx(alone.learning_curve_[-1]["image_retrieval"]), np.log(8))
    }
    assert fit(classification_weight=1.0).losses_and_guesses().keys() == {"classification"}


def test_the_settings_of_the_authors():
    assert clarel_settings("paper") == {}
    settings = clarel_settings("authors") | {"filters": (4, 6), "text_encoder": "paper"}
    layers = fit(**settings).network_.encoder.layers.layers
    assert list(layers) == ["embedding", "block1", "halve1", "block2", "halve2", "lstm", "pool"]
    norm = layers["block2"].shortcut.layers["shortcut_norm"]
    assert (norm.momentum, norm.epsilon) == (0.95, 1e-6)
    # Half of the sum of squares, times 0.001.
    weight = layers["block1"].branch.layers["conv1"].weight
    weight.zero_gradient()
    half = 0.001 * np.sum(weight.value**2) / 2
    assert float(weight.add_penalty()) == pytest.approx(half)
    np.testing.assert_allclose(weight.gradient, 0.001 * weight.value)
    with pytest.raises(ValueError, match="which must be one of 'paper', 'authors'"):
        clarel_settings("ours")


FAILED = r"training failed: .* is .*bring rows to a length near"
USELESS = r"scale the features|told no (image|class) from another"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("of_images", "of_texts", "words"),
    [
        *((unit, unit, FAILED) for unit in (1e-4, 1e-6)),
        (1e-9, 1e-9, f"{FAILED}|{USELESS}"),
        *((2.0**e, 1.0, USELESS) for e in (-99, 99)),
        *((1.0, 2.0**e, USELESS) for e in (-99, 99)),
    ],
)
def test_vectors_of_a_useless_unit_are_refused(of_images, of_texts, words, dtype):
    images, labels, _, _ = pairs_data(per_class=10, dtype=dtype)
    texts = images[:, :5] * images.dtype.type(of_texts)
    model = make(n_batches=3, text_encoder=None)
    with pytest.raises(ValueError, match=words):
        model.fit(images * images.dtype.type(of_images), labels, texts)
    with pytest.raises(NotFittedError):
        model.embed_images(images)
