"""Stress in the widget of columns with missing values, also where no row has a value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.inference.population import effective_sample_size
from widgets.pages import index_of
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
    return uq.Explainer(Gaps(), X, X["age"].fillna(0).to_numpy() + rng.normal(size=N))


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


CITIES = {"feature": "city", "values": ["Bern", "Rome"]}
WITH_MISSING = {"feature": "city", "values": ["Bern", "Rome", None]}


@pytest.fixture(scope="module")
def cities() -> uq.Explainer:
    """A table of 60 rows, of which 6 have no city and 4 no region, which the model does not see."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"age": rng.normal(size=60), "pay": rng.gamma(2, size=60)})
    X["city"] = ["Bern", "Rome", "Rome"] * 20
    X.loc[:5, "city"] = None
    extra = pd.DataFrame({"region": ["north"] * 4 + [None] * 4 + ["south"] * 52})
    return uq.Explainer(Gaps(), X, X["age"].to_numpy() + rng.normal(size=60), extra=extra)


def notes(widget: uq.Explorer) -> str:
    assert widget.wait(30)
    return "\n".join(note for note in widget._frame["meta"]["notes"] if "lists every" in note)


def test_a_filter_of_all_values_but_the_missing_one_says_what_it_leaves_out(
    cities: uq.Explainer,
) -> None:
    with uq.Explorer(cities, ice_filter=[CITIES], n_repeats=2) as widget:
        sentence = "the filter of city lists every value and leaves out the 6 rows without one"
        assert sentence in notes(widget)
        assert "add None to its values" in notes(widget)
        assert widget._frame["meta"]["rows"] == 54
        for silent in (
            [WITH_MISSING],
            [{"feature": "city", "values": ["Rome"]}],
            [{"feature": "age", "low": 0.0, "high": None}],
            [],
        ):
            widget.ice_filter = silent
            assert notes(widget) == ""
        widget.ice_filter = [WITH_MISSING]
        assert widget.wait(30)
        assert widget._frame["meta"]["rows"] == 60
        # All others are the rows without a city, which is what the complement is for.
        widget.state = {**widget.state, "ice_filter": [CITIES], "complement": True}
        assert notes(widget) == ""
        assert widget._frame["meta"]["rows"] == 6
        regions = {"feature": "region", "values": ["south", "north"]}
        widget.state = {**widget.state, "ice_filter": [regions], "complement": False}
        assert "the filter of region" in notes(widget)
        assert "the 4 rows without one" in notes(widget)


@pytest.mark.thorough
def test_a_cohort_of_all_values_but_the_missing_one_says_what_it_leaves_out(
    cities: uq.Explainer, tmp_path: Path
) -> None:
    cohorts = [
        {"name": "towns", "ice_filter": [CITIES]},
        {"name": "Rome", "ice_filter": [{"feature": "city", "values": ["Rome"]}]},
    ]
    with uq.Explorer(cities, cohorts=cohorts, compare_with="cohort:towns", n_repeats=2) as widget:
        for name, n_sentences in (("towns", 1), ("Rome", 0)):
            widget.compare_with = f"cohort:{name}"
            assert widget.wait(30)
            sentences = widget._frame["meta"]["comparison"]["sentences"]
            about = [one for one in sentences if "leaves out the 6 rows" in one]
            assert len(about) == n_sentences
        path = tmp_path / "page.html"
        widget.save(path, stress_features=["age"], progress=False)
        counts = {one["name"]: len(one["sentences"]) for one in index_of(path)["cohorts"]}
        assert counts == {"all rows": 0, "towns": 1, "Rome": 0}
