"""When the front end is built, and where Node comes from."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import hatch_build
from hatch_build import BUILT, FrontEndHook, is_stale, npm, npm_on_path


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A front end built a minute after its sources were written."""
    for name, at in (("js/package.json", 0), ("js/src/deep/a.ts", 0)):
        write(tmp_path / name, at)
    for name in BUILT:
        write(tmp_path / "static" / name, 60)
    monkeypatch.setattr(hatch_build, "JS", tmp_path / "js")
    monkeypatch.setattr(hatch_build, "STATIC", tmp_path / "static")
    return tmp_path


def write(file, at):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    os.utime(file, (at, at))


@pytest.fixture
def no_node(tmp_path, monkeypatch):
    """Neither a Node on the PATH nor one from PyPI."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(hatch_build, "npm_from_package", lambda: None)


def hook():
    return FrontEndHook(".", {}, None, None, "", "wheel")


def test_a_build_newer_than_its_sources_is_not_stale(tree):
    assert not is_stale()
    write(tree / "js/src/deep/a.ts", 60)  # as in an sdist, where all files have one time
    assert not is_stale()


@pytest.mark.parametrize("changed", ["js/package.json", "js/src/deep/a.ts", "js/src/new.ts"])
def test_a_newer_source_makes_it_stale(tree, changed):
    write(tree / changed, 61)
    assert is_stale()


@pytest.mark.parametrize("name", BUILT)
def test_a_missing_file_makes_it_stale(tree, name):
    (tree / "static" / name).unlink()
    assert is_stale()


@pytest.mark.usefixtures("no_node")
def test_node_is_a_dependency_only_if_needed_and_missing(tree):
    assert hook().dependencies() == []
    write(tree / "js/package.json", 61)
    assert hook().dependencies() == [hatch_build.NODE_PACKAGE]


@pytest.mark.parametrize(("version", "accepted"), [("v18.20.4", False), ("v22.1.0", True)])
def test_an_old_node_is_not_used(tree, tmp_path, monkeypatch, version, accepted):
    for name in ("node", "npm"):
        script = tmp_path / "bin" / name
        write(script, 0)
        script.write_text(f"#!/bin/sh\necho {version}\n")
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert (npm_on_path() is not None) == accepted
    write(tree / "js/package.json", 61)
    assert (hook().dependencies() == []) == accepted


@pytest.mark.usefixtures("no_node", "tree")
def test_without_node_the_error_says_what_to_install():
    with pytest.raises(SystemExit, match=r"needs Node >= 20 .*; install it, or run `pip install"):
        npm("ci")


def test_the_build_needs_nothing_but_node():
    """As a script, on a Python that has no package, such as Hatchling."""
    command = [sys.executable, "-S", "-c", "import hatch_build"]
    subprocess.run(command, cwd=hatch_build.ROOT, check=True)


def test_addresses_elsewhere_name_no_site():
    own = hatch_build.addresses("https://code.example.org/owner/name")
    assert own["Homepage"] == own["Source"] == "https://code.example.org/owner/name"
    assert "Documentation" not in own


@pytest.mark.parametrize("wrong", ["owner/name", "https://github.com/owner", "http://a.b/c/d"])
def test_what_is_no_address_of_a_repository_is_refused(wrong):
    with pytest.raises(SystemExit, match=r"such as https://github\.com/owner/name"):
        hatch_build.addresses(wrong)
