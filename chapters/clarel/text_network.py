"""The text network of CLAREL's Appendix D: shapes, sizes, gradients, penalty."""

import math

import numpy as np

from zslib.arrays import like, to_host, to_requested_device
from zslib.compatibility import CLAREL
from zslib.compatibility.clarel.encoders import ConvLSTMEncoder, TextDraw
from zslib.compatibility.clarel.loss import clarel_loss
from zslib.compatibility.clarel.network import ClarelNetwork
from zslib.nn import n_parameters
from zslib.protocols.pairs.evaluate import model_texts

# Names of parameters, by what they contain.
GROUPS = {
    "word vectors": ("embedding",),
    "convolutions": ("conv", "shortcut"),
    "normalisations": ("norm",),
    "LSTM": ("lstm",),
    "linear layers": ("_layer", "_classifier"),
    "all": ("",),
}
PENALISED = {
    "convolutions 1 and 2 of a block": ("conv1.", "conv2."),
    "convolutions 3, before the sum": ("conv3.",),
    "shortcuts": ("shortcut",),
    "scales γ": (".gamma",),
    "shifts β": (".beta",),
}


class AppendixNetwork:
    """The network of Appendix D for a problem with texts: shapes, sizes, gradients, penalty.

    Parameters
    ----------
    problem : ImageTextProblem
    embedding_dim : int
        Of the common space.
    max_tokens : int
        Words of a text that are read.
    seed : int
        Draws batches; each network has a seed of its own.
    device : str
    """

    def __init__(self, problem, *, embedding_dim, max_tokens, seed, device):
        self.problem, self.embedding_dim, self.seed = problem, embedding_dim, seed
        self.device, self.defaults = device, CLAREL()
        self.n_classes, self.n_features = len(problem.seen_classes), problem.features.shape[1]
        tokens, self.n_words = model_texts(problem, length=max_tokens)
        self._tokens, self._rng = to_host(tokens), np.random.default_rng(seed)

    def draw(self, n_images, n_texts):
        """Rows of images, the owner of each of their texts, tokens without empty columns."""
        p, rng = self.problem, self._rng
        images = np.sort(rng.choice(p.trainval, min(n_images, len(p.trainval)), replace=False))
        own = (p.image_texts[i] for i in images)
        chosen = [rng.choice(texts, min(n_texts, len(texts)), replace=False) for texts in own]
        words = self._tokens[np.concatenate(chosen)]
        owner = np.repeat(np.arange(len(images)), [len(texts) for texts in chosen])
        return images, owner, words[:, words.any(axis=0)]

    def whole(self, start, dtype=np.float32, *, word_dim=None, embedding_dim=None, **changes):
        """Encoder and heads at a start, without dropout; sizes of Appendix D, but for changes."""
        source = np.random.default_rng(start)
        shared = {"like": to_requested_device(np.zeros(1, dtype), self.device)}
        width = word_dim or self.defaults.word_dim
        encoder = ConvLSTMEncoder(self.n_words, width, source, **shared, **changes)
        model = CLAREL(embedding_dim=embedding_dim or self.embedding_dim, dropout=0.0)
        return ClarelNetwork(model, self.n_features, self.n_classes, encoder, source, **shared)

    def shapes(self, batch, texts):
        """Output of each layer for one batch: (name, kind, shape, branch), and the shortcuts."""
        encoder = self.whole(self.seed).encoder
        images, _, words = self.draw(batch, texts)
        x, mask = like(words, encoder.weight.value), like(words != 0, encoder.weight.value)
        blocks = [f"convolution {k}, norm, ReLU" for k in (1, 2)]
        blocks += ["convolution 3, norm", "plus shortcut, ReLU"]  # all of one shape
        named = [
            ("lookup", ["word vectors"]),
            *(("convolution", [f"block {k}: {part}" for part in blocks]) for k in (1, 2)),
            ("LSTM", ["LSTM, both directions"]),
            ("mean", [f"{self.defaults.pooling} over words"]),
        ]
        bars = [("tokens", "input", (*words.shape, 1), "text")]
        for layer, (kind, parts) in zip(encoder.layers.layers.values(), named, strict=True):
            x = layer.forward(x, mask)
            bars += [(part, kind, x.shape, "text") for part in parts]
        n, e, c = len(images), self.embedding_dim, self.n_classes
        return [
            *bars,
            ("mean over texts", "mean", (n, x.shape[1]), "text"),
            ("dropout, linear: text embedding", "linear", (n, e), "text"),
            ("linear: text classifier", "linear", (n, c), "text"),
            ("image features", "input", (n, self.n_features), "image"),
            ("dropout, linear: image embedding", "linear", (n, e), "image"),
            ("linear: image classifier", "linear", (n, c), "image"),
        ], [(1, 5), (5, 9)]  # past the four bars of either block

    def sizes(self):
        """Parameters by layer: (layer, formula, number of arrays' entries, whether penalised)."""
        learned = self.whole(self.seed).parameters()
        e, c, model = self.embedding_dim, self.n_classes, self.defaults
        d, (a, b), w, h = model.word_dim, model.filters, model.kernel_width, model.lstm_units

        def size(*prefixes):
            return sum(p.value.size for name, p in learned.items() if name.startswith(prefixes))

        rows = [("word vectors", f"{self.n_words}·{d}", size("encoder.embedding"), "no")]
        for number, n_in, n_out in ((1, d, a), (2, a, b)):
            for kind, part, formula in (
                ("convolutions", "conv", f"{w}·({n_in} + 2·{n_out})·{n_out}"),
                ("normalisations", "norm", f"3·2·{n_out}"),
                ("shortcut", "shortcut", f"{n_in}·{n_out}"),
            ):
                entries = size(f"encoder.block{number}.{part}")
                rows.append((f"block {number}: {kind}", formula, entries, "yes"))
        return [
            *rows,
            ("LSTM", f"2·4·{h}·({b} + {h} + 1)", size("encoder.lstm"), "no"),
            ("text layer", f"({2 * h} + 1)·{e}", size("text_layer"), "no"),
            ("image layer", f"({self.n_features} + 1)·{e}", size("image_layer"), "no"),
            ("both classifiers", f"({e} + 1)·{2 * c}", size("image_cl", "text_cl"), "no"),
        ]

    def readings(self):
        """Parameters of the encoder under other readings, one changed at a time: {name: size}."""
        changes = {"as above": {}}
        changes |= {f"kernel width {k}": {"kernel_width": k} for k in (1, 3, 5, 7)}
        changes |= {f"word vectors of {k:,}": {"word_dim": k} for k in (50, 300, 1024)}
        changes[f"last state instead of the {self.defaults.pooling}"] = {"pooling": "last"}
        return {
            name: n_parameters(self.whole(self.seed, **change).encoder)
            for name, change in changes.items()
            if all(getattr(self.defaults, k) != v for k, v in change.items())
        }


