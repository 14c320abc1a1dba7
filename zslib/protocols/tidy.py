"""Rows of results, as chapters collect them."""

__all__ = ["row"]


def row(problem, metric, method, value, **columns):
    """One number: of which data, what it measures, of which method, and more columns."""
    return {"dataset": problem, "metric": metric, "method": method, "value": value} | columns
