"""What a reader moves: hubs under a penalty and a dimension, accuracies under gamma.

``book/_static/afternoon.js`` draws them; without it they are not shown.
"""

import base64
import io
import json

import numpy as np
from IPython.display import Markdown
from matplotlib.image import imsave

from chapters.afternoon.drawings import article
from zslib.mapping import RidgeMap
from zslib.metrics import harmonic_mean
from zslib.search import top_k


def _slider(kind, numbers, inputs, told, inside=""):
    """Numbers for the page's script, in a block of a class of its own, with its inputs."""
    sliders = "".join(
        f'<label>{name} = <b>{value}</b> <input type="range" min="{low}" max="{high}" '
        f'value="{value}"></label>'
        for name, (low, value, high) in inputs.items()
    )
    lines = "".join(f"<li><b>{name}</b> <output></output></li>" for name in told)
    return Markdown(
        f"<div hidden class=\"afternoon {kind}\" data-numbers='{json.dumps(numbers)}'>"
        f"{sliders}<div></div>{inside}<ul>{lines}</ul></div>"
    )


def made_up_pairs(seed=0, *, n_queries=60, n_pairs=40, dimension=10, noise=0.5):
    """Training pairs X, Y, and queries with their targets: the same points, seen through noise.

    Normal in each dimension; with two decimals, as the page has them.
    """
    rng = np.random.default_rng(seed)
    targets, Y = (rng.normal(size=(n, dimension)) for n in (n_queries, n_pairs))
    queries, X = (points + noise * rng.normal(size=points.shape) for points in (targets, Y))
    return [points.round(2) for points in (X, Y, queries, targets)]


def find(pairs, dimension, penalty, *, reverse=False):
    """Where queries are, and the target that each finds, in the first dimensions alone.

    In reverse sources are predicted from targets, so that the targets are mapped.
    """
    X, Y, queries, targets = (points[:, :dimension] for points in pairs)
    if reverse:
        targets = RidgeMap(penalty).fit(Y, X).transform(targets)
    else:
        queries = RidgeMap(penalty).fit(X, Y).transform(queries)
    return queries, top_k(queries, targets, 1, metric="euclidean")[1]


def hub_slider(pairs):
    """Queries and targets under a penalty of 10^(i / 8), in the first d dimensions."""
    numbers = [points.tolist() for points in pairs]
    inputs = {"penalty λ": (0, 16, 24), "dimensions": (2, 2, pairs[0].shape[1])}
    return _slider("hub-plane", numbers, inputs, ["ridge:", "reverse ridge:"])


def _picture(pixels):
    """An image of 8 x 8 pixels as the address of a PNG."""
    stream = io.BytesIO()
    imsave(stream, np.reshape(pixels, (8, 8)), cmap="Greys", vmin=0, vmax=1, format="png")
    return f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"


def gamma_points(curve, steps=50):
    """Gamma from zero up, and accuracy on seen and on unseen classes and H under it, in percent.

    Up to where hardly an image of a seen class is named right any more.
    """
    last = curve.gammas[np.flatnonzero(curve.seen > 0.01)[-1] + 1]
    gammas = np.linspace(0, last, steps + 1)
    pairs = 100 * np.array([curve.at(gamma) for gamma in gammas])
    return np.column_stack([gammas, pairs, harmonic_mean(*pairs.T)]).round(6)


def pictures_of(problem, outcome, side, rows):
    """Of some test images, ``rows`` of that side: pixels, name, and answers before and after γ."""
    answers, names = getattr(outcome, side), problem.class_names
    for row, image in zip(rows, getattr(problem, side)[rows], strict=True):
        yield {
            "pixels": problem.features[image],
            "name": str(names[problem.labels[image]]),
            "answers": [str(names[of[row, 0]]) for of in (answers.seen, answers.unseen)],
            "flip": round(float(answers.flips[row]), 6),
        }


def gamma_slider(curve, pictures=()):
    """The curve of a system with a mark that a slider moves, and what images are answered.

    ``pictures`` are of `pictures_of`.
    """
    points = gamma_points(curve)
    images = "".join(
        f'<li><img alt="{article(one["name"])}" src="{_picture(one["pixels"])}">'
        "<output></output></li>"
        for one in pictures
    )
    numbers = {
        "points": points.tolist(),
        "pictures": [{k: one[k] for k in ("name", "answers", "flip")} for one in pictures],
    }
    inputs = {"γ": (0, 0, len(points) - 1)}
    return _slider("gamma", numbers, inputs, ["now:"], f'<ul class="pictures">{images}</ul>')
