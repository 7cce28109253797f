"""Which cases of a test `make test` runs, and which `make thorough` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from _pytest.mark import ParameterSet

if TYPE_CHECKING:
    from collections.abc import Iterable


def thorough_after(n: int, cases: Iterable[Any]) -> list[Any]:
    """Mark all cases but the first ``n`` as thorough.

    Parameters
    ----------
    n : int
    cases : iterable
        For `pytest.mark.parametrize` or the ``params`` of a fixture. A tuple has the values of
        several arguments. Cases that are marked already are left as they are.
    """
    cases = list(cases)
    return [*cases[:n], *map(_thorough, cases[n:])]


def _thorough(case: Any) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return case if case.marks else case._replace(marks=[pytest.mark.thorough])
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.thorough)
