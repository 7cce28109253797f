"""From nothing to a live explorer in each host, as the guide says: one install and three lines."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import venv
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.reading import answered, table
from hosts.guide import SECTIONS, sections, statements_of_uqwidgets
from hosts.hosts import HOSTS
from hosts.rounds import first_root, raise_if

GUIDE = sections()
#: By module that is run in the tests: what a person writes.
PROGRAMS = {"jupyterlab": "jupyter lab", "notebook": "jupyter notebook"}


def test_the_guide_has_a_section_for_each_host():
    assert GUIDE.keys() == SECTIONS.keys()
    assert {HOSTS[key].package for key in SECTIONS.values()} == {h.package for h in HOSTS.values()}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_installs_uqwidgets_and_shows_it_in_three_lines(name):
    section = GUIDE[name]
    assert section.installs[0] == "uqwidgets"
    assert len(statements_of_uqwidgets(section.code)) == 3
    assert section.code.count("uq.explore(") == 1


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_starts_the_host_as_the_tests_do(name, tmp_path):
    section = GUIDE[name]
    module, *options = section.host.command(tmp_path / section.start[-1], 1, "token", False)
    program = PROGRAMS.get(module, module).split()
    if section.host.notebook is None and module != "voila":
        words = [str(Path(word).name) if word.endswith(".py") else word for word in options]
        program += words[: len(section.start) - 1]
    assert list(section.start[: len(program)]) == program


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("of_the_environment")
@pytest.mark.parametrize("name", SECTIONS)
def test_one_install_and_three_lines_are_enough(name, wheel, opened, browsers, tmp_path):
    section = GUIDE[name]
    venv.create(tmp_path / "env", with_pip=True)
    programs = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    python = programs / "python"
    installs = [str(wheel) if one == "uqwidgets" else one for one in section.installs]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *installs], check=True)
    assert (programs / section.start[0]).exists()

    with opened(section.host, "chromium", python=str(python)) as (page, errors):
        root = first_root(page)
        rows = table(root, "Importance")
        assert len(rows) == 5
        with answered(root):
            root.get_by_test_id("uq-tau").press("PageUp")
        tau = float(root.get_by_test_id("uq-tau").input_value())
        assert tau > 0
        expect(root.get_by_test_id("uq-stress-readout")).to_contain_text(f"τ {tau:.2f}")
        assert table(root, "Importance") != rows
    raise_if(errors)

    if folder := os.environ.get("UQ_WRITE_HOSTS"):
        code = (
            "import sys; from importlib.metadata import version as v; print(*map(v, sys.argv[1:]))"
        )
        names = (HOSTS[SECTIONS[name]].package, "anywidget", "ipywidgets")
        of = subprocess.check_output([python, "-c", code, *names], text=True).split()
        entry = {
            "host": name,
            **dict(zip(("version", "anywidget", "ipywidgets"), of, strict=True)),
            "Python": platform.python_version(),
            "Chromium": browsers("chromium").version.split(".")[0],
            "tried on": date.today().isoformat(),
        }
        path = Path(folder) / "first_lines" / f"{name.replace(' ', '-').lower()}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(entry, indent=2) + "\n")
