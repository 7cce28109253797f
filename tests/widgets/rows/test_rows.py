"""Row filters: their conditions, and the one population that all panels use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from models import Logistic
from uqwidgets.widgets.inputs.conditions import Condition, conditions
from uqwidgets.widgets.inputs.inputs import validate
from uqwidgets.widgets.kernel.scheduler import SupersededError
from uqwidgets.widgets.rows.population import FilteredRows
from widgets.conftest import Counting
from widgets.test_explorer import change
from widgets.wire import columns


def table_of_all_types(n: int = 60) -> pd.DataFrame:
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
def mixed_explainer() -> uq.Explainer:
    X = table_of_all_types()
    return uq.Explainer(Logistic("a"), X, np.where(X["a"] > 0, "yes", "no"))


@pytest.fixture(scope="module")
def about(mixed_explainer: uq.Explainer) -> dict[str, Any]:
    with uq.Explorer(mixed_explainer) as widget:
        return {feature["name"]: feature for feature in widget._about["features"]}


CATEGORICAL = [c for c in table_of_all_types(10).columns if c not in ("a", "age", "wide")]


DATES = ("day", "hour", "zone")


@pytest.mark.parametrize("name", [c for c in CATEGORICAL if c not in DATES])
def test_every_offered_value_selects_its_rows(
    mixed_explainer: uq.Explainer, about: dict[str, Any], name: str
) -> None:
    column = mixed_explainer.table.column(name)
    offered = about[name]["values"]
    every = [*offered, None]
    masks = {
        v: conditions([{"feature": name, "values": [v]}], mixed_explainer)[0].mask(mixed_explainer)
        for v in every
    }
    assert sum(masks.values()).tolist() == [1] * len(column), "each row has one value"
    assert all(masks[v].any() for v in offered)
    np.testing.assert_array_equal(masks[None], column.isna())
    assert about[name]["missing"] == column.isna().sum()
    for value, mask in masks.items():
        rows = column[mask]
        assert rows.isna().all() if value is None else rows.nunique() == 1
    # The values of the column itself select the same rows.
    kept = [None if pd.isna(value) else value for value in column.tolist()]
    for value in [value for value in kept if value is not None]:
        (condition,) = conditions([{"feature": name, "values": [value]}], mixed_explainer)
        same = [type(other) is type(value) and other == value for other in kept]  # 1 is not True
        np.testing.assert_array_equal(condition.mask(mixed_explainer), same)
    (all_values,) = conditions([{"feature": name, "values": every}], mixed_explainer)
    assert all_values.mask(mixed_explainer).all(), "all values together select all rows"


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
def test_a_filter_value_may_be_written_in_other_forms(
    mixed_explainer: uq.Explainer, name: str | None, written: Any, read: str | None
) -> None:
    (condition,) = conditions([{"feature": name, "values": [written]}], mixed_explainer)
    assert condition.values == (read,)
    assert condition.mask(mixed_explainer).any()


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ({"feature": "sex", "values": ["fm"]}, "there is no value 'fm' of 'sex'; did you mean"),
        ({"feature": "day", "values": ["yesterday!"]}, "there is no value 'yesterday!' of 'day'"),
        ({"feature": "level", "values": [[1]]}, r"a value of an ice_filter condition is \[1\]"),
        ({"feature": "level", "values": [10**400]}, "there is no value '1000"),
        ({"feature": None, "values": ["maybe"]}, "there is no value 'maybe' of 'y'"),
        ({"feature": "age", "low": 1, "missing": "yes"}, "missing of the filter of 'age'"),
    ],
)
def test_a_filter_value_of_no_row_is_an_error(
    mixed_explainer: uq.Explainer, item: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        conditions([item], mixed_explainer)


@pytest.mark.parametrize(
    ("y", "classes", "text"),
    [
        (np.array([0.0, 1.0]), [0, 1], "1"),
        (np.array([0, 1]), [0.0, 1.0], "1.0"),
        (np.array([False, True]), [False, True], "True"),
    ],
)
def test_a_class_is_matched_across_number_types(
    y: np.ndarray, classes: list[Any], text: str
) -> None:
    X = table_of_all_types()[["a"]]
    ex = uq.Explainer(Logistic("a", classes), X, y[(X["a"] > 0).to_numpy() * 1])
    with uq.Explorer(ex) as widget:
        assert text in widget._about["classes"]
    (condition,) = conditions([{"feature": None, "values": [text]}], ex)
    np.testing.assert_array_equal(condition.mask(ex), X["a"] > 0)


def test_a_range_over_all_values_selects_all_rows(mixed_explainer: uq.Explainer) -> None:
    age = mixed_explainer.table.numbers("age")
    missing, low, high = np.isnan(age), float(np.nanmin(age)), float(np.nanmax(age))

    def mask(**ends: Any) -> np.ndarray:
        plain = validate("ice_filter", [{"feature": "age", **ends}], mixed_explainer)
        assert plain == validate("ice_filter", plain, mixed_explainer)
        return conditions(plain, mixed_explainer)[0].mask(mixed_explainer)

    assert mask(low=low, high=high).all()
    assert mask().all()
    np.testing.assert_array_equal(mask(low=40), age >= 40)
    np.testing.assert_array_equal(mask(low=40, missing=True), (age >= 40) | missing)
    np.testing.assert_array_equal(mask(low=low, high=high, missing=False), ~missing)
    (some,) = validate("ice_filter", [{"feature": "age", "low": 40}], mixed_explainer)
    assert some["missing"] is False, "the plain form says that missing values are excluded"
    (plain,) = validate(
        "ice_filter", [{"feature": "wide", "low": None, "high": None}], mixed_explainer
    )
    assert plain == {"feature": "wide", "low": None, "high": None}
    assert conditions([plain], mixed_explainer)[0].mask(mixed_explainer).all(), (
        "a range without ends includes infinity"
    )


FILTER = [{"feature": "b", "low": -0.8, "high": None}, {"feature": "c", "values": ["red"]}]


def test_the_stress_panel_uses_the_filtered_rows_only(
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
    assert np.isfinite(of_rows["stress.ends"]).any()
    meta = frame["meta"]["stress"]
    for name, value in expected["meta"]["stress"]["now"].items():
        is_number = isinstance(value, (int, float))
        same = pytest.approx(value, rel=1e-9) if is_number else value
        assert meta["now"][name] == same, name
    assert meta["n_rows"] == meta["now"]["n_rows"] == frame["meta"]["rows"] == rows.sum()
    assert not meta["stale"]
    # Importance and curves use the same rows and the same weights.
    weights = explainer.stress_weights("a", 0.5, rows=rows)
    importance = explainer.importance("nll", n_repeats=4, rows=rows, sample_weight=weights)
    position = explainer.features.index("a")
    assert of_rows["importance.value"][0][position] == pytest.approx(
        importance.importance[importance.features.index("a")], rel=1e-7
    )
    baseline = expected["meta"]["importance"]["measures"][0]["baseline"]
    assert frame["meta"]["importance"]["measures"][0]["baseline"] == pytest.approx(baseline)
    assert explainer.model_calls == calls, "a filter does not call the model"


def test_a_filter_met_by_every_row_changes_no_number(explorer: uq.Explorer) -> None:
    before = explorer._frame
    (frame,) = change(explorer, ice_filter=[{"feature": "c", "values": ["red", "blue", None]}])
    assert frame["meta"]["rows"] == 40
    filtered, unfiltered = columns(frame), columns(before)
    for name, values in unfiltered.items():
        np.testing.assert_array_equal(filtered[name], values, err_msg=name)
    assert not frame["meta"]["stress"]["stale"]


def test_a_filter_updates_importance_and_curves_before_the_stress_profile(
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


def test_the_stress_profile_is_marked_stale_until_that_of_the_filtered_rows_is_computed(
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
    # None of the filtered rows is blue.
    assert len(columns(last)["stress.value"]) == len(columns(before)["stress.value"]) - 1
    assert computed == ["a", "b", "c", "same"], "each feature once"
    back = change(explorer, ice_filter=[])[-1]
    np.testing.assert_array_equal(columns(back)["stress.value"], columns(before)["stress.value"])
    again = change(explorer, ice_filter=FILTER)[-1]
    np.testing.assert_array_equal(columns(again)["stress.value"], columns(last)["stress.value"])
    assert len(computed) == 4, "recent filters are cached"
    for low in range(10):
        change(explorer, ice_filter=[{"feature": "b", "low": -1 - low / 10, "high": None}])
    assert len(explorer._session.populations._selections) <= 4, "the cache has a limit"


def test_a_filter_of_one_row_shows_this_row(explorer: uq.Explorer) -> None:
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


def test_filters_can_select_missing_values(mixed_explainer: uq.Explainer) -> None:
    with uq.Explorer(mixed_explainer, n_repeats=2, feature="a", stress_feature="a") as widget:
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
    """A condition that counts its evaluations."""

    evaluations = 0

    def mask(self, explainer: uq.Explainer) -> np.ndarray:
        type(self).evaluations += 1
        return super().mask(explainer)


def test_a_condition_is_evaluated_once_while_it_is_part_of_the_filter(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counted, "evaluations", 0)
    many = tuple(Counted("a", low=-1 - k / 100) for k in range(300))
    checks: list[int] = []
    rows = FilteredRows(explainer)
    met = rows.meeting(many, lambda: checks.append(1))
    assert met is not None
    np.testing.assert_array_equal(met, explainer.table.numbers("a") >= -1)
    assert Counted.evaluations == len(checks) == 300, (
        "the scheduler is checked before each condition"
    )
    rows.meeting(many, lambda: checks.append(1))
    rows.meeting((*many[1:], Counted("b", low=0)), lambda: checks.append(1))
    assert Counted.evaluations == 301
    assert rows.meeting((), lambda: checks.append(1)) is None
    rows.meeting(many[:2], lambda: checks.append(1))
    assert Counted.evaluations == 303, "a removed condition leaves the cache"
    assert rows.meeting(many[:1] * 50, lambda: checks.append(1)) is not None
    assert Counted.evaluations == 303


def test_an_interrupted_filter_keeps_its_evaluated_conditions(
    explainer: uq.Explainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counted, "evaluations", 0)
    many = tuple(Counted("a", low=-1 - k / 100) for k in range(30))
    rows = FilteredRows(explainer)

    def busy() -> None:
        if Counted.evaluations == 10:
            raise SupersededError

    with pytest.raises(SupersededError):
        rows.meeting(many, busy)
    assert Counted.evaluations == 10
    assert rows.meeting(many, lambda: None) is not None
    assert Counted.evaluations == 30


@pytest.mark.parametrize("ends", [(0.3, 0.1 + 0.2), (1e16, 1e16 + 4)])
def test_a_column_of_nearly_equal_numbers_is_drawn(ends: tuple[float, float]) -> None:
    X = table_of_all_types()[["a"]]
    X["c"] = np.where(np.arange(60) % 3, *ends)
    ex = uq.Explainer(Logistic("a"), X, np.where(X["a"] > 0, "yes", "no"))
    with uq.Explorer(ex, feature="c", stress_feature="a", n_repeats=2) as widget:
        assert widget.wait(30)
        meta, cols = widget._frame["meta"], columns(widget._frame)
    assert meta["error"] is None
    edges = cols["dependence.edges"]
    assert edges[0] == ends[0]
    assert edges[-1] == ends[1]
    assert (edges[1:] > edges[:-1]).all()
    assert cols["dependence.counts"].sum() == pytest.approx(1.0)


def test_classes_of_a_model_of_labels_alone_select_their_rows() -> None:
    X = pd.DataFrame({"z": np.arange(30.0)})
    y = np.where(np.arange(30) % 3, "a", "b")
    explainer = uq.Explainer(lambda X: np.where(X["z"] > 5, "a", "b"), X, y)
    (condition,) = conditions([{"feature": None, "values": ["a"]}], explainer)
    np.testing.assert_array_equal(condition.mask(explainer), y == "a")
