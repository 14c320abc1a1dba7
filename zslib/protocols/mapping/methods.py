"""The mapping methods of Hubness and Pollution, each with the grid its parameters are tuned on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sklearn.base import BaseEstimator, clone

from zslib.mapping import CentredMap, MaxMarginMap, MultiStepMap, ProcrustesMap, RidgeMap


@dataclass(frozen=True)
class Method:
    """An estimator, the grid it is tuned on, and how its training data are augmented.

    Attributes
    ----------
    name : str
        As in tables and records.
    estimator : BaseEstimator
        Template; cloned before each fit.
    grid : mapping of str to sequence
        Values to try for each parameter; the first of equally good ones is taken.
    updates : sequence of int
        For estimators trained by gradient steps: after how many updates to look at the validation
        pairs. The best of them fixes the number of epochs. Empty for closed forms.
    chimeras : int
        Training neighbours averaged into one chimera (section 4); 0 for none.
    unit_chimeras : bool
        Whether chimeras are scaled to length one, as images are; an average of several is shorter.
    """

    name: str
    estimator: BaseEstimator
    grid: Mapping[str, Sequence] = field(default_factory=dict)
    updates: Sequence[int] = ()
    chimeras: int = 0
    unit_chimeras: bool = False

    def fresh(self, seed, **parameters):
        """A new estimator with these parameters, and the seed where it takes one."""
        estimator = clone(self.estimator).set_params(**parameters)
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        return estimator

    @property
    def limits(self):
        """Where the values of parameters naturally end: see `zslib.protocols.sweep`."""
        return getattr(self.estimator, "limits", {})

    def with_chimeras(self, k, *, unit=False):
        """The same method with ``k``-neighbour chimeras added to its training pairs.

        With ``unit`` they have length one, which matters to least squares, not to cosines.
        """
        name = f"{self.name} + chimera-{k}{', unit length' * unit}"
        return replace(self, name=name, chimeras=k, unit_chimeras=unit)

    def smaller(self):
        """The same method on a coarser grid with fewer updates, for quick looks."""
        grid = {key: list(values)[::2] for key, values in self.grid.items()}
        return replace(self, grid=grid, updates=tuple(u // 4 for u in self.updates))


def check_method(method):
    """Raise TypeError unless ``method`` is a `Method`."""
    if not isinstance(method, Method):
        raise TypeError(f"method must be a Method, such as METHODS['ridge'], got {method!r}")


_REVERSE = RidgeMap(direction="reverse")
_ALPHAS = tuple(10.0**e for e in (-3, -2, -1, 0, 1, 2))
_MARGINS = (0.1, 0.2, 0.4, 0.6, 0.8)
_UPDATES = (600, 1200, 2400, 3600, 4800)


def _ranking(name, negatives, numbers, distance="cosine"):
    estimator = MaxMarginMap(negatives=negatives, distance=distance, learning_rate=0.05)
    return Method(name, estimator, {"margin": _MARGINS, "n_negatives": numbers}, _UPDATES)


METHODS = {
    method.name: method
    for method in (
        Method("least squares", RidgeMap(alpha=0.0)),
        Method("ridge", RidgeMap(), {"alpha": _ALPHAS}),
        Method("reverse ridge", _REVERSE, {"alpha": _ALPHAS}),
        Method("ridge, centred", CentredMap(RidgeMap()), {"estimator__alpha": _ALPHAS}),
        Method("reverse ridge, centred", CentredMap(_REVERSE), {"estimator__alpha": _ALPHAS}),
        Method("ridge (GCV)", RidgeMap(alpha="gcv")),
        Method("orthogonal", ProcrustesMap()),
        Method("multi-step", MultiStepMap()),
        _ranking("max-margin", "random", (5, 20)),
        _ranking("max-margin (angle)", "random", (20,), distance="angle"),
        _ranking("intruder", "intruder", (1,)),
    )
}
"""Methods by name. The number of negatives is tuned where the paper does; an intruder is one."""
