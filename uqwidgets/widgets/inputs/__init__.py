"""The inputs of the widget: their types, their checks, and the texts in which they travel."""
