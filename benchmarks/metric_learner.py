"""Speed of the metric learner and of its choice of negatives, beside peers in the same process.

Run ``python benchmarks/metric_learner.py [--threads 1 2] [--repeats 5] [--write]``: prints
Markdown tables, and with ``--write`` keeps them in ``benchmarks/results/metric_learner.md``.

- An epoch of `zslib.compatibility.MetricLearner`, on the shape of AWA2, beside the bare matrix
  products of its steps, on batches that lie ready, and beside the same epoch in PyTorch eager.
  zslib and PyTorch start from the same parameters and take the same negatives and batches, all
  drawn within the time that is measured; the script stops if their losses differ.
- The choice of uncertainty negatives for an epoch beside the gradient steps of an epoch, on the
  shape of AWA2, where a class has one attribute vector, and of aPY, where each image has its own;
  and the accuracy on aPY's shape where only a sample is scored.

The competitors of one task take turns, so that other work on the machine hits all of them alike.
Peak memory (Linux) is measured in a process of its own for each competitor.
"""

from __future__ import annotations

import argparse
import math
from functools import partial
from types import SimpleNamespace

from _harness import (
    machine,
    median_and_least,
    peak_memory,
    print_peak,
    run_stages,
    take_turns,
    tasks_of,
)
from compatibility import problem

DIMENSIONS, WEIGHT, PENALTY, RATE = 64, 0.3, 1e-4, 0.1  # the defaults
NEGATIVES = 10
EPOCHS = 10  # in one turn
COMPARED = 3  # epochs whose losses are held against each other; later rounding has grown
GROWN = 20  # epochs whose pairs are in a set that has grown
TOLERANCE = 1e-3  # of losses, relative
APY = {"p": 256, "q": 64, "classes": 20}


def awa2(options):
    """A vector for each class."""
    return SimpleNamespace(**vars(problem(options)), image_attributes=None)


def apy(options):
    """Binary attributes of each image, a noisy view of those of its class, at length one."""
    import numpy as np

    data = problem(argparse.Namespace(n=options.apy, **APY))
    noise = np.random.default_rng(1).standard_normal((options.apy, APY["q"]), dtype=np.float32)
    typical = data.S[data.y]
    bits = (typical + typical.std() * noise > typical.mean()).astype(np.float32)
    # An image without any attribute stays at 0.
    bits /= np.maximum(np.linalg.norm(bits, axis=1, keepdims=True), 1.0)
    return SimpleNamespace(**vars(data), image_attributes=bits)


def ours_epoch(data, growth, batch_size):
    """Some epochs at once, as checks of the input are made once in a fit."""
    from zslib.compatibility import MetricLearner

    model = MetricLearner(
        DIMENSIONS,
        WEIGHT,
        PENALTY,
        negatives_per_positive=NEGATIVES,
        growth=growth,
        learning_rate=RATE,
        n_epochs=EPOCHS,
        batch_size=batch_size,
        random_state=0,
    )

    def run():
        return model.fit(data.X, data.y, data.S).learning_curve_

    run.scale = 1 / EPOCHS
    return run


