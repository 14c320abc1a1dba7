"""Seen-unseen curves under a slider for gamma: computed beforehand, moved by the page's script."""

import html
import json

import numpy as np
from matplotlib.markers import MarkerStyle
from matplotlib.ticker import MaxNLocator

from zslib.metrics import harmonic_mean
from zslib.show.figures import look

_STEPS = 60
_LEFT, _BOTTOM, _WIDTH, _HEIGHT = 40, 255, 350, 245
_DASHES = {"-": "none", "--": "6 3", ":": "1.5 2.5", "-.": "6 2 1.5 2"}


def slider_points(curve):
    """Seen and unseen accuracy and H in percent, (61, 3), from no gamma to the largest.

    Step i has the gamma under which i / 60 of all answers that can change have changed.
    """
    seen, unseen = np.asarray(curve.seen, float), np.asarray(curve.unseen, float)
    rows = np.linspace(0, len(seen) - 1, _STEPS + 1).round().astype(int)
    return 100 * np.stack([seen[rows], unseen[rows], harmonic_mean(seen, unseen)[rows]], axis=1)


def _drawn(marker):
    """A marker of matplotlib's as the ``d`` of an SVG path, about ten pixels wide."""
    style = MarkerStyle(marker)
    shapes = style.get_path().transformed(style.get_transform()).to_polygons(closed_only=False)
    shapes = [5 * shape * (1, -1) / max(np.abs(shape).max(), 0.5) for shape in shapes]
    return " ".join("M" + " ".join(f"{x:.1f},{y:.1f}" for x, y in shape) for shape in shapes)


def _axes(reach):
    """Both axes with their ticks, from 0 to ``reach`` percent."""
    ticks = [t for t in MaxNLocator(5, integer=True).tick_values(0, reach) if 0 <= t <= reach]
    parts = [f'<path d="M{_LEFT} {_BOTTOM - _HEIGHT}V{_BOTTOM}H{_LEFT + _WIDTH}" fill="none"/>']
    for t in ticks:
        x, y = _LEFT + _WIDTH * t / reach, _BOTTOM - _HEIGHT * t / reach
        parts.append(f'<path d="M{x:.1f} {_BOTTOM}v4"/><path d="M{_LEFT} {y:.1f}h-4"/>')
        parts.append(f'<text x="{x:.1f}" y="{_BOTTOM + 15}" text-anchor="middle">{t:g}</text>')
        parts.append(f'<text x="{_LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{t:g}</text>')
    return f'<g class="axes" stroke="gray">{"".join(parts)}</g>'


class Slider:
    """Curves of systems, ``{name: SeenUnseenCurve}``, with a mark on each that a slider moves.

    Without a script the marks stand where half of the answers have changed.
    """

    def __init__(self, curves):
        self.points = {name: slider_points(curve) for name, curve in curves.items()}

    def __repr__(self):
        half = {name: points[_STEPS // 2] for name, points in self.points.items()}
        return "\n".join(f"{n}: seen {s:.1f}, unseen {u:.1f}" for n, (s, u, _) in half.items())

    def _html(self):
        reach = 1.05 * max(points[:, :2].max() for points in self.points.values())
        lines, marks, items = [], [], []
        for name, points in self.points.items():
            style, label = look(name, list(self.points)), html.escape(name)
            color, dashes = style["color"], _DASHES[style["linestyle"]]
            line = f'fill="none" stroke="{color}" stroke-dasharray="{dashes}"'
            places = (_LEFT, _BOTTOM) + points[:, :2] * (_WIDTH / reach, -_HEIGHT / reach)
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            lines.append(f'<polyline points="{path}" {line}/>')
            shape = f'<path d="{_drawn(style["marker"])}" fill="{color}" stroke="{color}"/>'
            x, y = places[_STEPS // 2]
            at = f'class="mark" transform="translate({x:.1f} {y:.1f})"'
            marks.append(f"<g {at}><title>{label}</title>{shape}</g>")
            key = f'<svg class="key" viewBox="-6 -6 12 12" aria-hidden="true">{shape}</svg>'
            items.append(f"<li>{key} <b>{label}</b> <output></output></li>")
        numbers = json.dumps([points.round(1).tolist() for points in self.points.values()])
        return (
            f"<div class=\"gamma-slider\" data-points='{numbers}'>"
            "<label>γ, from where all answers are seen classes to where none is "
            f'<input type="range" min="0" max="{_STEPS}" value="{_STEPS // 2}"></label>'
            '<svg viewBox="0 0 400 300" role="img" aria-label="Accuracy on unseen classes against '
            'that on seen classes, a curve and a mark for each system">'
            f'{_axes(reach)}<text x="215" y="292" text-anchor="middle">ACC on seen classes, %'
            '</text><text transform="rotate(-90 12 132)" x="12" y="132" text-anchor="middle">ACC '
            f"on unseen classes, %</text>{''.join(lines)}{''.join(marks)}</svg>"
            f"<ul>{''.join(items)}</ul></div>"
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        page = self._html()
        return {"text/markdown": page, "text/html": page, "text/plain": repr(self)}
