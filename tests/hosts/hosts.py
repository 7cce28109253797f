"""The notebooks and applications that show a widget: how each is started, and the app it runs.

Every app shows the explorer twice, says in a text what tau is in Python, and has a button that
sets tau from Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

from browser.jupyter import PANEL_READY, RUN_ALL

if TYPE_CHECKING:
    from collections.abc import Callable

#: What the button sets.
TAU_OF_PYTHON = -0.4

CELLS = (
    "from hosts.demo import make\nexplorer = make()\nexplorer",
    f"""
import ipywidgets as w

label = w.Label("tau is 0.00")
explorer.observe(lambda change: setattr(label, "value", f"tau is {{change.new:.2f}}"), "tau")
button = w.Button(description="from Python")
button.on_click(lambda _: setattr(explorer, "tau", {TAU_OF_PYTHON}))
w.HBox([button, label])
""",
    "explorer",
)

MARIMO = f"""
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    from hosts.demo import make

    own = make()
    explorer = mo.ui.anywidget(own)
    return explorer, mo, own


@app.cell
def _(explorer):
    explorer
    return


@app.cell
def _(explorer, mo):
    mo.md(f"tau is {{explorer.value['tau']:.2f}}")
    return


@app.cell
def _(mo, own):
    mo.ui.button(label="from Python", on_click=lambda _: setattr(own, "tau", {TAU_OF_PYTHON}))
    return


@app.cell
def _(explorer):
    explorer
    return


if __name__ == "__main__":
    app.run()
"""

SOLARA = f"""
import solara

from hosts.demo import make


# A state beside the widget would render it anew at every move.
@solara.component
def Shown(explorer):
    solara.display(explorer)


@solara.component
def Text(explorer):
    tau, set_tau = solara.use_state(0.0)

    def watch():
        def follow(change):
            set_tau(change["new"])

        explorer.observe(follow, "tau")
        return lambda: explorer.unobserve(follow, "tau")

    solara.use_effect(watch, [])
    solara.Text(f"tau is {{tau:.2f}}")
    solara.Button("from Python", on_click=lambda: setattr(explorer, "tau", {TAU_OF_PYTHON}))


@solara.component
def Page():
    explorer = solara.use_memo(make, [])
    Shown(explorer)
    Text(explorer)
    Shown(explorer)
"""

SHINY = f"""
from shiny import App, reactive, render, ui
from shinywidgets import output_widget, reactive_read, render_widget

from hosts.demo import make

app_ui = ui.page_fluid(
    ui.busy_indicators.use(spinners=False, pulse=False),
    ui.input_dark_mode(mode="THEME"),
    output_widget("shown", height="auto", fillable=False),
    ui.output_text("text"),
    ui.input_action_button("press", "from Python"),
)


def server(input, output, session):
    explorer = make()

    @render_widget
    def shown():
        return explorer

    @render.text
    def text():
        return f"tau is {{reactive_read(explorer, 'tau'):.2f}}"

    @reactive.effect
    def flush():
        reactive.invalidate_later(0.1)

    @reactive.effect
    @reactive.event(input.press)
    def _():
        explorer.tau = {TAU_OF_PYTHON}


app = App(app_ui, server)
"""

PANEL = f"""
import panel

from hosts.demo import make

