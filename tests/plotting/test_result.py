"""What all results have in common."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from example_results import (
    calibration,
    calibration_along,
    confusion,
    dependence,
    diagnosis,
    difference,
    importance,
    importance_over_tau,
    redundancy,
    reweighting,
    scores,
    stress,
    surface,
)
from reading_charts import tables
from uqwidgets.plotting.result import Result

MADE = {
    uq.Calibration: calibration,
    uq.CalibrationAlong: calibration_along,
    uq.Confusion: confusion,
    uq.CurveGrid: lambda: uq.CurveGrid([dependence(), dependence(feature="height")]),
    uq.Dependence: dependence,
    uq.Diagnosis: diagnosis,
    uq.Difference: difference,
    uq.Importance: importance,
    uq.ImportanceOverTau: lambda: importance_over_tau([[0.5, 0.25, 0.75]]),
    uq.Overlay: lambda: uq.overlay(importance(), importance()),
    uq.Redundancy: redundancy,
    uq.Reweighting: reweighting,
    uq.Scores: scores,
    uq.Stress: lambda: stress([[0.1, 0.2, 0.3, 0.4, 0.5]]),
    uq.Surface: surface,
}
# Their tests make them with a learner, with a known process, or with another table.
REFITTED = {uq.Comparison, uq.Decomposition, uq.IntervalCoverage, uq.Performance}
REFITTED |= {uq.Expected, uq.GroupScores, uq.PredictionSets, uq.Slices, uq.TableReweighting}


def public_results():
    values = [getattr(uq, name) for name in uq.__all__]
    return {v for v in values if isinstance(v, type) and issubclass(v, Result)}


def test_every_frozen_result_with_a_table_is_a_result():
    assert public_results() == MADE.keys() | REFITTED
    values = [getattr(uq, name) for name in uq.__all__]
    tabular = {v for v in values if dataclasses.is_dataclass(v) and hasattr(v, "frame")}
    assert tabular == public_results()


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_a_result_has_a_table_a_text_a_picture_and_a_chart(kind):
    result = MADE[kind]()
    assert isinstance(result, kind)
    assert isinstance(result.frame, pd.DataFrame)
    assert len(repr(result).splitlines()) > len(result.frame.head(12))
    assert result._repr_html_().startswith("<")
    json.dumps(result.to_altair().to_dict(), allow_nan=False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.measure = "other"


def test_the_text_has_a_heading_the_table_and_the_remarks():
    heading, *lines = repr(importance(remarks=("One remark.",))).splitlines()
    assert heading.startswith("Importance of 3 features for likelihood loss in nats")
    assert lines[0].split() == ["feature", "importance", "std_error", "low", "high"]
    assert lines[-1] == "note: One remark."


def test_the_chart_of_weights_holds_the_numbers():
    equal, half, shares = tables(reweighting().to_altair())
    np.testing.assert_allclose(equal, [[0, 0], [1, 1]])
    np.testing.assert_allclose(half[["rows", "weight"]], [[0, 0.5], [0.25, 0.5], [0.25, 0]])
    # The weights 2, 1, 0.5 and 0.5 of 4 in all, the heaviest first.
    np.testing.assert_allclose(shares["rows"], [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(shares["weight"], [0, 0.5, 0.75, 0.875, 1])


def test_frames_of_other_libraries_hold_the_same_numbers():
    result = importance(features=("a", 2, "b"))
    table = result.to("pyarrow")
    assert table.column_names == list(result.frame.columns)
    assert table["feature"].to_pylist() == ["a", "2", "b"]
    assert table["importance"].to_pylist() == result.frame["importance"].tolist()
    assert result.to("pandas").equals(result.frame)
    with pytest.raises(ValueError, match="'spark'"):
        result.to("spark")
