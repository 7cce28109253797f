"""Numbers of a page at all levels of tau, read from its store, against those of the explainer."""

from __future__ import annotations

import json

import numpy as np
import pytest

import uqwidgets as uq
from cases import thorough_after
from hard_tables import hard_table
from uqwidgets.widgets.over_tau.levels import STOPS
from widgets.pages import index_of, stored_columns

# Largest errors of values and of ends, as shares of an axis.
VALUES, ENDS = 0.0011, 0.0041
LEVELS = (-1.0, -0.75, -0.3, 0.05, 0.5, 0.95, 1.0)
# From here on a page may lack a value, where the axes of most levels have a length of about 10.
MISSING = 1e8
# Differences that are rounding errors: the features have effects of about 1.
LEAST = 1e-9


class Page:
    """A saved page with one cohort and one stressed feature, or category."""

    def __init__(self, path, category):
        (self.cohort,) = index_of(path)["cohorts"]
        self.columns = stored_columns(path)
        self.first = 0
        for key, levels in self.cohort["levels"].items():
            self.levels = levels
            if json.loads(key)[1] == category:
                break
            self.first += len(levels)

    def all(self, view, column, first=()):
        """Return a column of the entry with these first inputs at the levels of all categories."""
        (entry,) = (
            entry
            for key, entry in self.cohort["entries"][view].items()
            if tuple(json.loads(key)[: len(first)]) == first
        )
        tracks = [self.cohort["tracks"][number] for number in entry["tracks"]]

        def read(name):
            number, start, n = next(one[name] for one in tracks if name in one)
            return self.columns[number][start : start + n].T

        if view == "dependence" and column in ("low", "high"):
            side, sign = ("above", 1) if column == "high" else ("below", -1)
            return read("average") + sign * read(side)
        return read(column)

    def at(self, view, column, first=()):
        """Return a function from tau to a column of the entry with these first inputs."""
        every = self.all(view, column, first)
        return lambda tau: every[self.first + self.levels.index(tau)]


TABLES_AND_SEEDS = [
    ("missing values", 2),
    ("20 rows", 4),
    *[("20 rows", seed) for seed in range(4)],
    *[("missing values", seed) for seed in (0, 1, 3)],
    *[("dates", 0), ("constant feature", 0), ("categories only", 0), ("ten classes", 0)],
]


@pytest.mark.parametrize(("name", "seed"), thorough_after(1, TABLES_AND_SEEDS))
def test_numbers_at_all_levels_are_those_of_the_explainer(name, seed, tmp_path):
    explainer = uq.Explainer(*hard_table(name, seed))
    stressed = "x0" if name == "dates" else "x1"
    category = "red" if name == "categories only" else None
    inputs = {"feature": "x0", "stress_feature": stressed, "n_repeats": 2, "measure": "nll"}
    path = tmp_path / "page.html"
    with uq.Explorer(explainer, stress_category=category or "", **inputs) as explorer:
        explorer.save(path, stress_features=[stressed], progress=False)
    page = Page(path, category)
    ends = ("low", "high")
    value, *of_importance = (page.at("importance", name) for name in ("value", *ends))
    average, *of_band = (page.at("dependence", name, ("x0", "nll")) for name in ("average", *ends))
    # The largest axes of all levels and categories.
    drawn = [[page.all("importance", end) for end in ends]]
    drawn.append([page.all("dependence", end, ("x0", "nll")) for end in ends])
    axes = [np.nanmax(each) - np.nanmin(each) for each in drawn]
    for tau in [tau for tau in LEVELS if tau in page.levels]:
        weights = explainer.stress_weights(stressed, tau, category=category)
        exact = explainer.importance("nll", n_repeats=2, sample_weight=weights)
        order = [explainer.features.index(feature) for feature in exact.features]

        def compare(shown, expected, share, axis, *, tau=tau):
            limit = share * axis + LEAST
            shown = np.where(np.isnan(shown) & (np.abs(expected) > MISSING), expected, shown)
            np.testing.assert_allclose(shown, expected, rtol=0, atol=limit, err_msg=f"tau = {tau}")

        compare(value(tau).ravel()[order], exact.importance, VALUES, axes[0])
        curve = explainer.dependence("x0", measure="nll", grid=49, sample_weight=weights)
        compare(average(tau), curve.average, VALUES, axes[1])
        for end, of_page in zip(ends, of_importance, strict=True):
            compare(of_page(tau).ravel()[order], getattr(exact, end), ENDS, axes[0])
        for end, of_page in zip(ends, of_band, strict=True):
            compare(of_page(tau), getattr(curve, end), ENDS, axes[1])


