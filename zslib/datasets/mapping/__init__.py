"""Vectors to vectors: the data of the mapping setting."""
