"""Static HTML of importance over tau: words, lines and numbers."""

from __future__ import annotations

import numpy as np

from example_results import fan, importance_over_tau
from reading_html import StaticHtml
from uqwidgets.stress.importance_html import importance_over_tau_html
from uqwidgets.stress.importance_result import by_importance

NAN = np.nan


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
