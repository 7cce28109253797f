"""Choices by name, options, errors and locks, which every room may use."""
