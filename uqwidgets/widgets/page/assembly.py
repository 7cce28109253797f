"""The assembly of a page: its contents, the progress of the work, and its description."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import brief
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence.grids import why_no_curve
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import model_names
from uqwidgets.inference import checked_interval
from uqwidgets.plotting.text import counted, listed
from uqwidgets.widgets.inputs.choices import curve_measures
from uqwidgets.widgets.inputs.conditions import notes_on_missing
from uqwidgets.widgets.inputs.inputs import Inputs, RowText, is_stressable
from uqwidgets.widgets.inputs.rows_text import rows_of_text, text_of_rows
from uqwidgets.widgets.kernel.work import Report
from uqwidgets.widgets.page.cohorts import NamedRows
from uqwidgets.widgets.page.compared import compared_of_page
from uqwidgets.widgets.page.contents import ROWS, Choices, CohortContents
from uqwidgets.widgets.page.keys import reads_of
from uqwidgets.widgets.page.levels import Stressed
from uqwidgets.widgets.page.processes import Processes
from uqwidgets.widgets.page.refits import refits_of_page
from uqwidgets.widgets.page.store import Store
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.model_info import model_info
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.session.state import initial_of_code
from uqwidgets.widgets.views.comparison.view import ComparisonView
from uqwidgets.widgets.views.selection.view import MOST_LISTED
from uqwidgets.widgets.views.view import View

# Categories of a feature whose share can be moved; the most frequent ones.
_MOST_CATEGORIES = 8
_NOT_HERE = "not in this page"
# The review, and waiting for other processes.
_FURTHER_STEPS = 2


@dataclass
class Steps:
    """Counts the steps of the work for its progress.

    Attributes
    ----------
    progress : callable
        Called with the present step, and the numbers of finished and of all steps.
    total, done : int
    what : str
        Name of the present step.
    """

    progress: Report
    total: int = 0
    done: int = 0
    what: str = ""

    def next(self, what: str) -> None:
        """Report a step; without a name, report that the present step continues."""
        if what:
            self.done += 1
            self.what = what
        self.progress(self.what, min(self.done, self.total), self.total)


class Sample(NamedTuple):
    """A part of the contents of a page.

    Attributes
    ----------
    n_features : int
        Number of features with a curve, the saved one first.
    taus : tuple of float
        See `Choices`.
    """

    n_features: int
    taus: tuple[float, ...]


@dataclass(frozen=True)
class PageOptions:
    """The parts of an explorer that a page contains.

    Attributes
    ----------
    cohorts : list of NamedRows
    intervals : sequence of str
    stressed : sequence of Stressed
    simultaneous : sequence of bool
        Whether intervals hold one at a time or all at once, of the saved views; both where a reader
        can choose.
    remarks : sequence of Remark
        On what the saved views show and the page does not hold.
    sample : Sample, optional
        The part of it that is computed to know how long the whole takes.
    """

    cohorts: Sequence[NamedRows]
    intervals: Sequence[str]
    stressed: Sequence[Stressed]
    simultaneous: Sequence[bool] = (False,)
    remarks: Sequence[Remark] = ()
    sample: Sample | None = None


@dataclass(frozen=True)
class PageModel:
    """A model of a page, with the views that the explorer or a pin shows of it.

    Attributes
    ----------
    session : Session
    views : sequence of View
        They are used for nothing else.
    shown : sequence of Inputs
        At least one. The first is what the page shows when a reader chooses the model.
    """

    session: Session
    views: Sequence[View]
    shown: Sequence[Inputs]

    @property
    def name(self) -> str:
        """Name of the model; empty where it is the only one of the explorer."""
        return self.shown[0].shown_model

    def parts(self) -> list[View]:
        """Return the views by their parts, see `ComparedOfPage` and `RefitsOfPage`."""
        parts: list[View] = []
        for view in self.views:
            if isinstance(view, ComparisonView):
                parts += compared_of_page(view, self.shown)
            else:
                parts.append(view)
            if (learner := self.session.learner) is not None:
                parts += refits_of_page(learner, view, self.shown)
        return parts


@dataclass
class Page:
    """The contents of a page.

    Attributes
    ----------
    chunks : dict of str to str
        See `Store.deflated`.
    rows : str
        A sentence on what the page holds of the rows.
    """

    chunks: dict[str, str]
    rows: str


def stressed_of(explainer: Explainer, names: Any, shown: Sequence[Inputs]) -> list[Stressed]:
    """Return what can be stressed in a page: numbers, and the most frequent categories.

    Parameters
    ----------
    explainer : Explainer
    names : sequence of str or None
        Features; None for all that can be stressed.
    shown : sequence of Inputs
        Of the views that are saved, whose stressed features are added.

    Raises
    ------
    ValueError
        If a feature does not exist or cannot be stressed.
    """
    table = explainer.table
    able = [f for f in explainer.features if is_stressable(table, f)]
    if names is not None:
        if isinstance(names, str):
            raise ValueError(f"stress_features is {brief(names)}; it must be a list of features.")
        # Without a name, what the saved views stress can be stressed.
        names = as_names(names, "stress_features", may_be_empty=True)
        for name in names:
            if table.features[table.index(name)] not in able:
                raise ValueError(f"{name!r} cannot be stressed; leave it out of stress_features.")
        chosen = {*map(str, names), *(each.stress_feature for each in shown)}
        able = [feature for feature in able if feature in chosen]
    stressed = []
    for feature in able:
        if table.kind(feature) == "numeric":
            stressed.append(Stressed(feature, None))
            continue
        labels = table.labels(feature)
        often = sorted(labels.texts, key=lambda text: -labels.mask([text]).sum())
        pinned = [each.stress_category for each in shown if each.stress_feature == feature]
        categories = [*often[:_MOST_CATEGORIES], *(c for c in pinned if c in often)]
        stressed += [Stressed(feature, category) for category in dict.fromkeys(categories)]
    return stressed


def intervals_of(intervals: Any, inputs: Sequence[Inputs]) -> list[str]:
    """Return the kinds of intervals of a page, with those that the saved views use.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    if isinstance(intervals, str):
        intervals = [intervals]
    chosen = [each.interval for each in inputs]
    chosen += [checked_interval(kind) for kind in intervals or ()]
    return list(dict.fromkeys(chosen))


