"""Metric learning from pairs, with hard negatives (Bucher et al. 2016)."""
