"""The widget shows what the model's own `predict` answers, and asks it only for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import uqwidgets as uq
from uqwidgets.evaluation.predictions import Predictions
from uqwidgets.widgets.kernel.timing import Timing
from widgets.wire import columns

N = 1000
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"])
Y = np.where(X["a"] + 0.5 * X["b"] + RNG.logistic(size=N) > 1.5, "yes", "no")
LOGISTIC = LogisticRegression().fit(X, Y)


class LowThreshold:
    """Predicts "yes" from a probability of 0.15 on, and counts the rows of each method."""

    classes_ = LOGISTIC.classes_

    def __init__(self) -> None:
        self.labels = self.probabilities = 0

    def predict_proba(self, X: Any) -> Any:
        self.probabilities += len(X)
        return LOGISTIC.predict_proba(X)

    def predict(self, X: Any) -> Any:
        self.labels += len(X)
        return self.classes_[(LOGISTIC.predict_proba(X)[:, 1] > 0.15).astype(int)]

    def asked(self) -> tuple[int, int]:
        """Return the rows asked since the last time, for labels and for probabilities."""
        counts = self.labels, self.probabilities
        self.labels = self.probabilities = 0
        return counts


def test_predict_is_asked_only_for_what_is_shown() -> None:
    model = LowThreshold()
    with uq.Explorer(uq.Explainer(model, X, Y), feature="a", n_repeats=3) as widget:
        assert widget.wait(60)
        labels, probabilities = model.asked()
        assert labels == N
        assert probabilities > N * (1 + 2 * 3)
        widget.importance_of = ["zero_one"]
        assert widget.wait(60)
        assert model.asked() == (2 * 3 * N, 0)
        widget.measure = "zero_one"
        assert widget.wait(60)
        labels, probabilities = model.asked()
        assert labels > 0
        assert probabilities == 0
        widget.importance_of = ["zero_one", "accuracy", "nll"]
        assert widget.wait(60)
        widget.stress_feature, widget.tau = "b", 0.5
        assert widget.wait(60)
        widget.interval = "model"
        assert widget.wait(60)
        assert model.asked() == (0, 0)
        widget.n_repeats = 4
        assert widget.wait(60)
        assert model.asked() == (2 * N, 2 * N)
        widget.selection, widget.row = [5], 5
        widget.what_if = [{"feature": "a", "value": 0.25}]
        assert widget.wait(60)
        assert model.asked() == (1, 1)
        frame = columns(widget._frame)
        changed = model.predict(X.iloc[[5]].assign(a=0.25))
        assert model.classes_[int(frame["selection.if_predicted"][0])] == changed[0]


def test_the_frames_have_the_labels_of_predict(tmp_path: Path) -> None:
    model = LowThreshold()
    explainer = uq.Explainer(model, X, Y)
    inputs: Any = {"importance_of": ["zero_one", "f1"], "measure": "zero_one", "n_repeats": 2}
    with uq.Explorer(explainer, feature="a", selection=[0, 1, 2], **inputs) as widget:
        assert widget.wait(60)
        frame, predicted = columns(widget._frame), model.predict(X)
        shown = frame["selection.predicted"].astype(int)
        assert model.classes_[shown].tolist() == predicted[:3].tolist()
        assert widget.selected["predicted class"].tolist() == predicted[:3].tolist()
        result: Any = widget.result("importance")
        replaced = explainer.replaced("a", n_repeats=2).X
        rise = (model.predict(replaced) != np.tile(Y, 2)).mean() - (predicted != Y).mean()
        assert result.importance[result.features.index("a")] == pytest.approx(rise)
        scores: Any = widget.result("performance")
        error = dict(zip(scores.names, scores.value, strict=True))["error_rate"]
        assert error == pytest.approx((predicted != Y).mean())
        widget.save(tmp_path / "page.html", selection=True)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "another label than the most probable class" in page


def test_a_sample_of_the_rows_has_the_labels_of_predict(monkeypatch: pytest.MonkeyPatch) -> None:
    explainer = uq.Explainer(LowThreshold(), X, Y)
    inputs: Any = {"importance_of": ["zero_one"], "measure": "zero_one", "feature": "a"}
    with uq.Explorer(explainer, n_repeats=2, **inputs) as widget:
        assert widget.wait(60)
        expected = columns(widget._frame)
    monkeypatch.setattr(Predictions, "seconds_for", lambda _self, rows: max(rows, 0) * 1e-3)
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(summing=60.0, heartbeat=60.0))
    model = LowThreshold()
    with uq.Explorer(uq.Explainer(model, X, Y), n_repeats=2, **inputs) as widget:
        rows = []
        widget.observe(lambda change: rows.append(_rows(change["new"])), names="_frame")
        assert widget.wait(60)
        shown = columns(widget._frame)
    assert [n for n in rows if 0 < n < N], "samples come first"
    assert model.probabilities == N
    for name in ("importance.value", "dependence.average"):
        np.testing.assert_allclose(shown[name], expected[name], rtol=1e-9)


def test_labels_that_are_no_classes_are_shown() -> None:
    class Rejecting(LowThreshold):
        def predict(self, X: Any) -> Any:
            p = LOGISTIC.predict_proba(X)
            return np.where(p.max(axis=1) < 0.7, "unsure", self.classes_[p.argmax(axis=1)])

    model = Rejecting()
    with uq.Explorer(uq.Explainer(model, X, Y), n_repeats=2, selection=list(range(20))) as widget:
        assert widget.wait(60)
        frame, meta = columns(widget._frame), widget._frame["meta"]
    assert list(meta["performance"]["labels"]) == ["no", "yes", "unsure"]
    share = np.reshape(frame["performance.confusion"], (3, 3))
    assert share[2].tolist() == [0.0, 0.0, 0.0]
    assert share[:, 2].sum() == pytest.approx((model.predict(X) == "unsure").mean())
    shown = np.array(meta["selection"]["classes"])[frame["selection.predicted"].astype(int)]
    assert shown.tolist() == model.predict(X[:20]).tolist()


def _rows(frame: dict[str, Any]) -> int:
    importance = frame["meta"]["importance"]
    return int(importance["n_rows_least"]) if importance else 0
