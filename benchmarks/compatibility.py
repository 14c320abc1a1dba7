"""Speed of the zero-shot scorers on the shape of AWA2, beside peers in the same process.

Run ``python benchmarks/compatibility.py [--threads 1 2] [--repeats 5] [--write]``: prints Markdown
tables, and with ``--write`` keeps them in ``benchmarks/results/compatibility.md``. The peers:

- DARK: the same steps in PyTorch eager, by autograd and by our formulas.
- DeViSE, ALE, SJE: one epoch of per-sample loops in Python, in one of which NumPy handles all
  labels of a sample at once; they are timed on some samples, from the weights after one epoch. A
  second table compares the accuracy on classes not seen in training.
- ESZSL, SAE: the two matrix products that cannot be avoided, X'X and the sums of the classes; and
  these with what their closed form asks of X'X in float64 besides, one system of equations to be
  solved for ESZSL, its eigenvectors for SAE.

The competitors of one task take turns, so that other work on the machine hits all of them alike.
Peak memory (Linux) is measured in a process of its own for each competitor.
"""

from __future__ import annotations

import argparse
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

RANK, MARGIN, PENALTY, RATE, DROP, STEPS, BATCH, REFRESH = 64, 0.5, 0.01, 0.01, 150, 200, 512, 10
START = RANK**-0.5
EPOCHS = 3  # in one turn of DeViSE, ALE and SJE
UNSEEN = 10
NOISE = 4.0  # so that accuracy, and the share of violations, are those of real data
SYSTEMS = ("DeViSE", "ALE", "SJE")


def problem(options, seed=0, n=None):
    """Synthetic features of length one, a noisy nonlinear view of the attributes; float32."""
    import numpy as np

    rng = np.random.default_rng(seed)
    k, n = options.classes, options.n if n is None else n
    S = rng.random((k + UNSEEN, options.q), dtype=np.float32)
    S /= np.linalg.norm(S, axis=1, keepdims=True)
    mixing = rng.standard_normal((options.q, options.p), dtype=np.float32)

    def features(labels):
        X = NOISE * rng.standard_normal((len(labels), options.p), dtype=np.float32)
        X += S[labels] @ mixing
        np.maximum(X, 0, out=X)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        return X

    y, y_unseen = rng.integers(k, size=n), k + rng.integers(UNSEEN, size=1000)
    y[:k] = np.arange(k)
    return SimpleNamespace(
        X=features(y), y=y, S=S, seen=S[:k], X_unseen=features(y_unseen), y_unseen=y_unseen - k
    )


def ours_dark(data, options):
    from zslib.compatibility import DARK

    model = DARK(RANK, iteration="step", n_iter=STEPS, init_scale=START, random_state=0)
    return lambda: model.fit(data.X, data.y, data.S).objective_[-1]


def torch_dark(data, options, *, autograd):
    """The steps of ``ours_dark`` in PyTorch eager."""
    import torch
    from torch.nn.functional import normalize, one_hot, softplus

    features, y = torch.from_numpy(data.X), torch.from_numpy(data.y)
    attributes = torch.from_numpy(data.seen)
    n, k = len(features), len(attributes)

    def assess(scores, own, soft=True):
        own_scores = scores.gather(1, own[:, None])
        margin = MARGIN * softplus(own_scores)
        weights = torch.sigmoid(margin + scores - own_scores)
        return margin, weights.scatter(1, own[:, None], 0.0)

    def loss(scores, own, margin, weights):
        residuals = margin + scores - scores.gather(1, own[:, None])
        return (weights * residuals).sum() / len(scores)

    def pull(own, weights):
        return weights.scatter(1, own[:, None], -weights.sum(1, keepdim=True)) / len(own)

    def train():
        torch.manual_seed(0)
        X, S = normalize(features), normalize(attributes)
        member = one_hot(y, k).float()
        means = member.T @ X / member.sum(0)[:, None]
        raw = torch.exp(-(X - means[y]).square().sum(1))
        sets = (member * (raw / (raw @ member)[y])[:, None]).T @ X
        classes = torch.arange(k)
        U = (START * torch.randn(X.shape[1], RANK)).requires_grad_(autograd)
        V = (START * torch.randn(S.shape[1], RANK)).requires_grad_(autograd)

        def both(U, V, x, own, images, labels):
            image = loss((x @ U) @ (S @ V).T, own, *images)
            label = loss((S @ V) @ (sets @ U).T, classes, *labels)
            return image + label + PENALTY * (U.square().sum() + V.square().sum())

        def objective():
            with torch.no_grad():
                images = assess((X @ U) @ (S @ V).T, y)
                labels = assess((S @ V) @ (sets @ U).T, classes)
                return float(both(U, V, X, y, images, labels))

        rate, batches = RATE, []
        for step in range(STEPS):
            if step % REFRESH == 0:
                objective()
                U_then, V_then = U.detach().clone(), V.detach().clone()
                labels = assess((S @ V_then) @ (sets @ U_then).T, classes)
            if step == DROP:
                rate /= 10
            if not batches:
                batches = list(torch.randperm(n).split(BATCH))
            batch = batches.pop(0)
            x, own = X[batch], y[batch]
            images = assess((x @ U_then) @ (S @ V_then).T, own)
            if autograd:
                for W in (U, V):
                    (gradient,) = torch.autograd.grad(both(U, V, x, own, images, labels), W)
                    with torch.no_grad():
                        W -= rate * gradient
                continue
            G, H = pull(own, images[1]), pull(classes, labels[1])
            SV = S @ V
            U -= rate * (x.T @ (G @ SV) + sets.T @ (H.T @ SV) + 2 * PENALTY * U)
            V -= rate * (S.T @ (G.T @ (x @ U)) + S.T @ (H @ (sets @ U)) + 2 * PENALTY * V)
        return objective()

    return train


