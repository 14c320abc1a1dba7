"""What is to be read: texts that an image retrieves, and what validation chose."""

import textwrap

import numpy as np

from zslib.protocols.tidy import row


def nearest_texts(pairs, model, n_images=4, k=3):
    """Rows: an image's class and the place of its own text, a text near to it, and whose that is.

    Of the images of held-out classes some are taken, from the one whose own text comes first to
    the one whose comes last. None where texts are ready vectors.
    """
    held = pairs.problem
    if held.texts is None:
        return []
    images, candidates, belongs = pairs.asked
    order = np.argsort(pairs.distances(model), axis=1, kind="stable")
    place = np.take_along_axis(belongs, order, axis=1).argmax(axis=1)
    ends = np.linspace(0, len(images) - 1, min(n_images, len(images))).astype(int)
    rows = []
    for i in np.argsort(place, kind="stable")[ends].tolist():
        label = held.labels[images[i]]
        image = f"{held.class_names[label]}, own text in place {place[i] + 1}".replace("_", " ")
        for j in order[i, :k].tolist():
            classes = held.labels[images[belongs[:, j]]]
            whose = (
                "own" if belongs[i, j] else "of its class" if label in classes else "of another"
            )
            text = textwrap.shorten(held.texts[candidates[j]], 90, placeholder=" …")
            rows.append([image, text, whose])
    return rows


def own_and_others(problem, n=3):
    """Lines of a table: texts of the first training image, and of others of its class."""
    labels = problem.labels[problem.trainval]
    image, *others = problem.trainval[labels == labels[0]]
    label = str(problem.class_names[labels[0]]).replace("_", " ")
    own = [[label, "its own", problem.texts[i]] for i in problem.image_texts[image][:n]]
    first = (problem.image_texts[other][0] for other in others[:n])
    return own + [[label, "another image's", problem.texts[i]] for i in first]


def chosen_rows(problem, run, **columns):
    """Learning rate and alpha that validation data chose, and rates passed over, as text."""
    passed = [f"{trial['parameters']['learning_rate']:g}" for trial in run.passed_over]
    chosen = {"learning rate": run.model.learning_rate, "alpha": run.alpha}
    chosen |= {"passed over": ", ".join(passed)} if passed else {}
    for name, value in chosen.items():
        yield row(problem, f"chosen {name}", "CLAREL", value, **columns)
