"""Vectors to vectors: train, tune, evaluate, repeat."""
