"""The report of ``zslib compare``: one page that needs nothing but a browser."""

import html
import re
from importlib import resources
from string import Template

import numpy as np

import zslib
from zslib.compare.finding import READINGS
from zslib.protocols.attributes.comparison import settings_text
from zslib.protocols.attributes.intervals import outcome_at
from zslib.protocols.attributes.methods import named, origin
from zslib.show.figures import figure, style
from zslib.show.systems import draw_against, draw_estimates
from zslib.show.tables import Column, Table

_WHEN_SEEN_COMPETE = {
    "H": Column("H"),
    "unseen": Column("u"),
    "seen": Column("s"),
    "AUSUC": Column("AUSUC"),
    "pollution": Column("pollution"),
    "gamma": Column("γ", ".3g"),
}
_HUBS_AND_COST = {
    "largest hub": Column("largest hub", ".1f"),
    "skewness of N_1": Column("skewness", ".2f"),
    "seconds": Column("seconds", ",.2f"),
    "numbers kept": Column("parameters", ",.0f"),
}
_FIGURES = (
    ("hubs", "largest hub", "largest hub over the mean", "linear"),
    ("seconds", "seconds", "seconds to train", "log"),
)
_WORST = 50
_INTERVAL = re.compile(r"(?<=\d) (\[[^\]<]*\])(?=</td>)")


def report(finding):
    """The page as text."""
    style()
    first, *others = (html.escape(text) for text in finding.sentences())
    return Template(_file("page.html")).substitute(
        name=html.escape(finding.problem.name) + " (quick look)" * finding.quick,
        quick=_paragraph(finding.left_out(), "quick"),
        first=first,
        others="\n".join(map(_paragraph, others)),
        figure=_estimates(finding),
        counts=html.escape(_counts(finding)),
        systems=_systems(finding),
        pick=html.escape(finding.pick),
        classes=_classes(finding, finding.pick, sortable=True),
        other_classes=_others(finding),
        compete=_measures(finding, "compete", _WHEN_SEEN_COMPETE),
        cost=_measures(finding, "cost", _HUBS_AND_COST, origins=True),
        figures="".join(_against(finding, *axes) for axes in _FIGURES),
        settings=_settings(finding),
        script=_file("sortable.js"),
    )


def _file(name):
    return resources.files("zslib.compare").joinpath(name).read_text("utf-8")


def _paragraph(text, kind=""):
    shown = f' class="{kind}"' if kind else ""
    return text and f"<p{shown}>{text}</p>"


def _shown(table, kind=""):
    markup = table._repr_mimebundle_()["text/html"]
    markup = _INTERVAL.sub(r' <span class="interval">\1</span>', markup)
    return f'<div class="wide {kind}" tabindex="0">{markup}</div>\n'


def _counts(finding):
    problem, used = finding.problem, finding.used
    read = "; ".join(f"{what}: {found}" for what, found in problem.coverage.items())
    images = ", ".join(f"{n:,} {words}" for words, (_, n) in finding.parts.items() if n)
    return (
        f"Data: {used['seen_classes']} seen and {used['unseen_classes']} unseen classes of "
        f"{used['class_attributes']:,} numbers; {images}, of {used['features']:,} features "
        f"({problem.feature_scaling}). Checksum {problem.checksum[:16]}, zslib "
        f"{zslib.__version__}." + f" Of what was read: {read}." * bool(read)
    )


def _estimates(finding):
    """The figure beside the finding: accuracies in the order of validation, and chance."""
    values = {named(method): finding.accuracy(method) for method in finding.runs}
    groups = {named(method): finding.reading(method) for method in finding.runs}
    fig = draw_estimates(
        values,
        groups,
        xlabel="accuracy on unseen classes, %",
        line=("chance", finding.chance["ACC"]) if finding.used["unseen_classes"] > 1 else None,
    )
    about = (
        "Accuracy on unseen classes with 95% intervals, best on validation classes first: if "
        "validation predicted it, the dots would move left row by row."
    )
    alt = "One dot a system with its interval, chance as a line. The numbers are in the table."
    return _drawn(fig, name="fig-accuracy", caption=about, alt=alt)


def _drawn(fig, **words):
    return figure(fig, **words)._repr_mimebundle_()["text/html"]


