"""Choices by name, errors, seeds and locks: which every room may use."""
