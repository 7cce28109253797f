"""The lessons work in every host as they do in Python."""

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

SOLARA = """
import solara

from small_lessons import make


@solara.component
def Page():
    lessons = solara.use_memo(make, [])
    with solara.Column():
        for lesson in lessons.values():
            solara.display(lesson)
"""

SHINY = """
from shiny import App, reactive, ui
from shinywidgets import output_widget, register_widget

from small_lessons import make

NAMES = ["guess", "shuffle", "place", "target", "coverage", "refits"]
app_ui = ui.page_fluid(
    ui.busy_indicators.use(spinners=False, pulse=False),
    *(output_widget(name, height="auto", fillable=False) for name in NAMES),
)


def server(input, output, session):
    for name, lesson in make().items():
        register_widget(name, lesson)

    @reactive.effect
    def flush():
        reactive.invalidate_later(0.1)


app = App(app_ui, server)
"""

PANEL = """
import panel

from small_lessons import make

panel.extension("ipywidgets")
shown = [panel.pane.IPyWidget(lesson, width=900) for lesson in make().values()]
panel.Column(*shown).servable()
"""

APPS = {
    "marimo run": MARIMO,
    "marimo edit": MARIMO,
    "solara": SOLARA,
    "shiny": SHINY,
    "panel": PANEL,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTS)
def test_a_learner_goes_through_all_lessons(name, opened):
    host = replace(HOSTS[name], app=APPS.get(name, ""), cells=CELLS)
    lessons = small_lessons.make()
    with opened(host, "chromium") as (page, errors):
        have_the_numbers_of_python(page.get_by_test_id("uq-root"), lessons)
        assert not errors
    for lesson in lessons.values():
        lesson.close()
