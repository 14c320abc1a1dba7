"""Drawings that a chapter needs and matplotlib has not."""
