"""What other installed packages add: measures and adapters, found by their entry points."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal

from uqwidgets._utils.errors import in_one_line


@cache
def from_packages(kind: Literal["measures", "adapters"]) -> dict[str, Any]:
    """Load what installed packages add, once per process.

    A package names it in its ``pyproject.toml``::

        [project.entry-points."uqwidgets.measures"]
        brier_of_rare = "my_package.measures:brier_of_rare"

    Parameters
    ----------
    kind : {"measures", "adapters"}
        A measure is a function of a distribution that returns a `uqwidgets.measures.Measure`, or
        the reason why that kind of distribution does not give it. An adapter is a
        `uqwidgets.predictive.adapters.base.Adapter`.

    Returns
    -------
    dict of str to object
        By the name of the entry point. One that cannot be loaded is left out, with a warning.
    """
    loaded = {}
    for point in entry_points(group=f"uqwidgets.{kind}"):
        try:
            loaded[point.name] = point.load()
        except Exception as error:  # noqa: BLE001  code of another package
            warnings.warn(
                f"{point.value!r}, which a package adds to uqwidgets.{kind}, cannot be loaded: "
                f"{in_one_line(error)}; results do without it.",
                stacklevel=2,
            )
    return loaded
