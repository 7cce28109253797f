"""Static HTML of importance over tau: words, lines and numbers."""

from __future__ import annotations

import numpy as np

from example_results import fan, importance_over_tau
from reading_html import StaticHtml, points
from uqwidgets.stress.importance_html import importance_over_tau_html
from uqwidgets.stress.importance_result import by_importance

NAN = np.nan
# Upper end and height of the panel.
TOP, PLOT = 24.0, 220.0


def test_the_summary_names_the_largest_importance_and_the_largest_change():
    result = importance_over_tau([[3.0, 2.0, 1.0], [0.5, 1.0, 4.0]], ["a", "b"])
    read = StaticHtml(importance_over_tau_html(result))
    assert "Likelihood loss: importance as age is stressed" in read.text
    assert "Without stress, a matters most (2)." in read.text
    assert "The importance of b changes most: it ranges from 0.5 to 4." in read.text
    assert "τ = −1, 0 and 1 stand for means of age of 30, 40 and 50" in read.text
    assert "Effective rows: 20, 60 and 100." in read.text
    (table,) = read.tables
    assert [line[0] for line in table] == ["feature", "a", "b"]
    assert table[2][1:] == ["0.5 (0.333 to 0.667)", "1 (0.667 to 1.33)", "4 (2.67 to 5.33)"]


def test_every_feature_has_a_line_and_the_leading_ones_a_band():
    one, many = (
        len(StaticHtml(importance_over_tau_html(importance_over_tau(fan(p)))).all("path"))
        for p in (5, 8)
    )
    assert many - one == 3, "three faint lines more, without a band or a swatch"


def test_levels_without_weights_are_gaps_with_a_reason():
    result = importance_over_tau(
        [[NAN, 2.0, 1.0]], status=np.array(["beyond quantile", "ok", "edge"])
    )
    read = StaticHtml(importance_over_tau_html(result))
    assert "Not available at τ = −1: beyond quantile, use anchor='tail-mean'." in read.text
    assert "Squares: only rows at the extreme of age still count." in read.text
    assert len(read.all("rect")) == 1


def test_equal_importance_at_all_levels_is_no_change():
    read = StaticHtml(importance_over_tau_html(importance_over_tau([[1.0, 1.0, 1.0]])))
    assert "No importance changes with τ." in read.text


def test_features_come_in_the_order_of_their_importance_without_stress():
    result = importance_over_tau([[9.0, 1.0, 9.0], [0.0, 2.0, 0.0], [NAN, NAN, NAN]])
    assert by_importance(result).tolist() == [1, 0, 2]


def far():
    """At tau = -1 the interval of one feature is a thousand times as wide as the lines apart."""
    values = np.array([[0.1, 0.5, 0.4], [0.0, 0.2, 0.1]])
    low, high = values - 0.1, values + 0.1
    low[0, 0], high[0, 0] = -500.0, 500.0
    return importance_over_tau(values, ["a", "b"], low=low, high=high)


def test_a_band_that_is_far_wider_than_the_others_leaves_the_picture():
    paths = [points(path["d"]) for path in StaticHtml(importance_over_tau_html(far())).all("path")]
    (wide_x, wide_y), (_, other_y) = [(x, y) for x, y in paths if len(x) > 5]
    assert wide_y.min() == TOP
    assert wide_y.max() == TOP + PLOT
    assert TOP < other_y.min() < other_y.max() < TOP + PLOT
    lines = np.concatenate([y for x, y in paths if len(x) == 3])
    assert np.ptp(lines) > 0.3 * PLOT, "the lines keep a third of the height"
    # The band leaves the picture where its ends cross the edges, shortly before tau = 0.
    first = wide_x.min()
    inside = wide_x[(wide_y > TOP) & (wide_y < TOP + PLOT)]
    edge = wide_x[(wide_y == TOP) | (wide_y == TOP + PLOT)]
    assert edge.max() > first + 0.99 * (inside.min() - first)


def test_the_chart_has_the_same_axis_as_the_picture():
    spec = far().to_altair().to_dict()
    *_, area, line = spec["layer"]
    assert area["mark"]["clip"]
    assert area["encoding"]["y"]["scale"]["domain"] == line["encoding"]["y"]["scale"]["domain"]
    assert line["encoding"]["y"]["scale"]["domain"] == [-0.5, 1.0]
