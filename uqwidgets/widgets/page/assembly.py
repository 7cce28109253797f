"""The assembly of a page: its contents, the progress of the work, and its description."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.options import brief
from uqwidgets._utils.remarks import Remark
from uqwidgets.dependence.grids import why_no_curve
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import checked_interval
from uqwidgets.plotting.text import counted, listed
from uqwidgets.widgets.inputs.choices import curve_measures
from uqwidgets.widgets.inputs.conditions import notes_on_missing
from uqwidgets.widgets.inputs.inputs import Inputs, RowText, is_stressable
from uqwidgets.widgets.inputs.rows_text import rows_of_text, text_of_rows
from uqwidgets.widgets.kernel.work import Report
from uqwidgets.widgets.page.cohorts import NamedRows
from uqwidgets.widgets.page.contents import ROWS, Choices, CohortContents
from uqwidgets.widgets.page.keys import reads_of
from uqwidgets.widgets.page.levels import Stressed
from uqwidgets.widgets.page.processes import Processes
from uqwidgets.widgets.page.store import Store
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.model_info import model_info
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.session.state import initial_of_code
from uqwidgets.widgets.views.selection.view import MOST_LISTED
from uqwidgets.widgets.views.view import View

# Categories of a feature whose share can be moved; the most frequent ones.
_MOST_CATEGORIES = 8
_NOT_HERE = "not in this page"
_WITHOUT_LEARNER = Remark(
    "page-without-learner",
    "this page holds the results of the fitted model alone; those of the learner's refits are in "
    "the notebook",
)

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


@dataclass(frozen=True)
class PageOptions:
    """The parts of an explorer that a page contains.

    Attributes
    ----------
    cohorts : list of NamedRows
    intervals : sequence of str
    stressed : sequence of Stressed
    remarks : sequence of Remark
        On what the saved views show and the page does not hold.
    """

    cohorts: Sequence[NamedRows]
    intervals: Sequence[str]
    stressed: Sequence[Stressed]
    remarks: Sequence[Remark] = ()


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


def assemble(
    session: Session,
    views: Sequence[View],
    options: PageOptions,
    inputs: Inputs,
    pins: Sequence[dict[str, Any]],
    pinned: Sequence[Inputs],
    steps: Steps,
    processes: Processes,
) -> Callable[[], Page]:
    """Compute everything that a page shows, except for what other processes compute.

    Parameters
    ----------
    session : Session
        Of the model of the page.
    views : sequence of View
        They are used for nothing else.
    options : PageOptions
    inputs : Inputs
        Of the view that the page opens with.
    pins : sequence of dict
    pinned : sequence of Inputs
        Those of the pins.
    steps : Steps
        Of this work and a review, which is made before the page is complete.
    processes : Processes

    Returns
    -------
    callable
        Waits for the other processes, and returns the page.
    """
    explainer = session.explainer
    choices = Choices(
        {
            "feature": [f for f in explainer.features if why_no_curve(explainer.table, f) is None],
            "measure": [measure.name for measure in curve_measures(explainer)],
            "indicator": list(explainer.indicators),
            "interval": options.intervals,
        },
        options.stressed,
    )
    # All views draw the selected rows of each.
    shown = inputs
    inputs, *pinned = _with_all_selected([inputs, *pinned], len(explainer.table))
    store, builder = Store(), PopulationBuilder(explainer, session.models.weights)
    cohorts: dict[Any, tuple[NamedRows, CohortContents]] = {}

    def add(named: NamedRows, at: Inputs, offered: Choices) -> None:
        cohort = CohortContents(views, builder, store, offered, at, steps.next, processes)
        cohorts[_rows_of(at)] = (named, cohort)

    for named in options.cohorts:
        at = replace(inputs, ice_filter=named.filter, complement=named.complement)
        add(named, at, choices)
    for each in pinned:
        # Its levels of tau denote other means than the levels of the other views.
        if each.stress_feature and _rows_of(each) not in cohorts:
            category = builder.category(each)
            only = Choices({}, [Stressed(each.stress_feature, category)])
            add(NamedRows("", each.ice_filter, each.complement), each, only)
    steps.total = sum(cohort.n_steps for _, cohort in cohorts.values()) + _FURTHER_STEPS
    for rows, (_, cohort) in cohorts.items():
        own = [each for each in (inputs, *pinned) if _rows_of(each) == rows]
        cohort.add(own)
        for each in own:
            cohort.add_exact(each)

    def page() -> Page:
        steps.next("importance over tau")
        processes.finish(lambda: steps.next(""))
        described = []
        for named, cohort in cohorts.values():
            cohort.join()
            sentences = [] if named.complement else notes_on_missing(named.filter, explainer)
            described.append({"name": named.name, "sentences": sentences, **cohort.index})
        index = {
            **_description(session, views, options),
            # The page has a choice of its own among the cohorts.
            "inputs": {**shown.plain(), "cohorts": []},
            "pins": list(pins),
            "cohorts": described,
        }
        index["codes"] = dict(_remarks_of(index))
        rows = _rows_held(views, [cohort for _, cohort in cohorts.values()])
        return Page(store.deflated(index), rows)

    return page


def _with_all_selected(shown: Sequence[Inputs], n_rows: int) -> list[Inputs]:
    """Let all views select the rows of each, the first ones and that of the card."""
    rows: set[int] = set()
    for each in shown:
        selected = rows_of_text(each.selection, n_rows)
        rows.update(selected[:MOST_LISTED].tolist(), selected[selected == each.row].tolist())
    every = RowText(text_of_rows(sorted(rows)))
    return [replace(each, selection=every) for each in shown]


def _description(session: Session, views: Sequence[View], options: PageOptions) -> dict[str, Any]:
    """Describe the model, the choices of a reader, and the code that shows the same."""
    explainer, models = session.explainer, session.models
    return {
        "about": _about(explainer, views, options, session.title),
        "reads": {view.name: reads_of(view) for view in views},
        "categories": {
            feature: [one.category for one in options.stressed if one.feature == feature]
            for feature in dict.fromkeys(one.feature for one in options.stressed if one.category)
        },
        "code": {
            "arguments": models.arguments,
            "initial": initial_of_code(explainer),
        },
        "total": {"calls": explainer.model_calls, "rows": explainer.rows_evaluated},
        "sentences": [
            *([_WITHOUT_LEARNER] if models.learner is not None else []),
            *_other_models(explainer),
            *options.remarks,
        ],
    }


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


def _other_models(explainer: Explainer) -> list[Remark]:
    """Say that the page holds one of several models."""
    if not explainer.others:
        return []
    return [
        Remark(
            "page-of-one-model",
            f"this page holds the model {explainer.name} alone; {listed(list(explainer.others))}, "
            "with their pins and the comparison, are in the notebook",
        )
    ]


def _rows_of(inputs: Inputs) -> tuple[Any, ...]:
    """Identify the rows and what tau = -1 and 1 stand for."""
    return tuple(getattr(inputs, name) for name in ROWS)


def _about(
    explainer: Explainer, views: Sequence[View], options: PageOptions, title: str | None
) -> dict[str, Any]:
    about = model_info(explainer, views, title)
    about["intervals"] = list(options.intervals)
    # The page holds one model.
    about["models"] = []
    for feature in about["features"]:
        here = [one.category for one in options.stressed if one.feature == feature["name"]]
        if feature["unstressable"] is None and not here:
            feature["unstressable"] = _NOT_HERE
        if feature["kind"] == "categorical":
            # Rows are not filtered in a page, so these are the categories whose share is moved.
            feature["values"] = [category for category in here if category is not None]
    return about


def _rows_held(views: Sequence[View], cohorts: Sequence[CohortContents]) -> str:
    """Return a sentence on the values of single rows that the page contains."""
    held = []
    for view in views:
        most = max(cohort.most_rows.get(view.name, 0) for cohort in cohorts)
        if most:
            held.append(f"{view.row_values} of {counted(most, 'row')}")
    if not held:
        return (
            "It holds no row: averages, shares of rows, grids of values, and the least and the "
            "largest value of each feature."
        )
    return f"It holds {listed(held)}; lines=0 leaves no row in it."
