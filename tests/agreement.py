"""Claims of a paper, which it shows once, checked with several seeds."""

from __future__ import annotations

import pandas as pd


def agreement(title, claims_of, seeds):
    """Share of the seeds with which each claim holds, by claim.

    ``claims_of(seed)`` gives ``{claim: whether it holds}``. The shares are printed: pytest shows
    them with ``-rP``, and wherever a test fails.
    """
    outcomes = pd.DataFrame([claims_of(seed) for seed in seeds], index=pd.Index(seeds)).astype(
        float
    )
    shares = outcomes.mean()
    print(f"{title}: share of {len(outcomes)} seeds that agree")  # noqa: T201
    for claim, share in shares.items():
        print(f"  {share:4.0%}  {claim}")  # noqa: T201
    return shares


def assert_agreed(shares, at_least=None):
    """Assert that each claim holds with at least its share of the seeds; with all, unless named."""
    short = {
        claim: share for claim, share in shares.items() if share < (at_least or {}).get(claim, 1)
    }
    assert not short
