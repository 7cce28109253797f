"""Several processes run the longest files first, and files that share a server in one process."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import conftest

TESTS = Path(__file__).parent


class Memory(dict):
    """The cache of pytest, in memory."""

    def set(self, key, value):
        self[key] = value


def item(file, name):
    return SimpleNamespace(nodeid=f"tests/{file}::{name}", path=TESTS / file)


ITEMS = [
    item("test_short.py", "a"),
    item("test_short.py", "b"),
    item("test_long.py", "a"),
    item("browser/test_lab.py", "b"),
    item("browser/test_lab.py", "a"),
]


def in_order(config):
    items = list(ITEMS)
    conftest.pytest_collection_modifyitems(config, items)
    return [each.nodeid.removeprefix("tests/") for each in items]


def test_without_a_run_before_browser_tests_come_first():
    config = SimpleNamespace(workerinput={}, cache=Memory())
    assert in_order(config)[:2] == ["browser/test_lab.py::b", "browser/test_lab.py::a"]


def test_files_come_by_the_seconds_of_the_run_before():
    cache = Memory()
    durations = conftest.Durations()
    seconds = {"test_short.py": 0.1, "test_long.py": 9.0, "browser/test_lab.py": 3.0}
    for each in ITEMS:
        file = each.nodeid.partition("::")[0].removeprefix("tests/")
        report = SimpleNamespace(nodeid=each.nodeid, duration=seconds[file])
        durations.pytest_runtest_logreport(report)
    durations.pytest_sessionfinish(SimpleNamespace(config=SimpleNamespace(cache=cache)))
    assert in_order(SimpleNamespace(workerinput={}, cache=cache)) == [
        "test_long.py::a",
        "browser/test_lab.py::b",
        "browser/test_lab.py::a",
        "test_short.py::a",
        "test_short.py::b",
    ]


def test_one_process_keeps_the_order_of_the_files():
    assert in_order(SimpleNamespace(cache=Memory()))[0] == "test_short.py::a"


@pytest.mark.parametrize(
    ("group", "pattern"),
    [
        (conftest.ONE_LAB, r"def \w+\((?:\w+, )*lab\b|usefixtures\(\"lab\""),
        (conftest.ONE_KERNEL, r"(?m)^from run_notebooks import (?s:.*)^def \w+\(kernel\)"),
    ],
)
def test_files_that_share_what_takes_long_to_start_are_a_group(group, pattern):
    files = [path for path in TESTS.rglob("test_*.py") if path.parent.name != "hosts"]
    texts = {path.relative_to(TESTS).as_posix(): path.read_text("utf-8") for path in files}
    assert {name for name, text in texts.items() if re.search(pattern, text)} == set(group)
    assert {conftest.group_of(f"tests/{name}") for name in group} == {f"tests/{group[0]}"}
    assert conftest.group_of("tests/test_short.py") == "tests/test_short.py"


def test_a_group_is_as_long_as_its_files():
    lab = [item("test_long.py", "a"), item("browser/test_pins_in_lab.py", "a"), *ITEMS[3:]]
    seconds = {lab[0].nodeid: 3.0, **{each.nodeid: 2.0 for each in lab[1:]}}
    config = SimpleNamespace(workerinput={}, cache=Memory({conftest.DURATIONS: seconds}))
    conftest.pytest_collection_modifyitems(config, lab)
    assert [each.path.name for each in lab] == [
        "test_pins_in_lab.py",
        "test_lab.py",
        "test_lab.py",
        "test_long.py",
    ]
