"""What a page takes before it is made: seconds and bytes, from a few of its contents.

The contents of one feature are computed, packed and timed, for one stressed feature and then for
several, and multiplied by the numbers of contents and of stressed features. What the model takes
for curves that are not known is estimated as elsewhere, from its calls so far.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import NamedTuple

from uqwidgets.evaluation.replacement import Request
from uqwidgets.plotting.text import counted
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.work import Report
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.page.assembly import PageModel, Sample, Steps, assemble, contents_of
from uqwidgets.widgets.page.contents import PACKING
from uqwidgets.widgets.page.document import front_end_bytes, without_copies
from uqwidgets.widgets.page.plain import PICTURES, REVIEW
from uqwidgets.widgets.page.plan import Plan
from uqwidgets.widgets.page.processes import Processes
from uqwidgets.widgets.page.store import Store
from uqwidgets.widgets.picture.static_picture import static_picture
from uqwidgets.widgets.views.view import View

# Levels of tau that are computed where rows, features and repeats make so many shuffled values.
_FEW, _MANY = tuple((STOPS[::4]).tolist()), 200_000
_EVERY = tuple(STOPS.tolist())
# Stressed features that are sampled together.
_SEVERAL = 4
# What stressed features add to the bytes grows with this power of their number: they are alike.
_ALIKE = 0.65
# Bytes of a line of a table of the review, and of all else in it.
_OF_LINE, _OF_REVIEW = 170, 20_000
# Bytes of a content in the index, and seconds to pack it at one level of one stressed feature.
_OF_ENTRY, _OF_PACKED = 60, 2e-5


@dataclass(frozen=True)
class Price:
    """What a page takes.

    Attributes
    ----------
    seconds : float
        Until it is written.
    nbytes : int
        Of the file.
    steps : mapping of str to float
        Seconds of one step of the work, by its name.
    """

    seconds: float
    nbytes: int
    steps: Mapping[str, float] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"{duration(self.seconds)}, {_size(self.nbytes)}"

    def of_step(self, name: str) -> float:
        """Return what a step takes; next to nothing if it is not known."""
        return max(self.steps.get(name, 0.0), 1e-3)


@dataclass(frozen=True)
class PagePrice:
    """What the page of an explorer takes, see `Explorer.page_price`.

    Attributes
    ----------
    shown, all, pictures : Price
        By the scope of the page, each with ``seconds`` and ``nbytes``.
    """

    shown: Price
    all: Price
    pictures: Price

    def __repr__(self) -> str:
        return f"{self.shown}; all: {self.all}; pictures: {self.pictures}"


def duration(seconds: float) -> str:
    """Return a time in words, such as "about 20 s" or "about 4 min"."""
    if seconds < 1:
        return "less than 1 s"
    if seconds < 100:
        return f"about {round(seconds) if seconds < 10 else 5 * round(seconds / 5)} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {counted(round(seconds / 3600), 'hour')}"


def _size(nbytes: int) -> str:
    return f"{nbytes / 1e6:.1f} MB"


class Counts(NamedTuple):
    """How much a page contains.

    Attributes
    ----------
    contents : dict of str to int
        By the name of the view.
    rows : dict of str to int
        That the model is asked about, by the name of the view that needs them first.
    asking : dict of str to float
        Seconds that the model needs for these rows.
    stressed, cohorts, saved, lines : int
        What can be stressed, cohorts of all models, saved views, and lines of the tables of the
        review.
    """

    contents: dict[str, int]
    rows: dict[str, int]
    asking: dict[str, float]
    stressed: int
    cohorts: int
    saved: int
    lines: int


class Look(NamedTuple):
    """What a few contents took.

    Attributes
    ----------
    stressed, levels : int
        How many features were stressed, and at how many levels of tau each.
    steps : dict of str to list of float
        Seconds of each step, by its name.
    nbytes : dict of str to int
        By the name of the view; ``""`` is the index.
    """

    stressed: int
    levels: int
    steps: dict[str, list[float]]
    nbytes: dict[str, int]

    def seconds(self, name: str) -> float:
        """Return the median seconds of a step; 0 if there was none."""
        return median(self.steps.get(name, (0.0,)))


def counts_of(plan: Plan) -> Counts:
    """Count what a page contains, without computing any of it."""
    inputs, options = plan.shown[0], plan.options
    contents, rows = Counter[str](), Counter[str]()
    asking: dict[str, float] = {}
    n_cohorts, steps = 0, Steps(lambda *_: None)
    for model in plan.page_models():
        evaluations, asked = model.session.explainer.evaluations, set[Request]()
        for _, cohort, _ in contents_of(model, options, Store(), steps, Processes(n_jobs=1)):
            n_cohorts += 1
            for view, every in cohort.every.items():
                contents[view.name] += len(every)
                of_features = {(at.feature, at.second): at for at in every.values()}
                requests = {q for at in of_features.values() for q in _asked(view, at)} - asked
                waiting = sum(not evaluations.is_cached(q) for q in requests)
                rows[view.name] += waiting * len(evaluations.table)
                asked |= requests
        for view in model.parts():
            before = asking.get(view.name, 0.0)
            asking[view.name] = before + evaluations.seconds_for(rows[view.name])
    p = len(plan.session(0).explainer.features)
    n_over_tau = len(STOPS) if inputs.stress_feature else 0
    return Counts(
        dict(contents),
        dict(rows),
        asking,
        len(options.stressed),
        n_cohorts,
        len(plan.shown),
        len(plan.shown) * (2 * p + (p + 1) * n_over_tau),
    )


class Measured(NamedTuple):
    """What was measured of a page before it is made.

    Attributes
    ----------
    looks : sequence of Look
        Of no stressed feature, then of one, and where that is quick of several.
    picture, picture_nbytes : float, int
        Seconds and bytes of the static picture of the present view.
    slowness : float
        Seconds that pass for one that this thread works.
    """

    looks: Sequence[Look]
    picture: float
    picture_nbytes: int
    slowness: float

    def covers(self, plan: Plan) -> bool:
        """Whether the looks are at all views of a plan, with as many stressed features."""
        last = self.looks[-1]
        n = min(_SEVERAL, len(plan.options.stressed)) if last.levels == len(STOPS) else 1
        known = {view.name for view in _ready(plan)}
        return last.stressed >= n and known <= last.steps.keys()


def measured(plan: Plan, check: Callable[[], None]) -> Measured:
    """Compute a few contents of a page, and note what they take.

    Parameters
    ----------
    plan : Plan
    check : callable
        Called often; what it raises ends the work.
    """
    began, worked = time.perf_counter(), time.thread_time()
    session = plan.session(0)
    n_values = len(session.explainer.table) * len(session.explainer.features)
    is_long = n_values * plan.shown[0].n_repeats > _MANY
    looks = [_look(plan, 0, _EVERY, check)]
    if plan.options.stressed:
        looks.append(_look(plan, 1, _FEW if is_long else _EVERY, check))
    if len(plan.options.stressed) > 1 and not is_long:
        looks.append(_look(plan, _SEVERAL, _EVERY, check))
    drawing = time.thread_time()
    picture = without_copies(static_picture(session, plan.shown[0], check))
    ended = time.thread_time()
    slowness = (time.perf_counter() - began) / max(ended - worked, 1e-3)
    return Measured(looks, ended - drawing, len(picture.encode()), slowness)


def _look(plan: Plan, n: int, taus: tuple[float, ...], check: Callable[[], None]) -> Look:
    inputs = replace(plan.shown[0], tau=0.0)
    own = [one for one in plan.options.stressed if one.feature == inputs.stress_feature]
    stressed = [*own, *(one for one in plan.options.stressed if one not in own)][:n]
    options = replace(
        plan.options,
        cohorts=plan.options.cohorts[:1],
        stressed=stressed,
        sample=Sample(1, taus),
    )
    # What the model was not asked yet is estimated.
    model = PageModel(plan.session(0), _ready(plan), [inputs])
    timed = _TimedSteps(lambda *_: check())
    with Processes(n_jobs=1) as processes:
        page = assemble([model], options, [], timed, processes)()
    nbytes = Counter[str]()
    for chunk, text in page.chunks.items():
        nbytes[chunk.partition(" ")[0]] += len(text)
    return Look(len(stressed), len(taus), timed.seconds, dict(nbytes))


class _TimedSteps(Steps):
    """Notes how long each step takes, without what other threads take meanwhile."""

    def __init__(self, progress: Report) -> None:
        super().__init__(progress)
        self.seconds: dict[str, list[float]] = {}
        self._began = 0.0

    def next(self, what: str) -> None:
        """Report a step, see `Steps`."""
        if what:
            now = time.thread_time()
            if self.what:
                self.seconds.setdefault(self.what, []).append(now - self._began)
            self._began = now
        super().next(what)


def price_of(counts: Counts, known: Measured, *, is_plain: bool = False) -> Price:
    """Estimate what a page takes.

    Parameters
    ----------
    counts : Counts
    known : Measured
    is_plain : bool, default=False
        Whether it is one of pictures and tables alone.
    """
    looks = known.looks
    # Each saved view is computed for its level of tau and for the tables, with importance over tau.
    own = _seconds(looks, "importance", min(1, counts.stressed))
    own += sum(looks[0].seconds(name) for name in counts.contents)
    steps, numbers = {REVIEW: counts.saved * own, PICTURES: known.picture}, {REVIEW: 1, PICTURES: 1}
    nbytes = _OF_REVIEW + _OF_LINE * counts.lines
    if is_plain:
        numbers[PICTURES] = counts.saved
        nbytes += counts.saved * known.picture_nbytes
    else:
        numbers |= {**counts.contents, PACKING: counts.cohorts}
        steps |= {name: _seconds(looks, name, counts.stressed) for name in counts.contents}
        n_packed = max(counts.contents.values()) * counts.stressed * len(STOPS)
        steps[PACKING] = looks[0].seconds(PACKING) + n_packed * _OF_PACKED / counts.cohorts
        nbytes += known.picture_nbytes + front_end_bytes() + _OF_ENTRY * sum(numbers.values())
        nbytes += sum(
            _nbytes(looks, name, n, counts.stressed)
            for name, n in {**counts.contents, "": counts.cohorts}.items()
        )
    steps = {name: known.slowness * each for name, each in steps.items()}
    if not is_plain:
        for name, seconds in counts.asking.items():
            steps[name] += seconds / max(1, numbers[name])
    return Price(sum(n * steps[name] for name, n in numbers.items()), nbytes, steps)


def _seconds(looks: Sequence[Look], name: str, n: int) -> float:
    """Return the seconds of a content with so many stressed features."""
    first, *further = looks
    if not further or not n:
        return first.seconds(name)
    alone, *several = further
    one = alone.seconds(name)
    # Levels share some of the work; how much, a few of them do not show.
    one += max(0.0, one - first.seconds(name)) * (math.sqrt(len(STOPS) / alone.levels) - 1)
    if n <= 1:
        return one
    if not several:
        return n * one
    return _beyond((1, one), (several[0].stressed, several[0].seconds(name)), n)


def _beyond(near: tuple[int, float], far: tuple[int, float], n: int) -> float:
    """Extrapolate a time, between a line through two numbers of units and one through the origin.

    What is computed for many at once takes less for each, and then more where the processor's
    cache is full.
    """
    if far[0] == n:
        return far[1]
    line = far[1] + max(0.0, far[1] - near[1]) / (far[0] - near[0]) * (n - far[0])
    return math.sqrt(line * far[1] * n / far[0])


def _nbytes(looks: Sequence[Look], name: str, n_contents: int, n: int) -> int:
    """Return the bytes of the contents of a view with so many stressed features."""
    first, last = looks[0], looks[-1]
    before, after = first.nbytes.get(name, 0), last.nbytes.get(name, 0)
    added = max(0, after - before) * float((n / max(1, last.stressed)) ** _ALIKE)
    n_sampled = max(1, len(last.steps.get(name, ())))
    return round((before + added) * n_contents / n_sampled)


def _asked(view: View, inputs: Inputs) -> Sequence[Request]:
    """Return what a content asks the model; nothing where it fails, which drawing reports."""
    try:
        return view.replacements(inputs)
    except ValueError:
        return ()


def _ready(plan: Plan) -> list[View]:
    """Return views of the first model whose contents need no model call."""

    def is_ready(view: View) -> bool:
        try:
            return view.is_ready(plan.shown[0])
        except ValueError:
            return False

    return [view for view in plan.page_models()[0].views if is_ready(view)]
