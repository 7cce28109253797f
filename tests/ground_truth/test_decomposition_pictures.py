"""Texts, pictures and charts of decompositions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

from known_processes import line
from reading_charts import tables
from reading_html import StaticHtml, numbers


@pytest.fixture(scope="module")
def result():
    tree = DecisionTreeRegressor(max_depth=2)
    return line().decompose(tree, n_train=50, n_test=50, n_datasets=20, n_refits=2)


@pytest.fixture(scope="module")
def curve():
    tree = DecisionTreeRegressor(max_depth=2)
    return line().decompose(tree, "a", grid=5, n_train=50, n_test=50, n_datasets=20)


class TestShown:
    def test_frame_and_repr_of_a_decomposition(self, result, curve):
        names = ["truth", "expected", "bias", "bias_error", "model_variance", "mc_variance", "mse"]
        assert list(curve.frame.columns) == ["value", *names]
        assert list(result.frame.columns[:1]) == ["feature"]
        text = repr(result)
        assert text.startswith(
            "Error of the importance for squared error: DecisionTreeRegressor, 20 training sets of "
            "50 rows, 2 fits of each, test sets of 50 rows, permutation, 5 repeats"
        )
        assert repr(curve).startswith("Error of the dependence of predicted mean on a: ")

    def test_html_tables_hold_the_numbers(self, result, curve):
        for one in (result, curve):
            (table,) = StaticHtml(one._repr_html_()).tables
            shown = np.array([numbers(row) for row in table[1:]])[:, -(one.frame.shape[1] - 1) :]
            expected = one.frame.iloc[:, 1:].to_numpy()
            assert shown == pytest.approx(expected, rel=1e-3, abs=1e-6)

    def test_rings_and_dots_share_a_scale(self, result):
        read = StaticHtml(result._repr_html_())
        circles = read.all("circle")
        rings = [float(c["cx"]) for c in circles if c.get("fill") == "none"]
        dots = [float(c["cx"]) for c in circles if c.get("fill") != "none"][1:]
        x = np.polyfit(result.expected, dots, 1)
        assert rings == pytest.approx(np.polyval(x, result.truth), abs=0.2)

    def test_the_summary_states_the_shares_of_the_error(self, curve):
        parts = np.array([curve.bias**2, curve.model_variance, curve.mc_variance]).sum(axis=1)
        text = [f"{share:.0%}" for share in parts / parts.sum()]
        words = "summed over values, is {} squared bias, {} model variance and {} Monte Carlo error"
        assert words.format(*text) in StaticHtml(curve._repr_html_()).text

    def test_charts_stack_the_parts_to_the_error(self, result, curve):
        for one, mark in ((result, "bar"), (curve, "area")):
            chart = one.to_altair()
            assert chart.to_dict()["mark"]["type"] == mark
            stacked = pd.DataFrame(chart.data).groupby("value", sort=False)["error"].sum()
            # The parts are estimates: with next to no error they are noise.
            np.testing.assert_allclose(stacked, one.mse, rtol=0.3, atol=2e-3)

    def test_charts_draw_every_fit_around_the_truth(self, result, curve):
        for one, marks in (
            (result, ["rule", "tick", "rule", "circle", "point"]),
            (curve, ["line", "line"]),
        ):
            chart = one.to_altair(fits=True)
            spec = chart.to_dict()
            assert [layer["mark"]["type"] for layer in spec["layer"]] == marks
            fits, *others = tables(chart)
            expected = one.estimates.mean(axis=2).reshape(-1, len(one.points))
            drawn = fits["estimate"].to_numpy().reshape(-1, len(one.points))
            np.testing.assert_allclose(drawn, expected)
            known = np.concatenate([one.expected, one.truth])
            shown = pd.concat(others[-2:])["estimate"]
            np.testing.assert_allclose(shown, known)
            assert f"in {len(expected)} fits" in spec["title"]["text"]
        # The legend is not as faint as the fits.
        assert spec["layer"][1]["encoding"]["color"]["legend"]["symbolOpacity"] == 1
        # The truth is dashed, in the legend too, so that colour is not the only difference.
        dash = spec["layer"][1]["encoding"]["strokeDash"]
        assert dash["scale"] == {"domain": ["mean of the fits", "truth"], "range": [[1, 0], [7, 4]]}
