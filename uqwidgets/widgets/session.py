"""Answers one request after another, recomputing only what it changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from uqwidgets._utils.errors import in_one_line
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.learner import Learner
from uqwidgets.widgets.answer import Answer
from uqwidgets.widgets.dependence import DependencePanel
from uqwidgets.widgets.importance import ImportancePanel
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.learner import LearnerPanel
from uqwidgets.widgets.rows import FilteredRows
from uqwidgets.widgets.scheduler import SupersededError, Ticket
from uqwidgets.widgets.stress import StressPanel

Publish = Callable[[dict[str, Any], dict[str, Any]], None]


class Session:
    """The panels of one explainer.

    Parameters
    ----------
    explainer : Explainer
    publish : callable
        Called with ``(meta, columns)`` whenever there is something new to show.
    choose : callable
        Called with the position of the most important feature, where none is picked yet.
    learner : Learner, optional
        Shown beside the model.
    again : callable
        Called when the learner has something new to show beside what was published last.
    """

    def __init__(
        self,
        explainer: Explainer,
        publish: Publish,
        choose: Callable[[int], None],
        learner: Learner | None,
        again: Callable[[], None],
    ) -> None:
        self.explainer = explainer
        self.importance = ImportancePanel(explainer)
        self.dependence = DependencePanel(explainer)
        self.stress = StressPanel(explainer)
        self.rows = FilteredRows(explainer)
        self.learner: LearnerPanel | None = None
        if learner is not None:
            self.learner = LearnerPanel(explainer, learner, self.dependence, again)
        self.publish = publish
        self.choose = choose
        # What the model could not answer is not asked again while it stays chosen.
        self.failed: dict[tuple[Any, ...], str] = {}

    def answer(self, inputs: Inputs, ticket: Ticket, complaint: str | None = None) -> None:
        """Bring every panel up to date with the inputs.

        First, in one frame, whatever needs no model call; then what has to be asked, panel by
        panel, published as it lands. A newer request ends this one between two steps. What is
        missing of the learner comes last and by itself.

        Parameters
        ----------
        inputs : Inputs
        ticket : Ticket
        complaint : str, optional
            What was wrong with the request itself.
        """
        answer = Answer(self, inputs, ticket)
        if complaint is not None:
            answer.errors.append(complaint)
        if self.learner is not None:
            self.learner.want(inputs)
        try:
            answer.run()
        except SupersededError:
            raise
        except BaseException as error:  # noqa: BLE001
            # Blind, because a widget never dies: it says what happened and shows what it had.
            answer.errors.append(in_one_line(error))
            answer.give_up()
        if self.learner is not None and not ticket.stopped:
            self.learner.go()
