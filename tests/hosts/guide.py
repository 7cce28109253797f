"""What the guide to the hosts tells a person to install, to write and to start."""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import indent

from hosts.hosts import HOSTS, Host

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "how_to" / "hosts.md"
#: By heading of the guide: the key of the host.
SECTIONS = {
    "JupyterLab": "lab",
    "Jupyter Notebook": "notebook",
    "Voila": "voila",
    "marimo": "marimo edit",
    "Solara": "solara",
    "Shiny": "shiny",
    "Panel": "panel",
}
FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OF_MARIMO = """
import marimo

app = marimo.App()


@app.cell
def _():
{cell}
    return
"""


@dataclass(frozen=True)
class Section:
    """One section of the guide.

    Attributes
    ----------
    installs : tuple of str
        What pip installs, uqwidgets among it.
    start : tuple of str
        Words of the command that starts the host.
    code : str
        What a person writes.
    """

    name: str
    installs: tuple[str, ...]
    start: tuple[str, ...]
    code: str

    @property
    def host(self) -> Host:
        """The host with the code of this section in place of its own app."""
        host = HOSTS[SECTIONS[self.name]]
        if not host.app:
            return replace(host, cells=(self.code,))
        if self.name == "marimo":
            return replace(host, app=OF_MARIMO.format(cell=indent(self.code, "    ")))
        return replace(host, app=self.code)


def sections() -> dict[str, Section]:
    """Return the sections of the guide by their headings."""
    each = {}
    for part in re.split(r"^#{2,3} ", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE):
        name, _, text = part.partition("\n")
        if text.startswith("\n```\npip install "):
            commands, code = FENCED.findall(text)
            install, start = map(shlex.split, commands.splitlines())
            each[name] = Section(name, tuple(install[2:]), tuple(start), code)
    return each


def statements_of_uqwidgets(code: str) -> list[str]:
    """Return the statements that name uqwidgets, as they stand in the code."""
    names = {"uq", "uqwidgets", "X"}
    tree = ast.walk(ast.parse(code))
    plain = [one for one in tree if isinstance(one, (ast.Import, ast.Assign, ast.Expr, ast.Return))]
    return [ast.unparse(one) for one in plain if names & set(re.findall(r"\w+", ast.unparse(one)))]
