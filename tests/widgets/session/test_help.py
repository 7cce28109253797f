"""The help texts: a line for every control, paragraphs for every panel, five steps of the tour."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import uqwidgets as uq
from uqwidgets.inference import INTERVALS
from uqwidgets.widgets.session.help import TIPS, TOUR, help_texts
from uqwidgets.widgets.views import NAMES, registered_views

SOURCES = Path(__file__).parents[3] / "js" / "src"
# A code of a paper, such as "(003, eq. 6)", or jargon that help must not need.
JARGON = re.compile(r"\b00\d\b|\beq\.|ESS|ICE|PDP?\b|entropic|Kullback|quantile anchor", re.ASCII)


@pytest.fixture
def texts(explorer: uq.Explorer) -> dict[str, Any]:
    help_texts: dict[str, Any] = explorer._about["help"]
    return help_texts


def test_every_view_and_the_population_have_paragraphs() -> None:
    panels = help_texts(registered_views())["panels"]
    assert set(panels) == {*NAMES, "population"}
    assert all(paragraphs and all(paragraphs) for paragraphs in panels.values())


def test_a_control_belongs_to_one_view_or_to_none() -> None:
    lists = [TIPS, *(view.tips for view in registered_views())]
    names = [name for tips in lists for name in tips]
    assert len(names) == len(set(names))
    assert len(help_texts(registered_views())["tips"]) == len(names)


def test_the_tour_has_five_steps_on_what_has_a_place() -> None:
    assert len(TOUR) == 5
    assert {at for at, _ in TOUR} <= {*NAMES, "population", "pin-bar"}


def test_tips_are_one_line_each_and_name_controls_that_exist() -> None:
    source = "".join(path.read_text("utf-8") for path in SOURCES.rglob("*.ts"))
    for testid, tip in help_texts(registered_views())["tips"].items():
        # The last word may be a variable, as in `uq-filter-${kind}`.
        parts = (testid, testid.rpartition("-")[2])
        assert any(re.search(rf'"{part}"|\b{part}:', source) for part in parts), testid
        assert 0 < len(tip) <= 90, tip
        assert not tip.endswith("."), tip


def test_every_interval_says_what_it_accounts_for(texts: dict[str, Any]) -> None:
    assert [kind["name"] for kind in texts["intervals"]] == list(INTERVALS)
    assert all(kind["accounts_for"] and kind["label"] for kind in texts["intervals"])


def test_help_needs_no_jargon(texts: dict[str, Any]) -> None:
    words = [
        *texts["tips"].values(),
        *(text for paragraphs in texts["panels"].values() for text in paragraphs),
        *(step["text"] for step in texts["tour"]),
        *(f"{kind['label']} {kind['accounts_for']}" for kind in texts["intervals"]),
    ]
    assert [text for text in words if JARGON.search(text)] == []