def ours_epoch(data, options, system, batch_size=64):
    """Some epochs at once, as checks of the input are made once in a fit."""
    from zslib import compatibility

    model = getattr(compatibility, system)(n_epochs=EPOCHS, random_state=0)
    # The learning rate that takes the same steps on average.
    model.set_params(batch_size=batch_size, learning_rate=model.learning_rate * batch_size / 64)

    def run():
        return model.fit(data.X, data.y, data.S).learning_curve_[-1]

    run.scale = 1 / EPOCHS
    return run


def per_sample(W, X, y, S, system, rate, *, label_loop):
    """Per-sample SGD: by rows of labels in NumPy, or triplet by triplet as is common. The loss."""
    import numpy as np

    harmonic = np.cumsum(1.0 / np.arange(1, len(S) + 1)) / np.arange(1, len(S) + 1)
    total = 0.0
    for x, own in zip(X, y, strict=True):
        scores = S @ (x @ W)
        R = 1.0 + scores - scores[own]
        R[own] = 0.0
        (bad,) = np.nonzero(R > 0)
        if len(bad) == 0:
            continue
        weight = 1.0
        if system == "ALE":
            weight = float(harmonic[len(bad) - 1])
        elif system == "SJE":
            bad = np.array([R.argmax()])
        total += weight * float(R[bad].sum())
        if label_loop:
            for c in bad:
                W -= (rate * weight) * np.outer(x, S[c] - S[own])
        else:
            W -= (rate * weight) * np.outer(x, S[bad].sum(axis=0) - len(bad) * S[own])
    return total / len(X)


def loop_epoch(data, options, system, *, label_loop):
    """Some samples of an epoch, from the weights after another."""
    from zslib import compatibility

    start = getattr(compatibility, system)(n_epochs=1, random_state=0)
    start = start.fit(data.X, data.y, data.S).coef_
    m = min(options.loop, len(data.X))

    def run():
        arrays = data.X[:m], data.y[:m], data.seen
        return per_sample(start.copy(), *arrays, system, 0.1, label_loop=label_loop)

    run.scale = len(data.X) / m
    return run


def ours_closed(data, options, name):
    from zslib import compatibility

    model = getattr(compatibility, name)()

    def run():
        model.fit(data.X, data.y, data.S)

    return run


def bare_products(data, options, then=None):
    import numpy as np

    member = np.eye(len(data.seen), dtype=np.float32)[data.y]

    def run():
        gram, sums = data.X.T @ data.X, member.T @ data.X
        if then is not None:
            then(gram.astype(np.float64), sums.astype(np.float64))

    return run


def one_system(gram, sums):
    import numpy as np

    np.linalg.solve(gram + np.eye(len(gram)), sums.T)


def eigenvectors(gram, sums):
    import numpy as np

    np.linalg.eigh(gram)


COMPETITORS = {
    ("DARK, 200 steps", "zslib"): ours_dark,
    ("DARK, 200 steps", "PyTorch eager, autograd"): (
        lambda *given: torch_dark(*given, autograd=True)
    ),
    ("DARK, 200 steps", "PyTorch eager, our formulas"): (
        lambda *given: torch_dark(*given, autograd=False)
    ),
    **{
        (f"{system}, one epoch", name): lambda *given, build=build, system=system: build(
            *given, system
        )
        for system in SYSTEMS
        for name, build in (
            ("zslib", ours_epoch),
            ("zslib, batches of 256", lambda *given: ours_epoch(*given, batch_size=256)),
            ("loop over samples", lambda *given: loop_epoch(*given, label_loop=False)),
            ("loop over samples and labels", lambda *given: loop_epoch(*given, label_loop=True)),
        )
    },
    **{
        (name, competitor): build
        for name, what, step in (
            ("ESZSL", "one system", one_system),
            ("SAE", "eigenvectors", eigenvectors),
        )
        for competitor, build in (
            ("zslib", lambda *given, name=name: ours_closed(*given, name)),
            ("bare products", bare_products),
            (f"bare products, {what}", lambda *given, step=step: bare_products(*given, then=step)),
        )
    },
}


