"""Gradient steps and minibatches; and SciPy's L-BFGS-B for small problems.

One optimiser object holds the state of one parameter array. ``step`` changes that array in place
and returns it.
"""

from zslib.optim.adagrad import Adagrad
from zslib.optim.adam import Adam
from zslib.optim.batches import minibatches
from zslib.optim.lbfgs import minimize
from zslib.optim.rmsprop import RMSProp
from zslib.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "RMSProp", "minibatches", "minimize"]