panel.extension("ipywidgets", theme="THEME".replace("light", "default"))
explorer = make()
text = panel.pane.Str("tau is 0.00")
explorer.observe(lambda change: setattr(text, "object", f"tau is {{change.new:.2f}}"), "tau")
button = panel.widgets.Button(name="from Python")
button.on_click(lambda _: setattr(explorer, "tau", {TAU_OF_PYTHON}))
first, second = (panel.pane.IPyWidget(explorer, width=900) for _ in range(2))
panel.Column(first, text, button, second).servable()
"""


# The status icon of JupyterLab says "idle" before the kernel is connected; `RUN_ALL` waits for it.
SAVE = "() => window.jupyterapp.shell.currentWidget.context.save()"
CLASSIC_READY = """() => window.Jupyter?.notebook?.kernel?.is_connected()
  && "jupyter.widget" in Jupyter.notebook.kernel.comm_manager.targets"""
CLASSIC_RUN_ALL = """async () => {
  const { notebook } = Jupyter;
  notebook.execute_all_cells();
  const waits = (cell) => cell.element.hasClass("running") || cell.input_prompt_number === "*";
  while (notebook.get_cells().some(waits)) await new Promise((go) => setTimeout(go, 100));
  return notebook.get_cells()
    .flatMap((cell) => cell.output_area.toJSON())
    .filter((output) => output.output_type === "error")
    .map((output) => `${output.ename}: ${output.evalue}`);
}"""


@dataclass(frozen=True)
class Notebook:
    """Scripts for the page of a notebook: whether it can run cells, to run them, and to save it."""

    ready: str
    run_all: str
    save: str


JUPYTERLAB = Notebook(PANEL_READY, RUN_ALL, SAVE)
CLASSIC = Notebook(CLASSIC_READY, CLASSIC_RUN_ALL, "() => Jupyter.notebook.save_notebook()")


@dataclass(frozen=True)
class Host:
    """A program that shows widgets.

    Attributes
    ----------
    name, package : str
        Its name, and the distribution whose version is said.
    app : str
        Source of the app; an empty one stands for a notebook of the `cells`.
    command : callable
        Called with the app's file, the port, a token and whether colours are dark; returns the
        arguments after ``python -m``.
    health, page : str
        Addresses of a server that is up, and of the app, below the server's.
    notebook : Notebook or None
        The notebook that a person opens, whose cells must be run.
    shows_twice : bool
    requests_elsewhere : str
        Why the host's own page asks other addresses; empty if it does not.
    needs_anywidget : str
        Pattern of the address from which the host's page takes the loader of anywidget; the tests,
        which have no network, answer it with the file of the installed package.
    own_errors : tuple of str
        Parts of the errors that the host's own page raises.
    cells : tuple of str
        Of the notebook, where the host shows one.
    """

    name: str
    package: str
    app: str
    command: Callable[[Path, int, str, bool], list[str]]
    health: str
    page: str = ""
    notebook: Notebook | None = None
    shows_twice: bool = True
    requests_elsewhere: str = ""
    needs_anywidget: str = ""
    own_errors: tuple[str, ...] = ()
    cells: tuple[str, ...] = CELLS

    def write(self, folder: Path, *, dark: bool) -> Path:
        """Write the app into a folder."""
        if self.app:
            path = folder / "app.py"
            path.write_text(self.app.replace("THEME", "dark" if dark else "light"))
            theme = f'[tool.marimo.display]\ntheme = "{"dark" if dark else "light"}"\n'
            runs = "[tool.marimo.runtime]\nauto_instantiate = true\n"
            (folder / "pyproject.toml").write_text(theme + runs)
            return path
        path = folder / "app.ipynb"
        cells = [nbformat.v4.new_code_cell(code) for code in self.cells]
        spec = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=spec), path)
        return path


def _server(module: str, *options: str) -> Callable[[Path, int, str, bool], list[str]]:
    def command(path: Path, port: int, token: str, _dark: bool) -> list[str]:
        return [
            *(module, "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"),
            *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
            *(f"--ServerApp.root_dir={path.parent}", f"--IdentityProvider.token={token}", *options),
        ]

    return command


def _voila(path: Path, port: int, _token: str, dark: bool) -> list[str]:
    theme = "dark" if dark else "light"
    ip = ["--no-browser", "--Voila.ip=127.0.0.1", f"--port={port}"]
    return ["voila", *ip, f"--theme={theme}", str(path)]


def _marimo(mode: str) -> Callable[[Path, int, str, bool], list[str]]:
    def command(path: Path, port: int, _token: str, _dark: bool) -> list[str]:
        quiet = ["--headless", "--no-token"]
        return ["marimo", mode, str(path), *quiet, "--host=127.0.0.1", f"--port={port}"]

    return command


def _solara(path: Path, port: int, _token: str, dark: bool) -> list[str]:
    theme = "dark" if dark else "light"
    how = ["--no-open", "--production", f"--theme-variant={theme}"]
    return ["solara", "run", str(path), "--host=127.0.0.1", f"--port={port}", *how]


def _shiny(path: Path, port: int, _token: str, _dark: bool) -> list[str]:
    return ["shiny", "run", str(path), "--host=127.0.0.1", f"--port={port}"]


def _panel(path: Path, port: int, _token: str, _dark: bool) -> list[str]:
    return ["panel", "serve", str(path), "--address=127.0.0.1", f"--port={port}"]


HOSTS = {
    "lab": Host(
        "JupyterLab",
        "jupyterlab",
        "",
        _server("jupyterlab", "--LabApp.expose_app_in_browser=True", "--LabApp.news_url="),
        health="api",
        page="lab/tree/app.ipynb?reset&token=",
        notebook=JUPYTERLAB,
        own_errors=("The operation was aborted",),
    ),
    "notebook": Host(
        "Jupyter Notebook",
        "notebook",
        "",
        _server("notebook", "--JupyterNotebookApp.expose_app_in_browser=True"),
        health="api",
        page="notebooks/app.ipynb?token=",
        notebook=JUPYTERLAB,
        own_errors=(
            "reading 'schema'",
            'property "schema"',
            "reading 'last_modified'",  # 7.2, after saving and reloading
            "The operation was aborted",
        ),
    ),
    "voila": Host(
        "Voila",
        "voila",
        "",
        _voila,
        health="voila/static/",
        requests_elsewhere="icons and fonts of Voila's own page",
    ),
    "marimo run": Host("marimo, run", "marimo", MARIMO, _marimo("run"), health="health"),
    "marimo edit": Host("marimo, edit", "marimo", MARIMO, _marimo("edit"), health="health"),
    "solara": Host(
        "Solara",
        "solara",
        SOLARA,
        _solara,
        health="",
        requests_elsewhere="scripts and fonts of Solara's own page",
    ),
    "shiny": Host(
        "Shiny",
        "shinywidgets",
        SHINY,
        _shiny,
        health="",
        shows_twice=False,
        # Its widget manager counts the views of a page that is being left.
        own_errors=("no comm channel defined",),
    ),
    "panel": Host(
        "Panel",
        "panel",
        PANEL,
        _panel,
        health="",
        page="app",
        requests_elsewhere="the loader of anywidget, and icons of Panel's own page",
        needs_anywidget="https://unpkg.com/anywidget@**",
    ),
}

#: The older notebook, of which one release is tried; it has no dark colours.
NBCLASSIC = Host(
    "nbclassic",
    "nbclassic",
    "",
    _server("nbclassic"),
    health="api",
    page="nbclassic/notebooks/app.ipynb?token=",
    notebook=CLASSIC,
)
