"""The round in older releases of the hosts, one after another; `make support`.

Each release is installed into one environment that has the wheel, in place of the one before.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from hosts.hosts import HOSTS, NBCLASSIC
from hosts.rounds import record


@dataclass(frozen=True)
class Release:
    """A minor release of a host.

    Attributes
    ----------
    host : str
        Key of the host.
    minor : str
    limits : frozenset of str
        Steps that this release is known not to pass; the documentation names them.
    beside : tuple of str
        What is installed with it.
    """

    host: str
    minor: str
    limits: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.host} {self.minor}"


OF_RELEASES = {**HOSTS, "nbclassic": NBCLASSIC}

# It draws the first widget of a page, and none after it.
OF_NBCLASSIC = frozenset(
    {"keeps its styles", "tau from the page", "tau from Python", "two views", "no error"}
)
RELEASES = [
    *(Release("lab", f"4.{minor}") for minor in range(2, 6)),
    *(Release("notebook", f"7.{minor}") for minor in range(2, 6)),
    *(
        Release("marimo run", f"0.{minor}", frozenset({"shows Python's numbers"}))
        for minor in range(16, 19)
    ),
    *(Release("marimo run", f"0.{minor}") for minor in range(19, 25)),
    Release("marimo edit", "0.20"),
    # Colours are changed on the page that was reloaded.
    Release("lab", "3.6", frozenset({"reload", "dark"})),
    # Beside Notebook 7 its pages have addresses of their own.
    Release("nbclassic", "1.3", OF_NBCLASSIC, ("notebook>=7",)),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheel):
    """The Python of an environment with the wheel, for which one release is installed at a time."""
    folder = tmp_path_factory.mktemp("releases")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install(python, str(wheel), "ipykernel")
    return python


def install(python, *requirements):
    subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)


def version_of(python, package):
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.check_output([python, "-c", code], text=True).strip()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("of_the_environment")
@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_a_person_goes_round_in_an_older_release(release, environment, browsers, whole_round):
    host = OF_RELEASES[release.host]
    install(environment, f"{host.package}=={release.minor}.*", *release.beside)
    this = whole_round(host, "chromium", python=str(environment))
    if folder := os.environ.get("UQ_WRITE_HOSTS"):
        older = Path(folder) / "older"
        version = version_of(environment, host.package)
        record(older, host, "chromium", browsers("chromium").version, this, version)
    assert this.faults.keys() == release.limits, this.faults
