"""What CLAREL's losses do: trainings with parts left out, measured on held-out classes."""

from functools import cached_property
from itertools import product
from types import SimpleNamespace

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from zslib.arrays import like, ragged_rows, take_rows, to_host
from zslib.compatibility.clarel.loss import embedding_distances, retrieval_probabilities
from zslib.compatibility.clarel.pairs import Pairs
from zslib.protocols.attributes.tuning import split_validation_classes, with_validation_classes
from zslib.protocols.intervals import Estimate, class_draws, resampled_runs
from zslib.protocols.pairs.captions import fitted_pairs
from zslib.protocols.pairs.evaluate import check_losses, evaluate_image_text, model_texts
from zslib.protocols.pairs.retrieval import right_texts
from zslib.protocols.pairs.runs import SHORT_GRID, image_text_trials, short_clarel
from zslib.protocols.sweep import best_that_trains

# A step of no length is the random start.
KINDS = {
    "before training": {"n_batches": 1, "learning_rate": 1e-30},
    "retrieval alone": {"classification_weight": 0.0},
    "CLAREL": {},
    "classifiers alone": {"classification_weight": 1.0},
    "equal texts kept": {"exclude_equal": False},
    "squared distance": {"distance": "squared"},
}
# The gradient of the square is as many times larger as distances are long, and without retrieval
# nothing keeps distances short.
SMALL_GRID = {"learning_rate": (0.1, 0.3, 1.0, 3.0)}
TERMS = ("text_retrieval", "image_retrieval", "text_classification", "image_classification")
# The paper's names of CLAREL's parameters.
PRINTED_NAMES = {
    "lambda": "retrieval_mix",
    "kappa": "classification_weight",
    "embedding width": "embedding_dim",
    "dropout": "dropout",
    "batch": "batch_size",
    "batches": "n_batches",
    "batches per step decay": "decay_every",
    "step decay": "decay",
    "learning rate": "learning_rate",
    "texts per image": "texts_per_image",
}


