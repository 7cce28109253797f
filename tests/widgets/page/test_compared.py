"""What a page holds of a comparison is what the explorer showed."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from widgets.pages import index_of, stored_columns

HIGH = [{"feature": "b", "low": 0.0, "high": 9.0}]
LOW = [{"feature": "b", "low": -9.0, "high": -1.0}]
LABELS = np.array(["no", "perhaps", "yes"])


class Model:
    classes_ = LABELS

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-X["a"] * X["b"]))
        return np.column_stack([0.6 * (1 - p), np.full(len(X), 0.4), 0.6 * p])


@pytest.fixture
def explorer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 2)), columns=list("ab"))
    y = LABELS[rng.integers(3, size=120)]
    explainer = uq.Explainer(Model(), X, y)
    with uq.Explorer(explainer, n_repeats=2, feature="a", stress_feature="a") as explorer:
        explorer.wait()
        yield explorer


def shown(explorer, **inputs):
    """Set inputs, pin the view, and return its comparison."""
    for name, value in inputs.items():
        setattr(explorer, name, value)
    explorer.wait()
    explorer.pin(str(inputs))
    frame = explorer._frame
    prefix = "comparison."
    columns = {k.removeprefix(prefix): v for k, v in frame["cols"].items() if k.startswith(prefix)}
    return frame["meta"]["comparison"], columns, explorer.state


def test_parts_of_all_kinds_of_comparisons_are_those_of_the_explorer(explorer, tmp_path):
    explorer.cohorts = [{"name": "high", "ice_filter": HIGH, "complement": False}]
    views = [
        shown(explorer, compare_with="cohort:high"),
        # What is shown is of this class itself, so that there is nothing to compare.
        shown(explorer, compare_with="class:no"),
        shown(explorer, ice_filter=HIGH, compare_with="rest"),
        shown(explorer, compare_with="class:perhaps", measure="probability:yes"),
    ]
    saved = explorer.save(tmp_path / "page.html", stress_features=[], progress=False)
    index, stored = index_of(saved.path), stored_columns(saved.path)
    for meta, columns, state in views:
        (cohort,) = (c for c in index["cohorts"] if c["ice_filter"] == state["ice_filter"])
        together, parts = {"sentences": []}, {}
        for kind in ("sentences", "scores", "curve", "stress", "importance"):
            name = f"comparison.{kind}"
            key = json.dumps([state[one] for one in index["reads"][name]], separators=(",", ":"))
            entry = cohort["entries"][name][key]
            content = entry["content"]
            if kind == "stress":
                (content,) = entry["stressed"].values()
            together["sentences"] += content["meta"]["sentences"]
            together |= {k: v for k, v in content["meta"].items() if k != "sentences"}
            parts |= {k: stored[number] for k, number in content["columns"].items()}
        assert {k: v for k, v in together.items() if k != "of"} == {
            k: v for k, v in meta.items() if k in together
        }
        assert {name for name in parts if not name.startswith(".")} == set(columns)
        for name, values in columns.items():
            live = np.frombuffer(values, np.float64)
            np.testing.assert_allclose(parts[name].ravel(), live, rtol=1e-6, atol=1e-7)


def test_cohorts_of_one_name_with_other_rows_are_refused(explorer, tmp_path):
    for rows in (HIGH, LOW):
        explorer.cohorts = [{"name": "some", "ice_filter": rows, "complement": False}]
        explorer.compare_with = "cohort:some"
        explorer.pin("some rows")
    with pytest.raises(ValueError, match="give one of them another name"):
        explorer.save(tmp_path / "page.html", progress=False)
    assert list(tmp_path.iterdir()) == []


def test_a_page_of_everything_holds_models_that_were_not_shown(tmp_path):
    X = pd.DataFrame({"a": np.linspace(-1, 1, 40)})
    models = {"zero": lambda X: 0 * X["a"], "line": lambda X: X["a"]}
    with uq.explore(models, X, X["a"], n_repeats=2) as explorer:
        explorer.wait()
        shown = index_of(explorer.save(tmp_path / "shown.html", progress=False).path)
        every = index_of(explorer.save(tmp_path / "all.html", scope="all", progress=False).path)
    assert list(shown["models"]) == ["zero"]
    (sentence,) = shown["sentences"]
    assert "the views of line are in the notebook" in sentence
    assert list(every["models"]) == ["zero", "line"] == every["about"]["models"]
    assert every["models"]["line"]["inputs"]["compare_with"] == "model:zero"
    assert every["models"]["line"]["cohorts"][0]["entries"]["comparison.curve"]
    assert every["sentences"] == []
