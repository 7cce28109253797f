"""The lessons work in a notebook application and in marimo as they do in Python."""

from __future__ import annotations

from dataclasses import replace

import pytest

import small_lessons
from browser.all_lessons import have_the_numbers_of_python
from hosts.hosts import HOSTS

CELLS = ("from small_lessons import make\n\nlessons = make()\ndisplay(*lessons.values())",)

MARIMO = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    from small_lessons import make

    lessons = [mo.ui.anywidget(lesson) for lesson in make().values()]
    return lessons, mo


@app.cell
def _(lessons, mo):
    mo.vstack(lessons)
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lab", "notebook", "voila", "marimo run"])
def test_a_learner_goes_through_all_lessons(name, opened):
    host = HOSTS[name]
    shows = replace(host, app=MARIMO) if host.app else replace(host, cells=CELLS)
    lessons = small_lessons.make()
    with opened(shows, "chromium") as (page, errors):
        have_the_numbers_of_python(page.get_by_test_id("uq-root"), lessons)
        assert not errors
    for lesson in lessons.values():
        lesson.close()