class HeldOutPairs:
    """A problem whose validation classes play the unseen ones, and trainings of CLAREL on it.

    Attributes
    ----------
    models : dict
        One list of models, one for each seed, by kind: see `KINDS`. The step size of a kind is the
        one with the largest H on a quarter of the training classes, or the next best where a
        training diverges with it.
    passed_over : dict
        Of each kind the step sizes, as text, with which a training failed: see `check_losses`.
    """

    def __init__(self, problem, seeds, *, n_batches, embedding_dim, device, must_learn=True):
        seed = seeds[0]
        self._on_host = with_validation_classes(problem, seed).validation_problem()
        self.seeds, self.device, self.must_learn = seeds, device, must_learn
        self.problem = held = self._on_host.to(device)
        self.texts, self.n_words = model_texts(held)
        self.offsets, self.index = ragged_rows(*held.text_rows, held.trainval)
        self.model = short_clarel(
            held,
            n_batches=n_batches,
            embedding_dim=embedding_dim,
            batch_size=min(32, len(held.trainval)),
            log_every=max(n_batches // 40, 1),
        )
        self.models, self.passed_over = {}, {}

    def train(self, kinds):
        """Train these kinds with every seed."""
        for kind in kinds:

            def fits(parameters, changes=KINDS[kind]):
                return [self._fit(seed, changes | parameters) for seed in self.seeds]

            name = f"{kind} on {self.problem.name}"
            trials = self._trials(KINDS[kind])
            _, self.models[kind], failed = best_that_trains(trials, "H", fits, name)
            rates = (f"{trial['parameters']['learning_rate']:g}" for trial in failed)
            self.passed_over[kind] = " and ".join(rates)
        return self

    def _fit(self, seed, changes):
        model = clone(self.model).set_params(random_state=seed, **changes)
        fitted = fitted_pairs(model, self.problem, self.texts)
        if self.must_learn and model.learning_rate > 1e-9:  # the random start learns nothing
            check_losses(fitted)
        return fitted

    def _trials(self, changes):
        """H by step size on classes within the training classes."""
        if "learning_rate" in changes:
            return [{"parameters": {"learning_rate": changes["learning_rate"]}, "H": 0.0}]
        nested = split_validation_classes(self._on_host, seed=self.seeds[0])
        model = clone(self.model).set_params(**changes)
        far = model.distance == "squared" or model.classification_weight == 1
        grid = SMALL_GRID if far else SHORT_GRID
        options = {"device": self.device, "must_learn": self.must_learn}
        return image_text_trials(model, nested, grid, **options)

    def measures(self):
        """Of every model, {kind: one for each seed}, what it does to images held out of training.

        For each image ``nearer``, in percent how often an own text is nearer than another, and
        ``classes``; the ``outcome``; and the ``spread``, for each part the images of each class,
        their squared distances to the class's mean, and these means.
        """
        return {kind: [*map(self._measured, models)] for kind, models in self.models.items()}

    def _measured(self, model):
        parts = {
            "training classes": self.problem.test_seen,
            "validation classes": self.problem.test_unseen,
        }
        tested = evaluate_image_text(FrozenEstimator(model), self.problem, retrieval=False)
        return SimpleNamespace(
            nearer=self._own_text_nearer(model),
            classes=self.problem.labels[self.asked[0]],
            outcome=tested.outcome,
            spread={p: self._spread_within(model, rows) for p, rows in parts.items() if rows.size},
        )

    @cached_property
    def asked(self):
        """Images of validation classes, the texts they may be given, and which belong to them."""
        held = self.problem
        images = held.test_unseen[np.diff(held.text_offsets)[held.test_unseen] > 0]
        texts = np.unique(ragged_rows(*held.text_rows, images)[1])
        if held.level == "image":  # each distinct text once
            texts = texts[np.unique(held.text_ids[texts], return_index=True)[1]]
        return images, texts, right_texts(held, images, held.text_ids[texts]).toarray() > 0

    def distances(self, model):
        """Of the images asked to the texts that they may be given."""
        images, texts, _ = self.asked
        return to_host(embedding_distances(*self.embedded(model, images, texts)))

    def _own_text_nearer(self, model):
        """For each image, percent of pairs of an own and another text in the right order."""
        belongs, distances = self.asked[2], self.distances(model)
        mine, others = belongs.sum(axis=1), (~belongs).sum(axis=1)
        ranks = rankdata(distances, axis=1)
        ahead = (ranks * belongs).sum(axis=1) - mine * (mine + 1) / 2
        return 100.0 * (1.0 - ahead / (mine * others))

    def _spread_within(self, model, rows):
        """Of each class its images, their squared distances to the mean, and this mean."""
        z = to_host(model.embed_images(take_rows(self.problem.features, rows))).astype(float)
        labels = self.problem.labels[rows]
        parts = [z[labels == c] for c in np.unique(labels)]
        means = np.stack([part.mean(axis=0) for part in parts])
        within = [((part - mean) ** 2).sum() for part, mean in zip(parts, means, strict=True)]
        return np.array([len(part) for part in parts]), np.array(within), means

    def batch(self):
        """A batch of training images, by class, with a text of each and which texts are equal."""
        rng, held = np.random.default_rng(self.seeds[0]), self.problem
        rows = rng.choice(len(held.trainval), self.model.batch_size, replace=False)
        rows = rows[np.argsort(held.labels[held.trainval[rows]], kind="stable")]
        texts = [rng.choice(self.index[self.offsets[i] : self.offsets[i + 1]]) for i in rows]
        ids = held.text_ids[texts]
        return held.trainval[rows], np.array(texts), ids[:, None] == ids[None, :]

    def embedded(self, model, images, texts):
        """Some images and texts in the common space, without dropout."""
        z = model.embed_images(take_rows(self.problem.features, images))
        return z, model.embed_texts(take_rows(self.texts, texts))

    def batch_probabilities(self, model):
        """Both softmaxes of the batch shown, and the loss of each, by search."""
        images, texts, same = self.batch()
        z, t = self.embedded(model, images, texts)
        softmaxes = map(to_host, retrieval_probabilities(z, t, same_text=like(same, z)))
        return {
            name: (p, float(-np.log(np.maximum(np.diag(p), 1e-300)).mean()))
            for name, p in zip(("text retrieval", "image retrieval"), softmaxes, strict=True)
        }

    def failures(self, kinds):
        """Sentences on the step sizes with which a training of these kinds failed."""
        training = f"On {self.problem.name.removesuffix(' (validation)')} a training of"
        failed = (kind for kind in kinds if self.passed_over[kind])
        return "".join(f"{training} “{k}” failed with {self.passed_over[k]}. " for k in failed)


def spread_within(statistics, times):
    """Percent of the variance within classes, each class taken ``times`` often: (n_resamples,)."""
    counts, within, means = statistics
    images = times @ counts
    centre = times @ (counts[:, None] * means) / images[:, None]
    between = times @ (counts * (means**2).sum(axis=1)) - images * (centre**2).sum(axis=1)
    return 100.0 * (times @ within) / (times @ within + between)


def spread_over_classes(part):
    """A measure of `HeldOutPairs.measures` for `book.Chapter.measure`: `spread_within` of a part.

    Its interval resamples classes, common to all models, then trainings.
    """

    def estimate(runs, minus=None):
        rng, n = np.random.default_rng(0), runs[0].spread[part][0].size
        draws = np.concatenate([np.ones((1, n)), class_draws(n, 2000, rng)])
        values = np.stack([spread_within(run.spread[part], draws) for run in runs])
        if minus is not None:
            values = values - np.stack([spread_within(run.spread[part], draws) for run in minus])
        draws = resampled_runs(values[:, 1:].T, rng)
        return Estimate.of_draws(values[:, 0].mean(), draws, len(runs), "classes", n)

    return estimate


def settings_beside(model, printed):
    """Lines of a table: each setting, as printed and of the model."""
    return [[name, printed[name], getattr(model, ours)] for name, ours in PRINTED_NAMES.items()]


def curve_rows(pairs, kinds, terms=TERMS):
    """Terms of the loss by batches, means over trainings: rows."""
    for kind, term in product(kinds, terms):
        logs = [model.learning_curve_ for model in pairs.models[kind]]
        for entries in zip(*logs, strict=True):
            value = float(np.mean([entry[term] for entry in entries]))
            named = {"method": kind, "metric": term.replace("_", " ")}
            yield named | {"value": value, "batches": entries[0]["batch"]}


def loss_rows(pairs, kinds):
    """Losses of the batch shown by ``kinds``, and CLAREL's terms at the end of training: rows."""
    for kind in kinds:
        named = {"metric": "loss of the batch shown", "method": kind}
        for part, (_, loss) in pairs.batch_probabilities(pairs.models[kind][0]).items():
            yield named | {"part": part, "value": loss}
    ends = [model.learning_curve_[-1] for model in pairs.models["CLAREL"]]
    named = {"metric": "loss at the end of training", "method": "CLAREL"}
    for part in TERMS:
        yield named | {"part": part, "value": float(np.mean([end[part] for end in ends]))}


def above_chance_rows(results, n_classes):
    """What ``results`` of one problem have above chance, for kinds that lack a part: rows."""
    near = "own text nearer, %", "own text nearer than by chance, points", 50.0
    accuracy = "validation ACC", "validation ACC above chance", 100.0 / n_classes
    parts = ("retrieval alone", near), ("classifiers alone", near), ("retrieval alone", accuracy)
    for kind, (metric, name, chance) in parts:
        value = results.value(method=kind, metric=metric) - chance
        yield {"metric": name, "method": kind, "value": value}


def share_meeting_equals(pairs):
    """Percent of the images that meet an equal text in their batch."""
    draws, met = np.random.default_rng(pairs.seeds[0]), []
    n, held = len(pairs.problem.trainval), pairs.problem
    drawn = Pairs(n, held.n_texts, (pairs.offsets, pairs.index), held.text_ids)
    for _ in range(500):
        some = draws.choice(n, pairs.model.batch_size, replace=False)
        same = drawn.in_common(drawn.draw(some, pairs.model.texts_per_image, draws))
        met.append(0.0 if same is None else 100.0 * np.mean(same.sum(axis=1) > 1))
    return float(np.mean(met))
