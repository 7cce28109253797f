"""One population for all panels, and filters that find their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.widgets.inputs import Condition, conditions, validate
from uqwidgets.widgets.population import FilteredRows
from uqwidgets.widgets.scheduler import SupersededError
from widgets.conftest import Counting
from widgets.test_explorer import change
from widgets.wire import columns


class Logistic:
    """A binary classifier of column a alone; other columns may hold anything."""

    def __init__(self, classes: Any = ("no", "yes")) -> None:
        self.classes_ = np.array(classes)

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        yes = 1 / (1 + np.exp(-X["a"].to_numpy(dtype=float)))
        return np.column_stack([1 - yes, yes])


def odd_table(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    days = rng.integers(0, 3, n)
    age = rng.normal(40, 10, n)
    age[:6] = np.nan
    level = pd.Series(rng.integers(1, 4, n)).astype("category")
    level[:5] = np.nan
    return pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "age": age,
            "wide": np.where(np.arange(n) == 0, np.inf, rng.normal(size=n)),
            "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(days, unit="D"),
            "hour": pd.to_datetime("2024-01-01 05:30") + pd.to_timedelta(days, unit="h"),
            "zone": (pd.to_datetime("2024-01-01") + pd.to_timedelta(days, unit="D")).tz_localize(
                "Asia/Tokyo"
            ),
            "late": pd.to_timedelta(rng.integers(0, 12, n), unit="D"),
            "level": level,
            "flag": rng.random(n) < 0.4,
            "raw": np.array([b"u", b"v"], dtype=object)[rng.integers(0, 2, n)],
            "mixed": pd.Series([1, "1", None, 2.5, True] * (n // 5), dtype=object),
            "sex": pd.Series(rng.choice(["f", "m"], n)).where(np.arange(n) > 7),
            "month": pd.PeriodIndex.from_ordinals(600 + days, freq="M"),
            "band": pd.cut(rng.normal(size=n), 3),
        }
    )


@pytest.fixture(scope="module")
def odd() -> uq.Explainer:
    X = odd_table()
    return uq.Explainer(Logistic(), X, np.where(X["a"] > 0, "yes", "no"))


@pytest.fixture(scope="module")
def about(odd: uq.Explainer) -> dict[str, Any]:
    with uq.Explorer(odd) as widget:
        return {feature["name"]: feature for feature in widget._about["features"]}


CATEGORICAL = [c for c in odd_table(10).columns if c not in ("a", "age", "wide")]


@pytest.mark.parametrize("name", CATEGORICAL)
def test_every_value_on_offer_finds_its_rows(
    odd: uq.Explainer, about: dict[str, Any], name: str
) -> None:
    column = odd.table.column(name)
    offered = about[name]["values"]
    every = [*offered, None]
    masks = {v: conditions([{"feature": name, "values": [v]}], odd)[0].mask(odd) for v in every}
    assert sum(masks.values()).tolist() == [1] * len(column), "each row has one value"
    assert all(masks[v].any() for v in offered)
    np.testing.assert_array_equal(masks[None], column.isna())
    assert about[name]["missing"] == column.isna().sum()
    for value, mask in masks.items():
        rows = column[mask]
        assert rows.isna().all() if value is None else rows.nunique() == 1
    # The values themselves, as a person takes them out of the table, name the same rows.
    for value in column.dropna().unique().tolist():
        (condition,) = conditions([{"feature": name, "values": [value]}], odd)
        same = column.map(lambda other, value=value: other == value)
        np.testing.assert_array_equal(condition.mask(odd), same.fillna(False).to_numpy(dtype=bool))
    (all_of_them,) = conditions([{"feature": name, "values": every}], odd)
    assert all_of_them.mask(odd).all(), "with every box checked, every row stays"


@pytest.mark.parametrize(
    ("name", "written", "read"),
    [
        ("day", "2024-01-02 00:00:00", "2024-01-02"),
        ("day", np.datetime64("2024-01-02"), "2024-01-02"),
        ("day", pd.Timestamp("2024-01-02").date(), "2024-01-02"),
        ("hour", "2024-01-01T06:30", "2024-01-01 06:30:00"),
        ("late", "2 days", "2 days 00:00:00"),
        ("late", pd.Timedelta(2, unit="D").to_pytimedelta(), "2 days 00:00:00"),
        ("level", 2.0, "2"),
        ("level", "2.0", "2"),
        ("level", float("nan"), None),
        ("level", pd.NA, None),
        ("flag", np.True_, "True"),
        ("raw", "u", "b'u'"),
        (None, "yes", "yes"),
    ],
)
def test_a_value_may_be_written_in_other_ways(
    odd: uq.Explainer, name: str | None, written: Any, read: str | None
) -> None:
    (condition,) = conditions([{"feature": name, "values": [written]}], odd)
    assert condition.values == (read,)
    assert condition.mask(odd).any()


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ({"feature": "sex", "values": ["fm"]}, "there is no value of 'sex' 'fm'; did you mean"),
        ({"feature": "day", "values": ["yesterday!"]}, "there is no value of 'day'"),
        ({"feature": "level", "values": [[1]]}, r"a value of an ice_filter condition is \[1\]"),
        ({"feature": "level", "values": [10**400]}, "there is no value of 'level'"),
        ({"feature": None, "values": ["maybe"]}, "there is no value of 'y' 'maybe'"),
        ({"feature": "age", "low": 1, "missing": "yes"}, "missing of the filter of 'age'"),
    ],
)
def test_a_value_that_no_row_has_is_said(
    odd: uq.Explainer, item: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        conditions([item], odd)


@pytest.mark.parametrize(
    ("y", "classes", "text"),
    [
        (np.array([0.0, 1.0]), [0, 1], "1"),
        (np.array([0, 1]), [0.0, 1.0], "1.0"),
        (np.array([False, True]), [False, True], "True"),
    ],
)
def test_a_class_is_found_however_the_target_writes_it(
    y: np.ndarray, classes: list[Any], text: str
) -> None:
    X = odd_table()[["a"]]
    ex = uq.Explainer(Logistic(classes), X, y[(X["a"] > 0).to_numpy() * 1])
    with uq.Explorer(ex) as widget:
        assert text in widget._about["classes"]
    (condition,) = conditions([{"feature": None, "values": [text]}], ex)
    np.testing.assert_array_equal(condition.mask(ex), X["a"] > 0)


def test_a_range_that_leaves_out_no_value_leaves_out_no_row(odd: uq.Explainer) -> None:
    age = odd.table.numbers("age")
    missing, low, high = np.isnan(age), float(np.nanmin(age)), float(np.nanmax(age))

    def mask(**ends: Any) -> np.ndarray:
        plain = validate("ice_filter", [{"feature": "age", **ends}], odd)
        assert plain == validate("ice_filter", plain, odd)
        return conditions(plain, odd)[0].mask(odd)

    assert mask(low=low, high=high).all()
    assert mask().all()
    np.testing.assert_array_equal(mask(low=40), age >= 40)
    np.testing.assert_array_equal(mask(low=40, missing=True), (age >= 40) | missing)
    np.testing.assert_array_equal(mask(low=low, high=high, missing=False), ~missing)
    (some,) = validate("ice_filter", [{"feature": "age", "low": 40}], odd)
    assert some["missing"] is False, "that rows are left out is said"
    (plain,) = validate("ice_filter", [{"feature": "wide", "low": None, "high": None}], odd)
    assert plain == {"feature": "wide", "low": None, "high": None}
    assert conditions([plain], odd)[0].mask(odd).all(), "an open end holds infinity too"


FILTER = [{"feature": "b", "low": -0.8, "high": None}, {"feature": "c", "values": ["red"]}]


def test_every_number_of_the_stress_panel_is_of_the_rows_that_meet_the_filter(
    explorer: uq.Explorer, explainer: uq.Explainer
) -> None:
    table = explainer.table
    rows = (table.numbers("b") >= -0.8) & (table.column("c") == "red").to_numpy()
    X = pd.DataFrame({name: table.column(name) for name in table.features})[rows]
    alone = uq.Explainer(Counting(), X, table.y[rows])
    calls = explainer.model_calls
    inputs = {"tau": 0.5, "stress_feature": "a", "indicator": "nll"}
    frame = change(explorer, ice_filter=FILTER, **inputs)[-1]
    with uq.Explorer(alone, n_repeats=4, ice_lines=6, feature="a", **inputs) as widget:
        assert widget.wait(30)
        expected = widget._frame
    of_rows, of_alone = columns(frame), columns(expected)
    for name in (name for name in of_alone if name.startswith("stress.")):
        np.testing.assert_allclose(of_rows[name], of_alone[name], rtol=1e-9, err_msg=name)
    assert np.isfinite(of_rows["stress.low"]).any()
    meta = frame["meta"]["stress"]
    for name, value in expected["meta"]["stress"]["now"].items():
        same = value if isinstance(value, str) else pytest.approx(value, rel=1e-9)
        assert meta["now"][name] == same, name
    assert meta["n_rows"] == meta["now"]["n_rows"] == frame["meta"]["rows"] == rows.sum()
    assert not meta["stale"]
    # Importance and curves are of the same rows, with the same weights.
    weights = explainer.stress_weights("a", 0.5, rows=rows)
    importance = explainer.importance("nll", n_repeats=4, rows=rows, sample_weight=weights)
    place = explainer.features.index("a")
    assert of_rows["importance.value"][0][place] == pytest.approx(
        importance.importance[importance.features.index("a")], rel=1e-7
    )
    baseline = expected["meta"]["importance"]["measures"][0]["baseline"]
    assert frame["meta"]["importance"]["measures"][0]["baseline"] == pytest.approx(baseline)
    assert explainer.model_calls == calls, "a filter asks the model nothing"


def test_a_filter_that_every_row_meets_changes_nothing(explorer: uq.Explorer) -> None:
    before = explorer._frame
    (frame,) = change(explorer, ice_filter=[{"feature": "c", "values": ["red", "blue", None]}])
    assert frame["meta"]["rows"] == 40
    after, were = columns(frame), columns(before)
    for name, values in were.items():
        np.testing.assert_array_equal(after[name], values, err_msg=name)
    assert not frame["meta"]["stress"]["stale"]


def test_a_filter_asks_nothing_and_shows_importance_and_curves_before_the_profile(
    explorer: uq.Explorer, model: Counting
) -> None:
    calls = model.calls
    frames = change(explorer, ice_filter=FILTER)
    assert model.calls == calls
    assert [frame["meta"]["final"] for frame in frames] == [False, True]
    stale = [
        [frame["meta"][panel]["stale"] for panel in ("importance", "dependence", "stress")]
        for frame in frames
    ]
    assert stale == [[False, False, True], [False, False, False]]


def test_the_profile_of_other_rows_is_marked_until_that_of_the_chosen_ones_is_known(
    explorer: uq.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = explorer._frame
    computed: list[str] = []
    plain = explorer.explainer.stress

    def counted(features: Any, *args: Any, **options: Any) -> Any:
        computed.extend(features)
        return plain(features, *args, **options)

    monkeypatch.setattr(explorer.explainer, "stress", counted)
    first, *_, last = change(explorer, ice_filter=FILTER)
    assert first["meta"]["stress"]["stale"]
    np.testing.assert_array_equal(columns(first)["stress.value"], columns(before)["stress.value"])
    assert first["meta"]["stress"]["n_rows"] == 40
    assert not last["meta"]["stress"]["stale"]
    assert (columns(last)["stress.value"] != columns(before)["stress.value"]).any()
    assert computed == ["a", "b", "same", "a"], "values of three, the interval of one"
    back = change(explorer, ice_filter=[])[-1]
    np.testing.assert_array_equal(columns(back)["stress.value"], columns(before)["stress.value"])
    again = change(explorer, ice_filter=FILTER)[-1]
    np.testing.assert_array_equal(columns(again)["stress.value"], columns(last)["stress.value"])
    assert len(computed) == 4, "what is known of a filter is kept for a while"
    for low in range(10):
        change(explorer, ice_filter=[{"feature": "b", "low": -1 - low / 10, "high": None}])
    assert len(explorer._session.populations._selections) <= 4, "but not for ever"


def test_a_filter_that_keeps_one_row_shows_this_row(explorer: uq.Explorer) -> None:
    a = explorer.explainer.table.numbers("a")
    low = float(np.sort(a)[-1])
    frame = change(explorer, ice_filter=[{"feature": "a", "low": low, "high": None}])[-1]
    meta, cols = frame["meta"], columns(frame)
    assert meta["error"] is None
    assert meta["rows"] == meta["importance"]["n_rows"] == meta["dependence"]["n_rows"] == 1
    assert not any(meta[panel]["stale"] for panel in ("importance", "dependence", "stress"))
    np.testing.assert_allclose(cols["dependence.average"], cols["dependence.ice"][0], rtol=1e-6)
    assert meta["stress"]["now"]["status"] == "constant"
    assert np.isfinite(cols["importance.value"]).all()
    stressed = change(explorer, tau=0.5)[-1]
    assert "a cannot be stressed" in stressed["meta"]["notes"][0]


def test_missing_values_are_filtered_in_the_widget_and_never_lost(odd: uq.Explainer) -> None:
    with uq.Explorer(odd, n_repeats=2, feature="a", stress_feature="a") as widget:
        assert widget.wait(30)
        for name in ("age", "sex", "level"):
            values = next(f for f in widget._about["features"] if f["name"] == name)["values"]
            every = {"values": [*values, None]} if values else {"low": None, "high": None}
            frame = change(widget, ice_filter=[{"feature": name, **every}])[-1]
            assert frame["meta"]["rows"] == 60, name
        frame = change(widget, ice_filter=[{"feature": "sex", "values": [None]}])[-1]
        assert frame["meta"]["rows"] == 8
        assert frame["inputs"]["ice_filter"] == [{"feature": "sex", "values": [None]}]


class Counted(Condition):
    """A condition that counts how often it is looked up."""

    looked = 0

    def mask(self, explainer: uq.Explainer) -> np.ndarray:
        type(self).looked += 1
        return super().mask(explainer)


def test_a_condition_is_looked_up_once_while_it_is_part_of_the_filter(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counted, "looked", 0)
    many = tuple(Counted("a", low=-1 - k / 100) for k in range(300))
    checks: list[int] = []
    rows = FilteredRows(explainer)
    met = rows.meeting(many, lambda: checks.append(1))
    assert met is not None
    np.testing.assert_array_equal(met, explainer.table.numbers("a") >= -1)
    assert Counted.looked == len(checks) == 300, "a newer request is heard before each"
    rows.meeting(many, lambda: checks.append(1))
    rows.meeting((*many[1:], Counted("b", low=0)), lambda: checks.append(1))
    assert Counted.looked == 301
    assert rows.meeting((), lambda: checks.append(1)) is None
    rows.meeting(many[:2], lambda: checks.append(1))
    assert Counted.looked == 303, "what left the filter is forgotten"
    assert rows.meeting(many[:1] * 50, lambda: checks.append(1)) is not None
    assert Counted.looked == 303


def test_a_long_filter_gives_way_and_keeps_what_it_knows(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counted, "looked", 0)
    many = tuple(Counted("a", low=-1 - k / 100) for k in range(30))
    rows = FilteredRows(explainer)

    def busy() -> None:
        if Counted.looked == 10:
            raise SupersededError

    with pytest.raises(SupersededError):
        rows.meeting(many, busy)
    assert Counted.looked == 10
    assert rows.meeting(many, lambda: None) is not None
    assert Counted.looked == 30


@pytest.mark.parametrize("ends", [(0.3, 0.1 + 0.2), (1e16, 1e16 + 4)])
def test_a_column_of_hardly_different_numbers_is_drawn(ends: tuple[float, float]) -> None:
    X = odd_table()[["a"]]
    X["c"] = np.where(np.arange(60) % 3, *ends)
    ex = uq.Explainer(Logistic(), X, np.where(X["a"] > 0, "yes", "no"))
    with uq.Explorer(ex, feature="c", stress_feature="a", n_repeats=2) as widget:
        assert widget.wait(30)
        meta, cols = widget._frame["meta"], columns(widget._frame)
    assert meta["error"] is None
    edges = cols["dependence.edges"]
    assert edges[0] == ends[0]
    assert edges[-1] == ends[1]
    assert (edges[1:] > edges[:-1]).all()
    assert cols["dependence.counts"].sum() == pytest.approx(1.0)
