"""The picture whose pixels the features are."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq
from reading_html import StaticHtml
from uqwidgets.importance.pixels_html import pixels_html
from uqwidgets.widgets.views.pixels import rows_of_picture


@pytest.fixture(scope="module")
def explainer():
    X = np.random.default_rng(0).uniform(size=(40, 6))
    return uq.Explainer(lambda X: X[:, 1] + 2 * X[:, 4], X, X[:, 1])


def test_the_shape_follows_from_the_number_of_rows_without_a_model_call(explainer):
    with uq.Explorer(explainer, n_repeats=2, small_curves=0) as explorer:
        assert explorer.wait()
        assert explorer._frame["meta"]["pixels"] is None
        before = explainer.rows_evaluated
        explorer.image_rows = 2
        assert explorer.wait()
        shown = explorer._frame["meta"]["pixels"]
        assert (shown["rows"], shown["columns"]) == (2, 3)
        assert explainer.rows_evaluated == before
        assert "image_rows=2" in explorer.code()


def test_rows_that_the_features_do_not_fill_are_refused(explainer):
    with uq.Explorer(explainer, n_repeats=2) as explorer:
        with pytest.raises(ValueError, match="6 features fill no picture of 4 rows; use a number"):
            explorer.image_rows = 4
        with pytest.raises(ValueError, match="image_rows is 7"):
            explorer.image_rows = 7
        assert explorer.image_rows == 0


def test_the_static_picture_has_the_map_where_the_view_is_shown(explainer):
    options = {"n_repeats": 3, "image_rows": 2, "feature": "x4"}
    with uq.Explorer(explainer, layout=["importance", "pixels"], **options) as explorer:
        assert explorer.wait()
        before = explainer.rows_evaluated
        html = still(explorer)
        assert explainer.rows_evaluated == before
        assert "Importance of pixels for" in html
        result = explorer.result("importance")
        clear = ((result.low > 0) | (result.high < 0)).sum()
        assert f"{clear} pixels of 6 have an interval without 0." in html
        top = result.features[int(np.argmax(result.importance))]
        assert f"The largest importance is that of {top}" in html
        StaticHtml(html)
        explorer.image_rows = 0
        assert explorer.wait()
        assert "Importance of pixels" not in still(explorer)
    with uq.Explorer(explainer, layout=["importance"], **options) as explorer:
        assert explorer.wait()
        assert "Importance of pixels" not in still(explorer)


def still(explorer):
    shown = explorer._repr_mimebundle_()
    return (shown[0] if isinstance(shown, tuple) else shown)["text/html"]


def test_pixels_are_where_they_are_in_the_picture(explainer):
    with uq.Explorer(explainer, n_repeats=3) as explorer:
        assert explorer.wait()
        result = explorer.result("importance")
    strong = [
        attrs["d"]
        for tag, attrs in StaticHtml(pixels_html(result, explainer.features, 2)).tags
        if tag == "path" and attrs["fill-opacity"] == "1.00"
    ]
    # In the first row, the second of three columns; smaller where it is unclear.
    at = int(np.argmax(np.abs(result.importance)))
    assert result.features[at] == "x1"
    cell, is_clear = 280 / 3, result.low[at] > 0
    side = cell if is_clear else 0.45 * cell
    gap = (cell - side) / 2
    corner = f"M{cell + gap:.1f} {26 + gap:.1f}"
    assert strong == [f"{corner}h{side:.1f}v{side:.1f}h{-side:.1f}z"]


def test_linked_explorers_share_the_shape_where_their_features_fill_it(explainer):
    X = np.random.default_rng(1).uniform(size=(40, 5))
    other = uq.Explainer(lambda X: X[:, 1], X, X[:, 1])
    with (
        uq.ImportanceView(explainer, n_repeats=2) as one,
        uq.Explorer(explainer, n_repeats=2) as two,
        uq.ImportanceView(other, n_repeats=2) as five,
    ):
        with pytest.warns(UserWarning, match="not all explorers have the features"):
            tie = uq.link(one, two, five)
        one.image_rows = 3
        assert (two.image_rows, five.image_rows) == (3, 0)
        assert any(
            "explorer 3 keeps its image_rows: image_rows is 3" in str(r) for r in tie.remarks
        )


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ([f"pixel_{i}_{j}" for i in range(3) for j in range(5)], 3),
        ([f"r{i}c{j}" for j in range(5) for i in range(3)], 0),  # column by column
        ([f"x{i}" for i in range(784)], 28),
        ([f"x{i}" for i in range(16)], 0),  # any table of arrays
        ([f"x{i}" for i in range(63)] + ["age"], 0),
        ([f"{i}" for i in range(1, 65)], 8),
        (["a1b1", "a1c2", "a2b1", "a2c2"], 0),
    ],
)
def test_features_that_seem_to_be_pixels_are_offered_as_a_picture(names, rows):
    assert rows_of_picture(names) == rows
