"""What the pages are made of."""

from pathlib import Path

import pytest

from book.store import published


@pytest.fixture(scope="session")
def records():
    """Those of the published run, each with its chapter."""
    every = published(root=Path(__file__).parents[3])
    return [r | {"chapter": name} for name, several in every.items() for r in several]
