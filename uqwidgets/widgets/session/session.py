"""Session: the views of one explainer, and the answers to its requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar

from uqwidgets._typing import Floats
from uqwidgets._utils.choices import unknown
from uqwidgets._utils.errors import in_one_line
from uqwidgets._utils.remarks import Remark
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner import Learner
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs
from uqwidgets.widgets.kernel.frames import pack
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.scheduler import Ticket
from uqwidgets.widgets.kernel.timing import Timing
from uqwidgets.widgets.kernel.user_thread import UserThread
from uqwidgets.widgets.over_tau.following import OverTau
from uqwidgets.widgets.rows.population import PopulationBuilder
from uqwidgets.widgets.session.answer import Answer, Publish, Start
from uqwidgets.widgets.session.ghost import Ghost
from uqwidgets.widgets.session.learner_panel import LearnerPanel
from uqwidgets.widgets.session.model_info import model_info
from uqwidgets.widgets.session.pins import Pin
from uqwidgets.widgets.views import View, registered_views

V = TypeVar("V", bound=View)


class Request(NamedTuple):
    """What is to be shown: the number of the request, and its inputs."""

    seq: int
    inputs: Inputs
    ghost: Pin | None
    input_error: str | None

    def is_again(self, before: Request | None) -> bool:
        """Whether it is the one before with another number: to go on, or to try again."""
        return before is not None and self != before == self._replace(seq=before.seq)


class Session:
    """The views of one explainer.

    Parameters
    ----------
    explainer : Explainer
    publish : callable
        Called with ``(meta, columns)`` whenever there are new results.
    choose : callable
        Called with the features, the most important first, if no feature is chosen yet.
    learner : Learner, optional
        Shown beside the model.
    again : callable
        Called when the learner has new results, which are sent beside the latest of the model.
    timing : Timing
    user : UserThread
    title : str, optional
        Name of the model.
    weights : ndarray of shape (n,), optional
        Weights of the rows that describe tau = 0.
    """

    def __init__(
        self,
        explainer: Explainer,
        publish: Publish,
        choose: Callable[[Sequence[str]], None],
        learner: Learner | None,
        again: Callable[[], None],
        timing: Timing,
        user: UserThread,
        title: str | None = None,
        weights: Floats | None = None,
    ) -> None:
        self.explainer = explainer
        self.title = title
        self.weights = weights
        self.timing = timing
        self.views = [v(explainer) for v in registered_views() if v.is_offered(explainer)]
        #: The description of the model for the page.
        self.about = model_info(explainer, self.views, title)
        self.ghost = Ghost(explainer, self.views, weights)
        self.populations = PopulationBuilder(explainer, weights)
        self.over_tau = OverTau(self.views, self.populations)
        self.learner: LearnerPanel | None = None
        if learner is not None:
            self.learner = LearnerPanel(explainer, learner, self.views, again, timing, user)
        # When the work began that is not complete yet; a newer request goes on with it.
        self._busy_since: float | None = None
        # The start of the latest request, whose answer may be paused.
        self._start: Start | None = None
        self._publish = publish
        self._choose = choose

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
            return next(iter(results.values()))
        if shown not in results:
            raise ValueError(unknown("measure or indicator", shown, list(results), f"in {name}"))
        return results[shown]

    def over_tau_frames(
        self, seq: int, inputs: Inputs, ticket: Ticket, pin: Pin | None
    ) -> Iterator[dict[str, Any]]:
        """Yield what tau moves, at the levels of the slider; see `OverTau`.

        Parameters
        ----------
        seq : int
            Number of the request.
        inputs : Inputs
        ticket : Ticket
        pin : Pin or None
            The pin that is drawn behind the views.
        """
        ticket.rest(self.timing.before_following)
        for meta, columns in self.over_tau.follow(inputs, ticket.check, has_pin=pin is not None):
            yield pack(seq, inputs.plain(), meta, columns)

    def answer(
        self,
        inputs: Inputs,
        ticket: Ticket,
        input_error: str | None = None,
        pin: Pin | None = None,
        ghost: Ghost | None = None,
        notes: Sequence[Remark] = (),
        is_again: bool = False,
    ) -> None:
        """Bring every view up to date with the inputs.

        First, in one frame, whatever needs no model call; then the rest, view by view, published
        piece by piece. A newer request ends this one between two pieces. What is missing of the
        learner comes last, on a thread of its own.

        Parameters
        ----------
        inputs : Inputs
        ticket : Ticket
        input_error : str, optional
            Why values of the request were refused.
        pin : Pin, optional
            The pin that is drawn behind the views.
        ghost : Ghost, optional
            The ghost of the pin's model, where that is another model.
        notes : sequence of Remark, optional
            Sentences that are shown with the answer.
        is_again : bool, default=False
            Whether the same inputs were answered before, so that what failed is tried again.
        """
        if self._busy_since is None:
            self._busy_since = self.timing.clock()
        is_begun = self._start is not None and self._start.number == ticket.number
        if self._start is None or not is_begun:
            counts = self.explainer.model_calls, self.explainer.rows_evaluated
            self._start = Start(ticket.number, self.timing.clock(), *counts)
        answer = Answer(
            self.explainer,
            [view for view in self.views if view.is_read(inputs)],
            ghost or self.ghost,
            self.populations,
            inputs,
            pin,
            ticket,
            self.timing,
            self._publish,
            self._choose,
            self._busy_since,
            self._start,
            is_again=is_again and not is_begun,
        )
        if input_error is not None:
            answer.errors.append(input_error)
        answer.notes += notes
        if self.learner is not None:
            self.learner.set_request(inputs)
        try:
            answer.run()
        except SupersededError:
            raise
        except BaseException as error:  # noqa: BLE001
            ticket.give_back(error)
            # Any error: the widget shows it beside the latest results.
            answer.errors.append(in_one_line(error))
            answer.give_up()
        self._busy_since = None
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
