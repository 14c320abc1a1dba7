"""Labels in a graph: answers of models as synsets, sizes of correct sets."""
