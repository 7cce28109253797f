"""Coverage of a learner's intervals, by a short run of the benchmark."""

from __future__ import annotations

import re
from typing import get_args

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from benchmarks.coverage import QUICK, RESULTS, quick
from benchmarks.learner_coverage.cells import Setting
from benchmarks.learner_coverage.methods import OFFERED, PAPER, row_effects
from benchmarks.learner_coverage.printed import TOLERANCE
from benchmarks.learner_coverage.scores import Study
from uqwidgets import Learner
from uqwidgets.learner.interval_choice import LEARNER_INTERVALS, ResultKind, best_interval, coverage
from uqwidgets.learner.resampling import RESAMPLINGS

IMPORTANCES = ["importance by a loss", "importance by a measure without the target"]
CURVES = ["curves of a loss", "curves of a measure without the target"]


@pytest.mark.parametrize(
    "tables",
    [pytest.param(40, marks=pytest.mark.thorough), pytest.param(100, marks=pytest.mark.slow)],
)
def test_coverage_in_a_few_cells_of_the_papers_tables(tables):
    seen, noise = 0, 3.5 / np.sqrt(2 * tables)  # of a standard deviation from so many tables
    for setting, kind, column, score, printed in quick(tables, 20 * tables):
        slack = 4 * score.error
        where = f"{setting} {kind} {column}: {score.coverage:.3f}, printed {printed}"
        if column in OFFERED:
            assert score.coverage > 0.93 - slack, where
            assert score.ratio < 1.5 * (1 + noise), where
        else:
            assert abs(score.coverage - printed) < TOLERANCE[setting.procedure] + slack, where
        seen += 1
    assert seen == len(QUICK) * 2 * 6


@pytest.mark.thorough
def test_variance_components_cover_with_correlated_features_and_the_others_do_not():
    study = Study(Setting("pairs", "lm", 100), 200, fits=3000)
    components = OFFERED["variance components"]
    for kind in ("PD", "PFI"):
        score = study.score(components, kind)
        assert score.by_quantity.min() > 0.93 - 3 * 0.016  # of 200 tables
        assert score.ratio < 1.8
    assert study.score(PAPER["boot*"], "PFI").by_quantity.min() < 0.8
    assert study.score(row_effects("bootstrap"), "PFI").by_quantity.min() < 0.93


def simulated_coverage(section="## Every result of a learner"):
    """Yield kind of result, interval, and the cells of the benchmark's table by resampling."""
    text = RESULTS.read_text(encoding="utf-8").split(section)[1]
    table = re.split(r"\n##+ ", text)[0].split("| ---: |\n")[1]
    for line in table.strip().splitlines():
        kind, interval, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        yield kind, interval, cells


@pytest.mark.parametrize(
    ("section", "grouped"),
    [("## Every result of a learner", False), ("## Rows that belong to patients", True)],
)
def test_remarks_state_the_coverage_of_the_benchmark(section, grouped):
    kinds = set()
    of_groups = " for 30 groups of rows" if grouped else ""
    for kind, interval, cells in simulated_coverage(section):
        assert interval in LEARNER_INTERVALS
        kinds.add(kind)
        for resampling, cell in zip(RESAMPLINGS, cells, strict=True):
            sentence = coverage(
                interval, kind, resampling, "nadeau-bengio", weighted=False, grouped=grouped
            )
            if not cell:
                assert sentence.endswith("was not simulated")
                continue
            low, high = (round(100 * float(share)) for share in cell.split(" to "))
            percentage = f"{low} to {high}" if low < high else f"{low}"
            covered = f"{kind} by {resampling}{of_groups} covered it in {percentage} %, each with"
            assert covered in sentence
            # Whoever reads it can tell that the least of many coverages has an error itself.
            assert "standard error of up to 3" in sentence
    # Least squares, which the groups were simulated with, has no measure without the target.
    assert kinds == set(get_args(ResultKind)) - set(IMPORTANCES[1:] if grouped else [])


def test_remarks_on_defaults_state_how_wide_they_are_for_a_tree():
    stated = 0
    for kind, interval, cells in simulated_coverage("## How wide the intervals for a tree are"):
        for resampling, cell in zip(RESAMPLINGS, cells, strict=True):
            if interval != best_interval(kind, resampling):
                continue
            widest = float(cell.split(" to ")[-1])
            sentence = coverage(interval, kind, resampling, "nadeau-bengio", weighted=False)
            words = f"; for a tree they were up to {widest:.1f} times as wide as needed"
            assert (words in sentence) == (widest >= 1.5), (kind, interval, resampling)
            assert ("more refits narrow them" in sentence) == (widest >= 1.5)
            stated += widest >= 1.5
    assert stated >= 15
    of_loss = coverage(
        "variance-components", "importance by a loss", "bootstrap", "nadeau-bengio", weighted=False
    )
    assert "interval='row-effect' (81 to 100 % covered)" in of_loss
    assert "interval='variance-components' (" not in of_loss


def test_more_refits_narrow_the_intervals_for_a_tree():
    widths = {8: 0.0, 40: 0.0}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 2))
        y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=80)
        for n_refits in widths:
            tree = DecisionTreeRegressor(min_samples_leaf=7)
            learner = Learner(tree, X, y, n_refits=n_refits, random_state=seed)
            result = learner.importance("squared_error", n_repeats=2)
            widths[n_refits] += float(np.mean(result.high - result.low))
    assert widths[40] < 0.85 * widths[8]


@pytest.mark.parametrize(
    ("interval", "kinds", "words"),
    [
        ("corrected", ["performance"], "performance"),
        ("corrected", ["comparisons"], "comparisons"),
        ("corrected", ["importance by a loss"], "importance by a loss"),
        ("corrected", ["importance as a ratio"], "as a ratio"),
        ("corrected", ["importance by a metric"], "by a metric"),
        ("corrected", ["importance by leaving features out"], "`loco`"),
        ("corrected", CURVES, "curves"),
        ("corrected", ["surfaces"], "surfaces"),
        ("variance-components", IMPORTANCES, "importance"),
        ("variance-components", CURVES, "curves"),
        ("group-jackknife", IMPORTANCES, "importance"),
        ("group-jackknife", CURVES, "curves"),
        ("row-effect", IMPORTANCES[:1], "only, for importance by a loss .*"),
    ],
)
def test_the_docstring_states_the_coverage_of_the_benchmark(interval, kinds, words):
    shares = [
        float(share)
        for kind, name, cells in simulated_coverage()
        if name == interval and kind in kinds
        for cell in cells
        if cell
        for share in cell.split(" to ")
    ]
    low, high = (round(100 * share) for share in (min(shares), max(shares)))
    notes = " ".join(Learner.__doc__.split())
    paragraph = notes.split(f'- ``"{interval}"``:')[1].split(' - ``"')[0]
    assert re.search(rf"{words} \(?{low} to {high} %", paragraph)
