"""Filters by columns that are not features, by ranges of dates, and by the lack of a value."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs.conditions import conditions
from uqwidgets.widgets.inputs.inputs import validate
from uqwidgets.widgets.picture.static_picture import static_picture
from widgets.conftest import Counting, table
from widgets.test_explorer import change

N = 40
DAYS = pd.to_datetime("2024-01-30") + pd.to_timedelta(np.arange(N) * 6, unit="h")


def extra_table() -> pd.DataFrame:
    dose = np.where(np.arange(N) < 4, np.nan, np.arange(N))
    return pd.DataFrame(
        {
            "site": np.where(np.arange(N) % 4 == 0, "Ulm", "Bonn"),
            "day": pd.Series(DAYS).where(np.arange(N) >= 2),
            "zoned": DAYS.tz_localize("Asia/Tokyo"),
            "dose": dose,
        }
    )


@pytest.fixture
def explainer(model: Counting) -> uq.Explainer:
    return uq.Explainer(model, *table(N), extra=extra_table())


def rows_of(explainer: uq.Explainer, **item: Any) -> list[int]:
    (condition,) = conditions([item], explainer)
    assert conditions([json.loads(json.dumps(condition.plain()))], explainer) == (condition,)
    return np.flatnonzero(condition.mask(explainer)).tolist()


def test_the_model_does_not_see_extra_columns(explainer: uq.Explainer, model: Counting) -> None:
    assert explainer.features == ("a", "b", "c", "same")
    assert explainer.extra.names == ("site", "day", "zoned", "dose")
    with uq.Explorer(explainer) as widget:
        assert widget.wait(30)
        rows = model.rows
        frame = change(widget, ice_filter=[{"feature": "site", "values": ["Ulm"]}])[-1]
        assert frame["meta"]["rows"] == N // 4
        assert "site Ulm" in static_picture(widget._session, widget._inputs()[0])
        assert model.rows == rows
        described = {column["name"]: column for column in widget._about["extra"]}
    assert described["site"]["values"] == ["Bonn", "Ulm"]
    assert described["day"]["dates"] == ["2024-01-30", "2024-02-08"]
    assert (described["day"]["missing"], described["dose"]["missing"]) == (2, 4)
    assert (described["dose"]["min"], described["dose"]["max"]) == (4, N - 1)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"feature": "zoned", "low": "2024-01-31"}, range(4, N)),
        ({"feature": "zoned", "high": "2024-01-30"}, range(4)),  # all of the day
        ({"feature": "zoned", "low": "2024-01-30", "high": "2024-01-31"}, range(8)),
        ({"feature": "zoned", "high": "2024-01-30T06:00"}, range(2)),
        ({"feature": "zoned", "high": "2024-01-29T21:00Z"}, range(2)),
        ({"feature": "zoned", "low": pd.Timestamp("2024-02-08")}, range(36, N)),
        ({"feature": "day", "low": "2024-01-31"}, range(4, N)),
        ({"feature": "day", "low": "2024-01-31", "missing": True}, [0, 1, *range(4, N)]),
        ({"feature": "day", "low": "2024-01-01"}, range(N)),
        ({"feature": "day", "missing": "only"}, [0, 1]),
        ({"feature": "dose", "missing": "only"}, range(4)),
        ({"feature": "dose", "low": 30}, range(30, N)),
        ({"feature": "dose", "values": [None]}, range(4)),
    ],
)
def test_a_condition_selects_dates_and_missing_values(
    explainer: uq.Explainer, item: dict[str, Any], expected: Any
) -> None:
    assert rows_of(explainer, **item) == list(expected)


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ({"feature": "sit"}, "there is no feature or extra column 'sit'; did you mean 'site'"),
        ({"feature": "site", "low": 1}, "'site' is categorical; this needs a numeric extra column"),
        ({"feature": "day", "low": "today"}, "the low end of the filter of 'day' is 'today'; it"),
        ({"feature": "day", "low": 3}, "must be a date such as '2024-01-31'"),
        ({"feature": "day", "low": "2024-13-01"}, "must be a date"),
        ({"feature": "day", "high": "2024-01-01" + "0" * 10_000}, "must be a date"),
        ({"feature": "day", "low": "2024-02-01", "high": "2024-01-31"}, "backwards"),
        ({"feature": "day", "missing": "some"}, "there is no missing of the filter of 'day'"),
        ({"feature": "dose", "missing": 1}, "it must be True or False"),
    ],
)
def test_a_wrong_condition_is_refused_in_one_sentence(
    explainer: uq.Explainer, item: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        validate("ice_filter", [item], explainer)


def test_rows_of_extra_columns_are_matched_by_their_labels(model: Counting) -> None:
    X, y = table(N)
    X.index = y.index = pd.Index(np.arange(N) + 100)
    site = pd.Series(X["a"].to_numpy(), index=X.index, name="copy")
    more = pd.Series([7.0], index=[1], name="copy")

    def read(extra: Any) -> np.ndarray:
        return uq.Explainer(model, X, y, extra=extra).extra.numbers("copy")

    own = X["a"].to_numpy()
    np.testing.assert_array_equal(read(site.iloc[::-1].to_frame()), own)
    np.testing.assert_array_equal(read(pd.concat([more, site])), own)
    np.testing.assert_array_equal(read({"copy": own}), own)
    # Other labels stand for nothing in X, so that rows are matched by position.
    np.testing.assert_array_equal(read(site.reset_index(drop=True).to_frame()), own)


def test_labels_that_are_positions_of_more_rows_match_nothing(model: Counting) -> None:
    X, y = table(N)
    longer = pd.DataFrame({"site": np.arange(N + 1)})
    with pytest.raises(ValueError, match=r"extra has 41 rows but X has 40; pass a row for each"):
        uq.Explainer(model, X, y, extra=longer)


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (pd.DataFrame({"a": np.zeros(N)}), "a column 'a', which is a feature already"),
        ("site", "extra is of type str; pass a DataFrame"),
        ({"site": [1, 2], "day": [1]}, "extra cannot be read as a table"),
        (pd.DataFrame(np.zeros((N, 2)), columns=["u", "u"]), "extra has more than one column"),
    ],
)
def test_extra_columns_that_do_not_fit_are_refused(
    model: Counting, extra: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        uq.explore(model, *table(N), extra=extra)


def test_an_explainer_has_its_extra_columns_already(explainer: uq.Explainer) -> None:
    with pytest.raises(TypeError, match="feature_groups, extra, groups and time already"):
        uq.explore(explainer, extra=extra_table())


def test_many_categories_are_offered_and_too_many_are_not(model: Counting) -> None:
    X, y = table(2000)
    names = pd.Series(np.arange(2000)).astype(str)
    extra = {"many": "m" + (pd.Series(np.arange(2000)) % 900).astype(str), "name": names}
    with uq.explore(model, X, y, extra=extra) as widget:
        many, name = widget._about["extra"]
    assert len(many["values"]) == 900
    assert name["values"] is None
