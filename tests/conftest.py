"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run: what fails here fails everywhere, and what is new is looked for
# on purpose, with `pytest --hypothesis-profile=default`.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