def choices_of(explainer: Explainer, options: PageOptions, inputs: Inputs) -> Choices:
    """Return what a reader can choose.

    Parameters
    ----------
    explainer : Explainer
    options : PageOptions
    inputs : Inputs
        Whose feature comes first in a sample.
    """
    table, sample = explainer.table, options.sample
    features = [f for f in explainer.features if why_no_curve(table, f) is None]
    if sample is not None:
        features = sorted(features, key=lambda f: f != inputs.feature)[: sample.n_features]
    values = {
        "feature": features,
        "measure": [measure.name for measure in curve_measures(explainer)],
        "indicator": list(explainer.indicators),
        "interval": options.intervals,
        "simultaneous": options.simultaneous,
    }
    return Choices(values, options.stressed, *([] if sample is None else [sample.taus]))


def assemble(
    models: Sequence[PageModel],
    options: PageOptions,
    pins: Sequence[dict[str, Any]],
    steps: Steps,
    processes: Processes,
) -> Callable[[], Page]:
    """Compute everything that a page shows, except for what other processes compute.

    Parameters
    ----------
    models : sequence of PageModel
        The page opens with the first view of the first one.
    options : PageOptions
    pins : sequence of dict
    steps : Steps
        Of this work and a review, which is made before the page is complete.
    processes : Processes

    Returns
    -------
    callable
        Waits for the other processes, and returns the page.
    """
    store = Store()
    contents = [contents_of(model, options, store, steps, processes) for model in models]
    cohorts = [cohort for each in contents for _, cohort, _ in each]
    steps.total = sum(cohort.n_steps for cohort in cohorts) + _FURTHER_STEPS
    for each in contents:
        for _, cohort, own in each:
            cohort.add()
            for shown in own:
                cohort.add_exact(shown)

    def page() -> Page:
        steps.next("importance over tau")
        processes.finish(lambda: steps.next(""))
        held = [model.name for model in models]
        described = {}
        for model, each in zip(models, contents, strict=True):
            described[model.name] = {**_description(model, options, held), "cohorts": []}
            for named, cohort, _ in each:
                cohort.join()
                explainer = model.session.explainer
                sentences = [] if named.complement else notes_on_missing(named.filter, explainer)
                one = {"name": named.name, "sentences": sentences, **cohort.index}
                described[model.name]["cohorts"].append(one)
        index = {"models": described, "inputs": _plain(models[0].shown[0]), "pins": list(pins)}
        index["codes"] = dict(_remarks_of(index))
        return Page(store.deflated(index), _rows_held([m.views for m in models], cohorts))

    return page


def _with_all_selected(shown: Sequence[Inputs], n_rows: int) -> list[Inputs]:
    """Let all views select the rows of each, the first ones and that of the card."""
    rows: set[int] = set()
    for each in shown:
        selected = rows_of_text(each.selection, n_rows)
        rows.update(selected[:MOST_LISTED].tolist(), selected[selected == each.row].tolist())
    every = RowText(text_of_rows(sorted(rows)))
    return [replace(each, selection=every) for each in shown]


