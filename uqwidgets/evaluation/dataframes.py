"""Conversion of other libraries' tables to pandas DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from scipy.sparse import issparse

from uqwidgets._utils.quiet import hidden_warnings

# Methods by which lazy and remote tables load their rows.
_LOADING_METHODS = ("collect", "compute", "toPandas")


def library_of(X: Any) -> str:
    """Return ``polars`` or ``pyarrow`` for a table of theirs, and nothing for any other object."""
    kind = type(X)
    library = kind.__module__.partition(".")[0]
    names = {"polars": "DataFrame", "pyarrow": "Table"}
    return library if names.get(library) == kind.__name__ else ""


def way_out(X: Any, name: str = "X") -> str:
    """Say what to pass to a model that fails because it reads pandas alone; else nothing."""
    library = library_of(X)
    if not library:
        return ""
    return f" (it was given a table of {library}; if it reads pandas, pass {name}.to_pandas())"


def to_pandas(X: Any) -> Any:
    """Return a table of any library as a pandas DataFrame, and anything else as it is.

    Tried in this order: ``to_pandas()`` (polars, pyarrow, cuDF, ibis), the Arrow PyCapsule
    interface (``__arrow_c_stream__``), the dataframe interchange protocol (``__dataframe__``).
    Columns get the dtypes that the library itself gives them in pandas: with polars, for
    example, categories stay categories, and integers with missing values become floats.

    Parameters
    ----------
    X : object

    Returns
    -------
    DataFrame or object

    Raises
    ------
    ValueError
        For a single column, a dict or a sparse matrix; if the table needs pyarrow, which is not
        installed; for a lazy or remote table.
    """
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        raise ValueError("X is a Series, which is one column; pass a table, such as X.to_frame().")
    if isinstance(X, Mapping):
        raise ValueError(f"X is of type {type(X).__name__}; pass a table, such as pd.DataFrame(X).")
    if issparse(X):
        raise ValueError(
            "X is a sparse matrix, but features are replaced as columns of a table; pass "
            "X.toarray(), or a DataFrame."
        )
    try:
        if hasattr(X, "to_pandas"):
            return X.to_pandas()
        if hasattr(X, "__arrow_c_stream__"):
            return _by_arrow(X)
    except ImportError as error:
        raise ValueError(
            f"X is a {_kind(X)}, which is read by way of pyarrow: pip install pyarrow."
        ) from error
    if hasattr(X, "__dataframe__"):
        return _by_interchange(X)
    for method in _LOADING_METHODS:
        if hasattr(X, method):
            raise ValueError(f"X is a {_kind(X)}, which does not hold its rows; pass X.{method}().")
    return X


def _by_arrow(X: Any) -> pd.DataFrame:
    import pyarrow

    frame: pd.DataFrame = pyarrow.table(X).to_pandas()
    return frame


def _by_interchange(X: Any) -> pd.DataFrame:
    # pandas 3 deprecates this protocol in favour of Arrow, which some libraries lack.
    with hidden_warnings(DeprecationWarning):
        return pd.api.interchange.from_dataframe(X)


def _kind(X: Any) -> str:
    kind = type(X)
    return f"{kind.__module__.partition('.')[0]} {kind.__name__}"
