"""The view over time: periods of rows, their intervals, drift and calibration; 0 model calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.wire import columns

N = 400
FURTHER: dict[str, Any] = {"feature": "dose", "stress_feature": "dose", "n_repeats": 2}


def mean(X: Any) -> Any:
    return np.asarray(X["dose"]), np.ones(len(X))


def table(n: int = N, drift: float = 0.0) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Rows in random order whose noise grows along their days."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"dose": rng.normal(size=n)})
    place = rng.permutation(n)
    y = X["dose"] + rng.normal(size=n) * (1 + drift * place / n)
    day = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(place, "D"), name="day")
    return X, y, day


def shown(widget: uq.Explorer) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    assert widget.wait(60)
    frame = widget._frame
    assert not frame["meta"]["error"], frame["meta"]["error"]
    every = columns(frame)
    own = {name[10:]: one for name, one in every.items() if name.startswith("over_time.")}
    return frame["meta"]["over_time"], own


def test_periods_are_of_equally_many_rows_with_the_intervals_of_their_scores() -> None:
    X, y, day = table()
    explainer = uq.Explainer(mean, X, y, extra=pd.DataFrame({"day": day}))
    with uq.Explorer(explainer, indicator="rmse", **FURTHER) as widget:
        meta, of = shown(widget)
        calls = explainer.model_calls
        assert (meta["axis"], meta["filters"], meta["dates"]) == ("day", True, True)
        assert of["count"].tolist() == [25.0] * 16
        assert (np.diff(of["middle"]) > 0).all()
        order = np.argsort(day.to_numpy())
        for period in (0, 7):
            rows = order[25 * period : 25 * (period + 1)]
            own = explainer.scores(["rmse"], rows=rows)
            np.testing.assert_allclose(
                [of[name][period] for name in ("value", "low", "high")],
                [own.value[0], own.low[0], own.high[0]],
                rtol=1e-12,
            )
            *_, inside = (ends for nominal, *ends in explainer.calibration(rows=rows).coverage[:3])
            np.testing.assert_allclose(of["calibration"][period], inside[0], rtol=1e-12)
        assert meta["reference"] == 0.9
        assert meta["sentences"][0].endswith("no clear change over time")
        # Weights change the numbers and not the periods; filters choose among the rows.
        widget.tau = 0.5
        _, stressed = shown(widget)
        np.testing.assert_array_equal(stressed["start"], of["start"])
        assert not np.allclose(stressed["value"], of["value"])
        ends = {"feature": "day", "low": "2024-01-01", "high": "2024-04-09"}
        widget.ice_filter = [ends]
        meta, of = shown(widget)
        assert meta["n_rows"] == 100
        assert of["count"].tolist() == [10.0] * 10
        assert explainer.model_calls == calls


def test_drift_is_said_where_it_is_clear() -> None:
    X, y, day = table(drift=3.0)
    with uq.explore(mean, X, y, extra={"day": day}, indicator="rmse", **FURTHER) as widget:
        meta, of = shown(widget)
        assert "periods lie clearly away from the average" in meta["sentences"][0]
        assert of["value"][-1] > 2 * of["value"][0]
        assert of["calibration"][-1] < 0.7 < of["calibration"][0]


def test_classes_have_the_gap_between_observed_and_predicted() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"dose": rng.normal(size=N), "day": pd.date_range("2024", periods=N)})

    def model(X: Any) -> np.ndarray:
        p = 1 / (1 + np.exp(-X["dose"].to_numpy()))
        return np.column_stack([1 - p, p])

    y = rng.random(N) < model(X)[:, 1]
    y[300:] = True
    of = uq.as_predictive(model, classes=[False, True])
    with uq.explore(of, X, y, feature="dose", stress_feature="dose", n_repeats=2) as widget:
        meta, of_periods = shown(widget)
        assert meta["calibration"] == "observed minus predicted probability"
        assert meta["reference"] == 0.0
        assert of_periods["calibration_low"][-1] > 0.2


def test_dependent_rows_have_wider_intervals() -> None:
    rng, n = np.random.default_rng(0), 2000
    noise = np.zeros(n)
    for t in range(1, n):
        noise[t] = 0.8 * noise[t - 1] + 0.6 * rng.normal()
    X = pd.DataFrame({"dose": rng.normal(size=n), "day": pd.date_range("2020", periods=n)})
    y = X["dose"] + noise
    with uq.explore(mean, X, y, indicator="nll", **FURTHER) as widget:
        _, alone = shown(widget)
        widget.time = "day"
        _, ordered = shown(widget)
    # Blocks of each period show how errors depend on each other.
    width = [np.median(of["high"] - of["low"]) for of in (alone, ordered)]
    assert width[1] > 1.5 * width[0]
    np.testing.assert_allclose(ordered["value"], alone["value"], rtol=1e-12)


@pytest.mark.parametrize("case", ["few", "missing", "ties", "array", "numbers", "one day"])
def test_hard_times_are_drawn_as_far_as_they_go(case: str) -> None:
    X, y, day = table(20 if case == "few" else N)
    options: dict[str, Any] = {"extra": pd.DataFrame({"day": day})}
    if case == "missing":
        options["extra"].loc[:99, "day"] = pd.NaT
    if case == "ties":
        options["extra"]["day"] = day.dt.to_period("M").dt.start_time
    if case == "one day":
        options["extra"]["day"] = pd.Timestamp("2024-02-03")
    if case == "array":
        options = {"time": day.to_numpy()}
    if case == "numbers":
        options = {"time": np.arange(N) / 7}
    with uq.explore(mean, X, y, indicator="nll", **options, **FURTHER) as widget:
        meta, of = shown(widget)
    assert np.isfinite(of["value"]).all()
    assert of["count"].sum() == meta["n_rows"]
    expected = {"few": 2, "missing": 16, "array": 16, "numbers": 16, "one day": 1}
    assert len(of["start"]) == expected.get(case, len(of["start"]))
    assert meta["missing"] == (100 if case == "missing" else 0)
    assert meta["filters"] == (case not in ("array", "numbers"))
    if case == "ties":
        assert (of["start"][1:] > of["end"][:-1]).all()


def test_texts_of_dates_are_no_time() -> None:
    X, y, day = table(60)
    with uq.explore(mean, X, y, extra={"day": day.astype(str)}, **FURTHER) as widget:
        assert widget.wait(60)
        assert "over_time" not in widget._about["views"]
        with pytest.raises(ValueError, match="neither numbers nor dates; convert them"):
            widget.time = "day"
