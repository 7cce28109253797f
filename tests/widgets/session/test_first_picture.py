"""The first picture of a slow model: importance and curves of a growing sample of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.evaluation.predictions import Predictions
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.views.importance.view import ImportanceView
from widgets.conftest import Counting, table
from widgets.test_explorer import Frames, in_order
from widgets.wire import columns

N = 1000


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the estimated time of every model to one millisecond per row, and show every step."""
    monkeypatch.setattr(Predictions, "seconds_for", lambda _self, rows: max(rows, 0) * 1e-3)
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(summing=60.0, heartbeat=60.0))


def finished(explainer: uq.Explainer, **inputs: Any) -> dict[str, Any]:
    """Return the last frame of a widget."""
    with uq.Explorer(explainer, **inputs) as widget:
        assert widget.wait(60)
        return widget._frame


def whole(explainer: uq.Explainer, **inputs: Any) -> dict[str, Any]:
    """Return the last frame of a widget that evaluates all rows at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Predictions, "seconds_for", lambda *_: 0.0)
        return finished(explainer, **inputs)


def stopped_at(explainer: uq.Explainer, n_rows: int, **inputs: Any) -> uq.Explorer:
    """Return a widget that was stopped when it showed a sample of `n_rows` rows."""
    widget = uq.Explorer(explainer, **inputs)

    def stop(change: Any) -> None:
        shown = change["new"]["meta"]["importance"]
        if shown and shown["n_rows_least"] == n_rows:
            widget._stop_work()

    widget.observe(stop, names="_frame")
    assert widget.wait(60)
    widget.unobserve(stop, names="_frame")
    return widget


def leading() -> uq.Explainer:
    """Return an explainer of 30 features, of which three are important."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 30)), columns=[f"x{j}" for j in range(30)])
    effect = np.r_[np.full(3, 3.0), np.full(27, 0.01)]

    def model(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        return rows.to_numpy() @ effect, np.ones(len(rows))

    return uq.Explainer(model, X, X.to_numpy() @ effect + rng.normal(size=N))


def rows_of(frames: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Return the smallest and largest number of rows of an importance in each frame."""
    shown = [f["meta"]["importance"] for f in frames if f["meta"]["importance"]]
    return [(part["n_rows_least"], part["n_rows_most"]) for part in shown]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("interval", ["u-statistic", "fixed-data"])
def test_growing_samples_end_with_the_results_of_all_rows(interval: str) -> None:
    model, plain = Counting(), Counting()
    X, y = table(N)
    inputs = {"n_repeats": 3, "interval": interval, "ice_lines": 20}
    with uq.Explorer(uq.Explainer(model, X, y), **inputs) as widget:
        frames = Frames(widget)
        assert widget.wait(60)
    expected = whole(uq.Explainer(plain, X, y), feature="a", stress_feature="a", **inputs)
    rows = rows_of(frames)
    assert rows == sorted(rows)
    assert min(rows)[0] <= 100
    assert rows[-1] == (N, N)
    assert len({least for least, _ in rows}) >= 4
    curves = [f["meta"]["dependence"] for f in frames if f["meta"]["dependence"]]
    known = [part["n_rows_known"] for part in curves]
    assert known == sorted(known)
    assert known[0] < N == known[-1]
    labels = {f["meta"]["progress"]["what"] for f in frames if f["meta"]["progress"]}
    assert any(label.endswith("100 of 1,000 rows") for label in labels)

    shown, of_all_rows = columns(frames[-1]), columns(expected)
    assert shown.keys() == of_all_rows.keys()
    for name in shown:
        np.testing.assert_array_equal(shown[name], of_all_rows[name], name)
    assert frames[-1]["meta"]["importance"] == expected["meta"]["importance"]
    assert frames[-1]["meta"]["dependence"] == expected["meta"]["dependence"]
    assert model.rows == plain.rows, "no row is evaluated twice"


@pytest.mark.usefixtures("slow")
def test_the_first_picture_has_every_view_before_the_sample_grows() -> None:
    model = Counting()
    with uq.Explorer(uq.Explainer(model, *table(N))) as widget:
        frames = Frames(widget)
        assert widget.wait(60)
    complete = next(
        f for f in frames if all(f["meta"][v] for v in ("importance", "dependence", "stress"))
    )
    described = complete["meta"]
    assert described["stress"]["features"]
    assert described["total"]["rows"] < N + 4 * N
    assert np.isfinite(columns(complete)["importance.high"]).all()
    assert np.isfinite(columns(complete)["dependence.low"]).all()
    assert widget.feature == described["dependence"]["feature"]


@pytest.mark.usefixtures("slow")
def test_the_most_important_features_are_evaluated_first() -> None:
    explainer = leading()
    with uq.Explorer(explainer, feature="x20", stress_feature="x21", n_repeats=2) as widget:
        frames = Frames(widget)
        assert widget.wait(60)
        repeats = widget._session.view(ImportanceView).repeats(widget._inputs()[0])
        ahead = stopped_at(leading(), 100, feature="x20")
        with ahead:
            of_rows = ahead._session.view(ImportanceView).repeats(ahead._inputs()[0])
            known = {f: of_rows.n_rows(f, 1) for f in explainer.features}
    assert repeats.n_repeats == 2
    assert all(known[f] > 100 for f in ("x0", "x1", "x2", "x20")), known
    assert sum(rows > 100 for rows in known.values()) < 20
    assert rows_of(frames)[-1] == (N, N)


@pytest.mark.usefixtures("slow")
def test_stress_and_filters_of_a_sample_do_not_call_the_model() -> None:
    explainer, plain = uq.Explainer(Counting(), *table(N)), uq.Explainer(Counting(), *table(N))
    with stopped_at(explainer, 200, feature="a", stress_feature="a") as widget:
        assert widget._frame["meta"]["stopped"] == "at 200 of 1,000 rows"
        assert not widget._frame["meta"]["importance"]["stale"]
        for inputs in (
            {"tau": 0.5},
            {"ice_filter": [{"feature": "b", "low": 0.0, "high": None}]},
            {"interval": "model", "measure": "entropy"},
        ):
            known = {
                f: widget._session.view(ImportanceView).repeats(widget._inputs()[0]).n_rows(f, 1)
                for f in "abc"
            }
            frames = Frames(widget)
            with widget.hold_trait_notifications():
                for name, value in inputs.items():
                    setattr(widget, name, value)
            # Only the first frame is compared.
            while not frames:
                widget.wait(0.01)
            widget._stop_work()
            assert widget.wait(60)
            frame = frames[0]
            assert frame["meta"]["cost"]["rows"] == 0
            met = plain.table.numbers("b") >= (0.0 if widget.ice_filter else -np.inf)
            weights = plain.stress_weights("a", 0.5, rows=met)
            for j, (feature, n_rows) in enumerate(known.items()):
                sample = explainer.evaluations.row_order.rows[:n_rows]
                rows = np.intersect1d(sample, np.flatnonzero(met))
                result = plain.importance(
                    "nll",
                    [feature],
                    n_repeats=1,
                    interval=widget.interval,
                    sample_weight=weights,
                    rows=rows,
                )
                cols = columns(frame)
                assert cols["importance.value"][0, j] == pytest.approx(result.importance[0])
                if widget.interval == "model":
                    # The widget knows the class shares of all rows; its interval is narrower.
                    width = cols["importance.high"][0, j] - cols["importance.low"][0, j]
                    assert 0 < width < 1.05 * (result.high[0] - result.low[0])


@pytest.mark.usefixtures("slow")
def test_a_newer_request_is_served_before_the_sample_grows() -> None:
    explainer = uq.Explainer(Counting(), *table(N))
    with uq.Explorer(explainer, feature="a", stress_feature="a") as widget:
        frames = Frames(widget)

        def pick(change: Any) -> None:
            shown = change["new"]["meta"]["importance"]
            if shown and widget.feature == "a":
                widget.feature = "b"

        widget.observe(pick, names="_frame")
        assert widget.wait(60)
    picked = next(f for f in frames if (f["meta"]["dependence"] or {}).get("feature") == "b")
    assert picked["meta"]["importance"]["n_rows_least"] < N
    assert frames[-1]["meta"]["importance"]["n_rows_least"] == N
    assert explainer.rows_evaluated < whole_rows(explainer) + N


def whole_rows(explainer: uq.Explainer) -> int:
    """Return the number of rows of all repeats, of both curves, and of the original rows."""
    curves = sum(len(explainer.dependence(f, "prediction", grid=49).grid) for f in ("a", "b"))
    return N * (1 + 10 * 4 + curves)


@pytest.mark.usefixtures("slow")
def test_a_filter_without_rows_in_the_sample_waits_for_a_larger_sample() -> None:
    X, y = table(N)
    explainer = uq.Explainer(Counting(), X, y)
    row = int(explainer.evaluations.row_order.rows[700])
    value = float(X["a"].iloc[row])
    filters = [{"feature": "a", "low": value, "high": value}]
    with uq.Explorer(explainer, ice_filter=filters, n_repeats=2) as widget:
        frames = Frames(widget)
        assert widget.wait(60)
    assert not any(f["meta"]["error"] for f in frames)
    assert rows_of(frames)[-1] == (1, 1)
    assert rows_of(frames)[0] == (1, 1)


@pytest.mark.usefixtures("slow")
def test_the_picture_is_the_same_with_little_memory() -> None:
    X, y = table(N)
    inputs = {"feature": "a", "stress_feature": "a", "n_repeats": 2}
    explainer = uq.Explainer(Counting(), X, y, memory_limit="200kB")
    shown = columns(finished(explainer, **inputs))
    of_all_rows = columns(whole(uq.Explainer(Counting(), X, y), **inputs))
    for name in ("importance.value", "importance.high"):
        np.testing.assert_array_equal(shown[name], of_all_rows[name], name)
    # The curve has fewer values, and is of the sample whose curves fit.
    every = np.isin(of_all_rows["dependence.grid"], shown["dependence.grid"])
    rows = shown["dependence.ice_row"]
    of_rows = of_all_rows["dependence.ice"][:, every]
    same = np.isin(of_all_rows["dependence.ice_row"], rows)
    np.testing.assert_array_equal(
        shown["dependence.ice"][np.isin(rows, of_all_rows["dependence.ice_row"])], of_rows[same]
    )
    assert len(shown["dependence.grid"]) == 9


@pytest.mark.usefixtures("slow")
def test_the_sample_stays_when_the_model_fails_later() -> None:
    class FailsLater(Counting):
        def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
            self.broken = self.rows > 3000
            return super().predict_proba(X)

    frame = finished(uq.Explainer(FailsLater(), *table(N)))
    assert "the model is out of order" in frame["meta"]["error"]
    least = frame["meta"]["importance"]["n_rows_least"]
    assert 50 <= least < N
    assert frame["meta"]["final"]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("n", thorough_after(1, [20, 60, 70]))
@pytest.mark.parametrize("kind", ["mixed", "categories", "missing"])
def test_small_and_unusual_tables_have_the_results_of_all_rows(n: int, kind: str) -> None:
    X, y = table(n)
    if kind == "categories":
        X = X.assign(a=np.where(X["a"] > 0, 1, 0), b=X["b"] > 0, same=1)
        X = X.astype({"a": "category", "same": "category"})
    elif kind == "missing":
        X = X.assign(a=X["a"].where(np.arange(n) % 5 > 0), same=np.nan)

    def model(rows: pd.DataFrame) -> np.ndarray:
        score = rows["a"].astype(float).fillna(0.0).to_numpy() + (rows["c"] == "red").to_numpy()
        yes = 1 / (1 + np.exp(-score))
        return np.column_stack([1 - yes, yes])

    inputs = {"feature": "a", "n_repeats": 2}
    shown = columns(finished(uq.Explainer(model, X, y), **inputs))
    of_all_rows = columns(whole(uq.Explainer(model, X, y), **inputs))
    for name in shown:
        np.testing.assert_array_equal(shown[name], of_all_rows[name], name)


@pytest.mark.usefixtures("slow")
def test_streamed_results_and_the_widget_use_the_same_sample_of_rows() -> None:
    explainer = uq.Explainer(Counting(), *table(N))
    first = next(explainer.importance("nll", stream=True))
    with stopped_at(uq.Explainer(Counting(), *table(N)), 100, feature="a") as widget:
        cols, order = columns(widget._frame), explainer.evaluations.row_order.rows
        sampled = [
            j
            for j, f in enumerate(explainer.features)
            if widget._session.view(ImportanceView).repeats(widget._inputs()[0]).n_rows(f, 1)
            == len(first.rows)
        ]
        for name in ("importance", "low", "high"):
            column = "value" if name == "importance" else name
            expected = in_order(explainer, first, getattr(first, name))
            np.testing.assert_allclose(
                cols[f"importance.{column}"][0][sampled], expected[sampled], rtol=1e-12
            )
    np.testing.assert_array_equal(first.rows, np.sort(order[:100]))


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("compare", thorough_after(1, ["difference", "ratio"]))
def test_the_result_of_a_sample_has_the_numbers_on_the_screen(compare: str) -> None:
    explainer = leading()
    inputs = {"feature": "x20", "compare": compare}
    with stopped_at(explainer, 100, **inputs) as widget:
        cols, shown = columns(widget._frame), widget._frame["meta"]["importance"]
        calls = explainer.model_calls
        result = widget.result("importance")
        assert explainer.model_calls == calls
        assert "rows so far" in widget._repr_mimebundle_()[0]["text/html"]
    least, most = shown["n_rows_least"], shown["n_rows_most"]
    assert least < most < N
    for name, attribute in (("value", "importance"), ("low", "low"), ("high", "high")):
        ordered = in_order(explainer, result, getattr(result, attribute))
        np.testing.assert_array_equal(cols[f"importance.{name}"][0], ordered)
    assert f"{least:,} to {most:,} of {N:,} rows so far" in result.remarks
    assert (result.n_repeats, result.compare) == (shown["n_repeats"], compare)
    assert len(result.rows) == most
    # What is not known of a row is NaN.
    n_known = np.isfinite(result.per_row).sum(axis=1)
    assert (n_known.min(), n_known.max()) == (least, most)
