"""Choices by name, errors, seeds and locks: what every room may use."""
