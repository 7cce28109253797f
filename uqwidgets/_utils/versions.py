"""Versions of this package, of Python and of the libraries around it."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

_DEPENDENCIES = (
    "altair",
    "anywidget",
    "ipywidgets",
    "joblib",
    "numpy",
    "pandas",
    "scikit-learn",
    "scipy",
    "tqdm",
)
# Where widgets are shown, and what the extras bring. Usually only some of them are installed.
_OPTIONAL = (
    "ipykernel",
    "jupyterlab",
    "jupyterlab-widgets",
    "notebook",
    "widgetsnbextension",
    "voila",
    "marimo",
    "solara",
    "panel",
    "shiny",
    "vl-convert-python",
    "dask",
    "pyarrow",
    "torch",
)


def installed_versions(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of the distributions that are installed, in the order of the names."""
    result = {}
    for name in dict.fromkeys(names):
        try:
            result[name] = version(name)
        except PackageNotFoundError:  # not installed, or its distribution has another name
            continue
    return result


def show_versions() -> None:
    """Print the versions that a report of a problem should name.

    These are the versions of the operating system, of Python, of uqwidgets, of what it depends on,
    and of the notebook hosts and optional libraries that are installed.

    See Also
    --------
    Explorer.provenance : Model, data, settings and versions behind the results of an explorer.

    Examples
    --------
    >>> import uqwidgets as uq
    >>> uq.show_versions()  # doctest: +ELLIPSIS
    system: ...
    python: ...
    uqwidgets: ...
    """
    lines = {"system": platform.platform(), "python": platform.python_version()}
    lines |= installed_versions(("uqwidgets", *_DEPENDENCIES, *_OPTIONAL))
    print("\n".join(f"{name}: {value}" for name, value in lines.items()))  # noqa: T201