def contents_of(
    model: PageModel, options: PageOptions, store: Store, steps: Steps, processes: Processes
) -> list[tuple[NamedRows, CohortContents, list[Inputs]]]:
    """Return the cohorts of a model, the contents of each, and the saved views of its rows.

    Nothing is computed yet.
    """
    session, explainer = model.session, model.session.explainer
    # All views draw the selected rows of each.
    shown = _with_all_selected(model.shown, len(explainer.table))
    inputs = shown[0]
    builder = PopulationBuilder(explainer, session.models.weights)
    choices = choices_of(explainer, options, inputs)
    offered = {}
    for named in options.cohorts:
        at = replace(inputs, ice_filter=named.filter, complement=named.complement)
        offered[_rows_of(at)] = (named, at, choices)
    for each in shown:
        # Its levels of tau denote other means than the levels of the other views, or it has other
        # groups.
        is_apart = (each.groups, each.time) != (inputs.groups, inputs.time)
        if (each.stress_feature or is_apart) and _rows_of(each) not in offered:
            stressed = [Stressed(each.stress_feature, builder.category(each))]
            only = Choices({}, stressed if each.stress_feature else [])
            named = NamedRows("", each.ice_filter, each.complement)
            offered[_rows_of(each)] = (named, each, only)
    contents = []
    for rows, (named, at, offers) in offered.items():
        own = [each for each in shown if _rows_of(each) == rows]
        forms = [at, *own]
        parts = model.parts()
        cohort = CohortContents(parts, builder, store, offers, forms, steps.next, processes)
        contents.append((named, cohort, own))
    return contents


def _description(model: PageModel, options: PageOptions, held: Sequence[str]) -> dict[str, Any]:
    """Describe the model, the choices of a reader, and the code that shows the same."""
    session, models = model.session, model.session.models
    explainer, learner = session.explainer, session.learner
    return {
        "about": _about(session, model.views, options, held),
        "inputs": _plain(model.shown[0]),
        "reads": {part.name: reads_of(part) for part in model.parts()},
        # What the parts of a view are added to.
        "learner": None if learner is None else {"n_refits": learner.n_refits, "state": "absent"},
        "categories": {
            feature: [one.category for one in options.stressed if one.feature == feature]
            for feature in dict.fromkeys(one.feature for one in options.stressed if one.category)
        },
        "code": {
            "arguments": models.arguments,
            "initial": initial_of_code(explainer),
        },
        "total": {"calls": explainer.model_calls, "rows": explainer.rows_evaluated},
        "sentences": [*_other_models(explainer, held), *options.remarks],
    }


def _plain(inputs: Inputs) -> dict[str, Any]:
    """Return inputs as the page has them: it has a choice of its own among the cohorts."""
    return {**inputs.plain(), "cohorts": []}


def _remarks_of(value: object) -> Iterator[tuple[str, str]]:
    """Yield every remark in the index, with its code."""
    if isinstance(value, Remark):
        yield str(value), value.code
    elif isinstance(value, dict):
        for each in value.values():
            yield from _remarks_of(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _remarks_of(each)


def _other_models(explainer: Explainer, held: Sequence[str]) -> list[Remark]:
    """Say which of several models the page does not hold."""
    absent = [name for name in model_names(explainer) if name not in held]
    if not absent:
        return []
    here = f"the model {held[0]} alone" if len(held) == 1 else f"the models {listed(list(held))}"
    return [
        Remark(
            "page-of-some-models",
            f"this page holds {here}; the views of {listed(absent)} are in the notebook",
        )
    ]


def _rows_of(inputs: Inputs) -> tuple[Any, ...]:
    """Identify the rows and what tau = -1 and 1 stand for."""
    return tuple(getattr(inputs, name) for name in ROWS)


def _about(
    session: Session, views: Sequence[View], options: PageOptions, held: Sequence[str]
) -> dict[str, Any]:
    about = model_info(session.explainer, views, session.title)
    about["intervals"] = list(options.intervals)
    about["simultaneous"] = list(options.simultaneous)
    about["models"] = list(held)
    for feature in about["features"]:
        here = [one.category for one in options.stressed if one.feature == feature["name"]]
        if feature["unstressable"] is None and not here:
            feature["unstressable"] = _NOT_HERE
        if feature["kind"] == "categorical":
            # Rows are not filtered in a page, so these are the categories whose share is moved.
            feature["values"] = [category for category in here if category is not None]
    return about


def _rows_held(views: Sequence[Sequence[View]], cohorts: Sequence[CohortContents]) -> str:
    """Return a sentence on the values of single rows that the page contains."""
    held = []
    for view in {view.name: view for each in views for view in each}.values():
        most = max(cohort.most_rows.get(view.name, 0) for cohort in cohorts)
        if most:
            held.append(f"{view.row_values} of {counted(most, 'row')}")
    if not held:
        return (
            "It holds no row: averages, shares of rows, grids of values, and the least and the "
            "largest value of each feature."
        )
    return f"It holds {listed(held)}; lines=0 leaves no row in it."
