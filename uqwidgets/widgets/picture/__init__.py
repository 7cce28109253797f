"""The static picture of a widget, and how a notebook keeps it."""
