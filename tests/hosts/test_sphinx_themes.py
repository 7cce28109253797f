"""Themes of Sphinx do not change the explorer, which fits into their pages; `make support`."""

from __future__ import annotations

import subprocess
import sys
import venv

import comm
import nbformat
import pytest

from browser.bridge import Bridge, QueueComm
from browser.fitting import LISTED, OUTSIDE, OVERLAPS
from browser.harness import VIEWPORT
from browser.reading import table, wait_for_answer
from hosts.demo import make
from hosts.rounds import are_the_numbers_of_python, changed_styles, styles

# Distributions by theme; the book theme takes an older release of pydata's, so it comes last.
THEMES = {
    "pydata_sphinx_theme": "pydata-sphinx-theme>=0.24",
    "furo": "furo",
    "sphinx_rtd_theme": "sphinx-rtd-theme",
    "alabaster": "alabaster",
    "sphinx_book_theme": "sphinx-book-theme",
}
WIDTHS = (500, 600, 900, 1280, 1900)
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sphinx")
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


@pytest.fixture(scope="module", params=THEMES)
def site(request, environment, tmp_path_factory):
    """A notebook with a place for a live explorer, and a frozen one, as a page of the theme."""
    folder = tmp_path_factory.mktemp(request.param)
    install = [environment, "-m", "pip", "install", "--quiet", "sphinx", "myst-nb"]
    subprocess.run([*install, THEMES[request.param]], check=True)
    with make() as explorer:
        frozen = explorer.freeze(progress=False)._repr_html_()
    cells = [nbformat.v4.new_markdown_cell("# A model\n\n## Its explorer")]
    for html in ("<div data-place></div>", frozen):
        output = nbformat.v4.new_output("display_data", {"text/html": html})
        cells.append(nbformat.v4.new_code_cell("explorer", outputs=[output]))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "index.ipynb")
    (folder / "conf.py").write_text(
        f"extensions = ['myst_nb']\nnb_execution_mode = 'off'\nhtml_theme = {request.param!r}\n"
    )
    subprocess.run([environment, "-m", "sphinx", "-q", folder, folder / "site"], check=True)
    return folder / "site" / "index.html"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_theme_changes_nothing_and_the_explorer_fits(site, browsers, reference, monkeypatch):
    monkeypatch.setattr(comm, "create_comm", lambda **kwargs: QueueComm(**kwargs))
    errors = []
    with browsers("chromium").new_context(viewport=VIEWPORT) as session, make() as explorer:
        page = session.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        bridge = Bridge(page)
        page.goto(site.as_uri())
        root = bridge.mount(explorer)
        frame = page.locator(".cell_output iframe")
        frozen = frame.content_frame.get_by_test_id("uq-root")
        for shown in (root, frozen):
            wait_for_answer(shown)
            are_the_numbers_of_python(table(shown, "Importance"), 0.0)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            # A frame out of sight paints nothing.
            for shown, place in ((root, root), (frozen, frame)):
                place.scroll_into_view_if_needed()
                wait_for_answer(shown)
                page.wait_for_timeout(200)
                assert [shown.evaluate(fault) for fault in (OUTSIDE, OVERLAPS, LISTED)] == [[]] * 3
            own = round(root.bounding_box()["width"])
            changed = changed_styles(styles(root), reference("chromium", own))
            assert not changed, (width, changed)
            assert not page.evaluate(WIDER), width
    assert not errors
