"""Names that are chosen from a list, and the sentences of errors."""