def bare_products(data, growth, batch_size, *, only_X=False):
    """The matrix products of the steps; b images, p features, q attributes, m dimensions, M."""
    import numpy as np

    rng = np.random.default_rng(0)
    X, V = data.X, data.seen
    (n, p), (M, q) = X.shape, V.shape

    def normal(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    W_X, W_A, by_U = normal(p, q), normal(q, DIMENSIONS), normal(M, DIMENSIONS)
    errors, mapped = normal(batch_size, q), normal(batch_size, DIMENSIONS)
    counts = normal(batch_size, M)

    def run():
        for _ in range(EPOCHS):
            for start in range(0, n, batch_size):
                x = X[start : start + batch_size]
                b = len(x)
                A = x @ W_X
                if not only_X:
                    G, H = counts[:b], mapped[:b]
                    Z, U = A @ W_A, V @ W_A
                    Z @ U.T
                    G @ U, G.T @ Z  # the gradients by Z and U
                    A.T @ H, V.T @ by_U  # by the metric
                    H @ W_A.T  # by the attributes
                x.T @ errors[:b]

    run.scale = 1 / EPOCHS
    return run


def torch_epoch(data, growth, batch_size, *, how):
    """The epochs of ``ours_epoch`` in PyTorch eager; negatives and order are drawn by zslib.

    By autograd, the distances to the negatives are found pair by pair (``how="pairs"``) or all
    distances by one product (``"product"``); ``"formulas"`` are zslib's own, without autograd.
    """
    import numpy as np
    import torch
    from torch.nn.functional import relu

    from zslib.compatibility.metric.negatives import (
        NegativeSet,
        distinct_candidates,
        random_negatives,
    )
    from zslib.optim import minibatches

    X, V = torch.from_numpy(data.X), torch.from_numpy(data.seen)
    own_of = torch.from_numpy(data.y)
    (n, p), (M, q), m = X.shape, V.shape, DIMENSIONS

    def distances(A, W_A):
        A, about = A - V[:1], V - V[:1]
        Z, U = A @ W_A, about @ W_A
        D = Z.square().sum(1, keepdim=True) - 2.0 * (Z @ U.T) + U.square().sum(1)
        return A, about, Z, U, D

    def loss(theta, x, own, negatives, positive, negative):
        W_X, b_X, W_A, tau = theta
        A = relu(x @ W_X + b_X)
        error = A - V[own]
        if how == "pairs":
            near = (error @ W_A).square().sum(1)
            D = ((A[:, None] - V[negatives]) @ W_A).square().sum(2)
            far = relu(1.0 + tau - D).sum()
        else:
            _, _, Z, U, D = distances(A, W_A)
            near = (Z - U[own]).square().sum(1)
            far = (relu(1.0 + tau - D) * negatives).sum()
        near = relu(1.0 - tau + near).sum() + WEIGHT * error.square().sum()
        return positive * near + negative * far

    def step(theta, x, own, counts, positive, negative):
        """The loss times the rate, after a step by zslib's formulas."""
        W_X, b_X, W_A, tau = theta
        positive, negative = RATE * positive, RATE * negative
        before = x @ W_X + b_X
        A = relu(before)
        error = A - V[own]
        A, about, Z, U, D = distances(A, W_A)
        near = 1.0 - tau + (Z - U[own]).square().sum(1)
        far = 1.0 + tau - D
        by_near, by_far = (near > 0).float() * positive, (far > 0).float() * counts * negative
        value = near @ by_near + (far * by_far).sum()
        value += positive * WEIGHT * error.square().sum()
        by_tau = by_far.sum() - by_near.sum()
        G = (-2.0 * by_far).scatter_add_(1, own[:, None], 2.0 * by_near[:, None])
        by_Z = G.sum(1, keepdim=True) * Z - G @ U
        by_U = G.sum(0)[:, None] * U - G.T @ Z
        by_before = (by_Z @ W_A.T).add_(error, alpha=2.0 * positive * WEIGHT)
        by_before *= before > 0
        steps = x.T @ by_before, by_before.sum(0), A.T @ by_Z + about.T @ by_U
        for part, change in zip(theta, steps, strict=False):
            part.mul_(1.0 - 2.0 * RATE * PENALTY).sub_(change)
        tau -= by_tau
        return value

    def run():
        rng = np.random.default_rng(0)

        def normal(rows, columns, scale):
            return torch.from_numpy(rng.standard_normal((rows, columns)) / scale).float()

        candidates = distinct_candidates(data.y, data.seen)
        theta = normal(p, q, math.sqrt(p)), torch.zeros(q), normal(q, m, math.sqrt(m))
        theta += (torch.ones(1),)
        if how != "formulas":
            for part in theta:
                part.requires_grad_()
            # The penalty's gradient is twice its weight times the parameter.
            decayed = {"params": theta[:3], "weight_decay": 2 * PENALTY}
            optimiser = torch.optim.SGD([decayed, {"params": theta[3:]}], lr=RATE)
        grows = growth == "across_epochs"
        pairs, lists, curve = NegativeSet(n, M, grows=grows), None, []
        for _ in range(EPOCHS):
            drawn = random_negatives(candidates, NEGATIVES, rng)
            if how == "pairs":
                lists = np.concatenate([lists, drawn], axis=1) if lists is not None else drawn
                lists = lists if grows else drawn
                per_image, listed = lists.shape[1], torch.from_numpy(lists)
            else:
                pairs.add(drawn)
                per_image = pairs.per_image
            total = torch.zeros(())
            for batch in minibatches(n, batch_size, rng):
                rows = torch.from_numpy(batch)
                if how == "pairs":
                    negatives = listed[rows]
                else:
                    negatives = torch.from_numpy(pairs.of(batch, data.X))
                weights = 1.0 / len(batch), 1.0 / (per_image * len(batch))
                given = X[rows], own_of[rows], negatives, *weights
                if how == "formulas":
                    total += step(theta, *given) * (len(batch) / RATE)
                    continue
                value = loss(theta, *given)
                optimiser.zero_grad()
                value.backward()
                optimiser.step()
                total += value.detach() * len(batch)
            curve.append(float(total) / n)
        return curve

    run.scale = 1 / EPOCHS
    return run


def fitted(data, k, batch_size=64):
    """A learner after an epoch, and what its epochs work on."""
    import numpy as np

    from zslib.compatibility import MetricLearner
    from zslib.compatibility.metric.negatives import NegativeSet, distinct_candidates

    model = MetricLearner(
        DIMENSIONS,
        WEIGHT,
        PENALTY,
        negatives="uncertainty",
        negatives_per_positive=k,
        growth="within_epoch",
        learning_rate=RATE,
        n_epochs=1,
        batch_size=batch_size,
        random_state=0,
    ).fit(data.X, data.y, data.S, data.image_attributes)
    candidates = distinct_candidates(data.y, data.seen, data.image_attributes)
    return SimpleNamespace(
        model=model,
        theta=(model.coef_, model.intercept_, model.metric_, model.threshold_),
        candidates=candidates,
        pairs=NegativeSet(len(data.X), model.n_candidates_, grows=True),
        rng=np.random.default_rng(0),
    )


def choosing(data, k):
    """The choice for all images."""
    state = fitted(data, k)
    model, candidates = state.model, state.candidates
    log_weights = model._fixed_weights(candidates, data.X)

    def run():
        model._draw(state.theta, 2, data.X, candidates, log_weights, state.rng)

    return run


def gradient_steps(data, k, *, batch_size=64, epochs=1):
    """The steps of an epoch, from the same parameters each time, with pairs of some epochs."""
    from zslib.compatibility.metric.negatives import random_negatives

    state = fitted(data, k, batch_size)
    for _ in range(epochs):
        state.pairs.add(random_negatives(state.candidates, k, state.rng))

    def run():
        theta = tuple(part.copy() for part in state.theta)
        curve = [state.model._run_epoch(theta, data.X, state.candidates, state.pairs, state.rng)]
        assert math.isfinite(curve[0]), "training diverged"

    return run


EPOCH_BY = {
    "zslib": ours_epoch,
    "bare products": bare_products,
    "bare products of X alone": partial(bare_products, only_X=True),
    "PyTorch eager, autograd, pair by pair": partial(torch_epoch, how="pairs"),
    "PyTorch eager, autograd, one product": partial(torch_epoch, how="product"),
    "PyTorch eager, our formulas": partial(torch_epoch, how="formulas"),
}
CHOICE_BY = {
    "choosing": choosing,
    "gradient steps": gradient_steps,
    "gradient steps, batches of 256": partial(gradient_steps, batch_size=256),
    f"gradient steps, pairs of {GROWN} epochs": partial(gradient_steps, epochs=GROWN),
}
# Each task: the data, and what each of its competitors is built with beside them. The first
# competitor is the one whose time is compared with the others'.
COMPETITORS = {
    **{
        (f"epoch, {growth}, batches of {batch}", by): (awa2, build, (growth, batch))
        for growth in ("across_epochs", "within_epoch")
        for batch in (64, 256)
        for by, build in EPOCH_BY.items()
    },
    **{
        (f"choice, {name}, {k} negative{'s' * (k > 1)} per image", by): (shape, build, (k,))
        for name, shape in (("AWA2", awa2), ("aPY", apy))
        for k in (1, NEGATIVES)
        for by, build in CHOICE_BY.items()
    },
}


def measure_memory(options):
    """Print the growth of peak memory during a run, in MiB, over what is prepared for it."""
    shape, build, given = list(COMPETITORS.values())[options.index]
    run = build(shape(options), *given)
    # What is loaded or set up once is paid for on a small problem first.
    changes = {"n": 4 * options.classes, "p": 64, "apy": 4 * APY["classes"]}
    build(shape(argparse.Namespace(**{**vars(options), **changes})), *given)()
    print_peak(run)


def largest_difference(curves):
    """Largest relative difference of losses from those of the first; stops if too large."""
    import numpy as np

    first, *others = (np.asarray(curve[:COMPARED]) for curve in curves)
    gap = max((float(np.max(np.abs(curve / first - 1.0))) for curve in others), default=0.0)
    if not gap < TOLERANCE:
        raise RuntimeError(f"losses differ: {curves}")
    return gap


def measure_times(options):
    """Print the table of times."""
    import torch

    from zslib.compatibility.metric.negatives import distinct_candidates

    torch.set_num_threads(options.threads)
    data = {shape: shape(options) for shape in (awa2, apy)}
    vectors = distinct_candidates(data[apy].y, data[apy].seen, data[apy].image_attributes).vectors

    def build(key):
        shape, start, given = COMPETITORS[key]
        return start(data[shape], *given)

    tasks = tasks_of([key for key in COMPETITORS if options.tasks in key[0]], build)
    found = take_turns(tasks, options.repeats)
    curves = {}
    for key, curve in found.answers.items():
        if curve is not None:
            curves.setdefault(key[0], []).append(curve)
    gap = max(map(largest_difference, curves.values()), default=0.0)
    print(
        f"## {options.threads} thread{'s' * (options.threads > 1)}\n\n"
        f"{machine('torch')}. Synthetic data, float32: "
        f"AWA2's shape is {options.n:,} images, {options.p:,} features, {options.q} attributes, "
        f"{options.classes} seen classes; aPY's {options.apy:,} images, {APY['p']} features, "
        f"{APY['q']} binary attributes for each image, {len(vectors):,} different vectors, "
        f"{APY['classes']} seen classes. The metric has {DIMENSIONS} dimensions. An epoch has "
        f"{NEGATIVES} random negatives for each image, is on AWA2's shape, and is the mean of "
        f"{EPOCHS} in one fit. The choice is that of uncertainty negatives; steps have batches of "
        f"64 where no other size is named. {options.repeats} turns.\n\n"
        "The ratio is the time of zslib, or of choosing, over each other's, at the medians and at "
        "the minima; the aim is at most 1.5 for all bare products of an epoch, at most 1 for "
        "PyTorch, and at most 2 for steps in batches of 64. The loss is that of epoch "
        f"{COMPARED}; up to it losses of zslib and PyTorch differ by {gap:.0e} at most, "
        "relatively. Peak memory: growth over data, imports and what is prepared (for steps, "
        "their pairs), during one run in a process of its own. "
        f"{found.others}\n\n"
        "| task | by | median, s | minimum, s | ratio, median | ratio, minimum | loss "
        "| peak memory, MiB |\n|---|---|---|---|---|---|---|---|"
    )
    first = {}
    for index, key in enumerate(COMPETITORS):
        if key not in found.times:
            continue
        taken, curve = found.times[key], found.answers[key]
        base = first.setdefault(key[0], taken)
        cells = median_and_least(taken, None if base is taken else (base, taken))
        loss = "" if curve is None else f"{curve[COMPARED - 1]:.4f}"
        print(f"| {key[0]} | {key[1]} | {cells} | {loss} | {peak_memory(options, index):.0f} |")


def print_accuracy(options):
    """Print accuracy by the number of candidates that are scored."""
    import numpy as np

    from zslib.compatibility import MetricLearner
    from zslib.datasets import synthetic_attributes
    from zslib.metrics import per_class_accuracy

    found, most, seeds = {}, 0, range(5)
    for seed in seeds:
        problem = synthetic_attributes("APY", scale=0.3, seed=seed, att="original")
        X, S, A = (
            rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
            for rows in (problem.features, problem.class_embeddings, problem.image_attributes)
        )
        train, test, y = problem.train, problem.test_unseen, problem.labels
        unseen = np.unique(y[test])
        for k in (1, NEGATIVES):
            for scored in (None, 256, 64):
                model = MetricLearner(
                    negatives="uncertainty",
                    negatives_per_positive=k,
                    growth="within_epoch",
                    learning_rate=0.02,
                    n_epochs=20,
                    n_scored=scored,
                    random_state=seed,
                ).fit(X[train], y[train], S, A[train])
                answers = unseen[model.decision_function(X[test], S[unseen]).argmax(axis=1)]
                right = per_class_accuracy(y[test], answers)
                found.setdefault((k, scored), []).append(100 * right)
                most = max(most, model.n_candidates_)
    lines = [
        "## Accuracy\n\nOn unseen classes (average per class, %), after 20 epochs with "
        f"uncertainty negatives; mean and standard error of {len(seeds)} synthetic sets in "
        f"aPY's shape with up to {most:,} different vectors, by how many of them are scored for "
        "an image.\n",
        "| negatives per image | scored | accuracy | standard error |\n|---|---|---|---|",
    ]
    for (k, scored), values in found.items():
        error = np.std(values, ddof=1) / len(values) ** 0.5
        lines.append(f"| {k} | {scored or 'all'} | {np.mean(values):.1f} | {error:.1f} |")
    print("\n".join(lines))


PRODUCTS = f"""
The bare products of an epoch are, for each batch X of b images, with M = the seen classes, p
features, q attributes and m = {DIMENSIONS} dimensions, on batches that lie ready in memory:

- X W_X (b p q), and X'G (p b q), the gradient by W_X; these two are "of X alone";
- Z = A W_A (b q m) and U = V W_A (M q m), images and vectors under the metric;
- Z U' (b m M), the distances, and its gradients by Z (b M m) and by U (M b m);
- A' by_Z (q b m) and V' by_U (q M m), the gradient by W_A;
- by_Z W_A' (b m q), the gradient by the attributes.

zslib's time and PyTorch's also have the draw of the start, of the negatives and of the order, the
gathering of the batches, the hinges and the change of the parameters; zslib's has the checks of
the input.
"""


def main():
    stages = {"times": measure_times, "memory": measure_memory, "accuracy": print_accuracy}
    title = "Metric learner and its negatives\n" + PRODUCTS.rstrip()
    sizes = {"n": 23527, "p": 2048, "q": 85, "classes": 40, "apy": 6000, "repeats": 5}
    tasks = {"default": "", "help": "only those with this in their name"}
    run_stages(__doc__, "metric_learner.md", title, stages, {"tasks": tasks}, **sizes)


if __name__ == "__main__":
    main()
