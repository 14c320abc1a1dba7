"""Ranking losses over bilinear scores: DeViSE, ALE, SJE, LatEm, DARK."""