def _systems(finding):
    """Every system, then chance, then those that failed."""
    heads = ["system", "validation", Column("ACC"), Column("less the pick's"), "beside the pick"]
    (pick, best), *others = finding.values.items()
    rows = [[f"{named(pick)} (the pick)", best["validation ACC"], best["ACC"], None, None]]
    for method, values in others:
        row = [named(method), values["validation ACC"], values["ACC"]]
        rows.append([*row, finding.differences[method], finding.reading(method)])
    below = finding.chance_difference
    rows.append(["chance", None, finding.chance["ACC"], below, below.side(*READINGS)])
    rows += [[named(m), f"failed: {why}", ..., ..., ...] for m, why in finding.failed.items()]
    caption = "Accuracy on unseen classes in percent, best on validation classes first."
    return _shown(Table("tbl-systems", caption, heads, rows, True), "systems")


def _measures(finding, name, columns, origins=False):
    """Further measures of every system, and of chance where it has some."""
    heads = ["system", *columns.values()]
    rows = [
        [named(m), *(values[column] for column in columns)] for m, values in finding.values.items()
    ]
    if finding.chance.keys() & columns:
        rows.append(["chance", *map(finding.chance.get, columns)])
    if origins:
        heads += ["family", Column("year", align="right")]
        for row, method in zip(rows, finding.values, strict=True):
            row += map(str, reversed(origin(method)))
    caption = "Best on validation classes first."
    return _shown(Table(f"tbl-{name}", caption, heads, rows, True), "measures")


def _against(finding, name, metric, label, scale):
    points = {m: (values[metric].mean, values["ACC"].mean) for m, values in finding.values.items()}
    families = {m: origin(m)[1] for m in points}
    axes = {"xlabel": label, "ylabel": "ACC, %", "xscale": scale}
    fig = draw_against({"": points}, families, **axes)
    about = f"Accuracy on unseen classes against {label}."
    drawn = _drawn(fig, name=f"fig-{name}", caption=about, alt=f"{about} A point for each system.")
    return f'<div class="wide drawing" tabindex="0">{drawn}</div>\n'


def taken_for(outcome, measure, names):
    """Of each class with test images, in words, the two that most of its others go to.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> true, answers = np.array([0, 0, 0, 0, 1]), np.array([0, 2, 2, 1, 1])
    >>> outcome = SimpleNamespace(labels=lambda _: true, predictions=lambda _: answers)
    >>> taken_for(outcome, "ACC", ["cat", "dog", "fox"])
    ['fox 50%, dog 25%', '']
    """
    labels, answers = outcome.labels(measure), outcome.predictions(measure)
    texts = []
    for label in np.unique(labels):
        given = answers[labels == label]
        classes, counts = np.unique(given[given != label], return_counts=True)
        first = np.argsort(-counts, kind="stable")[:2]
        shares = zip(classes[first], 100 * counts[first] / given.size, strict=True)
        texts.append(", ".join(f"{names[c]} {share:.0f}%" for c, share in shares))
    return texts


def _classes(finding, method, most=None, sortable=False):
    """Each unseen class under a system, worst first, with what it is taken for."""
    outcome = outcome_at(finding.runs[method][0], "chosen")
    names = finding.problem.class_names
    classes, images = np.unique(outcome.labels("ACC"), return_counts=True)
    columns = [map(str, names[classes])]
    for measure in ("ACC", "unseen"):
        columns.append(outcome.class_accuracies(measure).tolist())
        columns.append(text or None for text in taken_for(outcome, measure, names))
    rows = sorted(zip(*columns, images.tolist(), strict=True), key=lambda row: row[1])
    heads = ["unseen class", Column("ACC"), "taken for", Column("u"), "taken for", "images"]
    some = f", the first {most} of {len(rows):,}" if most and most < len(rows) else ""
    caption = f"Unseen classes under {named(method)}, worst first{some}, in percent of images."
    return _shown(Table("tbl-classes", caption, heads, rows[:most], sortable), "classes")


def _others(finding):
    """The classes under each system but the pick, folded."""
    return "".join(
        f"<details><summary>{html.escape(named(method))}</summary>\n"
        f"{_classes(finding, method, _WORST)}</details>\n"
        for method in finding.differences
    )


def _settings(finding):
    body = [
        [named(method), settings_text(run).removeprefix("; ")]
        for method, (run, *_) in finding.runs.items()
    ]
    return _shown(Table("tbl-settings", "Settings.", ["system", "chosen"], body))
