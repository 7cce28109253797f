"""The review in a page: the pins as a reading path, their tables, provenance and all remarks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from uqwidgets._utils.remarks import Remark
from uqwidgets.importance.result import Importance
from uqwidgets.inference import described_interval
from uqwidgets.plotting.html import Markup, element, words
from uqwidgets.plotting.result import Result
from uqwidgets.plotting.text import clipped, counted, few, listed, number, sentence
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.reproduction.provenance import facts_of_model, provenance
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.models import Models
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.views.comparison.sides import NothingToCompareError
from uqwidgets.widgets.views.view import View

# A table of more lines is folded.
_MOST_OPEN_LINES = 12
_FOLDED_TABLE = re.compile("<details.*?</details>", re.DOTALL)
# Letters of a note that is not folded.
_MOST_LETTERS = 240
# Width in pixels of the first words of a folded note, of a title in a heading, and of a name.
_START, _HEADING, _NAME = 360, 600, 360


@dataclass(frozen=True)
class ReviewedView:
    """A view of a review: the present one, or a pin.

    Attributes
    ----------
    name : str
        Such as "pin 1".
    note : str
    inputs : Inputs
    code : str
        The line of Python that shows it.
    results : mapping of (str, str) to Result
        By the names of the view and of the measure or indicator.
    views : sequence of View
        With their contents, for the picture.
    picture : Markup, optional
        Static pictures of what it shows; None of the view that the page opens with.
    """

    name: str
    note: str
    inputs: Inputs
    code: str
    results: Mapping[tuple[str, str], Result]
    views: Sequence[View] = ()
    picture: Markup | None = None

    @property
    def title(self) -> str:
        """The note, or what the view shows."""
        return self.note.strip() or sentence(self.description)

    @property
    def description(self) -> str:
        """What the view shows, in a few words."""
        inputs = self.inputs
        parts = [f"{inputs.measure} along {clipped(inputs.feature, _NAME)}"]
        if inputs.tau and inputs.stress_feature:
            parts.append(f"τ {inputs.tau:.2f} of {clipped(inputs.stress_feature, _NAME)}")
        if inputs.ice_filter:
            parts.append(counted(len(inputs.ice_filter), "condition"))
        if inputs.groups:
            parts.append(f"rows grouped by {clipped(inputs.groups, _NAME)}")
        if inputs.time:
            parts.append(f"rows in the order of {clipped(inputs.time, _NAME)}")
        if inputs.shown_model:
            parts.append(f"model {inputs.shown_model}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Review:
    """The sections of a review.

    Attributes
    ----------
    before, after : Markup
        HTML above and below the explorer.
    """

    before: Markup
    after: Markup


def reviewed_views(
    models: Models, shown: Sequence[Inputs], notes: Sequence[str], check: Callable[[], None]
) -> list[ReviewedView]:
    """Return the present view and the pins with their results; none has its picture.

    Parameters
    ----------
    models : Models
    shown : sequence of Inputs
        Of the present view, and of the pins.
    notes : sequence of str
        Of the pins.
    check : callable
        Called often; what it raises ends the work.
    """
    names = ["the view that the page opens with", *(f"pin {i + 1}" for i in range(len(notes)))]
    reviewed = []
    for name, note, inputs in zip(names, ["", *notes], shown, strict=True):
        session = models.session(inputs.shown_model)
        views = [view.another() for view in session.views if inputs.shows(view.name)]
        results = _results(session, views, inputs, check)
        reviewed.append(ReviewedView(name, note, inputs, models.code(inputs), results, views))
    return reviewed


def picture_of(models: Models, view: ReviewedView, check: Callable[[], None]) -> str:
    """Draw a view of `reviewed_views`."""
    session = models.session(view.inputs.shown_model)
    return static_picture(session, view.inputs, check, view.views)


def review(models: Models, reviewed: Sequence[ReviewedView], intervals: Sequence[str]) -> Review:
    """Return the review of an explorer.

    Parameters
    ----------
    models : Models
    reviewed : sequence of ReviewedView
        The present view, and the pins.
    intervals : sequence of str
        Kinds of intervals that the page offers.
    """
    shown, *pins = reviewed
    explainers = {
        each.inputs.shown_model: models.explainer(each.inputs.shown_model) for each in reviewed
    }
    facts = provenance(explainers[shown.inputs.shown_model], shown.inputs)
    facts["models"] = {
        f"Model {name}".rstrip(): facts_of_model(explainer.model)
        for name, explainer in explainers.items()
    }
    facts["intervals"] = [
        dict(zip(("kind", "level", "accounts_for", "takes_as_fixed"), each, strict=True))
        for each in ((kind, LEVEL, *described_interval(kind)) for kind in intervals)
    ]
    return Review(reading_path(pins), appendix(shown, pins, facts))


def with_picture(models: Models, pin: ReviewedView, check: Callable[[], None]) -> ReviewedView:
    """Return a pin with its picture, whose tables stand beside it."""
    drawn = _FOLDED_TABLE.sub("", picture_of(models, pin, check))
    return replace(pin, picture=Markup(drawn))


def _results(
    session: Session, views: Sequence[View], inputs: Inputs, check: Callable[[], None]
) -> dict[tuple[str, str], Result]:
    populations = PopulationBuilder(session.explainer, session.models.weights).build(inputs, check)
    assert populations is not None, "the rows of the view were counted"
    results = {}
    for view in views:
        view.content = view.complete(inputs, populations, check)
        # The view says why there is nothing to compare.
        with suppress(NothingToCompareError):
            for shown, result in view.results(inputs, populations, check).items():
                results[view.name, shown] = populations.remarked(result, session.explainer)
    return results


def reading_path(pins: Sequence[ReviewedView]) -> Markup:
    """Return the pins as an ordered list; the script of the page makes each of them open its view.

    Parameters
    ----------
    pins : sequence of ReviewedView
    """
    items = [
        element(
            "li",
            folded(pin.title, "Note"),
            element("div", words(pin.description)) if pin.note.strip() else Markup(""),
            data_pin=i,
        )
        for i, pin in enumerate(pins)
    ]
    path = [_section("Reading path", element("ol", *items), "uq-path")] if items else []
    # The script fills and shows it; without one, there is nothing to fold.
    heading = element("summary", element("h2", words("Review")), words(": verdict and comment"))
    answers = element("details", heading, hidden="", **{"class": "uq-section uq-answer"})
    return element("div", *path, answers, **{"class": "uq-before"})


def folded(note: str, name: str) -> Markup:
    """Return a note, behind its first words where it is long.

    Parameters
    ----------
    note : str
    name : str
        What the summary says while it is open.
    """
    if len(note) <= _MOST_LETTERS:
        return element("div", words(note), **{"class": "uq-folded"})
    start = element("span", words(clipped(" ".join(note.split()), _START)), **{"class": "uq-start"})
    summary = element("summary", start, element("span", words(name), **{"class": "uq-opened"}))
    return element("details", summary, element("div", words(note)), **{"class": "uq-folded"})


def appendix(
    shown: ReviewedView, pins: Sequence[ReviewedView], provenance: Mapping[str, Any]
) -> Markup:
    """Return the HTML below the explorer: tables and code of the pins, provenance, remarks.

    Parameters
    ----------
    shown : ReviewedView
        The view that the page opens with; its tables are shown where there are no pins.
    pins : sequence of ReviewedView
    provenance : mapping
        From `uqwidgets.widgets.reproduction.provenance.provenance`, with the intervals of the page.
    """
    tables = [_view_html(view) for view in pins or [shown]]
    sections = [
        _section("Tables and code", Markup("".join(tables)), "uq-tables"),
        _section("Provenance", _provenance_html(provenance), "uq-provenance"),
        _section("Remarks", _remarks_html([shown, *pins]), "uq-remarks"),
    ]
    return Markup("".join(sections))


def _section(title: str, body: Markup, name: str, **attributes: str) -> Markup:
    heading = element("h2", words(title), id=f"{name}-title")
    own = {"class": f"uq-section {name}", "aria-labelledby": f"{name}-title"}
    return element("section", heading, body, **own, **attributes)


def _view_html(view: ReviewedView) -> Markup:
    about = view.description if view.note.strip() else ""
    title = clipped(view.title, _HEADING)
    heading = element("h3", words(f"{sentence(view.name)}: {title}"))
    code = element("pre", element("code", words(view.code)), **{"class": "uq-code"})
    tables = [
        part
        for (name, shown), result in view.results.items()
        for part in (
            _table(f"{sentence(name).replace('_', ' ')}: {shown}", _lines_of(result, view.inputs)),
            _rows_needed(result),
        )
    ]
    picture = []
    if view.picture is not None:
        summary = element("summary", words(f"Picture of {view.name}"))
        drawn = element("div", view.picture, **{"class": "uq-still"})
        picture.append(element("details", summary, drawn, **{"class": "uq-picture"}))
    return element("article", heading, element("p", words(about)), code, *picture, *tables)


def _rows_needed(result: Result) -> Markup:
    """Return one line on how many rows would make clear what is not; nothing where all is."""
    if not isinstance(result, Importance) or result.interval not in ("u-statistic", "model"):
        return Markup("")
    unchanged = 1 if result.compare == "ratio" else 0
    is_unclear = (result.low <= unchanged) & (unchanged <= result.high)
    is_unclear &= result.low < result.high  # a feature that the model ignores stays at zero
    if result.moments is None or not is_unclear.any():
        return Markup("")
    needed = result.rows_needed()
    what, lines = needed.columns[1], needed[is_unclear]
    more = lines[np.isfinite(lines[what])].sort_values(what)
    parts = [f"{name} with about {float(f'{n:.2g}'):,.0f} {what}" for name, n in more.to_numpy()]
    never = lines.loc[np.isinf(lines[what]), "feature"]
    sentences = [f"Clear of {unchanged} if the numbers stay: {listed(few(parts))}"] if parts else []
    if len(never):
        sentences.append(f"Not with any number of {what}: {listed(few(list(never)))}")
    return element("p", words(". ".join(sentences) + ".")) if sentences else Markup("")


def _lines_of(result: Result, inputs: Inputs) -> pd.DataFrame:
    """Return the frame of a result; of stress the profile of the stressed feature alone."""
    frame = result.frame
    if {"tau", "feature"} <= set(frame.columns) and inputs.stress_feature:
        # A line of a category has its name as well.
        stressed, names = inputs.stress_feature, frame["feature"]
        return frame[(names == stressed) | names.str.startswith(f"{stressed}=")]
    return frame


def _table(caption: str, frame: pd.DataFrame) -> Markup:
    head = [element("th", words(str(name)), scope="col") for name in frame.columns]
    lines = [
        element("tr", *(_cell(value) for value in line))
        for line in frame.itertuples(index=False, name=None)
    ]
    inner = element(
        "table",
        element("thead", element("tr", *head)),
        element("tbody", *lines),
    )
    title = f"{caption}, {counted(len(frame), 'row')}"
    is_open = "" if len(frame) <= _MOST_OPEN_LINES else None
    # The script adds buttons that copy and download the table.
    scroll = {"class": "uq-scroll", "tabindex": "0", "role": "region", "aria-label": caption}
    return element(
        "details",
        element("summary", words(title)),
        element("div", inner, **scroll),
        open=is_open,
        data_table=caption,
    )


def _cell(value: Any) -> Markup:
    """Return a cell; where its number is rounded, the attribute has it in full."""
    if isinstance(value, (bool, np.bool_)):
        return element("td", words("yes" if value else "no"), data_value=str(bool(value)))
    if isinstance(value, (float, np.floating)):
        full = float(value)
        exact = "" if math.isnan(full) else repr(full)
        return element("td", words(number(full, 4)), data_value=exact)
    if isinstance(value, (int, np.integer)):
        return element("td", words(f"{int(value):,}"), data_value=str(int(value)))
    return element("td", words("" if value is None else str(value)))


def _provenance_html(facts: Mapping[str, Any]) -> Markup:
    groups = {
        **{
            name: {
                "class": model["class"],
                **{f"parameter {parameter}": v for parameter, v in model["parameters"].items()},
            }
            for name, model in facts["models"].items()
        },
        "Data": {
            "target": facts["target"],
            "task": facts["task"],
            "classes": facts["classes"],
            "rows": facts["n_rows"],
            "rows belong to": facts["groups"],
            "features": facts["n_features"],
            **{
                f"{kind} features": ", ".join(n for n, k in facts["features"].items() if k == kind)
                for kind in dict.fromkeys(facts["features"].values())
            },
            **{f"sha256 of {name}": digest for name, digest in facts["sha256"].items()},
        },
        "Computation": {
            "seed": facts["seed"],
            "repeats": facts["n_repeats"],
            **{
                f"{each['level']:.0%} interval {each['kind']}": (
                    f"accounts for {each['accounts_for']}; takes as fixed {each['takes_as_fixed']}"
                )
                for each in facts["intervals"]
            },
            "model calls": facts["model_calls"],
            "rows evaluated": facts["rows_evaluated"],
        },
        "Versions": {**facts["versions"], "Git commit": facts["commit"] or "no Git repository"},
    }
    return Markup("".join(_facts(name, group) for name, group in groups.items()))


def _facts(title: str, facts: Mapping[str, Any]) -> Markup:
    lines = [
        element("tr", element("th", words(name), scope="row"), element("td", words(_plain(value))))
        for name, value in facts.items()
        if value not in (None, [])
    ]
    caption = element("caption", words(title))
    return element("table", caption, element("tbody", *lines), **{"class": "uq-facts"})


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _remarks_html(views: Sequence[ReviewedView]) -> Markup:
    places: dict[Remark, list[str]] = {}
    for remark, place in _remarks(views):
        if place not in places.setdefault(remark, []):
            places[remark].append(place)
    if not places:
        return element("p", words("There are none."))
    items = [
        element(
            "li",
            words(f"{sentence(remark).rstrip('.')}. "),
            element("span", words(f"({remark.code}: {'; '.join(where)})"), **{"class": "uq-muted"}),
        )
        for remark, where in places.items()
    ]
    return element("ul", *items)


def _remarks(views: Iterable[ReviewedView]) -> Iterator[tuple[Remark, str]]:
    for view in views:
        for (name, shown), result in view.results.items():
            for remark in result.remarks:
                yield remark, f"{name} of {shown}, {view.name}"
