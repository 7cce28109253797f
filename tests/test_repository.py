"""The repository has no built files, registries, local paths or notebook outputs."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BINARY = {".gif", ".jpg", ".npz", ".png", ".webp"}


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]


def test_no_built_file_is_tracked(tracked):
    made = re.compile(r"(^|/)(uv\.lock|node_modules|\.venv|build|dist|static/[^/]+\.(js|css))(/|$)")
    names = [file.relative_to(ROOT).as_posix() for file in tracked]
    assert not [name for name in names if made.search(name)]


def test_lock_file_names_no_registry(tracked):
    for lock in (file for file in tracked if file.name == "package-lock.json"):
        packages = json.loads(lock.read_text())["packages"]
        assert not [name for name, package in packages.items() if "resolved" in package]


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"/(?:home|root|work|Users)/\w", id="paths of a machine"),
        pytest.param(r"https?://registry\.", id="registries"),
    ],
)
def test_sources_name_no_local_path_and_no_registry(tracked, pattern):
    forbidden = re.compile(pattern)
    places = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in tracked
        if file.suffix not in BINARY
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if forbidden.search(line)
    ]
    assert not places


def test_notebooks_hold_no_outputs(tracked):
    for notebook in (file for file in tracked if file.suffix == ".ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        with_output = [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]
        assert not with_output, f"{notebook.name} holds outputs: clear them before committing"
