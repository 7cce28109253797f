"""The keys under which a page looks up its contents: the inputs that these depend on."""

from __future__ import annotations

import json
from typing import Any

from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.views.view import View

# Inputs that name what is stressed, and those that only the front end reads.
_STRESS = ("stress_feature", "stress_category")
_OF_THE_FRONT_END = (
    *("sort", "top", "clip_lines", "rug", "category_order", "logit"),
    *("selection", "row", "what_if"),
)


def key_of(view: View, inputs: Inputs) -> str:
    """Return the key under which the page looks up a content of a view: its inputs."""
    values = inputs.plain()
    return as_key([values[name] for name in reads_of(view)])


def reads_of(view: View) -> list[str]:
    """Return the inputs that a content depends on; only the front end reads the others."""
    return [name for name in view.reads if name not in (*_OF_THE_FRONT_END, *_STRESS)]


def as_key(value: list[Any]) -> str:
    """Write a value as ``JSON.stringify`` does."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def is_part(name: str) -> bool:
    """Whether a page puts the contents of this name together with others, and may lack them."""
    return "." in name
