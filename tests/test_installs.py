"""Wheel and sdist in clean environments, with the lowest declared and the newest dependencies.

`make installs` runs these tests for every Python from 3.11 to 3.14 on the machine.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from archives import ROOT, build

DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = [
    line.rsplit(" ", 1)[1]
    for line in DECLARED["project"]["classifiers"]
    if re.search(r":: 3\.\d+$", line)
]
# What is printed last are the versions that were installed.
FIRST_LOOK = """
import json
from importlib.metadata import distributions, files
from pathlib import Path

import uqwidgets as uq
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.iloc[:, :5]
ex = uq.Explainer(RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2])
assert len(ex.importance("nll").frame) == 5
ex.dependence("mean radius", measure="entropy").to_altair().to_dict()
ex.stress(features=["mean radius"], taus=5), ex.scores(), ex.calibration()
with uq.explore(ex, tau=0.5) as explorer:
    assert explorer.wait(60)
    assert explorer._repr_mimebundle_()
    explorer.save("page.html", progress=False)
assert Path("page.html").read_text(encoding="utf-8").count("mean radius") > 5
uq.show_versions()
print(json.dumps({
    "file": uq.__file__,
    "files": [str(path) for path in files("uqwidgets")],
    "versions": {one.metadata["name"].lower(): one.version for one in distributions()},
}))
"""


def lowest(requirements: list[str], python: str) -> dict[str, str]:
    """Return the oldest versions that all requirements allow in a Python, by distribution."""
    versions: dict[str, Version] = {}
    for line in map(Requirement, requirements):
        if line.marker is None or line.marker.evaluate({"python_version": python}):
            (least,) = (Version(one.version) for one in line.specifier if one.operator == ">=")
            versions[line.name] = max(least, versions.get(line.name, least))
    return {name: str(version) for name, version in versions.items()}


def test_the_lowest_versions_are_those_of_all_lines_that_hold_in_a_python():
    lines = ["a>=1.2,<3", "a>=2; python_version >= '3.13'", "b>=0.10"]
    assert lowest(lines, "3.12") == {"a": "1.2", "b": "0.10"}
    assert lowest(lines, "3.13") == {"a": "2", "b": "0.10"}


def test_every_dependency_has_a_lowest_version_in_each_python():
    lines = DECLARED["project"]["dependencies"]
    for python in PYTHONS:
        assert lowest(lines, python).keys() == {Requirement(line).name for line in lines}


def find_python(version: str) -> str | None:
    """Return the path of a Python of this minor version that can make environments, or None."""
    of_pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [sys.executable, shutil.which(f"python{version}")]
    places += sorted(map(str, of_pyenv.glob(f"{version}.*/bin/python")))
    code = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"
    for place in filter(None, places):
        run = subprocess.run([place, "-c", code], capture_output=True, text=True, check=False)
        if run.stdout.strip() == version:
            return place
    return None


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    return {
        target: build(ROOT, target, tmp_path_factory.mktemp(target))
        for target in ("wheel", "sdist")
    }


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("versions", ["lowest", "newest"])
@pytest.mark.parametrize("archive", ["wheel", "sdist"])
@pytest.mark.parametrize("python", PYTHONS)
def test_an_archive_works_in_a_clean_environment(archives, tmp_path, python, archive, versions):
    executable = find_python(python)
    if executable is None:
        pytest.skip(f"no Python {python} on this machine")
    subprocess.run([executable, "-m", "venv", str(tmp_path / "env")], check=True)
    clean = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    # No compiler: what is declared has to be offered ready for this Python.
    pip = [clean, "-m", "pip", "install", "--quiet"]
    limits = lowest(DECLARED["project"]["dependencies"], python) if versions == "lowest" else {}
    lines = [f"{name}=={version}" for name, version in limits.items()]
    options = ["--only-binary=:all:", "--no-binary=uqwidgets"]
    if lines and archive == "sdist":
        tools = lowest(DECLARED["build-system"]["requires"], python)
        tools_lines = [f"{name}=={version}" for name, version in tools.items()]
        subprocess.run([*pip, *options, *tools_lines], check=True)
        options.append("--no-build-isolation")
    subprocess.run([*pip, *options, str(archives[archive]), *lines], check=True)
    subprocess.run([clean, "-m", "pip", "check"], check=True, stdout=subprocess.DEVNULL)

    # The package is the installed one, wherever the tests themselves find theirs.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [clean, "-c", FIRST_LOOK], cwd=tmp_path, env=own, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert Path(seen["file"]).is_relative_to(tmp_path / "env")
    installed = {name: Version(version) for name, version in seen["versions"].items()}
    assert {name: installed[name] for name in limits} == {
        name: Version(version) for name, version in limits.items()
    }
    # Both archives install the same files: the wheel's, and what Python and pip add.
    expected = set(zipfile.ZipFile(archives["wheel"]).namelist())
    files = {name for name in seen["files"] if not name.endswith(".pyc")}
    assert expected <= files
    assert {Path(name).name for name in files - expected} <= {
        "INSTALLER",
        "REQUESTED",
        "direct_url.json",
    }
