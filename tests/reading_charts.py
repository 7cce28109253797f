"""Read the data of an Altair chart and the columns that it refers to."""

from __future__ import annotations

import pandas as pd

from example_results import HOSTILE

AWKWARD = ["a.b", "c[0]", 'd"e', "f'g", "h\\i", HOSTILE]


def tables(chart):
    """Return the data of each layer but rules at a value; `to_dict` validates the schema."""
    spec = chart.to_dict()
    shared = spec.get("data")
    return [
        pd.DataFrame(spec["datasets"][layer.get("data", shared)["name"]])
        for layer in spec["layer"]
        if "field" in str(layer["encoding"])
    ]


def fields(chart):
    """Every column of data that a chart refers to."""

    def walk(node):
        if isinstance(node, dict):
            if isinstance(node.get("field"), str):
                yield node["field"]
            for child in node.values():
                yield from walk(child)
        elif isinstance(node, list):
            for child in node:
                yield from walk(child)

    return set(walk(chart.to_dict()["layer"]))
