"""The first minutes of a widget: a slow model, a failing model, a table of categorical features."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import uqwidgets as uq
from browser.reading import answered, numbers, wait_for_answer
from uqwidgets.widgets.kernel.timing import Timing


class Model:
    """A classifier of two classes; `on_call` is run before every call after the first two."""

    classes_ = np.array(["no", "yes"])

    def __init__(self) -> None:
        self.calls = 0

    def on_call(self, X: pd.DataFrame) -> None:
        """Do nothing; subclasses wait or fail here."""

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        self.calls += 1
        if self.calls > 2:
            self.on_call(X)
        codes = [c if c.dtype.kind == "f" else c.astype("category").cat.codes for _, c in X.items()]
        yes = 1 / (1 + np.exp(-sum(np.asarray(c, dtype=float) for c in codes)))
        return np.column_stack([1 - yes, yes])


def data(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["length", "width", "height"])
    return X, np.where(X["length"] + rng.normal(size=n) > 0, "yes", "no")


@pytest.fixture
def shown(bridge):
    """Return a function that shows a new widget before its first answer."""
    widgets: list[uq.Explorer] = []

    def show(model: Any, X: pd.DataFrame, y: np.ndarray, **inputs: Any):
        widget = uq.explore(model, X, y, **inputs)
        widgets.append(widget)
        return widget, bridge.mount(widget)

    yield show
    for widget in widgets:
        widget.close()


def test_one_long_model_call_is_shown_as_work(shown):
    class Long(Model):
        go_on = threading.Event()

        def on_call(self, X: pd.DataFrame) -> None:  # noqa: ARG002
            assert self.go_on.wait(20)

    _, root = shown(Long(), *data())
    work, watchdog = root.locator(".uq-work"), root.get_by_test_id("uq-watchdog")
    expect(work).to_contain_text("importance, 0 of 10 shuffles")
    # After 1.5 s without a frame the browser would report a dead kernel.
    root.page.wait_for_timeout(2200)
    expect(watchdog).to_be_hidden()
    expect(work).to_be_visible()
    Long.go_on.set()
    wait_for_answer(root)
    expect(work).to_be_hidden()


def test_a_slow_model_shows_progress_stop_and_stress_at_once(shown, monkeypatch):
    # All repeats that are known are shown, however slow this machine is.
    monkeypatch.setattr(uq.Explorer, "_timing", Timing(summing=60.0))

    class Slow(Model):
        go_on = threading.Event()

        def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
            if not self.go_on.is_set():
                # Slower once the first repeats are shown, so that there is time to press Stop.
                time.sleep((1e-2 if self.is_shown() else 2e-3) * len(X))
            return super().predict_proba(X)

        def is_shown(self) -> bool:
            importance = widget._frame.get("meta", {}).get("importance") if widget else None
            return bool(importance) and importance["n_repeats"] >= 2

    widget: uq.Explorer | None = None
    widget, root = shown(Slow(), *data())
    error, work = root.get_by_test_id("uq-error"), root.locator(".uq-work")
    expect(work).to_be_visible()
    expect(root.get_by_test_id("uq-stop")).to_be_visible()
    expect(work).to_contain_text("of 10 shuffles")
    # It is on the first screen, above all panels.
    panels = root.locator(".uq-panels").bounding_box()
    assert work.bounding_box()["y"] < panels["y"]
    expect(root.locator(".uq-others path")).to_have_count(3)
    expect(error).to_be_hidden()
    expect(root.locator(".uq-importance")).to_contain_text(re.compile(r"shuffled [2-9] of 10"))
    expect(error).to_be_hidden()
    root.get_by_test_id("uq-stop").focus()
    root.page.keyboard.press("Enter")
    expect(root).to_have_attribute("data-final", "true")
    expect(root.get_by_test_id("uq-progress")).to_be_hidden()
    expect(work).to_contain_text("Stopped at")
    known, total = numbers(work.inner_text())
    assert 2 <= known < total == 10
    # The focus moves to the button that continues the work.
    go_on = root.get_by_test_id("uq-go-on")
    expect(go_on).to_be_focused()
    expect(root.get_by_test_id("uq-live")).to_contain_text("Stopped at")
    Slow.go_on.set()
    with answered(root):
        root.page.keyboard.press("Space")
    expect(root.locator(".uq-importance")).to_contain_text("shuffled 10 times")
    expect(work).to_be_hidden()
    # The panels stay where they are when the work ends.
    assert root.locator(".uq-panels").bounding_box()["y"] == panels["y"]
    with answered(root):
        root.get_by_test_id("uq-importance-row").first.click()
    assert widget.feature == root.get_by_test_id("uq-feature").input_value() != ""


def test_stress_is_shown_when_the_first_model_call_fails(shown):
    class Failing(Model):
        def on_call(self, X: pd.DataFrame) -> None:  # noqa: ARG002
            raise RuntimeError("no licence")

    _, root = shown(Failing(), *data())
    wait_for_answer(root, after=-1)
    error = root.get_by_test_id("uq-error")
    expect(error).to_contain_text("replaced were evaluated: RuntimeError: no licence")
    expect(root).to_have_attribute("data-final", "true")
    assert error.inner_text().count("no licence") == 1
    expect(root.locator(".uq-others path")).to_have_count(3)
    expect(root.locator(".uq-importance .uq-empty")).to_have_text("no importance")
    expect(root.locator(".uq-dependence .uq-empty")).to_have_text(
        "choose a feature to see its curve"
    )
    with answered(root):
        root.get_by_test_id("uq-stress-feature").select_option(value="width")
    with answered(root):
        root.get_by_test_id("uq-tau").press("PageUp")
    expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("width")
    expect(error).to_contain_text("no licence")


def test_a_table_of_categorical_features_is_shown(shown):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(["u", "v", "w"], 90) for name in ("site", "sort")})
    _, root = shown(Model(), X, np.where(X["site"] == "u", "yes", "no"))
    wait_for_answer(root)
    expect(root.get_by_test_id("uq-error")).to_be_hidden()
    expect(root.get_by_test_id("uq-importance-row")).to_have_count(2)
    expect(root.locator(".uq-curves")).to_be_visible()
    # The share of a category is stressed where there is no mean.
    expect(root.locator(".uq-stress .uq-empty")).to_be_hidden()
    stressed = root.get_by_test_id("uq-stress-feature")
    chosen = stressed.evaluate("(select) => select.selectedOptions[0]?.textContent")
    assert chosen in ("site", "sort")
    for feature in ("site", "sort"):
        with answered(root):
            root.get_by_test_id("uq-feature").select_option(value=feature)
        expect(root.get_by_test_id("uq-error")).to_be_hidden()
