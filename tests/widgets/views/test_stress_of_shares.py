"""Stress in the widget of the shares of categories, and of means with other anchors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.test_explorer import change
from widgets.wire import columns

N = 120


class Sites:
    """A classifier of categories that counts its calls."""

    classes_ = np.array(["left", "bought"])

    def __init__(self) -> None:
        self.calls = 0

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        bought = 0.2 + 0.5 * (X["site"] == "Rome") + 0.2 * X["member"].astype(float)
        return np.column_stack([1 - bought, bought])


def sites_table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(2)
    X = pd.DataFrame(
        {
            "site": pd.Series(rng.choice(["Rome", "Bern", "Oslo"], N, p=[0.3, 0.6, 0.1])),
            "member": rng.random(N) < 0.4,
            "joined": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.arange(N), unit="D"),
            "id": [f"row {i}" for i in range(N)],
        }
    )
    X.loc[:9, "site"] = None
    return X, np.where(rng.random(N) < 0.5, "bought", "left")


@pytest.fixture
def model() -> Sites:
    return Sites()


@pytest.fixture
def explainer(model: Sites) -> uq.Explainer:
    return uq.Explainer(model, *sites_table())


def now_of(frame: dict[str, Any]) -> dict[str, Any]:
    return frame["meta"]["stress"]["now"]


def test_the_share_of_a_category_is_moved(explainer: uq.Explainer, model: Sites) -> None:
    with uq.Explorer(explainer) as widget:
        assert widget.wait(30)
        assert widget.stress_feature in ("site", "member")
        calls = model.calls
        frame = change(widget, stress_feature="site", tau=0.5)[-1]
        # The most frequent category, until another is picked.
        assert now_of(frame)["category"] == "Bern"
        frame = change(widget, stress_category="Rome", indicator="probability:bought")[-1]
        assert model.calls == calls
        now = now_of(frame)
        weights = explainer.stress_weights("site", 0.5, category="Rome", missing="keep")
        site = explainer.table.column("site")
        known = site.notna().to_numpy()
        reached = np.average(site[known] == "Rome", weights=weights[known])
        assert now["reached"] == pytest.approx(reached)
        assert (now["anchor"], now["n_unmoved"]) == ("share", 10)
        (outputs,) = explainer.indicators["probability:bought"].per_row
        assert now["value"] == pytest.approx(np.average(outputs, weights=weights))
        result = explainer.importance("nll", n_repeats=10, sample_weight=weights)
        shown = columns(frame)["importance.value"].reshape(-1, 4)[0]
        for name, value in zip(result.features, result.importance, strict=True):
            assert shown[explainer.features.index(name)] == pytest.approx(value, abs=1e-12)


def test_the_profile_has_a_line_for_each_category(explainer: uq.Explainer) -> None:
    with uq.Explorer(explainer, stress_feature="site", stress_category="Oslo") as widget:
        assert widget.wait(30)
        frame = widget._frame
        stress = frame["meta"]["stress"]
        lines = list(zip(stress["features"], stress["categories"], strict=True))
        assert lines == [(0, "Bern"), (0, "Oslo"), (0, "Rome"), (1, "False"), (1, "True")]
        levels = columns(frame)["stress.taus"]
        result = explainer.stress(["site", "member"], taus=levels, missing="keep", level=0.95)
        at = result.features.index("site=Oslo")
        name = widget.indicator
        values = columns(frame)["stress.value"].reshape(len(lines), -1)
        np.testing.assert_allclose(values, result.values[name], atol=1e-9)
        low = columns(frame)["stress.ends"][0]
        np.testing.assert_allclose(low, result.low[name][at], atol=1e-6)
        shown = widget.result("stress")
        assert shown.features == result.features
        np.testing.assert_allclose(shown.high[name][at], result.high[name][at], atol=1e-9)
        assert np.isnan(shown.high[name][at - 1]).all()


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"stress_category": "Roma"}, "there is no category 'Roma'; did you mean 'Rome'"),
        ({"stress_feature": "joined"}, "'joined' cannot be stressed: dates"),
        ({"stress_feature": "id"}, "'id' cannot be stressed: more than 50 categories"),
        ({"stress_category": "row 3"}, "there is no category 'row 3'"),
        ({"anchor": "median"}, "there is no anchor 'median'"),
        ({"tail": 0.6}, "tail is 0.6; it lies within"),
    ],
)
def test_what_cannot_be_stressed_is_an_error_of_one_sentence(
    explainer: uq.Explainer, inputs: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        uq.Explorer(explainer, **inputs)


def test_a_filter_that_leaves_one_category_says_that_its_share_cannot_move(
    explainer: uq.Explainer,
) -> None:
    inputs = {"stress_feature": "site", "stress_category": "Rome", "tau": 0.5}
    with uq.Explorer(explainer, **inputs) as widget:
        assert widget.wait(30)
        for category, status in (("Rome", "constant"), ("Bern", "no value")):
            rows = [{"feature": "site", "values": [category]}]
            frame = change(widget, ice_filter=rows)[-1]
            assert now_of(frame)["status"] == status
            assert frame["meta"]["error"] is None


def test_the_mean_of_the_tail_is_reached_where_the_quantile_is_not() -> None:
    skewed = np.where(np.arange(N) < 4, 1000.0 + np.arange(N), np.arange(N) % 7)
    X = pd.DataFrame({"skewed": skewed})
    explainer = uq.Explainer(lambda X: X["skewed"].to_numpy(), X, skewed)
    with uq.Explorer(explainer, tau=0.5) as widget:
        assert widget.wait(30)
        assert now_of(widget._frame)["status"] == "beyond quantile"
        frame = change(widget, anchor="tail-mean", tail=0.1)[-1]
        now = now_of(frame)
        weights = explainer.stress_weights("skewed", 0.5, anchor="tail-mean", tail=0.1)
        assert (now["status"], now["anchor"]) == ("ok", "tail-mean")
        assert now["reached"] == pytest.approx(np.average(skewed, weights=weights))
        profile = widget.result("stress")
        assert (profile.anchor, profile.tail) == ("tail-mean", 0.1)
        assert "anchor='tail-mean', tail=0.1" in widget.code()
