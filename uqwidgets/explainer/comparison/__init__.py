"""Comparison: differences of two models of the same rows, and several results in one picture."""