class LossCheck:
    """Algorithm 1 with its penalty through the whole network, on one batch of four images."""

    def __init__(self, network, *, narrow):
        self._network, problem = network, network.problem
        narrower = {"filters": (8, 12), "lstm_units": 10, "word_dim": 16, "embedding_dim": 12}
        self._changes = narrower if narrow else {}
        images, owner, self._words = network.draw(4, 2)
        self._features = to_host(problem.features)[images]
        self._codes = np.searchsorted(problem.seen_classes, problem.labels[images])
        share = 1 / np.bincount(owner)[owner]
        self._draw = TextDraw(owner, np.arange(len(owner)), share, len(images))

    def loss(self, net, *, backward=False):
        """The loss with its penalty; on request all gradients too."""
        reference = net.image_layer.weight.value
        features = like(self._features.astype(to_host(reference).dtype), reference)
        z = net.image_layer.forward(features, train=True)
        encoded = net.encoder.encode(self._words, self._draw, train=True)
        t = net.text_layer.forward(encoded, train=True)
        terms, (by_z, by_t, by_image, by_text) = clarel_loss(
            z,
            t,
            net.image_classifier.forward(z, train=True),
            net.text_classifier.forward(t, train=True),
            like(self._codes, reference),
        )
        learned = net.parameters().values()
        penalty = sum(p.penalty * float((p.value**2).sum()) for p in learned if p.penalty)
        if backward:
            net.image_layer.backward(by_z + net.image_classifier.backward(by_image))
            by_encoded = net.text_layer.backward(by_t + net.text_classifier.backward(by_text))
            net.encoder.backward(by_encoded)
            for p in learned:
                p.add_penalty()
        return float(terms.total) + penalty

    def errors(self, group, start, dtype, steps):
        """Relative errors of central differences along a random direction, for each step."""
        net = self._network.whole(start, dtype, **self._changes)
        self.loss(net, backward=True)
        moved = _chosen(net, GROUPS[group])
        kept, source = [p.value for p in moved], np.random.default_rng(1000 + start)
        delta = [source.standard_normal(value.shape) for value in kept]
        length = math.sqrt(_dot(kept, kept)) / math.sqrt(_dot(delta, delta))
        delta = [like((length * d).astype(dtype), kept[0]) for d in delta]
        slope = _dot([p.gradient for p in moved], delta)
        errors = []
        for step in steps.tolist():
            ends = []
            for signed in (step, -step):
                for p, value, d in zip(moved, kept, delta, strict=True):
                    p.value = value + signed * d
                ends.append(self.loss(net))
            errors.append(abs((ends[0] - ends[1]) / (2.0 * step) - slope) / abs(slope))
        return errors

    def error_rows(self, seeds, steps):
        """`errors` by group and type: geometric means over ``seeds`` (starts and directions).

        And, as the metric "smallest relative error", the largest over seeds of the smallest.
        """
        for group, dtype in [*((group, "float64") for group in GROUPS), ("all", "float32")]:
            errors = np.maximum([self.errors(group, s, dtype, steps) for s in seeds], 1e-17)
            named = {"dataset": self._network.problem, "part": group, "method": dtype}
            smallest = float(errors.min(axis=1).max())
            yield named | {"metric": "smallest relative error", "value": smallest}
            shown = group if dtype == "float64" else f"{group}, single precision"
            means = np.exp(np.log(errors).mean(axis=0)).tolist()
            for step, mean in zip(steps.tolist(), means, strict=True):
                yield named | {"metric": "error", "group": shown, "step": step, "value": mean}

    def penalty_rows(self):
        """Of each penalised group at the start: its penalty, and what doubling it changes.

        (name, numbers, penalty, largest cosine of weight and gradient, relative change of the
        text vectors); the last but one is None where the group is zero.
        """
        weight = self._network.defaults.convolution_penalty
        net = self._network.whole(self._network.seed, np.float64, **self._changes)
        single = TextDraw.single(self._draw.text)
        start = to_host(net.encoder.encode(self._words, single, train=True))
        for p in net.parameters().values():
            p.penalty = 0.0
        self.bare = self.loss(net, backward=True)
        rows = []
        for name, words in PENALISED.items():
            doubled = _chosen(net, words)
            kept = [p.value for p in doubled]
            squares = _dot(kept, kept)
            cosine = max(map(_cosine, doubled))
            for p in doubled:
                p.value = 2.0 * p.value
            changed = to_host(net.encoder.encode(self._words, single, train=True))
            for p, value in zip(doubled, kept, strict=True):
                p.value = value
            change = float(np.linalg.norm(changed - start) / np.linalg.norm(start))
            numbers = sum(value.size for value in kept)
            rows.append((name, numbers, weight * squares, cosine if squares else None, change))
        return rows


def _dot(a, b):
    """Inner product of two lists of arrays, as of one vector each."""
    return sum(float((x * y).sum()) for x, y in zip(a, b, strict=True))


def _cosine(p):
    """Of a parameter and its gradient, without the sign."""
    a, b = [p.value], [p.gradient]
    return abs(_dot(a, b) / math.sqrt(max(_dot(a, a) * _dot(b, b), 1e-300)))


def _chosen(net, words):
    """The `Parameter` of a network's parts whose names have one of the words."""
    named = net.parameters().items()
    return [p for name, p in named if any(word in name for word in words)]
