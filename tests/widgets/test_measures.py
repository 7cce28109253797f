"""The measures and indicators that the pickers offer, for every kind of model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import uqwidgets as uq
from cases import thorough_after
from models import normal_model, table, three_classes, two_classes
from uqwidgets.predictive import Categorical, Mixture, Normal, Quantiles
from uqwidgets.widgets.session.model_info import model_info
from widgets.wire import columns

SHIFTS = np.linspace(-1, 1, 7)


def normal_members(X: Any) -> Mixture:
    mean, std = normal_model(X)
    return Mixture(Normal(mean[:, None] + SHIFTS, np.tile(std[:, None], len(SHIFTS))))


def members_of_classes(X: Any) -> Mixture:
    p = np.stack([two_classes(np.asarray(X) + shift) for shift in SHIFTS], axis=1)
    return Mixture(Categorical(p, [0, 1]))


def quantiles(X: Any) -> Quantiles:
    mean, std = normal_model(X)
    return Quantiles([0.1, 0.5, 0.9], mean[:, None] + std[:, None] * [-1.3, 0.0, 1.3])


def coinciding_quantiles(X: Any) -> Quantiles:
    mean, _ = normal_model(X)
    return Quantiles([0.1, 0.5, 0.9], mean[:, None] + [-1.0, 0.0, 0.0])


NUMBER = ["std", "squared_error", "absolute_error", "crps", "interval_width:0.9"]
PARTS = ["aleatoric", "epistemic"]
CASES = {
    "normal": (normal_model, 0, ["prediction", "nll", "entropy", *NUMBER], ["nll", "entropy"]),
    "normal members": (
        normal_members,
        0,
        ["prediction", "nll", "entropy", *PARTS, *NUMBER],
        ["nll", "entropy"],
    ),
    "quantiles": (quantiles, 0, ["prediction", "nll", "entropy", *NUMBER], ["nll", "entropy"]),
    "coinciding": (coinciding_quantiles, 0, ["prediction", *NUMBER], ["crps", "std"]),
    "values": (
        lambda X: normal_model(X)[0],
        0,
        ["prediction", "squared_error", "absolute_error"],
        ["squared_error"],
    ),
    "two classes": (
        two_classes,
        2,
        ["prediction", "nll", "entropy", "zero_one", "brier"],
        ["nll", "entropy"],
    ),
    "members of classes": (
        members_of_classes,
        2,
        ["prediction", "nll", "entropy", *PARTS, "zero_one", "brier"],
        ["nll", "entropy"],
    ),
    "three classes": (
        three_classes,
        3,
        [*(f"probability:{k}" for k in range(3)), "nll", "entropy", "zero_one", "brier"],
        ["nll", "entropy"],
    ),
}


KNOWN = {name for _, _, names, _ in CASES.values() for name in names}


def explained(kind: str) -> uq.Explainer:
    model, classes = CASES[kind][:2]
    X, y = table()
    return uq.Explainer(model, X, np.arange(60) % classes if classes else y)


@pytest.mark.parametrize("kind", CASES)
def test_the_pickers_offer_every_available_measure_and_indicator_once(kind: str) -> None:
    described = model_info(explained(kind))
    assert [m["name"] for m in described["measures"] if m["name"] in KNOWN] == CASES[kind][2]
    labels = [m["label"] for m in described["measures"]]
    assert len(set(labels)) == len(labels)
    assert all("<" not in label for label in labels)
    names = [i["name"] for i in described["indicators"]]
    means = set(CASES[kind][2]) - {"prediction", "zero_one", "interval_width:0.9"}
    assert means <= set(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", thorough_after(3, CASES))
def test_selecting_a_measure_does_not_call_the_model(kind: str) -> None:
    explainer = explained(kind)
    with uq.Explorer(explainer, n_repeats=2) as widget:
        assert widget.wait(30)
        meta = widget._frame["meta"]
        assert [m["name"] for m in meta["importance"]["measures"]] == CASES[kind][3]
        calls = explainer.model_calls
        for name in [*CASES[kind][2], *(["interval_width:0.5"] if "std" in CASES[kind][2] else [])]:
            widget.measure = name
            assert widget.wait(30)
            meta = widget._frame["meta"]
            assert meta["error"] is None
            assert meta["dependence"]["measure"] == name
            assert np.isfinite(columns(widget._frame)["dependence.average"]).all()
        for name in explainer.indicators:
            widget.indicator = name
            assert widget.wait(30)
            assert widget._frame["meta"]["error"] is None
            assert np.isfinite(columns(widget._frame)["stress.value"]).all()
        assert explainer.model_calls == calls
