"""How many rows go through a network at once."""

from __future__ import annotations

import torch

# Every pass has this many rows, filled up where there are fewer: libraries of linear algebra
# choose their order of summation by the shape, and a row shall get the same answer to the last
# bit whatever rows it is asked with. A multiple of what processors do at once.
ROWS = 32


def filled_up(rows: torch.Tensor) -> torch.Tensor:
    """Return `ROWS` rows: these (n, p), the last one repeated as often as it takes."""
    return torch.cat([rows, rows[-1:].expand(ROWS - len(rows), -1)])


def stacked(rows: torch.Tensor, members: int) -> torch.Tensor:
    """Repeat the rows below each other, once for each member."""
    return rows.expand(members, *rows.shape).flatten(0, 1)
