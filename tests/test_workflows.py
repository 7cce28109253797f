"""The workflows and issue forms: what cannot run here is checked as far as it can be."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


# By job: what it may do besides reading.
MAY_WRITE = {
    "publish": {"id-token": "write"},
    "site": {"id-token": "write", "pages": "write"},
}


def jobs(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


def test_there_are_workflows_and_forms():
    assert [path.stem for path in WORKFLOWS] == ["publish", "tests"]
    assert [path.stem for path in FORMS] == ["fault", "wish"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_a_commit(path):
    used = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert used
    assert not [action for action in used if not PINNED.fullmatch(action)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}
    for name, job in jobs(path).items():
        extra = job.get("permissions", {})
        assert extra == MAY_WRITE.get(name, {})
        runs_code = any("run" in step for step in job["steps"])
        assert not (extra and runs_code), "what may publish runs nothing of the repository"
        assert job["timeout-minutes"] <= 90


def commands_of(path):
    return [step["run"] for job in jobs(path).values() for step in job["steps"] if "run" in step]


TARGETS = sorted({c.split()[1] for path in WORKFLOWS for c in commands_of(path) if "make " in c})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_targets_of_the_makefile_and_installs_browsers(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = commands_of(path)
    assert commands
    for command in commands:
        if command.startswith("sudo apt-get"):
            subprocess.run(["bash", "-n", "-c", command], check=True)
            assert set(re.findall(r" ([\w-]+)$", command)) <= {"xvfb"}
        else:
            assert re.fullmatch(r"make [\w-]+", command)
            assert command.split()[1] in targets


def brought(names):
    """Names of the distributions that extras and groups bring, with those that they include."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    each = declared["project"]["optional-dependencies"] | declared["dependency-groups"]
    names, distributions = set(names), set()
    while names:
        for requirement in each[names.pop()]:
            if isinstance(requirement, dict):
                names.add(requirement["include-group"])
                continue
            name, more = re.match(r"([\w-]+)(?:\[([\w,-]+)\])?", requirement).groups()
            distributions.add(name)
            if name == "uqwidgets":
                names |= set(more.split(","))
    return distributions


def planned(*targets, options=()):
    """Lines that make would run, each as it is where its output is kept until it ends."""
    dry = ["make", "--dry-run", "--no-print-directory", *options, *targets]
    run = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = run.stdout.replace("\\\n", " ").splitlines()
    return [re.sub(r"^sh -c '.*' - ", "", line) for line in lines]


# Modules and programs whose distribution has another name.
BROUGHT_BY = {"jupyter": "jupyterlab"}


@pytest.mark.parametrize("target", TARGETS)
def test_each_command_of_a_target_finds_its_program_and_files(target):
    """A dry run says what a new machine would run: what is not there yet is installed first."""
    installed = {"pip", "venv"}
    lines = planned(target, options=["--always-make"])
    of_python = [line for line in lines if re.search(r"^\S*(python3?|ruff|mypy)\b", line)]
    assert of_python
    for line in sorted(of_python, key=lambda line: "pip install" not in line):
        words = shlex.split(line)
        assert words[0] == "python3" or words[0].startswith(".venv"), line
        if "install" in words:
            for option, word in itertools.pairwise(words[words.index("install") :]):
                named = re.fullmatch(r"\.\[([\w,-]+)\]", word)
                names = named[1].split(",") if named else [word] if option == "--group" else []
                installed |= brought(names) or {word}
            continue
        if (program := Path(words[0]).name) != "python3" and program != "python":
            assert BROUGHT_BY.get(program, program) in installed, line
        elif words[1] == "-m":
            assert BROUGHT_BY.get(words[2], words[2]) in installed, line
        for word in words[1:]:
            if word.endswith(".py") or word.startswith(("tests/", "uqwidgets/", "scripts/")):
                assert (ROOT / word).exists(), line


def commands_of_pytest(*targets):
    """Commands of targets that run pytest, without doctests, and their expressions of markers."""
    commands, expressions = set(), set()
    for line in planned(*targets):
        if marker := re.search(r' -m (thorough|"not slow and not thorough")', line):
            expressions.add(marker[1])
            words = line.replace(marker[0], "").split()
            doctests = ("--doctest", "uqwidgets")
            # Without a folder, pytest runs all tests.
            tests = [w for w in words if not w.startswith(doctests) and w != "tests"]
            commands.add(" ".join(tests))
    return commands, expressions


def test_continuous_integration_runs_what_the_short_tests_leave_out():
    short, of_short = commands_of_pytest("tests", "checks")
    thorough, of_thorough = commands_of_pytest("thorough")
    assert short == thorough
    assert len(short) == 3
    assert (of_short, of_thorough) == ({'"not slow and not thorough"'}, {"thorough"})
    for path in (ROOT / ".ci" / "run", ROOT / ".github" / "workflows" / "tests.yml"):
        commands = re.findall(r"\bmake (test|thorough)$", path.read_text(), re.MULTILINE)
        assert commands == ["test", "thorough"]


@pytest.mark.slow
def test_the_archives_of_a_tag_are_built_in_a_clone(tmp_path):
    """What the publishing workflow runs, as it runs it."""
    commands = commands_of(ROOT / ".github" / "workflows" / "publish.yml")
    (command,) = [command for command in commands if "archives" in command]
    subprocess.run(["git", "clone", "--quiet", str(ROOT), "clone"], cwd=tmp_path, check=True)
    made = {**os.environ, "PYTHON": sys.executable}
    subprocess.run(shlex.split(command), cwd=tmp_path / "clone", env=made, check=True)
    built = {path.suffix for path in (tmp_path / "clone" / "dist").iterdir()}
    assert built == {".whl", ".gz"}


@pytest.mark.parametrize("job", ["tests", "installs"])
def test_every_supported_python_is_tested(job):
    tested = jobs(ROOT / ".github" / "workflows" / "tests.yml")[job]["strategy"]["matrix"]
    declared = re.findall(
        r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text()
    )
    assert tested["python"] == declared


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_fields_with_labels(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids)) > 0
    assert all(field["attributes"]["label"] for field in form["body"])