@pytest.mark.parametrize(("name", "seed"), thorough_after(1, TABLES_AND_SEEDS))
def test_intervals_under_stress_are_those_of_the_explainer_at_all_levels(name, seed, tmp_path):
    explainer = uq.Explainer(*hard_table(name, seed))
    stressed = "x0" if name == "dates" else "x1"
    category = "red" if name == "categories only" else None
    path = tmp_path / "page.html"
    inputs = {"stress_feature": stressed, "stress_category": category or "", "n_repeats": 2}
    with uq.Explorer(explainer, **inputs) as explorer:
        explorer.save(path, stress_features=[stressed], progress=False)
    page = Page(path, category)
    exact = explainer.stress([stressed], taus=STOPS, missing="keep", level=0.95)
    line = 0 if category is None else exact.features.index(f"{stressed}={category}")
    (performance,) = page.cohort["entries"]["performance"].values()
    labels = [score["label"] for score in performance["content"]["meta"]["scores"]]
    n_scores = 0
    for key, entry in page.cohort["entries"]["stress"].items():
        (indicator, *_) = json.loads(key)
        (stored,) = (
            one for moved, one in entry["stressed"].items() if json.loads(moved)[1] == category
        )
        taus, ends = (page.columns[stored["columns"][one]] for one in ("end_taus", "ends"))
        np.testing.assert_allclose(taus, exact.taus, atol=1e-6)
        expected = np.stack([exact.low[indicator][line], exact.high[indicator][line]])
        axis = np.ptp(expected[np.isfinite(expected)]) + LEAST
        np.testing.assert_allclose(ends, expected, rtol=1e-6, atol=6e-4 * axis)
        rates = [name for name in ("tpr", "fpr") if name in stored["columns"]]
        assert rates == (["tpr", "fpr"] if indicator in ("tpr", "fpr") else [])
        for name in rates:
            of_rate = np.stack([of[name][line] for of in (exact.values, exact.low, exact.high)])
            of_page = page.columns[stored["columns"][name]]
            np.testing.assert_allclose(of_page, of_rate, rtol=1e-6, atol=1e-6)
        at = [i for i, tau in enumerate(exact.taus) if tau in page.levels]
        for name, of_level in (("value", exact.values[indicator][line]), ("ess", exact.ess[line])):
            shown = page.at("stress", f"now.{name}", (indicator,))
            of_page = [np.asarray(shown(exact.taus[i])).item() for i in at]
            # The axis is that of all categories, so it may be longer.
            limit = 2 * VALUES * np.ptp(of_level[at]) + LEAST
            np.testing.assert_allclose(of_page, of_level[at], rtol=1e-6, atol=limit)
        label = exact.labels[indicator]
        if label not in labels:
            continue
        n_scores += 1
        for end, of_end in zip(("low", "high"), expected, strict=True):
            shown = page.at("performance", f"scores.{labels.index(label)}.{end}")
            of_page = [float(shown(exact.taus[i])[0]) for i in at]
            np.testing.assert_allclose(of_page, of_end[at], rtol=1e-6, atol=ENDS * axis)
    assert n_scores >= 2
    # What describes the weights is stored once for all indicators.
    tracks = page.cohort["tracks"]
    assert sum("now.ess" in track for track in tracks) == 1
    assert sum("now.value" in track for track in tracks) == len(explainer.indicators)
