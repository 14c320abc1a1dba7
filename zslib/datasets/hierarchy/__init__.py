"""Labels in a graph: WordNet, ImageNet's lists and tree."""
