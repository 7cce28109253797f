"""What a saved page holds, and what is said where none can be written."""

from __future__ import annotations

import errno
import json
import os
import re
import threading
import time
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets._utils import writing
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.over_tau.following import OverTau
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.page import saving
from uqwidgets.widgets.page.assembly import Steps
from uqwidgets.widgets.rows.population import PopulationBuilder
from widgets.pages import index_of, model, stored_columns


@pytest.fixture
def explorer(table):
    with uq.explore(model, *table, n_repeats=3, ice_lines=20, tau=0.4) as explorer:
        yield explorer


def test_the_page_says_its_size_and_what_it_holds_of_the_rows(explorer, tmp_path):
    saved = explorer.save(tmp_path / "page.html", stress_features=["a"], progress=False)
    assert saved.nbytes == saved.path.stat().st_size
    assert "curves, classes and weights of 20 rows" in saved.rows
    assert "predicted and true values of 90 rows" in saved.rows
    assert f"{saved.nbytes / 1e6:.2f} MB" in repr(saved)
    assert list(tmp_path.iterdir()) == [saved.path]


def test_a_frozen_page_is_shut_in_its_frame(explorer):
    frozen = explorer.freeze(height=700, lines=0, stress_features=["a"], progress=False)
    frame = frozen._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert frame.endswith("></iframe>")
    assert 'sandbox="allow-scripts"' in frame
    assert "height: 700px" in frame
    assert unescape(frame).count("<script") == frozen.html.count("<script")
    assert "<script" not in frame
    assert "default-src 'none'" in frozen.html
    assert repr(frozen).endswith(frozen.rows)
    with pytest.raises(ValueError, match="positive whole number of pixels"):
        explorer.freeze(height=0)


def test_without_lines_no_row_is_in_the_store(explorer, table, tmp_path):
    X, y = table
    mean, std = model(X)
    nll = 0.5 * np.log(2 * np.pi * std**2) + (y - mean) ** 2 / (2 * std**2)
    rows = np.column_stack([X, y, mean, nll]).astype(np.float32)

    def most_values_of_a_row(path):
        columns = [values for values in stored_columns(path) if values.dtype != np.uint8]
        stored = np.concatenate([np.ravel(values) for values in columns]).astype(np.float32)
        return np.isin(rows, stored).sum(axis=1)

    with_rows = explorer.save(tmp_path / "rows.html", stress_features=["a"], progress=False)
    assert (most_values_of_a_row(with_rows.path) >= 2).all()
    without = explorer.save(tmp_path / "none.html", stress_features=["a"], lines=0, progress=False)
    assert without.rows.startswith("It holds no row:")
    # A float of 24 bits equals one of a hundred thousand others now and then, and the least and
    # the largest value of a feature are those of rows.
    values = most_values_of_a_row(without.path)
    assert values.max() <= 2
    assert values.mean() < 0.2
    text = without.path.read_text()
    ends = {extreme for name in X for extreme in (X[name].min(), X[name].max())}
    assert not any(repr(float(value)) in text for value in X["a"] if value not in ends)


@pytest.mark.thorough
@pytest.mark.parametrize("feature", ["a", "kind"])
def test_without_lines_the_still_draws_no_row(feature, table, tmp_path):
    X, y = table
    X = X.assign(kind=np.where(X["a"] > 0, "high", "low"))

    def drawn(**options):
        path = explorer.save(
            tmp_path / "page.html", stress_features=["a"], progress=False, **options
        ).path
        still = path.read_text().split('id="uq-still"')[1].split("</main>")[0]
        return still, sum(d.count("M") for d in re.findall(r' d="([^"]*)"', still))

    with uq.explore(model, X, y, n_repeats=2, ice_lines=20, feature=feature) as explorer:
        (with_rows, most), (without, fewest) = drawn(), drawn(lines=0)
    # A line, or a stroke at each category.
    assert most - fewest >= 20
    assert "Thin" in with_rows
    assert "Thin" not in without


