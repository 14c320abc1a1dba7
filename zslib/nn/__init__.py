"""Layers of networks, on NumPy and CuPy: forward, backward, one layer per file."""

from zslib.nn.batch_norm import BatchNorm
from zslib.nn.conv1d import Conv1d
from zslib.nn.dense import dense_layers
from zslib.nn.descent import Descent
from zslib.nn.dropout import Dropout
from zslib.nn.embedding import Embedding
from zslib.nn.layer import Layer, n_parameters
from zslib.nn.linear import Linear
from zslib.nn.losses import softmax_cross_entropy
from zslib.nn.lstm import BiLSTM
from zslib.nn.parameter import Parameter
from zslib.nn.pooling import LastPool, MaxPool, MeanPool
from zslib.nn.relu import LeakyReLU, ReLU
from zslib.nn.sequential import ResidualBlock, Sequential
from zslib.nn.sigmoid import sigmoid

__all__ = [
    "BatchNorm",
    "BiLSTM",
    "Conv1d",
    "Descent",
    "Dropout",
    "Embedding",
    "LastPool",
    "Layer",
    "LeakyReLU",
    "Linear",
    "MaxPool",
    "MeanPool",
    "Parameter",
    "ReLU",
    "ResidualBlock",
    "Sequential",
    "dense_layers",
    "n_parameters",
    "sigmoid",
    "softmax_cross_entropy",
]
