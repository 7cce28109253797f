"""The pages under docs/ hold: their examples run, their files exist, their keys resolve."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "how_it_works.md").read_text(encoding="utf-8")
REFERENCES = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
CITATION = re.compile(
    r"((?:[A-Z][\w-]+ et al\.|[A-Z][\w-]+ and [A-Z][\w-]+|Merrick) (?:19|20)\d\d)"
)


def test_the_rule_is_executed():
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        exec(block, names)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w/]+/\w+\.(?:py|md))`", PAGE))))
def test_files_that_are_named_exist(path):
    assert any((ROOT / place / path).exists() for place in ("", "uqwidgets", "docs"))


def cited():
    """Author and year of every citation in the package, with a file that has it."""
    citations = {}
    for path in sorted((ROOT / "uqwidgets").rglob("*.py")):
        text = " ".join(path.read_text(encoding="utf-8").split())
        citations |= dict.fromkeys(CITATION.findall(text), path.name)
    return citations


def test_every_citation_is_resolved():
    keys = set(re.findall(r"\*\*(.+?)\.\*\*", REFERENCES))
    assert len(keys) > 20
    missing = {key: path for key, path in cited().items() if key not in keys}
    assert not missing
