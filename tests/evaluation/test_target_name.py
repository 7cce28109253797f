"""The name of the target, which is no feature's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq


def explainer(names, y_name):
    X = pd.DataFrame({name: np.arange(30.0) for name in names})
    y = pd.Series(np.arange(30.0) + 1, name=y_name)
    return uq.Explainer(lambda X: X.iloc[:, 0].to_numpy(), X, y)


def test_a_target_that_took_the_name_of_a_feature_is_called_target_with_a_remark():
    ex = explainer(["age", "dose"], "age")
    assert ex.table.target == "target"
    remarks = ex.importance("squared_error", n_repeats=2).remarks
    (remark,) = (one for one in remarks if one.code == "target-named-as-a-feature")
    assert "y has the name of the feature 'age', so it is called 'target' here" in remark
    assert any(one.code == remark.code for one in ex.scores().remarks)


@pytest.mark.parametrize(
    ("names", "y_name", "target"),
    [(["age"], "price", "price"), (["age"], None, "y"), (["target"], "target", "true target")],
)
def test_other_targets_keep_their_name(names, y_name, target):
    assert explainer(names, y_name).table.target == target
