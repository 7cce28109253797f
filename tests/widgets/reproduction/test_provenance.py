"""Provenance: facts about model and data as JSON, and digests that depend on the data alone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import uqwidgets as uq
from uqwidgets.inference import INTERVALS, described_interval
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.reproduction.provenance import digest_of_table, digest_of_target, provenance
from widgets.conftest import Counting, table


def digests(X: pd.DataFrame, y: pd.Series) -> dict[str, str]:
    return digests_of(uq.Explainer(Counting(), X, y))


def digests_of(explainer: uq.Explainer) -> dict[str, str]:
    return {"X": digest_of_table(explainer.table), "y": digest_of_target(explainer)}


def test_provenance_of_a_scikit_learn_model() -> None:
    X, y = table()
    X = X.drop(columns="c")
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.5)).fit(X, y)
    with uq.explore(model, X, y, random_state=5, n_repeats=4, interval="model") as widget:
        assert widget.wait(30)
        facts = widget.provenance()
        assert facts == json.loads(json.dumps(facts, allow_nan=False))
        assert facts["model"]["class"] == "sklearn.pipeline.Pipeline"
        assert facts["model"]["parameters"]["logisticregression__C"] == 0.5
        assert "LogisticRegression" in facts["model"]["parameters"]["logisticregression"]
        assert (facts["target"], facts["task"]) == ("answer", "classification")
        assert facts["classes"] == ["no", "yes"]
        assert (facts["n_rows"], facts["n_features"]) == (40, 3)
        assert facts["features"] == dict.fromkeys(["a", "b", "same"], "numeric")
        assert (facts["seed"], facts["n_repeats"]) == (5, 4)
        assert facts["interval"] == {
            "kind": "model",
            "level": 0.95,
            "accounts_for": "rows as scored",
            "takes_as_fixed": "the model, the donors, the draws",
        }
        assert facts["sha256"] == digests_of(widget.explainer)
        assert facts["model_calls"] == widget.explainer.model_calls > 0
        assert facts["rows_evaluated"] == widget.explainer.rows_evaluated
        assert facts["versions"]["scikit-learn"] == sklearn.__version__
        assert facts["versions"]["numpy"] == np.__version__


def test_provenance_of_a_function_has_its_name_and_no_parameters() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))

    def model(X: np.ndarray) -> np.ndarray:
        return X[:, 0]

    facts = provenance(uq.Explainer(model, X, X[:, 0]), Inputs())
    assert facts["model"]["class"].endswith("model")
    assert facts["model"]["parameters"] == {}
    assert (facts["task"], facts["classes"]) == ("regression", [])


def test_the_digest_of_a_missing_target_is_none() -> None:
    X, _ = table()
    facts = provenance(uq.Explainer(Counting(), X), Inputs())
    assert facts["sha256"]["y"] is None
    assert len(facts["sha256"]["X"]) == 64


def test_a_long_parameter_value_is_shortened() -> None:
    class Wordy(Counting):
        def get_params(self) -> dict[str, object]:
            return {"text": "x" * 10_000, "nothing": None, "list": list(range(9999))}

    parameters = provenance(uq.Explainer(Wordy(), *table()), Inputs())["model"]["parameters"]
    assert parameters["nothing"] is None
    assert all(len(parameters[name]) < 300 for name in ("text", "list"))


def test_the_digest_does_not_depend_on_the_storage_type() -> None:
    X, y = table()
    original = digests(X, y)
    assert all(len(digest) == 64 for digest in original.values())
    stored = X.assign(c=X["c"].astype("category"), same=X["same"].astype(int))
    stored["c"] = stored["c"].cat.reorder_categories(["red", "blue"])
    assert digests(stored, y.astype("category")) == original


@pytest.mark.parametrize("change", ["value", "category", "missing", "order", "target"])
def test_the_digest_changes_with_the_data(change: str) -> None:
    X, y = table()
    original = digests(X, y)
    if change == "value":
        X.loc[3, "b"] += 1e-9
    elif change == "category":
        X.loc[0, "c"] = "blue" if X.loc[0, "c"] == "red" else "red"
    elif change == "missing":
        X.loc[0, "c"] = None
    elif change == "order":
        X = X.iloc[::-1].reset_index(drop=True)
    else:
        y = y.where(y.index > 0, "no" if y[0] == "yes" else "yes")
    changed = digests(X, y)
    name = "y" if change == "target" else "X"
    other = "X" if change == "target" else "y"
    assert changed[name] != original[name]
    assert changed[other] == original[other]


def test_the_digest_separates_neighbouring_texts() -> None:
    def digest(values: list[str]) -> str:
        X, y = table(4)
        return digests(X.assign(c=values), y)["X"]

    assert digest(["ab", "c", "ab", "c"]) != digest(["a", "bc", "a", "bc"])


def test_the_commit_is_that_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, explainer: uq.Explainer
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert provenance(explainer, Inputs())["commit"] is None

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        run = subprocess.run(
            ["git", *identity, *arguments], check=True, capture_output=True, text=True
        )
        return run.stdout.strip()

    git("init")
    (tmp_path / "one.txt").write_text("1")
    git("add", "one.txt")
    git("commit", "-m", "one")
    commit = git("rev-parse", "HEAD")
    assert provenance(explainer, Inputs())["commit"] == commit
    (tmp_path / "one.txt").write_text("2")
    assert provenance(explainer, Inputs())["commit"] == f"{commit}-changed"


def test_the_commit_is_none_without_git(
    monkeypatch: pytest.MonkeyPatch, explainer: uq.Explainer
) -> None:
    monkeypatch.setenv("PATH", "")
    assert provenance(explainer, Inputs())["commit"] is None


def test_every_interval_kind_has_its_own_description(explainer: uq.Explainer) -> None:
    descriptions = {described_interval(interval) for interval in INTERVALS}
    assert len(descriptions) == len(INTERVALS)
    facts = provenance(explainer, Inputs(interval="quantile"))["interval"]
    assert (facts["accounts_for"], facts["takes_as_fixed"]) == described_interval("quantile")