def test_contents_are_those_of_the_explorer(explorer, tmp_path):
    saved = explorer.save(tmp_path / "page.html", progress=False)
    index, columns = index_of(saved.path), stored_columns(saved.path)
    (cohort,) = index["cohorts"]
    (entry,) = (
        entry
        for key, entry in cohort["entries"]["dependence"].items()
        if json.loads(key)[:3] == ["b", "nll", False]
    )
    curve = explorer.explainer.dependence("b", measure="nll", grid=49)
    average = columns[entry["content"]["columns"]["average"]]
    np.testing.assert_allclose(average, curve.average, rtol=1e-6)
    (entry,) = cohort["entries"]["importance"].values()
    (exact,) = entry["exact"]
    shown = explorer.result("importance", "nll")
    value = columns[exact["content"]["columns"]["value"]][0]
    by_feature = dict(zip(shown.features, shown.importance, strict=True))
    np.testing.assert_allclose(value, [by_feature[name] for name in "abc"], rtol=1e-6)


def test_intervals_of_other_kinds_are_sampled_over_tau(explorer, tmp_path):
    saved = explorer.save(
        tmp_path / "page.html", intervals=["model"], stress_features=["a"], progress=False
    )
    (cohort,) = index_of(saved.path)["cohorts"]
    every = cohort["entries"]["importance"]
    tracks = {
        kind: [cohort["tracks"][number] for number in entry["tracks"]]
        for key, entry in every.items()
        for kind in json.loads(key)
        if kind in ("u-statistic", "model")
    }
    assert len(tracks["model"]) == len(tracks["u-statistic"]) == 2


def test_weights_of_all_levels_of_a_feature_are_solved_for_at_once(explorer, tmp_path, monkeypatch):
    solved = []
    original = PopulationBuilder.at_levels

    def at_levels(self, inputs, taus, check):
        # The explorer goes on in another thread when the page has its contents.
        if inputs.stress_feature and threading.current_thread() is threading.main_thread():
            solved.append((inputs.stress_feature, len(taus)))
        return original(self, inputs, taus, check)

    explorer.wait()
    monkeypatch.setattr(PopulationBuilder, "at_levels", at_levels)
    explorer.save(tmp_path / "page.html", scope="all", progress=False)
    many = [(feature, n) for feature, n in solved if n > 1]
    assert many == [(feature, len(STOPS)) for feature in "abc"]
    # The level on the screen, for the page and for its review.
    assert len(solved) - len(many) <= 6


def test_without_room_for_their_weights_levels_are_solved_for_again(
    explorer, tmp_path, monkeypatch
):
    saved = explorer.save(tmp_path / "page.html", scope="all", progress=False)
    expected = stored_columns(saved.path)
    monkeypatch.setattr("uqwidgets.widgets.page.levels._MOST_WEIGHTS", 1000)
    again = explorer.save(tmp_path / "again.html", scope="all", progress=False)
    columns = stored_columns(again.path)
    assert len(columns) == len(expected)
    for one, other in zip(columns, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_classes_and_filters_are_cohorts(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=list("ab"))
    p = 1 / (1 + np.exp(-X["a"]))
    y = pd.Series(np.where(rng.random(60) < p, "yes", "no"))

    class Classifier:
        classes_ = np.array(["no", "yes"])

        def predict_proba(self, X):
            return np.column_stack([1 / (1 + np.exp(X["a"])), 1 / (1 + np.exp(-X["a"]))])

    with uq.explore(Classifier(), X, y, n_repeats=2) as explorer:
        explorer.ice_filter = [{"feature": "b", "low": 0.0, "high": None}]
        explorer.pin("large b")
        explorer.ice_filter = []
        path = tmp_path / "page.html"
        explorer.save(path, cohorts="classes", stress_features=["a"], progress=False)
        cohorts = {cohort["name"]: cohort["rows"] for cohort in index_of(path)["cohorts"]}
        assert cohorts == {
            "all rows": 60,
            "no": int((y == "no").sum()),
            "yes": int((y == "yes").sum()),
            "large b": int((X["b"] >= 0).sum()),
        }
        for wrong, sentence in (
            ({"none": {"feature": "a", "low": 50.0, "high": None}}, "cohort 'none' has no row"),
            ({"all rows": []}, "twice"),
            ({"x": {"feature": "z", "values": []}}, "cohort 'x': "),
            (["no"], "it must be a dict"),
            ({3: []}, "must be a text"),
        ):
            with pytest.raises(ValueError, match=sentence):
                explorer.save(path, cohorts=wrong, progress=False)
        with pytest.raises(ValueError, match="z"):
            explorer.save(path, stress_features=["z"], progress=False)


def test_errors_leave_the_former_file(explorer, tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("former")
    for folder in (tmp_path, ""):
        with pytest.raises(IsADirectoryError, match="is a folder"):
            explorer.save(folder)
    with pytest.raises(FileNotFoundError, match="does not exist; make it"):
        explorer.save(tmp_path / "none" / "page.html")

    for unwritable in (path / "page.html", tmp_path / ("n" * 300 + ".html")):
        with pytest.raises(OSError, match=r"cannot be written \(.*\); save elsewhere"):
            explorer.save(unwritable)
    no_row = {"no row": {"feature": "a", "low": 50.0}}
    for option in ({"lines": -1}, {"cohorts": no_row}, {"n_jobs": 0}):
        with pytest.raises(ValueError, match=r"ice_lines|has no row|n_jobs is 0"):
            explorer.save(path, progress=False, **option)
    assert list(tmp_path.iterdir()) == [path]

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writing, "_write", full)
    with pytest.raises(OSError, match="no space left for"):
        explorer.save(path, stress_features=["a"], progress=False)
    assert path.read_text() == "former"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="devices are no files here")
