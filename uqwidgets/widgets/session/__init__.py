"""A session: the answers to the requests of a page, and what describes a model to it."""
