"""From nothing to a live explorer in each host: a new environment, one install, and the round."""

from __future__ import annotations

import shlex
import subprocess
import sys
import venv
from functools import partial

import pytest

from hosts.conftest import ROOT
from hosts.hosts import HOSTS
from hosts.rounds import go_round, raise_if


@pytest.mark.parametrize("name", HOSTS)
def test_the_guide_has_the_install_line_of_each_host(name):
    guide = (ROOT / "docs" / "how_to" / "hosts.md").read_text(encoding="utf-8").splitlines()
    lines = [shlex.split(line) for line in guide if line.startswith("pip install uqwidgets ")]
    assert ["pip", "install", "uqwidgets", *HOSTS[name].installs] in lines


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("of_the_environment")
@pytest.mark.parametrize("name", [name for name in HOSTS if name != "marimo edit"])
def test_one_install_in_a_new_environment_is_enough(name, wheel, opened, reference, tmp_path):
    host = HOSTS[name]
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [python, "-m", "pip", "install", "--quiet", str(wheel), *host.installs]
    subprocess.run(install, check=True)
    with opened(host, "chromium", python=str(python)) as (page, errors):
        this = go_round(page, host, partial(reference, "chromium"))
    this.step("no error", lambda: raise_if(errors))
    assert not this.faults, "\n".join(f"{step}: {fault}" for step, fault in this.faults.items())
