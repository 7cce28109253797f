"""Session: the views of one explainer, and the answers to its requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.errors import in_one_line
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner import Learner
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs
from uqwidgets.widgets.kernel.frames import pack
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.scheduler import Ticket
from uqwidgets.widgets.over_tau.following import OverTau
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.answer import WidgetAnswer, WidgetRequest
from uqwidgets.widgets.session.ghost import Ghost
from uqwidgets.widgets.session.learner_panel import LearnerPanel
from uqwidgets.widgets.session.model_info import model_info
from uqwidgets.widgets.views import View, registered_views

if TYPE_CHECKING:
    from uqwidgets.widgets.session.models import Models

V = TypeVar("V", bound=View)


class Start(NamedTuple):
    """When a request began, and what the model had evaluated by then.

    Attributes
    ----------
    number : int
        Of the request.
    at, since : float
        By the clock of `Timing`; ``since`` is when the work began that the request goes on with.
    model_calls, rows_evaluated : int
    """

    number: int = 0
    at: float = 0.0
    since: float = 0.0
    model_calls: int = 0
    rows_evaluated: int = 0


class Session:
    """The views of one explainer.

    Parameters
    ----------
    explainer : Explainer
    models : Models
        To which it belongs.
    learner : Learner, optional
        Shown beside the model.
    title : str, optional
        Name of the model.
    """

    def __init__(
        self,
        explainer: Explainer,
        models: Models,
        learner: Learner | None = None,
        title: str | None = None,
    ) -> None:
        self.explainer = explainer
        self.models = models
        self.title = title
        self.views = [v(explainer) for v in registered_views() if v.is_offered(explainer)]
        #: The description of the model for the page.
        self.about = model_info(explainer, self.views, title)
        self.ghost = Ghost(explainer, self.views, models.weights)
        self.populations = PopulationBuilder(explainer, models.weights)
        self.over_tau = OverTau(self.views, self.populations)
        self.learner: LearnerPanel | None = None
        if learner is not None:
            self.learner = LearnerPanel(explainer, learner, self.views, models.publisher)
        #: The start of the latest request, whose answer may be paused.
        self.start = Start()
        # Whether the answer to it is not complete; a newer request goes on with the work.
        self._is_busy = False

    def view(self, kind: type[V]) -> V:
        """Return the view of a class."""
        return next(view for view in self.views if isinstance(view, kind))

    def result(self, name: str, inputs: Inputs, shown: str | None = None) -> Result:
        """Return a frozen result of what a view shows, see `Explorer.result`.

        Parameters
        ----------
        name : str
            Of the view.
        inputs : Inputs
        shown : str, optional
            Measure or indicator; by default the first that the view shows.
        """
        view = next((view for view in self.views if view.name == name), None)
        if view is None:
            raise ValueError(unknown("view", name, [view.name for view in self.views]))
        if not inputs.shows(name):
            raise ValueError(f"{name} is not shown; add it to views, or call the Explainer.")
        populations = self.populations.build(inputs, lambda: None)
        if populations is None:
            raise ValueError(f"no row meets the filter, so {name} shows nothing; choose more rows.")
        results = view.results(inputs, populations, lambda: None)
        if not results:
            missing = "not all rows are evaluated yet, or no feature is picked."
            why = "; ".join(view.failures) or missing
            raise ValueError(f"{name} shows nothing of these inputs: {why}")
        if shown is None:
            return populations.remarked(next(iter(results.values())), self.explainer)
        if shown not in results:
            raise ValueError(unknown("measure or indicator", shown, list(results), f"in {name}"))
        return populations.remarked(results[shown], self.explainer)

    def over_tau_frames(self, request: WidgetRequest, ticket: Ticket) -> Iterator[dict[str, Any]]:
        """Yield what tau moves, at the levels of the slider; see `OverTau`."""
        ticket.rest(self.models.publisher.timing.before_following)
        inputs, has_pin = request.inputs, request.pin is not None
        for meta, columns in self.over_tau.follow(inputs, ticket.check, has_pin=has_pin):
            yield pack(request.seq, inputs.plain(), meta, columns)

    def answer(self, request: WidgetRequest, ticket: Ticket, *, is_again: bool = False) -> None:
        """Bring every view up to date with the inputs.

        First, in one frame, whatever needs no model call; then the rest, view by view, published
        piece by piece. A newer request ends this one between two pieces. What is missing of the
        learner comes last, on a thread of its own.

        Parameters
        ----------
        request : WidgetRequest
        ticket : Ticket
        is_again : bool, default=False
            Whether the same inputs were answered before, so that what failed is tried again.
        """
        is_begun = self.start.number == ticket.number
        if not is_begun:
            now = self.models.publisher.timing.clock()
            since = self.start.since if self._is_busy else now
            counts = self.explainer.model_calls, self.explainer.rows_evaluated
            self.start, self._is_busy = Start(ticket.number, now, since, *counts), True
        self.models.publisher.learner = self.learner
        answer = WidgetAnswer(self, request, ticket, is_again=is_again and not is_begun)
        if self.learner is not None:
            self.learner.set_request(request.inputs)
        try:
            answer.run()
        except SupersededError:
            raise
        except BaseException as error:  # noqa: BLE001
            ticket.give_back(error)
            # Any error: the widget shows it beside the latest results.
            answer.errors.append(in_one_line(error))
            answer.give_up()
        self._is_busy = False
        if self.learner is not None and not ticket.stopped:
            self.learner.start()


def check_arguments(explainer: Any, learner: Any, title: Any, inputs: Mapping[str, Any]) -> None:
    """Raise a TypeError if an explorer cannot be made of the arguments."""
    if not isinstance(explainer, Explainer):
        raise TypeError(
            f"Explorer got {type(explainer).__name__}; pass an Explainer, or use "
            "uq.explore(model, X, y)."
        )
    if learner is not None and not isinstance(learner, Learner):
        raise TypeError(
            f"learner is {type(learner).__name__}; pass a Learner: uq.Learner(estimator, X, y)."
        )
    if title is not None and not (isinstance(title, str) and title.strip()):
        raise TypeError(f"title is {title!r}; it must be a text, such as the name of the model.")
    for name in inputs:
        if name not in (*NAMES, "pins", "layout"):
            near = get_close_matches(name, NAMES, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(NAMES)}."
            raise TypeError(f"Explorer has no argument {name!r}; {hint}")
