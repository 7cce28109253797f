"""Tests of the papers' data are skipped on a clone without it, and fail where a part is missing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shared

TESTS = Path(__file__).resolve().parent


@pytest.mark.parametrize("ci", ["true", ""])
def test_without_the_folder_a_test_is_skipped_with_the_reason(monkeypatch, tmp_path, ci):
    monkeypatch.setattr(shared, "FOLDER", tmp_path / "absent")
    monkeypatch.setenv("CI", ci)
    for read in (lambda: shared.features_and_target("concrete.csv", "y"), shared.digits):
        with pytest.raises(pytest.skip.Exception, match=r"shared/data/\w+\.\w+ is missing: put"):
            read()


def test_with_the_folder_a_missing_file_is_a_failure_of_continuous_integration(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(shared, "FOLDER", tmp_path)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"concrete\.csv is missing"):
        shared.shared("concrete.csv")
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception):
        shared.shared("concrete.csv")


def test_only_one_file_of_the_tests_names_the_folder():
    naming = set()
    for path in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_path = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
            if is_path and getattr(node.right, "value", None) == "shared":
                naming.add(path.name)
    assert naming == {"shared.py"}
