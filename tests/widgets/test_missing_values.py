"""Stress in the widget of columns with missing values, also where no row has a value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.inference.population import effective_sample_size
from widgets.test_explorer import change
from widgets.wire import columns

N = 80


class Gaps:
    """A regression that takes missing values."""

    def __call__(self, X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        age = X["age"].to_numpy(dtype=float)
        mean = np.where(np.isnan(age), 2.0, age) + 0.1 * X["pay"].fillna(0.0).to_numpy()
        return mean, np.ones(len(X))


@pytest.fixture(scope="module")
def explainer() -> uq.Explainer:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.normal(size=N), "pay": rng.gamma(2, size=N), "none": np.nan})
    X.loc[:19, "age"] = np.nan
    X.loc[70:, "pay"] = np.nan
    X["site"] = np.where(np.arange(N) < 10, "a", "b")
    return uq.Explainer(Gaps(), X, X["age"].fillna(0) + rng.normal(size=N))


def test_a_column_with_missing_values_is_stressed_over_its_known_rows(
    explainer: uq.Explainer,
) -> None:
    with uq.Explorer(explainer) as widget:
        assert widget.wait(30)
        kinds = {f["name"]: f["unstressable"] for f in widget._about["features"]}
        assert kinds == {
            "age": None,
            "pay": None,
            "none": "no value in any row",
            "site": None,
        }
        assert widget.stress_feature == "age"
        frame = change(widget, tau=0.6)[-1]
        now = frame["meta"]["stress"]["now"]
        assert (now["status"], now["n_unmoved"], now["n_rows"]) == ("ok", 20, N)
        assert frame["meta"]["stress"]["features"] == [0, 1, 3, 3]
        assert frame["meta"]["stress"]["categories"] == [None, None, "a", "b"]

        weights = explainer.stress_weights("age", 0.6, missing="keep")
        age, known = explainer.table.numbers("age"), np.arange(N) >= 20
        assert now["mean"] == pytest.approx(age[known].mean())
        assert now["reached"] == pytest.approx(np.average(age[known], weights=weights[known]))
        assert now["ess"] == pytest.approx(effective_sample_size(weights))
        means = explainer.evaluations.original_values(explainer.measure("prediction"))
        assert now["value"] == pytest.approx(np.average(means, weights=weights))
        # The drawn profile passes through the point of the current tau.
        at = columns(frame)
        line = at["stress.value"].reshape(4, -1)[0]
        level = int(np.argmin(np.abs(at["stress.taus"] - 0.6)))
        assert line[level] == pytest.approx(now["value"])
        result = explainer.importance("nll", n_repeats=10, sample_weight=weights)
        shown = at["importance.value"].reshape(-1, 4)[0]
        for name, value in zip(result.features, result.importance, strict=True):
            assert shown[explainer.features.index(name)] == pytest.approx(value)
        assert frame["meta"]["error"] is None
        with pytest.raises(ValueError, match="no value in any row"):
            widget.stress_feature = "none"
        assert "20 rows without a value keep their weight" in widget._picture_html()


def test_stress_of_rows_without_any_value_is_reported(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer) as widget:
        assert widget.wait(30)
        filtered = [{"feature": "site", "values": ["a"]}]
        frame = change(widget, tau=0.6, ice_filter=filtered)[-1]
        now = frame["meta"]["stress"]["now"]
        assert (now["status"], now["value"], now["mean"]) == ("no value", None, None)
        assert frame["meta"]["error"] is None
        assert frame["meta"]["final"]
        assert frame["meta"]["stress"]["features"] == [1, 3]
        assert widget.result("stress").features == ("pay", "site=a")
        assert "age cannot be stressed to this tau (no value)" in frame["meta"]["notes"][0]
        frame = change(widget, tau=0.0)[-1]
        assert not frame["meta"]["importance"]["stale"], (
            "without stress all rows have the same weight"
        )
        frame = change(widget, stress_feature="pay", tau=0.5)[-1]
        assert frame["meta"]["stress"]["now"]["status"] == "ok"
        assert frame["meta"]["stress"]["now"]["n_unmoved"] == 0
