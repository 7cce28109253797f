"""Static pictures and charts of scores, confusion and calibration show their numbers."""

import json

import numpy as np

from example_results import HOSTILE, calibration, confusion, scores


def test_the_picture_of_scores_shows_their_intervals():
    html = scores()._repr_html_()
    assert "error rate 0.25 (0.125 to 0.375)" in html
    assert "nll 0.5 nats (0.375 to 0.625)" in html
    tables = scores().to_altair().to_dict()["datasets"].values()
    assert [row["value"] for rows in tables for row in rows] == [0.25, 0.5]


def test_the_picture_of_confusion_names_the_most_frequent_error():
    html = confusion()._repr_html_()
    assert "right in 87.5% of the rows" in html
    assert "takes no for yes: 12.5% of the rows" in html
    assert confusion().precision.tolist() == [1.0, 0.75]


def test_the_confusion_of_a_class_without_rows_has_no_share():
    empty = confusion(share=((1.0, 0.0), (0.0, 0.0)))
    assert np.isnan(empty.recall[1])
    assert "nan" not in empty._repr_html_()
    json.dumps(empty.to_altair().to_dict(), allow_nan=False)


def test_the_picture_of_calibration_counts_the_intervals_that_miss():
    result = calibration()
    assert result.n_outside == 1
    assert "1 of 2 intervals misses its probability" in result._repr_html_()
    lines = ((0.9, 0.75, 0.5, 0.875),)
    html = calibration(coverage=lines, clear_coverage=(True,))._repr_html_()
    assert "90% intervals hold 75.0% of the rows (50.0% to 87.5%)" in html


def test_points_that_miss_have_a_ring_and_their_name():
    chart = calibration().to_altair().to_dict()
    names = [
        [row["name"] for row in chart["datasets"][layer["data"]["name"]]]
        for layer in chart["layer"]
        if layer["mark"]["type"] == "text"
    ]
    assert names == [["0.75"]]
    html = calibration()._repr_html_()
    assert html.count('fill="none" stroke="#D55E00"') == 1
    assert ">0.75</text>" in html


def test_axes_of_log_odds_have_labels_of_probabilities():
    result = calibration((0.01, 0.5, 0.99), (0.02, 0.5, 0.99), 0.01, logit=True)
    html = result._repr_html_()
    assert html.count(">0.01</text>") >= 2
    assert html.count(">0.999</text>") == 0
    x = result.to_altair().to_dict()["layer"][1]["encoding"]["x"]
    assert '"0.01"' in x["axis"]["labelExpr"]
    # Equal steps of the odds take equal room, and an end of 1 is drawn at the edge.
    at = x["axis"]["values"]
    np.testing.assert_allclose(np.diff(at)[[0, -1]], np.log(99 / 9))
    json.dumps(result.to_altair().to_dict(), allow_nan=False)


def test_names_are_escaped_as_text():
    for result in (
        scores(names=(HOSTILE, "nll")),
        confusion(classes=(HOSTILE, "yes")),
        calibration(event=HOSTILE),
    ):
        assert "<img src=x" not in result._repr_html_()
