"""Seen-unseen curves under a slider for gamma: computed beforehand, moved by the page's script."""

from __future__ import annotations

import html
import json

import numpy as np

from zslib.book.figures import look
from zslib.metrics import harmonic_mean

__all__ = ["Slider", "slider_points"]

_STEPS = 60


def slider_points(curve, steps=_STEPS):
    """Seen and unseen accuracy and H in percent, (steps + 1, 3), from no gamma to the largest.

    Step i has the gamma under which i / steps of all answers that can change have changed.
    """
    seen, unseen = np.asarray(curve.seen, float), np.asarray(curve.unseen, float)
    rows = np.linspace(0, len(seen) - 1, steps + 1).round().astype(int)
    return 100 * np.stack([seen[rows], unseen[rows], harmonic_mean(seen, unseen)[rows]], axis=1)


class Slider:
    """Curves of systems, ``{name: SeenUnseenCurve}``, with a mark on each that a slider moves.

    Without a script the marks stand where half of the answers have changed.
    """

    def __init__(self, curves):
        self.points = {name: slider_points(curve) for name, curve in curves.items()}

    def __repr__(self):
        half = {name: found[_STEPS // 2] for name, found in self.points.items()}
        return "\n".join(f"{n}: seen {s:.1f}, unseen {u:.1f}" for n, (s, u, _) in half.items())

    def _html(self):
        reach = 1.05 * max(found[:, :2].max() for found in self.points.values())
        lines, marks, told = [], [], []
        for name, found in self.points.items():
            color, said = look(name, list(self.points))["color"], html.escape(name)
            places = np.stack([40 + 350 * found[:, 0] / reach, 260 - 250 * found[:, 1] / reach], 1)
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            lines.append(f'<polyline points="{path}" fill="none" stroke="{color}"/>')
            x, y = places[_STEPS // 2]
            marks.append(
                f'<g transform="translate({x:.1f} {y:.1f})"><circle r="5" fill="{color}"/>'
                f'<text x="7" y="-3">{said}</text></g>'
            )
            told.append(f'<li style="--mark: {color}"><b>{said}</b> <output></output></li>')
        points = json.dumps([found.round(1).tolist() for found in self.points.values()])
        return (
            f"<div class=\"gamma-slider\" data-points='{points}'>"
            "<label>γ, from where all answers are seen classes to where none is "
            f'<input type="range" min="0" max="{_STEPS}" value="{_STEPS // 2}"></label>'
            '<svg viewBox="0 0 400 300" role="img" aria-label="Accuracy on unseen classes against '
            'that on seen classes, a curve and a mark for each system">'
            '<path d="M40 10V260H390" fill="none" stroke="gray"/>'
            '<text x="215" y="290" text-anchor="middle">accuracy on seen classes</text>'
            '<text transform="rotate(-90 20 135)" x="20" y="135" text-anchor="middle">on unseen '
            f"classes</text>{''.join(lines)}{''.join(marks)}</svg><ul>{''.join(told)}</ul></div>"
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        found = self._html()
        return {"text/markdown": found, "text/html": found, "text/plain": repr(self)}
