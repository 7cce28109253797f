"""Remarks on an importance: what its reader should know about rows and weights."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from uqwidgets._typing import Floats
from uqwidgets._utils.remarks import Remark
from uqwidgets.importance.settings import Settings
from uqwidgets.inference import Bounds
from uqwidgets.inference.mean_intervals import have_heavy_tails
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.plotting.text import counted, few, listed

# A row with a larger share of the mean than this dominates it.
_DOMINATING_SHARE = 0.5
# With fewer rows than this, a single row may well have that share.
_FEW_ROWS = 10
# A row whose nll is this far above the median is a hundred times less likely than a typical row.
_NATS_OF_A_SURPRISE = math.log(100)
# So large an importance for nll means that densities fall by a factor of e^-100: no data say so.
_NATS_OF_NO_DENSITY = 100.0
# Fewer effective pairs of a scored row and a donor than this deserve a remark.
_FEW_PAIRS = 30
# With a smaller effective sample size, unequal weights lower the coverage of intervals of losses
# (benchmarks/importance_coverage.md). Weights that leave this share of the rows are nearly equal.
_FEW_EFFECTIVE_ROWS = 30
_EVEN_WEIGHTS = 0.9
# From so many features on, some look clear by chance in a fifth of all tables or more.
_MANY_FEATURES = 10
_COVERAGE_OF_FEW_ROWS = "89 to 97 %"
# Fewer repeats than this, on fewer rows, lower the coverage (benchmarks/bench_coverage.py).
_ENOUGH_REPEATS, _ADVISED_REPEATS, _ROWS_FOR_FEW_REPEATS = 5, 10, 50
# Of squared errors of t with 3 degrees of freedom (benchmarks/means.md).
_COVERAGE_OF_HEAVY_TAILS = "87 to 88 %"
_COVERAGE_OF_FEW_REPEATS = "90 to 92 %"


def remarks_on_measure(
    measure: Measure,
    original: Floats,
    features: Sequence[str],
    intervals: Sequence[Bounds],
    population: Population,
    settings: Settings,
) -> tuple[Remark, ...]:
    """Return the remarks on importance for one measure, wherever it is shown.

    Parameters
    ----------
    measure : Measure
    original : ndarray of shape (n,)
        The measure of each row as it is.
    features : sequence of str, length p
    intervals : sequence of Bounds, length p
    population : Population
    settings : Settings
    """
    return (
        *remarks_on_ceiling(measure, original),
        *remarks_on_dominance(measure, original, population.scored),
        *remarks_on_narrowness(measure, features, intervals, settings),
        *remarks_on_weights(measure, population, settings),
        *remarks_on_repeats_of(population, settings),
        *remarks_on_open_ends(intervals),
        *remarks_on_no_interval(intervals),
    )


def remarks_on_ceiling(measure: Measure, original: Floats) -> tuple[Remark, ...]:
    """Return a remark if the model rules out the observed target, or a class, of some rows."""
    count = int((np.abs(original) >= measure.ceiling).sum())
    if not count:
        return ()
    rows, at = f"in {count} of {len(original)} rows the model gives", f"{measure.ceiling:.1f}"
    if measure.needs_truth:
        text = (
            f"{rows} the observed class probability 0; their nll, which is infinite, counts as "
            f"{at} nats (calibrate the model)"
        )
    else:
        text = (
            f"{rows} one of both classes hardly any probability; their log-odds count as at most "
            f"{at} (calibrate the model)"
        )
    return (Remark("probability-zero", text),)


def remarks_on_dominance(measure: Measure, original: Floats, scored: Floats) -> tuple[Remark, ...]:
    """Return a remark if a single row dominates the mean of a loss.

    Parameters
    ----------
    measure : Measure
    original : ndarray of shape (n,)
        The measure of each row as it is.
    scored : ndarray of shape (n,)
        Weights of the rows, zero for rows that are not scored.
    """
    parts = np.where(scored > 0, scored * np.abs(original), 0.0)
    total = float(parts.sum())
    row = int(parts.argmax())
    if np.count_nonzero(scored) < _FEW_ROWS or not parts[row] > _DOMINATING_SHARE * total:
        return ()
    surprise = float(original[row] - np.median(original[scored > 0]))
    is_too_sure = _is_log_loss(measure) and surprise > _NATS_OF_A_SURPRISE
    advice = ": the model is far too sure there" if is_too_sure else ""
    return (
        Remark(
            "dominating-row",
            f"row {row} alone makes up {parts[row] / total:.0%} of the mean {measure.name} "
            f"({original[row]:.4g}){advice}",
        ),
    )


def _is_log_loss(measure: Measure) -> bool:
    return measure.unit == "nats" and measure.needs_truth


def remarks_on_narrowness(
    measure: Measure, features: Sequence[str], intervals: Sequence[Bounds], settings: Settings
) -> tuple[Remark, ...]:
    """Return a remark if replaced values have nearly no density under the model.

    Parameters
    ----------
    measure : Measure
    features : sequence of str, length p
    intervals : sequence of Bounds, length p
    settings : Settings
    """
    if not _is_log_loss(measure) or settings.compare != "difference":
        return ()
    estimate, feature = max(
        ((b.estimate, f) for b, f in zip(intervals, features, strict=True) if b.estimate > 0),
        default=(0.0, ""),
    )
    if estimate < _NATS_OF_NO_DENSITY:
        return ()
    return (
        Remark(
            "narrow-predictions",
            f"without {feature} the {measure.name} rises by {estimate:.3g} nats: the predictions "
            "are so narrow that a few rows decide this number (rank by crps; pass noise= where "
            "the members of a model are read)",
        ),
    )


def remarks_on_pairs(pairs: Sequence[float]) -> tuple[Remark, ...]:
    """Return a remark if the weights leave no pairs of a scored row and a donor, or few.

    Parameters
    ----------
    pairs : sequence of float, length p
        Effective number of pairs of each feature.
    """
    if 0 < min(pairs) < _FEW_PAIRS:
        return (
            Remark(
                "few-pairs",
                f"the weights leave about {min(pairs):.0f} effective pairs of a scored row and a "
                "donor for some features (ask for more repeats)",
            ),
        )
    count = sum(number == 0 for number in pairs)
    if not count:
        return ()
    return (
        Remark(
            "no-pairs",
            f"for {count} of {len(pairs)} features no repeat pairs a scored row with a donor that "
            "has weight, so they have no importance here (ask for more repeats, or spread the "
            "weights)",
        ),
    )


def remarks_on_weights(
    measure: Measure, population: Population, settings: Settings
) -> tuple[Remark, ...]:
    """Return a remark if the weights leave too few effective rows for intervals of a loss."""
    enough = population.evenness > _EVEN_WEIGHTS or population.ess >= _FEW_EFFECTIVE_ROWS
    if enough or not measure.needs_truth or settings.interval != "u-statistic":
        return ()
    return (
        Remark(
            "few-effective-rows",
            f"the weights are worth {population.ess:.0f} rows (effective sample size); below "
            f"{_FEW_EFFECTIVE_ROWS}, intervals may end too low, most of all those of the squared "
            f"error and of features that the weights depend on: {_COVERAGE_OF_FEW_ROWS} of 95 % "
            "intervals of losses held the importance in simulations",
        ),
    )


def remarks_on_many(intervals: Sequence[Bounds], settings: Settings) -> tuple[Remark, ...]:
    """Return a remark if so many intervals, each by itself, lead to false finds by chance.

    A feature that the model ignores does not count: its interval has no width.

    Parameters
    ----------
    intervals : sequence of Bounds, length p
    settings : Settings
    """
    count = sum(each.high > each.low for each in intervals)
    if count < _MANY_FEATURES or settings.simultaneous or settings.interval == "quantile":
        return ()
    by_chance = count * (1 - settings.level) / 2
    unchanged = 1 if settings.compare == "ratio" else 0
    return (
        Remark(
            "many-features",
            f"each of {count} intervals holds by itself: if none of these features had any "
            f"importance, {by_chance:.2g} of them would look clearly above {unchanged} by chance, "
            "on average, and as many clearly below (simultaneous=True makes any at all as rare as "
            f"{1 - settings.level:.2g})",
            {"simultaneous": True},
        ),
    )


def remarks_on_repeats_of(population: Population, settings: Settings) -> tuple[Remark, ...]:
    """Return the remark of `remarks_on_repeats` on the importance of one model."""
    if settings.interval != "u-statistic":
        return ()
    n = len(population.units.positions)
    rows = str(population.group_count or counted(n, "row"))
    return remarks_on_repeats(settings.n_repeats, n, rows)


def remarks_on_repeats(n_repeats: int | str, n: int, rows: str) -> tuple[Remark, ...]:
    """Return a remark if few repeats on few rows make intervals too narrow.

    Parameters
    ----------
    n_repeats : int or "all"
    n : int
        Number of independent rows, or of their groups.
    rows : str
        The same in words.
    """
    if isinstance(n_repeats, str) or n_repeats >= _ENOUGH_REPEATS or n >= _ROWS_FOR_FEW_REPEATS:
        return ()
    return (
        Remark(
            "few-repeats",
            f"{counted(n_repeats, 'repeat')} on {rows}: with fewer than {_ENOUGH_REPEATS} repeats "
            f"on fewer than {_ROWS_FOR_FEW_REPEATS}, intervals are too narrow "
            f"({_COVERAGE_OF_FEW_REPEATS} of 95 % intervals held the importance in simulations)",
            {"n_repeats": _ADVISED_REPEATS},
        ),
    )


def remarks_within_groups(features: Sequence[str], population: Population) -> tuple[Remark, ...]:
    """Return a remark if features vary within the groups that values were to move between."""
    if not features:
        return ()
    return (
        Remark(
            "varies-within-groups",
            f"Within the {population.group_count}, {listed(few(list(features)))} "
            f"{'varies' if len(features) == 1 else 'vary'}, so that values of "
            f"{'it' if len(features) == 1 else 'these'} moved between rows, and those of all other "
            "features between whole groups",
        ),
    )


def remarks_on_tails(
    estimates: Sequence[tuple[str, float]], population: Population
) -> tuple[Remark, ...]:
    """Return a remark if a few rows decide the variance of estimates, as where tails are heavy.

    Where unequal weights are the reason, other remarks say so.

    Parameters
    ----------
    estimates : sequence of (str, float)
        What is estimated, in words, and the degrees of freedom of its variance.
    population : Population
    """
    units = population.units
    n, groups = len(units.positions), population.group_count
    if units.evenness <= _EVEN_WEIGHTS:
        return ()
    heavy = [(name, df) for name, df in estimates if have_heavy_tails(np.asarray(df), n)]
    if not heavy:
        return ()
    least = min(df for _, df in heavy)
    rows = str(groups) if groups is not None else counted(n, "row")
    return (
        Remark(
            "heavy-tails",
            f"Heavy tails: a few of the {rows} make up most of the variance of "
            f"{listed(few([name for name, _ in heavy]))} ({least:.0f} degrees of freedom), and "
            "rows that are not in this table may matter even more. Of squared errors with such "
            f"tails, {_COVERAGE_OF_HEAVY_TAILS} of 95 % intervals held the mean in simulations. "
            "The absolute error or a median is sturdier, and more rows help",
        ),
    )


def remarks_on_subgroups(subgroups: pd.DataFrame | None) -> tuple[Remark, ...]:
    """Return a remark on what the subgroups of conditional importance leave of other features.

    Parameters
    ----------
    subgroups : DataFrame or None
        See `Importance.subgroups`.
    """
    if subgroups is None:
        return ()
    pairs = zip(subgroups["feature"], subgroups["separation"], strict=True)
    separated = listed(few([f"{share:.0%} of {feature}" for feature, share in pairs]))
    return (
        Remark(
            "given-subgroups",
            f"importance is given these subgroups of rows, which account for {separated} (share "
            "of the variance between them): what features share within a subgroup still counts "
            "as importance",
        ),
    )


def remarks_on_sampler(models: Sequence[tuple[str, str, float]]) -> tuple[Remark, ...]:
    """Return a remark on the models by which values were drawn given the other features.

    Parameters
    ----------
    models : sequence of (str, str, float)
        Feature, name of its model, and the share of its variance that the model predicts.
    """
    named = [f"{feature} by {name} ({max(share, 0):.0%})" for feature, name, share in models]
    return (
        Remark(
            "given-models",
            "Values were drawn given the other features from residuals of models that predict "
            f"{listed(few(named))} (in brackets, the share of the variance): importance and its "
            "interval are given these models, and what they miss of the dependence still counts as "
            "importance",
        ),
    )


def remarks_on_no_interval(intervals: Sequence[Bounds]) -> tuple[Remark, ...]:
    """Return a remark if an importance has no interval."""
    count = sum(math.isfinite(each.estimate) and math.isnan(each.low) for each in intervals)
    if not count:
        return ()
    return (
        Remark(
            "no-interval",
            f"for {count} of {len(intervals)} features there is no interval, because two effective "
            "rows, each the other's donor, show nothing of other rows (use more rows)",
        ),
    )


def remarks_on_open_ends(intervals: Sequence[Bounds]) -> tuple[Remark, ...]:
    """Return a remark if a ratio has no upper limit, because its denominator may be zero."""
    count = sum(math.isnan(each.high) and math.isfinite(each.low) for each in intervals)
    if not count:
        return ()
    return (
        Remark(
            "open-ratio",
            f"for {count} of {len(intervals)} features these rows set the ratio no upper limit, "
            "for the mean before the replacement may be near zero (compare='difference' has one)",
        ),
    )