def test_a_device_is_not_replaced_by_a_page(explorer):
    with pytest.raises(FileExistsError, match="is a device"):
        explorer.save(os.devnull)
    assert Path(os.devnull).is_char_device()


def test_a_folder_that_is_read_only_is_said(explorer, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(writing, "_made", refuse)
    with pytest.raises(PermissionError, match=r"cannot be written \(permission denied\)"):
        explorer.save(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_the_bar_names_the_price_and_the_steps_and_ends_complete(
    explorer, tmp_path, capsys, monkeypatch
):
    # The bar shows each step, however short it is.
    monkeypatch.setattr(saving, "_BEAT", 0.001)
    explorer.save(tmp_path / "page.html")
    shown = capsys.readouterr().err.split("\r")
    assert re.search(r"^page, (less than 1 s|about \d+ s), 0\.\d MB: +\d+%", shown[1])
    shares = [int(match[1]) for text in shown if (match := re.search(r"(\d+)%", text))]
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert any("review" in text for text in shown)
    explorer.save(tmp_path / "page.html", progress=False)
    assert capsys.readouterr().err == ""


def test_stop_ends_the_work_and_writes_nothing(explorer, tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    explorer.wait()
    steps = []
    original = Steps.next

    def stop(self, what):
        steps.append(what)
        if len(steps) == 30:
            explorer.set_state({"_stop": 10_000})
        original(self, what)

    monkeypatch.setattr(Steps, "next", stop)
    with pytest.raises(RuntimeError, match="was stopped"):
        explorer.save(path, progress=False)
    assert len(steps) == 30

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Steps, "next", interrupt)
    with pytest.raises(KeyboardInterrupt):
        explorer.save(path)
    assert list(tmp_path.iterdir()) == []
    # Another page can be made.
    monkeypatch.setattr(Steps, "next", original)
    assert explorer.save(path, progress=False).path == path


@pytest.mark.thorough
def test_other_levels_of_tau_are_worked_out_before_or_after_a_page(
    table, tmp_path, monkeypatch, capsys
):
    in_page = []
    original = OverTau.follow

    def follow(self, *args, **kwargs):
        for each in original(self, *args, **kwargs):
            in_page.append(explorer._page_stop is not None)
            yield each

    monkeypatch.setattr(OverTau, "follow", follow)
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(before_following=0.5))
    with uq.explore(model, *table, n_repeats=3) as explorer:
        explorer.wait()
        explorer.save(tmp_path / "page.html", stress_features=["a"], progress=False)
        assert not in_page
        end = time.monotonic() + 30
        while len(in_page) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        assert len(in_page) >= 2
        assert not any(in_page)
    assert not capsys.readouterr().out


def test_a_closed_explorer_cannot_be_saved(explorer, tmp_path):
    explorer.close()
    with pytest.raises(RuntimeError, match="the explorer is closed"):
        explorer.save(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_a_learner_that_is_fitting_is_waited_for(tmp_path):
    from sklearn.linear_model import LinearRegression

    may_fit = threading.Event()

    class Slow(LinearRegression):
        def fit(self, X, y):
            may_fit.wait(20)
            return super().fit(X, y)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    fitted = LinearRegression().fit(X, y)
    learner = uq.Learner(Slow(), X, y, n_refits=2)
    with uq.explore(fitted, X, y, learner=learner, n_repeats=2) as explorer:
        while explorer._frame.get("meta", {}).get("learner", {}).get("state") != "pending":
            explorer.wait(0.05)
        with pytest.raises(ValueError, match="the learner is still fitting"):
            explorer.save(tmp_path / "page.html", progress=False)
        assert list(tmp_path.iterdir()) == []
        may_fit.set()
        explorer.wait()
        saved = explorer.save(tmp_path / "page.html", stress_features=["x0"], progress=False)
    entries = index_of(saved.path)["cohorts"][0]["entries"]
    # The refits are asked for what was shown alone: importance, and the curves of one feature.
    assert len(entries["learner.importance"]) == 1
    assert {json.loads(key)[0] for key in entries["learner.dependence"]} == {"x0"}


def test_names_are_text(tmp_path):
    hostile = "</script><img src=x onerror=alert(1)>"
    X = pd.DataFrame({hostile: np.arange(30.0), "b": np.sin(np.arange(30))})
    with uq.explore(lambda X: X[hostile], X, X[hostile], n_repeats=2) as explorer:
        saved = explorer.save(tmp_path / "p.html", title=hostile, note=hostile, progress=False)
    text = saved.path.read_text()
    assert "<img src=x" not in text
    assert text.count("</script>") == 4


def test_a_page_holds_the_cards_of_its_lines_and_without_lines_nothing_of_a_row(tmp_path):
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=list("ab"))
    X["town"] = [f"town {i % 7}" for i in range(60)]
    X.index = [f"patient {i}" for i in range(60)]

    def mean(X):
        return X["a"].to_numpy() + X["b"].to_numpy()

    inputs = {"selection": [3, 50], "row": 50, "what_if": [{"feature": "a", "value": 0.123456}]}
    with uq.explore(mean, X, mean(X), n_repeats=2, ice_lines=10, feature="a", **inputs) as explorer:
        explorer.pin("the pin selects them too")
        options = {"stress_features": ["a"], "progress": False}
        with pytest.warns(UserWarning, match="the present view and pin 1"):
            saved = explorer.save(tmp_path / "rows.html", selection=True, **options)
        assert "values of all features and predictions of 10 rows" in saved.rows
        columns = stored_columns(saved.path)
        (entry,) = index_of(saved.path)["cohorts"][0]["entries"]["selection"].values()
        content = entry["content"]
        held = columns[content["columns"]["card"]]
        assert {3, 50} <= set(held.tolist())
        assert len(held) == 10
        np.testing.assert_allclose(
            columns[content["columns"]["numbers"]], X.iloc[held][["a", "b"]], rtol=1e-6
        )
        assert content["meta"]["labels"] == [f"patient {i}" for i in held]
        assert content["meta"]["texts"] == [[f"town {i % 7}"] for i in held]
        with pytest.warns(UserWarning, match="selection=True holds them"):
            without = explorer.save(tmp_path / "none.html", lines=0, **options)
    assert without.rows.startswith("It holds no row:")
    index = index_of(without.path)
    for shown in (index["inputs"], index["pins"][0]["state"]):
        assert (shown["selection"], shown["row"], shown["what_if"]) == ("", -1, [])
    text = json.dumps(index) + without.path.read_text()
    assert "patient" not in text
    assert "0.123456" not in text
    (entry,) = index["cohorts"][0]["entries"]["selection"].values()
    columns = stored_columns(without.path)
    assert all(columns[number].size == 0 for number in entry["content"]["columns"].values())
    assert entry["content"]["meta"].keys().isdisjoint(("texts", "span", "measures"))
