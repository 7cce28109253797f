"""Versions that a report of a problem names."""

from __future__ import annotations

import platform
from importlib.metadata import version

import uqwidgets as uq
from uqwidgets._utils.versions import installed_versions


def test_versions_are_those_of_the_installed_distributions(capsys):
    uq.show_versions()
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert lines["python"] == platform.python_version()
    names = ("uqwidgets", "numpy", "pandas", "scikit-learn", "anywidget", "ipywidgets", "altair")
    assert {name: lines[name] for name in names} == {name: version(name) for name in names}


def test_what_is_not_installed_is_left_out():
    assert list(installed_versions(["numpy", "no-such-distribution", "numpy"])) == ["numpy"]
