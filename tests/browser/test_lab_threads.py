"""JupyterLab handles messages on a thread of its own: models have what the cells have set."""

from __future__ import annotations

import nbformat
from playwright.sync_api import expect

from browser.reading import answered, wait_for_answer

CELLS = (
    """
import sqlite3
import threading

import ipywidgets
import numpy as np
import pandas as pd
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import uqwidgets as uq

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
y = (X["a"] + rng.normal(size=60) > 0).astype(int)
sklearn.set_config(transform_output="pandas")
named = FunctionTransformer(lambda D: D[["a", "b"]])
model = make_pipeline(StandardScaler(), named, LogisticRegression()).fit(X, y)
uq.explore(model, X, y, n_repeats=3)
""",
    """
required = sklearn.get_config()["working_memory"]


def needs_configuration(X):
    assert sklearn.get_config()["working_memory"] == required
    return X["a"].to_numpy(), np.ones(len(X))


second = uq.explore(needs_configuration, X, X["a"], n_repeats=3)
second
""",
    """
connection = sqlite3.connect(":memory:")


def of_one_thread(X):
    (two,) = connection.execute("select 2.0").fetchone()
    return two * X["a"].to_numpy(), np.ones(len(X))


uq.explore(of_one_thread, X, X["a"], n_repeats=3)
""",
    """
second.wait()
# From the next request on, whoever makes it.
required = 77
sklearn.set_config(working_memory=required)
handler = ipywidgets.Label("")


def note(_):
    handler.value = f"handled on {threading.current_thread().name}"


second.observe(note, "n_repeats")
handler
""",
)


def test_models_have_the_state_of_the_cells_where_a_page_asks_for_more(lab, lab_page):
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    name = "threads.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), lab.folder / name)
    lab.run_notebook(lab_page, name)
    for at in range(3):
        root = lab_page.get_by_test_id("uq-root").nth(at)
        root.scroll_into_view_if_needed()
        wait_for_answer(root)
        repeats = root.get_by_test_id("uq-repeats")
        with answered(root):
            repeats.fill("7")
            repeats.press("Enter")
        expect(root.get_by_test_id("uq-error")).to_be_hidden()
        expect(root.get_by_test_id("uq-importance-row").first).to_be_visible()
        sentence = root.get_by_test_id("uq-notes").get_by_text("the thread that made the widget")
        expect(sentence).to_have_count(int(at == 2))
    expect(lab_page.get_by_text("handled on subshell-")).to_be_visible()
