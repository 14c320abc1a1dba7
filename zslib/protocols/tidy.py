"""Rows of results, as chapters collect them."""


def row(problem, metric, method, value, **columns):
    """One number with its columns: data, metric, method, and others."""
    return {"dataset": problem, "metric": metric, "method": method, "value": value} | columns
