"""Chapters of the book, and beside them what only they call, a folder for each paper."""
