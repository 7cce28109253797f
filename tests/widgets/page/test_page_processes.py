"""Processes that sample tracks of a page: the same numbers, no model, and nothing stays behind."""

from __future__ import annotations

import errno
import os
import pickle
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import uqwidgets as uq
from cases import thorough_after
from uqwidgets.widgets.page import price, processes, savable
from uqwidgets.widgets.page.levels import Stressed
from uqwidgets.widgets.page.processes import Processes, StressedColumns
from uqwidgets.widgets.rows.population import PopulationBuilder
from widgets.pages import index_of, stored_columns


def model(X):
    is_high = (X["kind"] == "high") * 1.0
    return 2 * X["a"].fillna(0) + X["b"] * is_high, np.exp(X["b"] / 4)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=list("ab"))
    X["kind"] = np.where(rng.random(90) < 0.4, "high", "low")
    X.loc[::9, "a"] = np.nan
    return X, model(X)[0] + rng.normal(size=90)


@pytest.fixture
def explorer(table):
    with uq.explore(lambda X: model(X), *table, n_repeats=3, ice_lines=5, tau=0.4) as explorer:
        explorer.wait()
        yield explorer


@pytest.fixture
def started(monkeypatch):
    """Number of processes of each executor, and the processes."""
    begun = []

    class Watched(processes.ProcessPoolExecutor):
        def submit(self, *task):
            future = super().submit(*task)
            begun.append((self._max_workers, list(self._processes.values())))
            return future

    monkeypatch.setattr(processes, "ProcessPoolExecutor", Watched)
    return begun


def ends_of(path):
    """Return the ends of all intervals over tau."""
    index, columns = index_of(path), stored_columns(path)
    (track,) = (each for each in index["cohorts"][0]["tracks"] if each.keys() == {"low", "high"})
    return np.stack([columns[number][:, start : start + n] for number, start, n in track.values()])


def test_products_of_matrices_have_one_thread(explorer, tmp_path, monkeypatch):
    numbers = []

    class Watched(Processes):
        def finish(self, check):
            numbers.append({each["num_threads"] for each in threadpool_info()})
            super().finish(check)

    for module in (price, savable):
        monkeypatch.setattr(module, "Processes", Watched)
    with threadpool_limits(2):
        before = threadpool_info()
        explorer.save(tmp_path / "page.html", n_jobs=1, progress=False)
        n_saved = len(numbers)
        explorer.page_price()
        assert threadpool_info() == before
    assert 0 < n_saved < len(numbers)
    assert all(each == {1} for each in numbers)


@pytest.mark.parametrize("n_jobs", thorough_after(1, [2, 3]))
def test_several_processes_make_the_same_page_and_call_no_model(
    explorer, tmp_path, started, n_jobs
):
    alone = explorer.save(tmp_path / "alone.html", n_jobs=1, progress=False)
    calls, threads = explorer.explainer.model_calls, threadpool_info()
    assert not started
    together = explorer.save(tmp_path / "together.html", n_jobs=n_jobs, progress=False)
    assert {n for n, _ in started} == {n_jobs - 1}
    assert not any(process.is_alive() for _, every in started for process in every)
    assert explorer.explainer.model_calls == calls
    assert threadpool_info() == threads
    expected, ends = ends_of(alone.path), ends_of(together.path)
    assert ends.shape == expected.shape
    axis = np.ptp(expected)
    assert np.abs(ends - expected).max() <= 0.004 * axis


def test_a_process_is_started_where_a_page_takes_long(explorer, tmp_path, started, monkeypatch):
    explorer.save(tmp_path / "page.html", stress_features=["b"], progress=False)
    assert not started
    monkeypatch.setattr(processes, "_FEWEST_NUMBERS", 0)
    explorer.save(tmp_path / "page.html", stress_features=["b"], progress=False)
    assert [n for n, _ in started] == [1]
    monkeypatch.setattr(processes, "_LARGEST_COPY", 100)
    explorer.save(tmp_path / "page.html", stress_features=["b"], progress=False)
    assert len(started) == 1


