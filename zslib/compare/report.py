"""The report of ``zslib compare``: one page that needs nothing but a browser."""

import html
from importlib import resources
from string import Template

import numpy as np

import zslib
from zslib.protocols.attributes.intervals import outcome_at
from zslib.protocols.attributes.methods import named, origin
from zslib.show.figures import figure, style
from zslib.show.systems import draw_against
from zslib.show.tables import Column, Table

__all__ = ["report"]

_METRICS = {
    "validation ACC": Column("ACC, validation"),
    "ACC": Column("ACC"),
    "unseen": Column("u"),
    "seen": Column("s"),
    "H": Column("H"),
    "AUSUC": Column("AUSUC"),
    "largest hub": Column("largest hub", ".1f"),
    "skewness of N_1": Column("skewness", ".2f"),
    "pollution": Column("pollution"),
    "gamma": Column("γ", ".3g"),
    "seconds": Column("seconds", ",.2f"),
    "numbers kept": Column("parameters", ",.0f"),
}


def report(problem, runs, rows):
    """The page as text, for the runs of one problem and the rows of `board_rows`."""
    style()
    values = {(row["method"], row["metric"]): row.get("value") for row in rows}
    order = sorted(runs, key=lambda m: -values[m, "validation ACC"])
    parts = [_board(order, values), _failed(rows)]
    parts += [_drawing(order, values, *axes) for axes in _FIGURES]
    parts += [_classes(order[0], runs[order[0]][0], problem), _settings(order, rows)]
    return Template(_file("page.html")).substitute(
        name=html.escape(problem.name),
        counts=_counts(problem),
        body="".join(filter(None, parts)),
        script=_file("sortable.js"),
    )


def _file(name):
    return resources.files("zslib.compare").joinpath(name).read_text("utf-8")


def _shown(table):
    markup = table._repr_mimebundle_()["text/html"]
    return f'<div class="wide" tabindex="0">{markup}</div>\n'


def _counts(problem):
    sizes = ", ".join(f"{n:,} {what.replace('_', ' ')}" for what, n in problem.summary().items())
    return (
        f"{sizes}. Features: {html.escape(problem.feature_scaling)}. Checksum "
        f"{problem.checksum[:16]}. zslib {zslib.__version__}."
    )


def _board(order, values):
    heads = ["system", "family", Column("year", align="right"), *_METRICS.values()]
    rows = []
    for method in order:
        year, family = origin(method)
        rows.append([named(method), family, str(year), *(values[method, m] for m in _METRICS)])
    return _shown(Table("tbl-systems", "Systems, by validation accuracy.", heads, rows, True))


def _failed(rows):
    failures = [[row["method"], row["why"]] for row in rows if row["metric"] == "failed"]
    return failures and _shown(Table("tbl-failed", "Not trained.", ["system", "why"], failures))


_FIGURES = (
    ("hubs", "largest hub", "largest hub over the mean", "linear"),
    ("seconds", "seconds", "seconds to train", "log"),
)


def _drawing(order, values, name, metric, label, scale):
    points = {m: (values[m, metric].mean, values[m, "ACC"].mean) for m in order}
    fig = draw_against(
        {"": points},
        {m: origin(m)[1] for m in order},
        xlabel=label,
        ylabel="ACC, %",
        xscale=scale,
    )
    about = f"Accuracy on unseen classes against {label}."
    shown = figure(fig, name=f"fig-{name}", caption=about, alt=f"{about} A point for each system.")
    return shown._repr_mimebundle_()["text/html"] + "\n"


def _classes(method, run, problem):
    """Each unseen class under the system that is best on validation classes."""
    outcome = outcome_at(run, "chosen")
    tested, images = np.unique(problem.labels[problem.test_unseen], return_counts=True)
    names, answers = problem.class_names[tested], outcome.occurrence("unseen", 1)[tested]
    among, all_ = outcome.class_accuracies("ACC"), outcome.class_accuracies("unseen")
    heads = ["unseen class", "images", "accuracy", "among all classes", "answers"]
    caption = f"Unseen classes under {method}, the best on validation classes."
    rows = zip(map(str, names), images, among, all_, answers, strict=True)
    return _shown(Table("tbl-classes", caption, heads, list(rows), True))


def _settings(order, rows):
    chosen = {row["method"]: row["settings"] for row in rows if "settings" in row}
    body = [[method, chosen[method] or "none"] for method in order]
    return _shown(Table("tbl-settings", "Settings.", ["system", "chosen"], body))
