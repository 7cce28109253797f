"""Types of columns, whichever library stores their values."""

from __future__ import annotations

from typing import Any

import pandas as pd


def is_time(dtype: Any) -> bool:
    """Whether a column of this type holds points in time.

    The days of Arrow are ``datetime.date``, which are categories as in a column of objects.
    """
    days = str(dtype).startswith(("date32", "date64"))
    return not days and bool(pd.api.types.is_datetime64_any_dtype(dtype))


def nested_type(dtype: Any) -> str | None:
    """Return the name of Arrow's type if each value consists of several, such as a list."""
    if not isinstance(dtype, pd.ArrowDtype):
        return None
    # Structs, maps, unions and all kinds of lists have fields.
    return str(dtype.pyarrow_dtype) if dtype.pyarrow_dtype.num_fields else None


def of_pandas(dtype: Any) -> Any:
    """Return the type of pandas' own columns for points in time that Arrow stores."""
    if not (isinstance(dtype, pd.ArrowDtype) and is_time(dtype)):
        return dtype
    stored: Any = dtype.pyarrow_dtype
    return pd.DatetimeTZDtype(stored.unit, stored.tz) if stored.tz else f"datetime64[{stored.unit}]"
