"""Speed of one training epoch of `MaxMarginMap` beside the same loop in PyTorch eager.

Run ``python benchmarks/mapping.py [--threads 1 2] [--repeats 15] [--write]``: prints a Markdown
table, and with ``--write`` keeps it in ``benchmarks/results/mapping.md``. All competitors run in
one process, a few epochs each in turn, so that other work on the machine hits all of them alike.
Peak memory (Linux) is measured in a process of its own for each competitor.
"""

from __future__ import annotations

from importlib import import_module

from _harness import machine, median_and_least, peak_memory, print_peak, run_stages, take_turns

MARGIN, LEARNING_RATE, BATCH = 0.4, 0.1, 32
EPOCHS = 3  # in one turn


def pairs(n, d1, d2):
    """Random pairs with a linear relation and noise, float32, on which training has work to do."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d1))
    Y = X @ rng.standard_normal((d1, d2)) / d1**0.5 + 3 * rng.standard_normal((n, d2))
    return X.astype(np.float32), Y.astype(np.float32)


def ours(X, Y, negatives, k):
    """Some epochs per call, by ``warm_start``."""
    from zslib.mapping import MaxMarginMap

    mapper = MaxMarginMap(
        MARGIN,
        k,
        negatives=negatives,
        learning_rate=LEARNING_RATE,
        batch_size=BATCH,
        n_epochs=EPOCHS,
        warm_start=True,
        random_state=0,
    )

    def epochs():
        return mapper.fit(X, Y).learning_curve_[-1]

    return epochs


def torch_eager(X, Y, negatives, k, *, fused=False, products=1):
    """The loop that a PyTorch user writes: vectorised, autograd, `torch.optim.Adagrad`.

    Targets are scaled to length one once, and the negatives of an epoch drawn at once, as ours.
    ``products=2`` finds intruders by the two products of the printed formula, 1 by our one.
    """
    import torch
    from torch.nn.functional import normalize, relu

    torch.manual_seed(0)
    X, Y = torch.from_numpy(X), normalize(torch.from_numpy(Y))
    n, d1, d2 = len(X), X.shape[1], Y.shape[1]
    W = torch.nn.Parameter(torch.randn(d1, d2) / d1**0.5)
    optimiser = torch.optim.Adagrad([W], lr=LEARNING_RATE, fused=fused)

    def intruders(mapped, gold, batch):
        with torch.no_grad():
            one = products == 1
            scores = (mapped - gold) @ Y.T if one else mapped @ Y.T - gold @ Y.T
            scores[torch.arange(len(batch)), batch] = -torch.inf
            return scores.argmax(1, keepdim=True) if k == 1 else scores.topk(k).indices

    def epoch():
        order = torch.randperm(n)
        drawn = torch.randint(n - 1, (n, k))
        total = torch.zeros(())
        for start in range(0, n, BATCH):
            batch = order[start : start + BATCH]
            gold = Y[batch]
            mapped = normalize(X[batch] @ W)
            if negatives == "intruder":
                chosen = intruders(mapped, gold, batch)
            else:
                chosen = drawn[start : start + BATCH]
                chosen = chosen + (chosen >= batch[:, None])
            cosines = torch.bmm(Y[chosen], mapped[:, :, None])[:, :, 0]
            own = (mapped * gold).sum(1, keepdim=True)
            loss = relu(MARGIN - own + cosines).sum(1).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += loss.detach() * len(batch)
        return float(total) / n

    return lambda: [epoch() for _ in range(EPOCHS)][-1]


COMPETITORS = {
    ("random", 10, "zslib"): ours,
    ("random", 10, "PyTorch eager"): torch_eager,
    ("random", 10, "PyTorch eager, fused Adagrad"): lambda *a: torch_eager(*a, fused=True),
    ("intruder", 1, "zslib"): ours,
    ("intruder", 1, "PyTorch eager, formula as printed"): lambda *a: torch_eager(*a, products=2),
    ("intruder", 1, "PyTorch eager, our single product"): torch_eager,
    ("intruder", 1, "PyTorch eager, our single product, fused Adagrad"): (
        lambda *a: torch_eager(*a, fused=True)
    ),
}


def measure_memory(options):
    """Print the growth of peak memory, in MiB, from data in memory to training done."""
    (negatives, k, name), build = list(COMPETITORS.items())[options.index]
    X, Y = pairs(options.n, options.d1, options.d2)
    if name == "zslib":
        import_module("zslib.mapping")
    else:
        import torch

        torch.ones(2, 2, requires_grad=True).sum().backward()
    print_peak(build(X, Y, negatives, k))


def measure_times(options):
    """Print the table of times."""
    import torch

    torch.set_num_threads(options.threads)
    X, Y = pairs(options.n, options.d1, options.d2)
    runs = {key: build(X, Y, *key[:2]) for key, build in COMPETITORS.items()}
    found = take_turns([runs], options.repeats)
    print(
        f"## {options.threads} thread{'s' * (options.threads > 1)}\n\n"
        f"{machine('torch')}. {options.n:,} pairs of {options.d1} and {options.d2} dimensions, "
        f"float32, batch {BATCH}, k negatives; {options.repeats} turns of {EPOCHS} epochs each, "
        "one competitor after the other. Times are per epoch. The ratio is each one's time over "
        "zslib's, at the medians and at the minima. Loss: the last epoch's mean; equal up to the "
        "draws. Peak memory: growth from data and imports loaded to training done, in a process "
        f"of its own. {found.others}\n\n"
        "| negatives | k | loop | median, ms | minimum, ms | ratio, median | ratio, minimum "
        "| loss | peak memory, MiB |\n|---|---|---|---|---|---|---|---|---|"
    )
    for index, (key, taken) in enumerate(found.times.items()):
        base = found.times[(*key[:2], "zslib")]
        cells = median_and_least(taken, (taken, base), unit=1e3 / EPOCHS, digits=".0f")
        print(
            f"| {key[0]} | {key[1]} | {key[2]} | {cells} | {found.answers[key]:.3f} "
            f"| {peak_memory(options, index):.0f} |"
        )


def main():
    stages = {"times": measure_times, "memory": measure_memory}
    title = "One epoch of max-margin training"
    run_stages(__doc__, "mapping.md", title, stages, n=5000, d1=300, d2=300, repeats=15)


if __name__ == "__main__":
    main()
