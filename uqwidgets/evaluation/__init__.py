"""The table, the replacements, and the only place that calls the model."""
