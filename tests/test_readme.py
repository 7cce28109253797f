"""The README's examples run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLE = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.thorough
def test_the_examples_run():
    first, second, third = EXAMPLE.findall(README.read_text(encoding="utf-8"))
    names = {}
    *before, explore = first.strip().splitlines()
    exec("\n".join(before), names)
    with eval(explore, names) as widget:
        assert widget.wait(60)
        assert widget.feature in names["X"].columns

    before, *examples = second.strip().splitlines()
    importance, dependence, stress, performance, slices, expected, diagnosis = examples
    exec(before, names)
    assert isinstance(eval(importance, names), pd.DataFrame)
    assert eval(dependence, names).to_dict()["$schema"].startswith("https://vega.github.io")
    assert set(eval(stress, names)["tau"]) >= {-1, 0, 1}
    scores, calibration = eval(performance.partition("#")[0], names)
    assert "roc_auc" in set(scores.frame["score"])
    assert calibration.frame["observed"].between(0, 1).all()
    assert "slice" in eval(slices.partition("#")[0], names).frame
    assert "there" in eval(expected.partition("#")[0], names).frame
    assert set(eval(diagnosis.partition("#")[0], names).frame["feature"]) == set(names["X"].columns)

    *before, importance = third.strip().splitlines()
    exec("\n".join(before), names)
    assert len(eval(importance, names)) == 30
