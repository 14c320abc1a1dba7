"""Short trainings, for what is said of any."""

from dataclasses import replace

import pytest

from zslib.protocols.mapping.methods import Method


@pytest.fixture
def short_tuning(monkeypatch):
    """Quick runs tune on one candidate with a hundredth of the updates."""

    def shortest(self):
        grid = {key: list(values)[:1] for key, values in self.grid.items()}
        return replace(self, grid=grid, updates=tuple(u // 100 for u in self.updates))

    monkeypatch.setattr(Method, "smaller", shortest)
