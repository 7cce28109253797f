"""Results at a few levels of tau: their interpolation against exact results, and their cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import BayesianRidge
from sklearn.naive_bayes import GaussianNB

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.inference.moment_paths import path_moments
from uqwidgets.inference.moments import Moments
from uqwidgets.inference.populations import mean_changes_in, means_over_rows
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.interpolation import interpolated, nodes
from uqwidgets.widgets.levels import Level
from uqwidgets.widgets.tracks import Side, refine, settle
from uqwidgets.widgets.views.dependence.view import DependenceView
from uqwidgets.widgets.views.importance.ends_over_tau import Ends
from uqwidgets.widgets.views.importance.over_tau import ImportanceOverTau
from uqwidgets.widgets.views.importance.view import ImportanceView
from uqwidgets.widgets.views.performance import PerformanceView
from uqwidgets.widgets.views.performance.over_tau import score_track
from uqwidgets.widgets.views.stress import StressView
from uqwidgets.widgets.views.view import Content
from widgets.following import Watched, at_level

NASTY = ("few", "zero", "heavy", "skewed", "binary")


def nasty(n=240):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "few": rng.integers(0, 4, n).astype(float),
            "zero": np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n)),
            "heavy": rng.standard_t(2, n),
            "skewed": np.exp(1.5 * rng.normal(size=n)),
            "binary": (rng.random(n) < 0.06) * 1.0,
        }
    )
    score = X["few"] - 1.5 + X["zero"] + 0.2 * X["heavy"] + np.log(X["skewed"])
    return X, (score + rng.logistic(size=n) > 0).astype(int)


def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[X.columns[1::3]]
    forest = RandomForestClassifier(25, max_depth=6, random_state=0).fit(X[::2], y[::2])
    columns = ["mean texture", "worst perimeter"]
    return uq.Explainer(forest, X[1::4], y[1::4]), columns


def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = RandomForestRegressor(25, min_samples_leaf=5, random_state=0).fit(X[::2], y[::2])
    return uq.Explainer(forest, X[1::2], y[1::2]), ["bmi", "sex", "s5"]


def nasties():
    X, y = nasty()
    forest = RandomForestClassifier(25, min_samples_leaf=5, random_state=0).fit(X, y)
    return uq.Explainer(forest, X, y), list(NASTY)


def logistic():
    """Return an explainer with a model that has an interaction of a and b."""
    rng = np.random.default_rng(1000)
    X = pd.DataFrame({"a": rng.normal(size=1000), "b": rng.exponential(size=1000)})
    X["unused"] = rng.integers(0, 4, 1000).astype(float)

    def model(X):
        yes = 1 / (1 + np.exp(1 - X["a"] - X["b"]))
        return np.stack([1 - yes, yes], axis=1)

    y = (rng.random(1000) < model(X)[:, 1]).astype(int)
    return uq.Explainer(model, X, y), ["a"]


def errors_at(session, tau):
    """Errors of estimates, of their intervals, of curves and of the present point."""
    meta, columns = session.messages[-1]

    def off(name, exact):
        return np.abs(at_level(meta, columns, name, tau) - exact)

    importance = session.exact(ImportanceView, tau).columns
    low, high = importance["low"], importance["high"]
    axis = (np.maximum(high.max(axis=1), 0) - np.minimum(low.min(axis=1), 0))[:, None]
    curve = session.exact(DependenceView, tau).columns
    span = np.nanmax(curve["high"]) - np.nanmin(curve["low"])
    now = session.exact(StressView, tau).meta["now"]
    spread = np.nanmax(columns["stress.fine_value"]) - np.nanmin(columns["stress.fine_value"])
    scores = score_errors(session, tau)
    return {
        **scores,
        "value": (off("importance.value", importance["value"]) / axis).max(),
        "ends": max((off(f"importance.{e}", importance[e]) / axis).max() for e in ("low", "high")),
        "curve": (off("dependence.average", curve["average"]) / span).max(),
        "band": max((off(f"dependence.{e}", curve[e]) / span).max() for e in ("low", "high")),
        "shares": off("dependence.counts", curve["counts"]).max() / curve["counts"].max(),
        "now": off("stress.now.value", now["value"]) / spread,
        "reached": off("stress.now.reached", now["reached"]) / now["std"],
    }


def score_errors(session, tau):
    """Errors of scores, of their intervals, and of shares of classes or below a quantile."""
    meta, columns = session.messages[-1]
    exact, explainer = session.exact(PerformanceView, tau), session.widget.explainer
    errors = {"score": 0.0, "score ends": 0.0, "confusion": 0.0}
    for at, score in enumerate(exact.meta["scores"]):
        ends = ("value", "low", "high")
        names = [f"performance.scores.{at}.{end}" for end in ends]
        axis = np.ptp(np.concatenate([columns[name] for name in names]))
        for name, end in zip(names, ends, strict=True):
            error = abs(at_level(meta, columns, name, tau) - score[end]) / axis
            kind = "score" if end == "value" else "score ends"
            errors[kind] = max(errors[kind], error)
    smooth = "calibration_observed" if explainer.classes is None else "confusion"
    if smooth in exact.columns:
        near = at_level(meta, columns, f"performance.{smooth}", tau)
        errors["confusion"] = np.abs(near - exact.columns[smooth]).max()
    return errors


LIMITS = {
    "score": 0.002,
    "score ends": 0.01,
    "confusion": 0.002,
    "value": 0.002,
    "ends": 0.01,
    "curve": 0.002,
    "band": 0.01,
    "shares": 0.002,
    "now": 0.002,
    "reached": 0.002,
}


def check_levels(case, n_levels):
    """Compare with exact answers at random levels of the slider, of every stressed column."""
    explainer, columns = case()
    rng = np.random.default_rng(1)
    session = Watched(explainer, n_repeats=6)
    # What is followed costs no model call, whatever is stressed.
    calls = explainer.model_calls
    for column in columns:
        session.widget.stress_feature = column
        session.widget.wait()
        session.follow()
        tracks = session.messages[-1][0]["tracks"]
        for tau in rng.choice(np.arange(-100, 101), n_levels, replace=False) / 100:
            if tracks[0]["below" if tau < 0 else "above"] == 0:
                continue
            errors = errors_at(session, float(tau))
            assert all(errors[k] <= LIMITS[k] for k in errors), (column, tau, errors)
    assert explainer.model_calls == calls
    session.widget.close()


@pytest.mark.parametrize(
    ("interval", "replacement"),
    [
        ("model", "permutation"),
        ("fixed-data", "permutation"),
        ("random-variable", "permutation"),
        ("quantile", "permutation"),
        ("u-statistic", "ablation"),
    ],
)
def test_importance_follows_tau_whatever_the_interval(explainer, interval, replacement):
    inputs = {"stress_feature": "a", "interval": interval, "replacement": replacement}
    session = Watched(explainer, n_repeats=4, **inputs)
    session.follow()
    for tau in (-0.63, 0.27, 1.0):
        errors = errors_at(session, tau)
        assert errors["ends"] <= LIMITS["ends"], tau
        assert errors["value"] <= LIMITS["ends" if interval == "quantile" else "value"], tau
    session.widget.close()


@pytest.mark.parametrize("case", thorough_after(1, [cancer, diabetes, nasties]))
def test_every_level_is_near_the_exact_answer(case):
    check_levels(case, 4)


@pytest.mark.slow
@pytest.mark.parametrize("case", [cancer, diabetes, nasties])
def test_two_hundred_levels_are_near_the_exact_answers(case):
    check_levels(case, 200)


@pytest.mark.parametrize(
    ("case", "column", "taus"),
    thorough_after(
        1,
        [
            # Errors that decreased quickly until there, as those of smooth functions do.
            (nasties, "zero", (0.53, 0.54)),
            (nasties, "skewed", (-0.93, -0.94, -0.95, -0.98)),
            (diabetes, "s5", (0.73, 0.74, 0.75)),
        ],
    ),
)
def test_ends_are_near_at_a_narrow_hump(case, column, taus):
    session = Watched(case()[0], n_repeats=6, stress_feature=column)
    session.follow()
    for tau in taus:
        errors = errors_at(session, tau)
        assert errors["ends"] <= LIMITS["ends"] / 2
        assert errors["score ends"] <= LIMITS["score ends"]
    session.widget.close()


def test_ends_are_near_where_those_of_an_unused_feature_are_always_zero():
    session = Watched(logistic()[0], n_repeats=6, stress_feature="a")
    session.follow()
    errors = [errors_at(session, tau)["ends"] for tau in (-0.65, -0.62, -0.58)]
    assert max(errors) <= LIMITS["ends"]
    session.widget.close()


@pytest.mark.parametrize("tau", [-1.0, 1.0])
def test_intervals_are_exact_where_only_the_rows_of_one_value_are_left(tau):
    session = Watched(nasties()[0], n_repeats=6, stress_feature="few")
    session.widget.wait()
    session.follow()
    weights = session.widget.explainer.stress_weights("few", tau)
    assert np.count_nonzero(weights) < len(weights) / 2
    assert errors_at(session, tau)["ends"] < 1e-6
    session.widget.close()


def test_polynomials_are_interpolated_exactly():
    x = np.array([0.0, 0.013, 0.5, 0.77, 1.0])
    coefficients = np.random.default_rng(0).normal(size=9)
    polynomial = np.polynomial.Polynomial(coefficients)
    assert interpolated(polynomial(nodes(8)), x) == pytest.approx(polynomial(x), abs=1e-12)


def test_a_missing_value_affects_its_own_line_only():
    lines = np.stack([nodes(4), np.full(5, np.nan)], axis=1)
    values = interpolated(lines, np.array([0.3, 1.0]))
    assert values[:, 0] == pytest.approx([0.3, 1.0])
    assert np.isnan(values[:, 1]).all()


def test_no_level_is_computed_twice(watched, monkeypatch):
    counted = []

    def means(values, populations):
        counted.extend(population.weights.tobytes() for population in populations)
        return means_over_rows(values, populations)

    monkeypatch.setattr("uqwidgets.widgets.views.dependence.over_tau.means_over_rows", means)
    watched.follow()
    # 0 belongs to both sides.
    assert len(counted) == len(set(counted)) > 2
    sent = len(watched.messages)
    assert sent <= 2
    counted.clear()
    watched.widget.tau = 0.4
    watched.widget.wait()
    watched.follow()
    assert counted == []
    assert len(watched.messages) == sent


def test_a_feature_is_computed_at_no_more_levels_than_its_ends_need(monkeypatch):
    """All features had as many levels as the one that needed most."""
    session = Watched(logistic()[0], n_repeats=6, stress_feature="a")
    session.widget.wait()
    levels: dict[str, int] = {}
    original = Ends._continued

    def continued(self, requests, check):
        for request, populations in requests.items():
            levels[request.feature] = levels.get(request.feature, 0) + populations.weights.shape[1]
        return original(self, requests, check)

    monkeypatch.setattr(Ends, "_continued", continued)
    session.follow()
    # Nine nodes on each side of 0, of which 0 is shared.
    assert levels["unused"] == 17
    assert levels["a"] > 17
    session.widget.close()


def test_with_many_rows_the_first_message_has_few_levels(watched, monkeypatch):
    """Those of both sides are computed together, with 0 once, for the measures that are shown.

    The widths of its intervals are those of a sample of the rows.
    """
    counted = {"estimates": [], "moments": []}

    def estimates(populations, changes, *rest):
        counted["estimates"].append((len(changes), populations.weights.shape[1]))
        return mean_changes_in(populations, changes, *rest)

    def moments(populations, changes, *rest, **options):
        counted["moments"].append(
            (len(changes), populations.weights.shape[1], options["most_rows"])
        )
        return path_moments(populations, changes, *rest, **options)

    monkeypatch.setattr("uqwidgets.widgets.views.importance.over_tau._MANY_ROWS", 1)
    monkeypatch.setattr("uqwidgets.widgets.views.importance.repeats.mean_changes_in", estimates)
    monkeypatch.setattr("uqwidgets.widgets.views.importance.drawn_changes.path_moments", moments)
    n_features = len(watched.widget.explainer.features)
    messages = watched.over_tau.follow(watched.inputs, lambda: None)
    _, columns = next(messages)
    n_shown = sum(name.startswith("importance.measures.") for name in columns)
    assert n_shown >= 1
    assert counted["estimates"] == [(n_shown, 9)] * n_features
    assert counted["moments"] == [(n_shown, 5, 1 << 14)] * n_features
    list(messages)
    # Then there are more of each, and of all rows.
    assert counted["estimates"][n_features:]
    later = counted["moments"][n_features:]
    assert later[:n_features] == [(n_shown, 5, None)] * n_features
    assert {most_rows for _, _, most_rows in later} == {None}


def test_rough_intervals_of_a_first_message_are_followed_by_precise_ones(watched, monkeypatch):
    room = "uqwidgets.widgets.views.importance."
    monkeypatch.setattr(room + "over_tau._MANY_ROWS", 1)
    n_rows = len(watched.widget.explainer.table)
    monkeypatch.setattr(room + "ends_over_tau._ROUGH_ROWS", n_rows // 2)
    watched.follow()
    (meta, first), (last_meta, last) = watched.messages[0], watched.messages[-1]

    def ends(meta, columns):
        """The ends of the intervals without stress, and the estimates at -1, 0 and 1."""
        columns_at = {}
        for track in meta["tracks"]:
            for name in track["columns"]:
                if name.startswith("importance.") and name.endswith((".low", ".high", "value")):
                    middle = track["below"]
                    at = [0, middle, -1] if name.endswith("value") else middle
                    columns_at[name] = columns[name][at]
        return columns_at

    rough, precise = ends(meta, first), ends(last_meta, last)
    assert rough.keys() == precise.keys()
    low, high, value = (
        next(name for name in rough if name.endswith(end)) for end in ("low", "high", "value")
    )
    np.testing.assert_allclose(rough[value], precise[value], rtol=1e-5)
    widest = np.max(precise[high] - precise[low])
    differences = [np.abs(rough[name] - precise[name]) / widest for name in (low, high)]
    assert 0 < np.max(differences) < 0.25


def test_another_feature_leaves_the_importance_as_it_is(watched, monkeypatch):
    watched.follow()
    monkeypatch.setattr(ImportanceOverTau, "_baselines", lambda *_: pytest.fail("computed again"))
    watched.widget.feature = "b"
    watched.widget.wait()
    sent = len(watched.messages)
    watched.follow()
    assert len(watched.messages) > sent


def test_a_side_that_cannot_be_reached_has_no_levels():
    rng = np.random.default_rng(0)
    # The mean lies beyond the upper quantile.
    x = np.where(np.arange(200) < 4, 1e4, rng.normal(size=200))
    X = pd.DataFrame({"far": x, "other": rng.normal(size=200)})
    session = Watched(
        uq.Explainer(lambda X: (X["other"], np.ones(len(X))), X, X["other"]),
        stress_feature="far",
        feature="other",
    )
    session.follow()
    meta, columns = session.messages[-1]
    for track in meta["tracks"]:
        assert track["above"] == 0
        assert track["below"] > 0
    assert np.isnan(at_level(meta, columns, "importance.value", 0.5)).all()
    session.widget.close()


def test_a_target_at_the_edge_of_the_data_has_its_status():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"zero": np.where(rng.random(100) < 0.6, 0.0, 1 + rng.random(100))})
    session = Watched(
        uq.Explainer(lambda X: (X["zero"], np.ones(len(X))), X, X["zero"]), stress_feature="zero"
    )
    session.follow()
    assert session.messages[-1][0]["texts"] == {"stress.now.status": ["edge", "ok", "ok"]}
    session.widget.close()


def test_without_stressed_feature_there_are_no_levels(explainer):
    session = Watched(explainer, n_repeats=2)
    session.widget.stress_feature = ""
    session.widget.wait()
    inputs = replace(session.inputs, stress_feature="")
    assert not list(session.over_tau.follow(inputs, lambda: None))
    session.widget.close()


def test_the_widget_sends_the_levels_in_few_bytes():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    explainer = uq.Explainer(GaussianNB().fit(X, y), X[::4], y[::4])
    with uq.Explorer(explainer, n_repeats=3) as widget:
        sent = []
        widget.observe(lambda change: sent.append(change["new"]), "_over_tau")
        widget.wait()
        calls = explainer.model_calls
        worker = widget._scheduler.worker
        if worker is not None:
            worker.join(60)
        assert 1 <= len(sent) <= 2
        message = sent[-1]
        assert explainer.model_calls == calls
        assert message["inputs"] == widget._frame["inputs"]
        # Of 30 features and two measures, whose intervals jump here and there.
        assert sum(len(raw) for raw in message["cols"].values()) < 200_000


def test_a_newer_request_ends_the_computation_of_levels(explorer, monkeypatch):
    started = []

    def follow(inputs, check, **_):
        started.append(inputs.tau)
        if len(started) == 1:
            explorer.tau = 0.3
        check()
        yield from ()

    monkeypatch.setattr(explorer._session.over_tau, "follow", follow)
    explorer.tau = 0.2
    explorer.wait()
    while len(started) < 2 and (worker := explorer._scheduler.worker) is not None:
        worker.join(30)
    assert started == [0.2, 0.3]


def test_the_first_message_does_not_wait_for_what_takes_long(watched, monkeypatch):
    profiles = []
    original = StressView.profile_over_tau

    def profile(self, inputs, populations, *, only_known):
        profiles.append(only_known)
        return original(self, inputs, populations, only_known=only_known)

    monkeypatch.setattr(StressView, "profile_over_tau", profile)
    watched.follow()
    assert profiles == [True, False]
    first, last = (message[1] for message in watched.messages)
    assert "stress.fine_value" not in first
    assert "stress.fine_value" in last
    # Another feature is stressed: the profiles of all features are known.
    watched.widget.stress_feature = "b"
    watched.widget.wait()
    watched.follow()
    assert "stress.fine_value" in watched.messages[2][1]


def test_the_calibration_of_numbers_follows_tau():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    explainer = uq.Explainer(BayesianRidge().fit(X, y), X[::2], y[::2])
    session = Watched(explainer, n_repeats=2, stress_feature="bmi")
    session.follow()
    assert "calibration_observed" in session.exact(PerformanceView, 0.0).columns
    for tau in (-0.83, 0.41):
        errors = score_errors(session, tau)
        assert all(errors[name] <= LIMITS[name] for name in errors), errors
    session.widget.close()


def test_a_score_that_is_not_defined_at_one_level_is_exact_at_the_others():
    def compute(tau, _without_ends):
        value = np.nan if tau == 1 else np.exp(tau)
        score = {"value": value, "low": None, "high": value + 1}
        return Content({"scores": [score]}, {})

    def levels(sides, x):
        assert (sides == 0).all()
        return [Level(None, {"tau": t}, rows=t) for t in x]

    def known(*_):
        return np.array([-1.0, 1.0]), {}

    track = score_track(Inputs(), compute, known, has_classes=True)
    side = Side(1.0)
    first = levels(np.zeros(track.start + 1, dtype=int), nodes(track.start))
    refine(track, [side], first, np.arange(len(first))[None], lambda: None)
    settle(track, [side], levels, lambda: None)
    x = np.linspace(0, 1, 101)
    expected = np.where(x == 1, np.nan, np.exp(x))
    np.testing.assert_allclose(side.even["scores.0.value"], expected)
    np.testing.assert_allclose(side.even["scores.0.high"], expected + 1)
    assert np.isnan(side.even["scores.0.low"]).all()


def heavy_tails(monkeypatch, n=2000):
    """Return a session of rows that count as many."""
    monkeypatch.setattr("uqwidgets.widgets.views.importance.over_tau._MANY_ROWS", 1000)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"heavy": rng.standard_t(3, n), "normal": rng.normal(size=n)})

    def model(X):
        yes = 1 / (1 + np.exp(-X["normal"] - 0.3 * X["heavy"] * X["normal"]))
        return np.stack([1 - yes, yes], axis=1)

    y = (rng.random(n) < model(X)[:, 1]).astype(int)
    return Watched(uq.Explainer(model, X, y), n_repeats=4, stress_feature="heavy")


@pytest.mark.thorough
def test_ends_of_many_rows_are_near_where_few_rows_have_most_of_the_weight(monkeypatch):
    """With four intervals a side, half of the axis was missed."""
    session = heavy_tails(monkeypatch)
    session.follow()
    for tau in (-1.0, -0.7, 0.15, 0.7, 0.9, 1.0):
        assert errors_at(session, tau)["ends"] <= LIMITS["ends"], tau
    session.widget.close()


@pytest.mark.parametrize("name", ["row_spread", "pair_spread", "evenness", "size"])
def test_interpolated_moments_that_leave_their_range_have_ends(watched, name):
    """Between few levels they overshoot, and the ends were missing."""
    (track,) = (t for t in watched.view(ImportanceView).over_tau(watched.inputs) if t.derivation)
    zero = replace(watched.inputs, tau=0.0)
    level = Level.of(watched.builder.build(zero, lambda: None), {"tau": 0.0})
    samples = track.sample([level], lambda: None)
    samples["fields"][:, Moments._fields.index(name)] = -0.1
    for ends in track.derivation.columns(samples).values():
        assert np.isfinite(ends).all()
