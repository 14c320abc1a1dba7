"""Layers of a text encoder, on NumPy and CuPy: forward, backward, one layer per file."""

from zslib.nn.layer import Layer, n_parameters
from zslib.nn.parameter import Parameter

__all__ = ["Layer", "Parameter", "n_parameters"]
