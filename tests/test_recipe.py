"""The conda recipe says what pyproject.toml says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

import uqwidgets as uq

ROOT = Path(__file__).resolve().parents[1]
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def spaced(requirement: str) -> str:
    """Write a requirement as conda does: the name, a space, the versions."""
    return re.sub(r"^([\w.-]+)(?=[<>=])", r"\1 ", requirement)


def test_it_is_of_this_package_and_version():
    assert RECIPE["schema_version"] == 1
    assert RECIPE["context"]["version"] == uq.__version__
    assert RECIPE["package"] == {"name": "uqwidgets", "version": "${{ version }}"}
    assert RECIPE["about"]["license"] == DECLARED["project"]["license"]
    assert (ROOT / RECIPE["about"]["license_file"]).is_file()


def test_its_source_is_this_checkout():
    folder = ROOT / "recipe" / RECIPE["source"]["path"]
    assert (folder / "pyproject.toml").samefile(ROOT / "pyproject.toml")
    assert RECIPE["build"]["noarch"] == "python"
    assert "pip install . --no-deps --no-build-isolation" in RECIPE["build"]["script"]


def test_it_requires_what_is_declared():
    project, needs = DECLARED["project"], RECIPE["requirements"]
    python = f"python {project['requires-python']}"
    # A package for every Python has no markers; conda offers what runs in the one that is chosen.
    everywhere = [line for line in project["dependencies"] if ";" not in line]
    assert set(needs["run"]) == {python, *map(spaced, everywhere)}
    build = map(spaced, DECLARED["build-system"]["requires"])
    assert set(needs["host"]) == {python, "pip", *build}


def test_it_imports_what_a_user_imports():
    (test,) = RECIPE["tests"]
    for name in test["python"]["imports"]:
        __import__(name)
