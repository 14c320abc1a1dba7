"""Speed of CLAREL's training step beside the same step in PyTorch eager, in the same process.

Run ``python benchmarks/nn.py [--threads 1 2] [--repeats 7] [--write]``: prints Markdown, and
with ``--write`` keeps them in ``benchmarks/results/nn.md``. The tasks:

- one training step: image head, text encoder, both classifiers, the four losses, dropout, the L2
  penalty and the change of all parameters, with all texts of one length and with texts of
  different lengths. PyTorch has no batch normalisation over tokens only: with different lengths
  its own also counts padding, and its LSTM reads packed sequences.
- forward and backward of the second residual block, and of the BiLSTM; of this also the matrix
  products alone, which a program that calls the same library cannot do without.

Both start from the same parameters. Without dropout, and with texts of one length, both take the
same steps, which the table of losses shows. The competitors of one task take turns, so that other
work on the machine hits both alike; a turn is two runs, of which the second counts, because a
training repeats its step and takes again the memory that the step before has freed. Peak memory
(Linux) is measured in a process of its own.
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

PAPER = {
    "batch": 32, "captions": 10, "tokens": 30, "vocabulary": 6000, "words": 300, "units": 512,
    "features": 2048, "classes": 150, "embedding": 1024,
}  # fmt: skip
FILTERS = [128, 256]
RATE, PENALTY = 0.1, 0.001
STEP = "training step"
LENGTHS = "training step, different lengths"


def batch(options, *, full):
    """One batch of random features, labels and captions; float32."""
    import numpy as np

    rng = np.random.default_rng(0)
    n = options.batch * options.captions
    tokens = rng.integers(2, options.vocabulary, (n, options.tokens))
    if not full:
        lengths = rng.integers(min(5, options.tokens), options.tokens + 1, n)
        tokens[np.arange(options.tokens) >= lengths[:, None]] = 0
    features = rng.random((options.batch, options.features), dtype=np.float32)
    return SimpleNamespace(
        X=features, y=rng.integers(options.classes, size=options.batch), tokens=tokens
    )


def network(options, dropout, like=None):
    """Our network, at the sizes of the paper."""
    import numpy as np

    from zslib.compatibility import CLAREL
    from zslib.compatibility.clarel.encoders import ConvLSTMEncoder
    from zslib.compatibility.clarel.network import ClarelNetwork

    rng = np.random.default_rng(0)
    like = np.zeros(1, np.float32) if like is None else like
    encoder = ConvLSTMEncoder(
        options.vocabulary,
        options.words,
        rng,
        filters=tuple(options.filters),
        lstm_units=options.units,
        penalty=PENALTY,
        like=like,
    )
    model = CLAREL(embedding_dim=options.embedding, dropout=dropout)
    return ClarelNetwork(model, options.features, options.classes, encoder, rng, like=like)


def ours_step(options, *, full=True, dropout=0.25, to=lambda array: array):
    import numpy as np

    from zslib.compatibility.clarel.draws import TextDraw

    data, model = batch(options, full=full), network(options, dropout, to(np.zeros(1, "f")))
    b, m = options.batch, options.captions
    draw = TextDraw(np.repeat(np.arange(b), m), np.arange(b * m), np.full(b * m, 1.0 / m), b)
    X, codes, prepared = to(data.X), to(data.y), model.encoder.prepare(data.tokens)
    loss = {"distance": "euclidean", "retrieval_mix": 0.5, "classification_weight": 0.5}
    return lambda: float(model.step(X, prepared, draw, codes, {"rate": RATE}, **loss)[0])


def torch_layers(options, dropout):
    """The layers in PyTorch, with our parameters."""
    import numpy as np
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, n_in, n_out):
            super().__init__()
            layers = []
            for k in range(3):
                before = n_in if k == 0 else n_out
                layers += [nn.Conv1d(before, n_out, 3, padding=1, bias=False)]
                layers += [nn.BatchNorm1d(n_out), *([nn.ReLU()] if k < 2 else [])]
            self.branch = nn.Sequential(*layers)
            self.shortcut = nn.Conv1d(n_in, n_out, 1, bias=False)

        def forward(self, x):
            return torch.relu(self.branch(x) + self.shortcut(x))

    first, second = options.filters
    parts = nn.ModuleDict(
        {
            "embedding": nn.Embedding(options.vocabulary, options.words),
            "block1": Block(options.words, first),
            "block2": Block(first, second),
            "lstm": nn.LSTM(second, options.units, batch_first=True, bidirectional=True),
            "image_layer": nn.Linear(options.features, options.embedding),
            "text_layer": nn.Linear(2 * options.units, options.embedding),
            "image_classifier": nn.Linear(options.embedding, options.classes),
            "text_classifier": nn.Linear(options.embedding, options.classes),
        }
    )
    ours = {name: p.value for name, p in network(options, dropout).parameters().items()}
    h = options.units
    gates = np.r_[: 2 * h, 3 * h : 4 * h, 2 * h : 3 * h]  # PyTorch's order: i, f, u, o

    def put(target, values):
        target.data.copy_(torch.from_numpy(np.ascontiguousarray(values)))

    put(parts["embedding"].weight, ours["encoder.embedding.weight"])
    for name in ("block1", "block2"):
        for k in (1, 2, 3):
            weight = ours[f"encoder.{name}.conv{k}.weight"]
            put(parts[name].branch[3 * (k - 1)].weight, weight.transpose(2, 1, 0))
        weight = ours[f"encoder.{name}.shortcut.weight"]
        put(parts[name].shortcut.weight, weight.transpose(2, 1, 0))
    for way, suffix in enumerate(("", "_reverse")):
        for theirs, name in (("ih", "input"), ("hh", "recurrent")):
            weight = ours[f"encoder.lstm.{name}_weight"][way]
            put(getattr(parts["lstm"], f"weight_{theirs}_l0{suffix}"), weight.T[gates])
        put(getattr(parts["lstm"], f"bias_ih_l0{suffix}"), ours["encoder.lstm.bias"][way][gates])
        # PyTorch has a second bias beside the first; it is left out.
        second = getattr(parts["lstm"], f"bias_hh_l0{suffix}").requires_grad_(False)
        second.data.zero_()
    for name in ("image_layer", "text_layer", "image_classifier", "text_classifier"):
        put(parts[name].weight, ours[f"{name}.weight"].T)
        put(parts[name].bias, ours[f"{name}.bias"])
    return parts


def torch_step(options, *, full=True, dropout=0.25, device="cpu"):
    import torch
    from torch.nn import functional as F
    from torch.nn.utils import rnn

    torch.manual_seed(0)
    data, parts = batch(options, full=full), torch_layers(options, dropout).to(device)
    X, y, tokens = (torch.from_numpy(a).to(device) for a in (data.X, data.y, data.tokens))
    mask = tokens != 0
    lengths, valid = mask.sum(1), mask[:, :, None].float()
    convolved = [p for name in ("block1", "block2") for p in parts[name].parameters()]
    known = {id(p) for p in convolved}
    others = [p for p in parts.parameters() if id(p) not in known and p.requires_grad]
    # The penalty's gradient is twice its weight times the parameter.
    optimiser = torch.optim.SGD(
        [{"params": convolved, "weight_decay": 2 * PENALTY}, {"params": others}], lr=RATE
    )

    def encode():
        x = parts["embedding"](tokens)
        if not full:
            x = x * valid
        for name in ("block1", "block2"):
            x = parts[name](x.transpose(1, 2)).transpose(1, 2)
            if not full:
                x = x * valid
        if full:
            states = parts["lstm"](x)[0].mean(1)
        else:
            packed = rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            states = rnn.pad_packed_sequence(parts["lstm"](packed)[0], batch_first=True)[0]
            states = states.sum(1) / lengths[:, None]
        return states.reshape(options.batch, options.captions, -1).mean(1)

    def step():
        optimiser.zero_grad()
        images = parts["image_layer"](F.dropout(X, dropout))
        texts = parts["text_layer"](F.dropout(encode(), dropout))
        scores, own = -torch.cdist(images, texts), torch.arange(options.batch, device=device)
        retrieval = F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)
        classes = F.cross_entropy(parts["image_classifier"](images), y)
        classes = classes + F.cross_entropy(parts["text_classifier"](texts), y)
        loss = 0.25 * retrieval + 0.25 * classes
        loss.backward()
        optimiser.step()
        return float(loss.detach())

    return step


def ours_layer(options, name):
    import numpy as np

    layer = network(options, 0.0).encoder.layers.layers[name]
    n_in = options.filters[0 if name == "block2" else 1]
    shape = options.batch * options.captions, options.tokens, n_in
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)

    def run():
        layer.backward(np.ones_like(layer.forward(x, train=True)))

    return run


def torch_layer(options, name):
    import numpy as np
    import torch

    layer = torch_layers(options, 0.0)[name]
    n_in = options.filters[0 if name == "block2" else 1]
    shape = options.batch * options.captions, options.tokens, n_in
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    x = torch.from_numpy(x).requires_grad_()

    def run():
        out = layer(x)[0] if name == "lstm" else layer(x.transpose(1, 2)).transpose(1, 2)
        out.backward(torch.ones_like(out))

    return run


def bare_products(options):
    """The matrix products of the BiLSTM forward and backward, one after the other, in NumPy."""
    import numpy as np

    texts, tokens = options.batch * options.captions, options.tokens
    n_in, h = options.filters[1], options.units
    rng = np.random.default_rng(0)

    def matrix(*shape):
        return rng.standard_normal(shape, dtype=np.float32)

    x, gates, hidden = (matrix(texts * tokens, k) for k in (n_in, 4 * h, h))
    W, R = matrix(n_in, 4 * h), matrix(h, 4 * h)
    rows = [slice(k * texts, (k + 1) * texts) for k in range(tokens)]

    def run():
        for _ in ("forwards", "backwards"):
            x @ W
            for now in rows[1:]:
                hidden[now] @ R
                gates[now] @ R.T
            gates @ W.T
            x.T @ gates
            hidden[texts:].T @ gates[texts:]

    return run


COMPETITORS = {
    (STEP, "zslib"): ours_step,
    (STEP, "PyTorch eager"): torch_step,
    (LENGTHS, "zslib"): lambda options: ours_step(options, full=False),
    (LENGTHS, "PyTorch eager"): lambda options: torch_step(options, full=False),
    **{
        (task, by): lambda options, name=name, build=build: build(options, name)
        for task, name in (("second residual block", "block2"), ("BiLSTM", "lstm"))
        for by, build in (("zslib", ours_layer), ("PyTorch eager", torch_layer))
    },
    ("BiLSTM", "its matrix products alone"): bare_products,
}


def print_losses(options):
    """Losses of the first steps without dropout: the two programs compute the same thing."""
    lines = [
        "## The same steps",
        "",
        "Loss of the first steps without dropout, texts of one length, from the same parameters:",
        "",
        "| by | " + " | ".join(f"step {k}" for k in range(1, 5)) + " |",
        "|---" * 5 + "|",
    ]
    for by, build in (("zslib", ours_step), ("PyTorch eager", torch_step)):
        step = build(options, dropout=0.0)
        lines.append(f"| {by} | " + " | ".join(f"{step():.4f}" for _ in range(4)) + " |")
    print("\n".join(lines))


def measure_memory(options):
    """Print the growth of peak memory, in MiB, over the parameters and the batch in memory."""
    build = list(COMPETITORS.values())[options.index]
    # What is loaded or set up once is paid for on a small problem first.
    tiny = {"batch": 2, "captions": 2, "tokens": 5}
    build(argparse.Namespace(**{**vars(options), **tiny}))()
    print_peak(build(options))


def measure_times(options):
    """Print the table of times."""
    import torch

    torch.set_num_threads(options.threads)
    tasks = tasks_of(COMPETITORS, lambda key: COMPETITORS[key](options))
    found = take_turns(tasks, options.repeats, warm_up=0, in_a_row=2)
    parameters = sum(p.value.size for p in network(options, 0.0).parameters().values())
    first, second = options.filters
    print(
        f"## {options.threads} thread{'s' * (options.threads > 1)}\n\n"
        f"{machine('torch')}. {options.batch} images of "
        f"{options.features:,} features, {options.captions} captions each of {options.tokens} "
        f"tokens (or {min(5, options.tokens)} to {options.tokens}), vocabulary of "
        f"{options.vocabulary:,}, word vectors of {options.words}, blocks of {first} and {second} "
        f"filters, {options.units} LSTM units in each direction, {options.classes} classes: "
        f"{parameters / 1e6:.1f} million parameters, float32; {options.repeats} turns of two "
        "runs each, the second of which counts, as in a training. The ratio "
        "is to PyTorch's time, at the medians and at the minima. Peak memory: growth "
        f"over parameters and batch during one run, in a process of its own. {found.others}\n\n"
        "| task | by | median, s | minimum, s | ratio, median | ratio, minimum "
        "| peak memory, MiB |\n|---|---|---|---|---|---|---|"
    )
    for index, (key, taken) in enumerate(found.times.items()):
        peer = (key[0], "PyTorch eager")
        ratio = (taken, found.times[peer]) if key != peer else None
        print(
            f"| {key[0]} | {key[1]} | {median_and_least(taken, ratio)} "
            f"| {peak_memory(options, index):.0f} |"
        )


def main():
    stages = {"times": measure_times, "memory": measure_memory, "losses": print_losses}
    filters = {"filters": {"type": int, "nargs": 2, "default": FILTERS}}
    run_stages(__doc__, "nn.md", "CLAREL's layers", stages, filters, **PAPER, repeats=7)


if __name__ == "__main__":
    main()
