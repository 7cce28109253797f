"""Simulated width and coverage of a learner's intervals."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import uqwidgets as uq
from known_processes import line
from reading_charts import tables
from reading_html import StaticHtml

REFITS = (2, 5, 10)
TABLES = 8


@pytest.fixture(scope="module")
def truth():
    return line()


@pytest.fixture(scope="module")
def result(truth):
    return truth.coverage(LinearRegression(), n_refits=REFITS, n=40, n_tables=TABLES)


@pytest.fixture(scope="module")
def curve(truth):
    return truth.coverage(LinearRegression(), "a", n_refits=[5, 2], grid=3, n=40, n_tables=5)


def tables_of(truth, n, n_tables):
    for k in range(n_tables):
        seed = np.random.SeedSequence(truth.random_state, spawn_key=(3, k))
        X, y = truth.data(n, np.random.default_rng(seed))
        yield X, y, int(seed.generate_state(1)[0] % 2**31)


@pytest.mark.thorough
def test_width_and_coverage_are_those_of_learners(truth, result):
    estimates, low, high = np.empty((3, TABLES, len(REFITS), 3))
    for k, (X, y, seed) in enumerate(tables_of(truth, 40, TABLES)):
        for r, m in enumerate(REFITS):
            learner = uq.Learner(LinearRegression(), X, y, n_refits=m, random_state=seed)
            own = learner.importance("squared_error", interval="corrected")
            frame = own.frame.set_index("feature").loc[list(result.points)]
            estimates[k, r], low[k, r], high[k, r] = frame[["importance", "low", "high"]].T.values
    np.testing.assert_allclose(result.width, (high - low).mean(axis=0))
    for r in range(len(REFITS)):
        for j in range(3):
            holds = [
                low[k, r, j] <= np.delete(estimates[:, -1, j], k).mean() <= high[k, r, j]
                for k in range(TABLES)
            ]
            assert result.coverage[r, j] == pytest.approx(np.mean(holds))


@pytest.mark.thorough
def test_more_refits_make_narrower_intervals(result, curve):
    for one in (result, curve):
        assert (np.diff(one.width.mean(axis=1)) < 0).all()
    assert curve.refits.tolist() == [2, 5]
    assert curve.points.shape == (3,)


@pytest.mark.thorough
def test_without_the_correction_the_intervals_are_too_narrow(truth):
    options = {"n_refits": (15,), "grid": 3, "n": 60, "n_tables": 15}
    plain = truth.coverage(LinearRegression(), "a", correction=0, **options)
    corrected = truth.coverage(LinearRegression(), "a", **options)
    assert plain.coverage.mean() < 0.65 < 0.75 < corrected.coverage.mean()


def test_table_text_picture_and_chart_hold_the_numbers(result, curve):
    assert isinstance(result, uq.IntervalCoverage)
    for one, name in ((result, "feature"), (curve, "value")):
        frame = one.frame
        assert frame.columns.tolist() == ["refits", name, "coverage", "width"]
        assert len(frame) == one.width.size
        assert "tables of 40 rows, bootstrap, 95% interval corrected" in repr(one)
        chart = one.to_altair()
        json.dumps(chart.to_dict(), allow_nan=False)
        single = next(t for t in tables(chart.concat[0]) if "point" in t)
        np.testing.assert_allclose(single["width"], one.width.ravel())
        page = StaticHtml(one._repr_html_())
        shown = pd.DataFrame(page.tables[0][1:])
        expected = [f"{share:.0%}" for share in one.coverage.ravel()]
        assert shown[2].tolist() == expected[: len(shown)]
        # A thin line for each point and a thick one for their mean, in both panels.
        strokes = [path for path in page.all("path") if path.get("stroke-width") == "2.2"]
        assert len(strokes) == 2
        last = one.coverage[-1].mean()
        assert f"With {one.refits[-1]} refits, {last:.0%} of the intervals hold" in page.text
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.width = 0


def test_a_callback_hears_of_every_table(truth):
    steps = []
    truth.coverage(
        LinearRegression(), "a", grid=2, n_refits=(2,), n=20, n_tables=4, callback=steps.append
    )
    assert [step.rows_done for step in steps] == [20, 40, 60, 80]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_refits": ()}, "n_refits is empty"),
        ({"n_refits": (1,)}, "n_refits"),
        ({"n_tables": 2}, "n_tables"),
        ({"n": 5}, "n is 5"),
        ({"interval": "narrow"}, "interval"),
        ({"feature": "z"}, "z"),
    ],
)
def test_wrong_options_are_one_sentence(truth, options, message):
    with pytest.raises(ValueError, match=message):
        truth.coverage(LinearRegression(), **({"n": 20, "n_tables": 3} | options))