def print_accuracies(options):
    """Unseen-class accuracy of our epochs and of the loop, each at its best learning rate."""
    import numpy as np

    from zslib import compatibility

    def accuracy(W, data):
        predicted = (data.X_unseen @ W @ data.S[-UNSEEN:].T).argmax(axis=1)
        right = predicted == data.y_unseen
        return np.mean([right[data.y_unseen == c].mean() for c in range(UNSEEN)])

    lines = [
        "## Accuracy",
        "",
        f"Accuracy on {UNSEEN} unseen classes (average per class, %) after {options.epochs} "
        f"epochs on {options.small:,} samples, mean of {options.seeds} synthetic data sets; each "
        "at the best of three learning rates. The loop takes one sample at a time, zslib 64.",
        "",
        "| system | zslib | loop over samples |",
        "|---|---|---|",
    ]
    drawn = [problem(options, seed, options.small) for seed in range(options.seeds)]
    for system in SYSTEMS:
        ours, loop = [], []
        for rate in (1.0, 10.0, 100.0):
            model = getattr(compatibility, system)(
                learning_rate=rate, n_epochs=options.epochs, random_state=0
            )
            found = [accuracy(model.fit(d.X, d.y, d.S).coef_, d) for d in drawn]
            ours.append(np.mean(found))
        for rate in (0.01, 0.1, 1.0):
            found = []
            for d in drawn:
                W = np.zeros((options.p, options.q), np.float32)
                rng = np.random.default_rng(0)
                for _ in range(options.epochs):
                    order = rng.permutation(len(d.X))
                    arrays = d.X[order], d.y[order], d.seen
                    per_sample(W, *arrays, system, rate, label_loop=False)
                found.append(accuracy(W, d))
            loop.append(np.mean(found))
        lines.append(f"| {system} | {100 * max(ours):.1f} | {100 * max(loop):.1f} |")
    print("\n".join(lines))


def measure_memory(options):
    """Print the growth of peak memory, in MiB, from data and imports in memory to a run done."""
    import zslib.compatibility

    assert zslib.compatibility.DARK
    build = list(COMPETITORS.values())[options.index]
    run = build(problem(options), options)
    # What is loaded or set up once is paid for on a small problem first.
    small = argparse.Namespace(**{**vars(options), "n": 4 * options.classes, "p": 64})
    build(problem(small), small)()
    print_peak(run)


def measure_times(options):
    """Print the table of times."""
    import torch

    torch.set_num_threads(options.threads)
    data = problem(options)
    tasks = tasks_of(COMPETITORS, lambda key: COMPETITORS[key](data, options))
    found = take_turns(tasks, options.repeats)
    print(
        f"## {options.threads} thread{'s' * (options.threads > 1)}\n\n"
        f"{machine('torch')}. Synthetic data of "
        f"{options.n:,} samples, {options.p:,} features, {options.classes} seen classes, "
        f"{options.q} attributes, float32; {options.repeats} turns. Loops are timed on "
        f"{options.loop} samples and scaled up. The ratio is each one's time over zslib's, at the "
        "medians and at the minima. The last loss is that of the last run (of loops: on their "
        "samples). Peak memory: growth from data and imports loaded to the run done, in a process "
        f"of its own. {found.others}\n\n"
        "| task | by | median, s | minimum, s | ratio, median | ratio, minimum | last loss "
        "| peak memory, MiB |\n|---|---|---|---|---|---|---|---|"
    )
    for index, (key, taken) in enumerate(found.times.items()):
        cells = median_and_least(taken, (taken, found.times[(key[0], "zslib")]))
        loss = found.answers[key]
        print(
            f"| {key[0]} | {key[1]} | {cells} | {'' if loss is None else f'{loss:.3f}'} "
            f"| {peak_memory(options, index):.0f} |"
        )


def main():
    stages = {"times": measure_times, "memory": measure_memory, "accuracy": print_accuracies}
    sizes = {"n": 23527, "p": 2048, "q": 85, "classes": 40, "repeats": 5, "loop": 200}
    sizes |= {"small": 2000, "epochs": 10, "seeds": 3}
    run_stages(__doc__, "compatibility.md", "Zero-shot scorers", stages, **sizes)


if __name__ == "__main__":
    main()
