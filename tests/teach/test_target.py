"""Stress to a target: the curve and the shifts are those of the explainer; edges are sentences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.wire import columns

N = 150


@pytest.fixture(scope="module")
def explainer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 3)), columns=["a", "along", "c"])
    X["along"] = 0.9 * X["a"] + 0.3 * X["along"]
    X["kind"] = rng.choice(["red", "blue"], N)
    # Errors are larger where a is large.
    y = X["c"] + np.exp(X["a"]) * rng.normal(size=N)
    return uq.Explainer(lambda X: X["c"].to_numpy(), X, y)


@pytest.fixture
def lesson(explainer):
    with uq.teach.StressToATarget(explainer, target=3.0) as widget:
        assert widget.wait(60)
        yield widget


def explanation(lesson):
    assert lesson._frame["meta"]["error"] is None
    return " ".join(lesson._frame["meta"]["explanation"])


def test_only_the_present_level_is_shown_until_all_are(lesson, explainer):
    result = explainer.stress(["a"], ["rmse"], taus=np.linspace(-1, 1, 101))
    lesson.tau = 0.3
    level = lesson._frame["meta"]["level"]
    shown = columns(lesson._frame)
    assert np.isclose(result.taus[level], 0.3)
    assert np.array_equal(np.flatnonzero(np.isfinite(shown["value"])), [level])
    assert shown["value"][level] == result.values["rmse"][0, level]
    assert lesson._frame["meta"]["ess"] == result.ess[0, level]
    lesson.revealed = True
    shown = columns(lesson._frame)
    assert np.array_equal(shown["value"], result.values["rmse"][0])
    assert np.array_equal(shown["mean"], result.target[0])


def test_guesses_and_what_is_revealed_solve_for_no_weights(lesson, monkeypatch):
    levels = []
    solve = uq.Explainer.stress_weights
    monkeypatch.setattr(
        uq.Explainer,
        "stress_weights",
        lambda self, feature, tau: levels.append(tau) or solve(self, feature, tau),
    )
    lesson.tau = 0.6
    lesson.revealed = True
    lesson.guess = "lower"
    lesson.tau = 0.2
    lesson.tau = 0.6
    assert lesson.wait(60)
    assert levels == [0.6, 0.2]


def test_shifts_are_those_of_the_weighted_means(lesson, explainer):
    lesson.tau = 0.6
    weights = explainer.stress_weights("a", 0.6)
    shift = dict(zip(lesson.features, columns(lesson._frame)["shift"], strict=True))
    assert set(shift) == {"a", "along", "c"}
    for name, value in shift.items():
        x = explainer.table.numbers(name)
        assert np.isclose(value, (np.average(x, weights=weights) - x.mean()) / x.std())
    assert shift["along"] > 0.5
    assert f"along by {shift['along']:+.2f}" in explanation(lesson)
    ess = weights.sum() ** 2 / (weights**2).sum()
    assert f"worth about {ess:.0f} of 150 rows" in explanation(lesson)


@pytest.mark.parametrize(
    ("target", "truth", "sentence"),
    [
        (3.0, "higher", "a higher mean"),
        (1.0, "lower", "a lower mean"),
        (99.0, "neither", "no mean"),
    ],
)
def test_the_guess_is_compared_with_the_whole_curve(explainer, target, truth, sentence):
    with uq.teach.StressToATarget(explainer, target=target) as lesson:
        assert lesson.wait(60)
        values = explainer.stress(["a"], ["rmse"], taus=101).values["rmse"][0]
        crosses = [side.min() <= target <= side.max() for side in (values[:51], values[50:])]
        assert lesson.reachable == tuple(crosses)
        assert sentence not in explanation(lesson)
        lesson.revealed = True
        for guess in ("higher", "lower", "neither"):
            lesson.guess = guess
            start = "You were right" if guess == truth else "You expected otherwise"
            assert f"{start}: {sentence}" in explanation(lesson)


def test_the_levels_at_which_the_target_is_reached_say_so(lesson, explainer):
    values = explainer.stress(["a"], ["rmse"], taus=101).values["rmse"][0]
    (place,) = np.flatnonzero((values[:-1] < 3.0) & (values[1:] >= 3.0))
    nearest = place if 3.0 - values[place] < values[place + 1] - 3.0 else place + 1
    for level in range(nearest - 3, nearest + 4):
        lesson.tau = (level - 50) / 50
        assert ("The target of 3 is reached." in explanation(lesson)) == (level == nearest)


def test_the_first_picture_has_no_shifts(lesson):
    assert not columns(lesson._frame)["shift"].any()


def test_a_mean_that_no_weights_give_is_an_edge_and_no_failure():
    # One large value takes the mean beyond the 95 % quantile.
    x = np.r_[np.zeros(96), 1.0, 2.0, 3.0, 400.0]
    explainer = uq.Explainer(lambda X: X[:, 0], x[:, None], x + 1)
    with uq.teach.StressToATarget(explainer, target=2.0, tau=0.5) as lesson:
        assert lesson.wait(60)
        assert explainer.stress(taus=5).status[0, 3] == "beyond quantile"
        assert "No weights of these rows give x0 a mean of" in explanation(lesson)
        assert np.isnan(columns(lesson._frame)["shift"]).all()
        assert lesson._frame["meta"]["ess"] is None
        lesson.tau = 0.0
        assert explanation(lesson) == ""


def test_wrong_values_are_sentences(lesson, explainer):
    for name, value in [("tau", 2), ("tau", "x"), ("feature", "kind"), ("guess", "both")]:
        before = getattr(lesson, name)
        lesson.set_state({name: value, "_seq": lesson._seq + 1})
        lesson.wait()
        assert getattr(lesson, name) == before
        assert name in lesson._frame["meta"]["error"]
    with pytest.raises(ValueError, match="no feature is numeric"):
        uq.teach.StressToATarget(
            uq.Explainer(lambda X: X[:, 0], np.tile([[0.0], [1.0]], (10, 1)), np.arange(20.0))
        )
    with pytest.raises(ValueError, match="there is no"):
        uq.teach.StressToATarget(explainer, "errors")