def test_stop_ends_the_wait_for_a_process(explorer, tmp_path, monkeypatch):
    class Stopped:
        def __init__(self, *_, **__):
            pass

        def submit(self, *_):
            return Future()  # which has no result, ever

        def shutdown(self, **_):
            ended.append(1)

    def finish(self, check):
        explorer.set_state({"_stop": 10_000})
        finish_all(self, check)

    ended, finish_all = [], Processes.finish
    monkeypatch.setattr(processes, "ProcessPoolExecutor", Stopped)
    monkeypatch.setattr(Processes, "finish", finish)
    with pytest.raises(RuntimeError, match="was stopped"):
        explorer.save(tmp_path / "page.html", n_jobs=2, progress=False)
    assert ended == [1]
    assert list(tmp_path.iterdir()) == []


class Broken(processes.ProcessPoolExecutor):
    def submit(self, *_):
        return super().submit(os._exit, 1)


class Unavailable(processes.ProcessPoolExecutor):
    def submit(self, *_):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


@pytest.mark.filterwarnings("ignore:A worker stopped")
@pytest.mark.parametrize("executor", [Broken, Unavailable])
def test_what_no_process_finishes_is_computed_here(explorer, tmp_path, monkeypatch, executor):
    alone = explorer.save(tmp_path / "alone.html", n_jobs=1, progress=False)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", executor)
    page = explorer.save(tmp_path / "page.html", n_jobs=2, progress=False)
    np.testing.assert_array_equal(ends_of(page.path), ends_of(alone.path))


def test_an_error_in_a_process_is_raised(explorer, tmp_path, monkeypatch):
    class Wrong(processes.ProcessPoolExecutor):
        def submit(self, *_):
            return super().submit(np.linalg.inv, np.zeros((2, 2)))

    monkeypatch.setattr(processes, "ProcessPoolExecutor", Wrong)
    with pytest.raises(np.linalg.LinAlgError):
        explorer.save(tmp_path / "page.html", n_jobs=2, progress=False)
    assert list(tmp_path.iterdir()) == []


def test_a_track_is_copied_without_the_model(explorer):
    view = next(view for view in explorer._session.views if view.name == "importance")
    inputs = explorer._inputs()[0]
    (track,) = (track for track in view.over_tau(inputs) if track.n_read)
    assert track.n_read == 90 * 3 * 3 * 2
    pickled = pickle.dumps(replace(track, key=()))
    assert b"Explainer" not in pickled
    copied = pickle.loads(pickled)
    levels = list(levels_of(explorer, inputs, "b", [0.0, 0.5]))
    for name, values in track.sample(levels, lambda: None).items():
        np.testing.assert_array_equal(copied.sample(levels, lambda: None)[name], values)


def levels_of(explorer, inputs, feature, taus):
    builder = PopulationBuilder(explorer.explainer)
    populations = builder.build(replace(inputs, tau=0.0), lambda: None)
    stressed = Stressed(feature, None)
    column = populations.selection.column(*stressed)
    return StressedColumns(populations.unstressed, {stressed: column}).solved(stressed, taus)


@pytest.mark.parametrize("stressed", [Stressed("a", None), Stressed("kind", "high")])
@pytest.mark.parametrize("condition", [None, {"feature": "b", "low": -1.0}])
def test_levels_in_a_process_are_those_of_the_explorer(explorer, stressed, condition):
    if condition is not None:
        explorer.ice_filter = [condition]
    builder = PopulationBuilder(explorer.explainer)
    inputs = stressed.inputs(explorer._inputs()[0])
    taus = [-1.0, -0.3, 0.0, 0.8, 1.0]
    every = list(builder.at_levels(inputs, taus, lambda: None))
    column = every[0].selection.column(*stressed)
    rows = StressedColumns(every[0].unstressed, {stressed: column})
    for level, populations in zip(rows.solved(stressed, taus), every, strict=True):
        assert level.is_reachable == populations.is_reachable
        np.testing.assert_array_equal(level.population.weights, populations.now.weights)
        np.testing.assert_array_equal(level.population.scored, populations.now.scored)


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_parts_have_all_columns_in_their_order(n):
    columns = {Stressed(name, None): None for name in "abc"}
    parts = StressedColumns(None, columns).parts(n)
    assert len(parts) == min(n, 3)
    assert [one for part in parts for one in part.columns] == list(columns)
    assert max(len(part.columns) for part in parts) <= min(len(part.columns) for part in parts) + 1
