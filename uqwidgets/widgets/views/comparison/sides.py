"""The sides of a comparison: the present results, and another model, other rows or class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple, Self

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets.evaluation.progress import Progress
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.explainer.comparison.rows import RowsComparison
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.measures import class_of, probability_of
from uqwidgets.widgets.inputs.choices import LEVEL, importance_measures
from uqwidgets.widgets.inputs.conditions import notes_on_missing
from uqwidgets.widgets.inputs.curve_form import N_VALUES, curve_form, curve_grid
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Report
from uqwidgets.widgets.over_tau.stress_profiles import LEVELS
from uqwidgets.widgets.rows.population import PopulationBuilder

#: The kinds of differences. A profile has all levels of tau, which moves the others.
KINDS = ("scores", "curve", "stress", "importance")
MOVING = ("scores", "curve", "importance")

# An indicator of the share of a class begins with this.
_SHARE = "share:"


class NothingToCompareError(ValueError):
    """There is no other side, for a reason that the view says in its place."""


class ComparedPart(NamedTuple):
    """One difference of a comparison.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    compute : callable
    column : int or None
        Column of the importance view behind which the other side is drawn.
    lies_under : bool
        Whether the other side is drawn behind the view of the same analysis.
    """

    kind: str
    compute: Callable[[], Difference]
    column: int | None = None
    lies_under: bool = True


class Compared(NamedTuple):
    """What of the shown quantities both sides have.

    Attributes
    ----------
    comparison : ModelComparison, RowsComparison or ClassComparison
    importance : sequence of (tuple of str, int or None)
        Measures and scorers as arguments of `importance`, each with its column of the importance
        view, if it has one there.
    curve : tuple of str or None
        The measure as an argument of `dependence`; None where there is no curve.
    indicator : str or None
        Of the profile over tau.
    curve_lies_under, profile_lies_under : bool
        See `ComparedPart.lies_under`.
    sentences : list of str
        What is not compared, why, and what is compared in its place.
    """

    comparison: Any
    importance: Sequence[tuple[tuple[str, ...], int | None]]
    curve: tuple[str, ...] | None
    indicator: str | None
    curve_lies_under: bool = True
    profile_lies_under: bool = True
    sentences: Sequence[str] = ()


class OtherSide(ABC):
    """What is compared with what is shown, for one value of ``compare_with``.

    Attributes
    ----------
    has_weights : bool
        Whether rows are weighted at tau = 0, so that no profile over tau is compared.
    """

    def __init__(self, explainer: Explainer, names: tuple[str, str], has_weights: bool) -> None:
        self.explainer, self.names, self.has_weights = explainer, names, has_weights

    @abstractmethod
    def compared(self, inputs: Inputs, population: Population) -> Compared | None:
        """Return what is compared in the shown rows of a population."""

    def stressed(self, comparison: Any, population: Population) -> Callable[..., Difference]:
        """Return the method that compares profiles over tau, which have weights of their own."""
        return partial(comparison.stress, rows=population.rows)

    def options(self, inputs: Inputs, population: Population) -> dict[str, dict[str, Any]]:
        """Return what single methods take, beside the options that all comparisons have."""
        weights = population.weights if population.weighted else None
        together = {"simultaneous": inputs.simultaneous}
        of_rows = {"sample_weight": weights, "rows": population.rows, **together}
        importance = {"interval": inputs.interval, "simultaneous": inputs.holds_at_once}
        return {
            "scores": of_rows,
            "dependence": {**of_rows, "lines": 1},
            "stress": together,
            "importance": {**of_rows, **importance},
        }

    def parts(
        self, inputs: Inputs, population: Population, report: Report
    ) -> Iterator[ComparedPart]:
        """Yield the differences, each of which is computed when it is called.

        Parameters
        ----------
        inputs : Inputs
        population : Population
            The rows that are shown.
        report : callable
        """
        ex, name, options = self.explainer, self.names[1], self.options(inputs, population)
        compared = self.compared(inputs, population)
        if compared is None:
            return
        comparison = compared.comparison

        def progress(what: str) -> Callable[[Progress], None]:
            return lambda p: report(f"{name}: {what}", p.rows_done, p.rows_total)

        if hasattr(comparison, "scores"):
            report(f"{name}: scores", 0, 0)
            if ex.table.has_target:
                scores = partial(comparison.scores, level=LEVEL, **options["scores"])
                yield ComparedPart("scores", scores)
        feature, stressed = inputs.feature, inputs.stress_feature
        if feature in comparison.features and compared.curve is not None:
            curve = partial(
                comparison.dependence,
                feature,
                *compared.curve,
                **curve_options(ex, inputs),
                **options["dependence"],
                callback=progress(f"curve of {feature}"),
            )
            yield ComparedPart("curve", curve, lies_under=compared.curve_lies_under)
        is_stressed = stressed in comparison.features and not self.has_weights
        if is_stressed and compared.indicator is not None:
            report(f"{name}: stress", 0, 0)
            profile = partial(
                self.stressed(comparison, population),
                [stressed],
                [compared.indicator],
                taus=LEVELS,
                tail=inputs.tail,
                anchor=inputs.anchor,
                missing="keep",
                level=LEVEL,
                **options["stress"],
            )
            yield ComparedPart("stress", profile, lies_under=compared.profile_lies_under)
        for measure, column in compared.importance:
            importance = partial(
                comparison.importance,
                *measure,
                None if inputs.grouped else comparison.features,
                replacement=inputs.replacement,
                n_repeats=inputs.n_repeats,
                compare=inputs.compare,
                level=LEVEL,
                **options["importance"],
                callback=progress("importance"),
            )
            yield ComparedPart("importance", importance, column)

    def sentences(self, _inputs: Inputs) -> list[str]:
        """Say what of the inputs the differences do not follow."""
        sentences = []
        if self.has_weights:
            sentences.append(
                "Rows are weighted at τ = 0, so the profiles over τ are not compared: they have no "
                "paired interval."
            )
        return sentences


def measures_of(explainer: Explainer, inputs: Inputs) -> Sequence[str]:
    """Return the measures and scorers of the importance view."""
    return inputs.importance_of or [m.name for m in importance_measures(explainer)]


def curve_options(explainer: Explainer, inputs: Inputs) -> dict[str, Any]:
    """Return the options of `Explainer.dependence` that the curve view has."""
    form = curve_form(explainer.table, curve_grid(explainer.table, inputs), inputs)
    # As many values as the curve that is shown has, so that its model is not called.
    return {"grid": N_VALUES, "spacing": inputs.spacing, "level": LEVEL, **asdict(form)}


class OtherRows(OtherSide):
    """The same model in other rows: those that are not shown, or a cohort."""

    def __init__(
        self,
        explainer: Explainer,
        names: tuple[str, str],
        has_weights: bool,
        other: Population,
    ) -> None:
        super().__init__(explainer, names, has_weights)
        self.other = other

    @classmethod
    def of_inputs(cls, explainer: Explainer, inputs: Inputs, weights: Floats | None) -> Self:
        """Return the rest of the rows, or the cohort, that the inputs name.

        Parameters
        ----------
        explainer : Explainer
            With the groups of the inputs.
        inputs : Inputs
        weights : ndarray of shape (n,) or None
            See `PopulationBuilder`.

        Raises
        ------
        NothingToCompareError
            If it has no row, is what is shown, or cannot be stressed to the level of tau.
        """
        kind, _, name = inputs.compare_with.partition(":")
        shown = (inputs.ice_filter, inputs.complement and bool(inputs.ice_filter))
        first = next(
            (c.name for c in inputs.cohorts if (c.conditions, c.complement) == shown), "shown rows"
        )
        if kind == "rest":
            if not inputs.ice_filter:
                raise NothingToCompareError(
                    "all rows are shown, so there is no rest; choose rows first."
                )
            name, of_other = "other rows", (inputs.ice_filter, not inputs.complement)
        else:
            cohort = next((c for c in inputs.cohorts if c.name == name), None)
            if cohort is None:
                raise NothingToCompareError(
                    unknown("cohort", name, [c.name for c in inputs.cohorts])
                )
            of_other = (cohort.conditions, cohort.complement)
            if of_other == shown:
                raise NothingToCompareError(
                    f"what is shown is {name} itself; compare it with other rows."
                )
        conditions, complement = of_other
        requested = replace(
            inputs, ice_filter=conditions, complement=complement, groups="", time=""
        )
        populations = PopulationBuilder(explainer, weights).build(requested, lambda: None)
        if populations is None:
            raise NothingToCompareError(f"{name} has no row, so there is nothing to compare with.")
        has_weights = bool(inputs.held) or weights is not None
        try:
            other = populations.reached(inputs)
        except ValueError as error:
            raise NothingToCompareError(f"{name}: {error}") from None
        return cls(explainer, (first, name), has_weights, other)

    def sentences(self, inputs: Inputs) -> list[str]:
        """Say that the intervals are of one kind, and whether a cohort lacks missing values."""
        sentences = super().sentences(inputs)
        for cohort in inputs.cohorts:
            if cohort.name == self.names[1] and not cohort.complement:
                notes = notes_on_missing(cohort.conditions, self.explainer)
                sentences += [f"{cohort.name}: {note}." for note in notes]
        if inputs.interval != "u-statistic":
            sentences.append(
                f"Intervals of importance are {inputs.interval}; those of its difference account "
                "for the rows and the donors."
            )
        return sentences

    def compared(self, inputs: Inputs, population: Population) -> Compared:
        """Return what is shown, all of which both groups have."""
        comparison = RowsComparison(self.explainer, (population, self.other), self.names)
        importance = [((m,), at) for at, m in enumerate(measures_of(self.explainer, inputs))]
        return Compared(comparison, importance, (inputs.measure,), inputs.indicator)

    def stressed(self, _comparison: Any, population: Population) -> Callable[..., Difference]:
        """Return the method that compares profiles of the same rows without weights."""
        own, other = (
            self.explainer.table.population(rows=side.rows) for side in (population, self.other)
        )
        return RowsComparison(self.explainer, (own, other), self.names).stress

    def options(self, inputs: Inputs, _population: Population) -> dict[str, dict[str, Any]]:
        """Return no population, which the comparison has; profiles have intervals of their own."""
        together = {"simultaneous": inputs.simultaneous}
        return {"scores": together, "dependence": together, "stress": {}, "importance": together}


class OtherClass(OtherSide):
    """Another class of the same model in the same rows."""

    def compared(self, inputs: Inputs, _population: Population) -> Compared:
        """Return the probabilities of both classes."""
        own, columns = self.names[0], measures_of(self.explainer, inputs)
        name = probability_of(own)
        kind = "share" if inputs.indicator.startswith(_SHARE) else "probability"
        return Compared(
            self.explainer.compare_classes(*self.names),
            [((), columns.index(name) if name in columns else None)],
            (),
            kind,
            curve_lies_under=class_of(inputs.measure) == own,
            profile_lies_under=inputs.indicator == f"{kind}:{own}",
        )

    def sentences(self, inputs: Inputs) -> list[str]:
        """Say of which class the first side is where several are shown, or none."""
        own, other = self.names
        shown = [inputs.measure, inputs.indicator, *measures_of(self.explainer, inputs)]
        sentences = super().sentences(inputs)
        if any(shown_class(name) != own for name in shown):
            sentences.append(
                f"What is compared is the probability of {own} with that of {other}; what has no "
                "class, such as a loss, is not."
            )
        return sentences


class RefittedLearner(OtherSide):
    """The learner, whose marks the other views have already."""

    def compared(self, _inputs: Inputs, _population: Population) -> None:
        """Return nothing: the learner has other rows than the model."""

    def sentences(self, _inputs: Inputs) -> list[str]:
        """Say why there is no difference."""
        return [
            "The learner is fitted again and again and evaluated on the rows that each fit left "
            "out, so it shares no rows with the model to pair, and there is no paired interval; "
            "its marks stand beside the model's in importance and curves."
        ]


def shown_class(name: str) -> str | None:
    """Return the class that a measure or an indicator is of."""
    share, _, label = name.partition(_SHARE)
    return label if label and not share else class_of(name)


def first_class(explainer: Explainer, inputs: Inputs, other: str) -> str:
    """Return the class that is shown: that of the curve, of the profile, or the first other one.

    Raises
    ------
    NothingToCompareError
        If it is the class that it is to be compared with.
    """
    shown = [inputs.measure, inputs.indicator, *measures_of(explainer, inputs)]
    own = next((label for name in shown if (label := shown_class(name)) is not None), None)
    if own == other:
        raise NothingToCompareError(f"you are viewing class {other} already; pick another class.")
    if own is not None:
        return own
    assert explainer.classes is not None
    return next(str(label) for label in explainer.classes if str(label) != other)
