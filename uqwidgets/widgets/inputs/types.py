"""The inputs of the widget for type checkers and editors.

Written from `Inputs` in uqwidgets/widgets/inputs by tests/widgets/inputs/test_inputs.py.
"""

from __future__ import annotations

from typing import Any, TypedDict

import traitlets as t


class InputTraits(t.HasTraits):
    """The public traits of `Explorer`."""

    shown_model: str
    views: list[str]
    tau: float
    stress_feature: str
    stress_category: str
    anchor: str
    tail: float
    held: list[dict[str, Any]]
    feature: str
    small_curves: int
    second: str
    measure: str
    indicator: str
    ice_filter: list[dict[str, Any]]
    complement: bool
    cohorts: list[dict[str, Any]]
    ice_lines: int
    n_repeats: int
    interval: str
    simultaneous: bool
    groups: str
    time: str
    importance_of: list[str]
    replacement: str
    compare: str
    grouped: bool
    verdict: bool
    redundancy: bool
    sort: str
    image_rows: int
    top: int
    slices_of: str
    compare_with: str
    center: bool
    derivative: bool
    relative: bool
    center_at: str
    spacing: str
    color_by: str
    group_averages: bool
    own_values: bool
    rug: bool
    category_order: str
    calibration_by: str
    logit: bool
    clip_lines: bool
    selection: Any
    row: int
    what_if: list[dict[str, Any]]


class ExploreArguments(TypedDict, total=False):
    """The keyword arguments of `explore`: those of `Explorer` whose names mean the same there."""

    shown_model: str
    views: list[str]
    tau: float
    stress_feature: str
    stress_category: str
    anchor: str
    tail: float
    held: list[dict[str, Any]]
    feature: str
    small_curves: int
    second: str
    measure: str
    indicator: str
    ice_filter: list[dict[str, Any]]
    complement: bool
    cohorts: list[dict[str, Any]]
    ice_lines: int
    n_repeats: int
    interval: str
    simultaneous: bool
    importance_of: list[str]
    replacement: str
    compare: str
    grouped: bool
    verdict: bool
    redundancy: bool
    sort: str
    image_rows: int
    top: int
    slices_of: str
    compare_with: str
    center: bool
    derivative: bool
    relative: bool
    center_at: str
    spacing: str
    color_by: str
    group_averages: bool
    own_values: bool
    rug: bool
    category_order: str
    calibration_by: str
    logit: bool
    clip_lines: bool
    selection: Any
    row: int
    what_if: list[dict[str, Any]]
    pins: list[dict[str, Any]]
    layout: Any


class InputArguments(ExploreArguments, total=False):
    """The keyword arguments of `Explorer`: initial values of its traits, pins and layout."""

    groups: str
    time: str
