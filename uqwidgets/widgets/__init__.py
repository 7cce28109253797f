"""Widgets that bind the computation layer to a notebook."""
