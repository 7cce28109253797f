"""The widget on a page of Voila: it is shown, and τ moves from the browser and from Python."""

from __future__ import annotations

import nbformat
from playwright.sync_api import expect

from browser.harness import PATIENCE, VIEWPORT
from browser.jupyter import voila
from browser.reading import answered, wait_for_answer

CELLS = [
    """
import ipywidgets as w
import numpy as np
import uqwidgets as uq

X = np.random.default_rng(0).normal(size=(60, 2))
explorer = uq.explore(lambda A: A[:, 0], X, X[:, 0], n_repeats=2, stress_feature="x0")
explorer
""",
    """
button, label = w.Button(description="lower"), w.Label()


def lower(_):
    explorer.tau -= 0.25


button.on_click(lower)
explorer.observe(lambda change: setattr(label, "value", f"now {change.new:.2f}"), "tau")
w.HBox([button, label])
""",
]


def test_tau_moves_from_the_browser_and_from_python(browser, tmp_path):
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    spec = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    path = tmp_path / "page.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=spec), path)
    # Voila's own page requests icons from elsewhere, so that it cannot be a watched page.
    with voila(path, tmp_path) as url, browser.new_context(viewport=VIEWPORT) as session:
        page = session.new_page()
        page.set_default_timeout(PATIENCE)
        faults = []
        page.on("pageerror", lambda error: faults.append(error))
        page.goto(url)
        root = page.get_by_test_id("uq-root")
        wait_for_answer(root)
        expect(root.get_by_test_id("uq-importance-row")).to_have_count(2)
        with answered(root):
            root.get_by_test_id("uq-tau").fill("0.75")
        expect(page.get_by_text("now 0.75")).to_be_visible()
        page.get_by_role("button", name="lower").click()
        expect(root.get_by_test_id("uq-tau")).to_have_value("0.5")
        expect(root.get_by_test_id("uq-stress-readout")).to_contain_text("τ 0.50")
        assert faults == []
