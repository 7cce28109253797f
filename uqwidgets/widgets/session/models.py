"""The models of an explorer: their sessions, and the inputs that change with the shown model."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from uqwidgets._typing import Floats
from uqwidgets._utils.forking import renew_after_fork
from uqwidgets._utils.remarks import Remark
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import explainer_of
from uqwidgets.learner import Learner
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs, inputs_of, validate
from uqwidgets.widgets.session.ghost import Ghost
from uqwidgets.widgets.session.pins import Pin
from uqwidgets.widgets.session.publisher import Publisher
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.session.state import arguments_of, code_of, initial_state


class InputChange(NamedTuple):
    """An input that takes another value with another model.

    Attributes
    ----------
    name : str
        Of the input.
    value : object
        In plain form.
    sentence : str or None
        Why the model cannot have the former value; None where nothing is lost.
    """

    name: str
    value: Any
    sentence: str | None

    def is_in(self, inputs: Inputs) -> bool:
        """Whether inputs have this value still."""
        return bool(inputs.plain()[self.name] == self.value)


class Models:
    """The explainers and sessions of one to four models, which stay while another one is shown.

    Parameters
    ----------
    first : Explainer
    publisher : Publisher
    learner : Learner, optional
        Shown beside the first model.
    title : str, optional
        Of the first model on the page.
    weights : ndarray of shape (n,), optional
        Weights of the rows that describe tau = 0.

    Attributes
    ----------
    changes : list of InputChange
        Inputs that changed with the shown model, replaced as a whole.
    """

    def __init__(
        self,
        first: Explainer,
        publisher: Publisher,
        learner: Learner | None = None,
        title: str | None = None,
        weights: Floats | None = None,
    ) -> None:
        self.first = first
        self.publisher = publisher
        self.weights = weights
        self.changes: list[InputChange] = []
        self.learner = learner
        self.title = title
        self._explainers = {"": first, first.name: first}
        self._sessions: dict[str, Session] = {}
        self.renew_locks()
        renew_after_fork(self)

    def renew_locks(self) -> None:
        """Make a new lock in a forked process, where the thread that held it does not exist."""
        self._lock = threading.RLock()

    def has(self, name: str) -> bool:
        """Whether one of the models has this name; the first has none where it is alone."""
        return name in self._explainers or name in self.first.others

    def explainer(self, name: str) -> Explainer:
        """Return the explainer of a model, which is made at first.

        Raises
        ------
        ValueError
            If no model has this name.
        """
        if name not in self._explainers:
            # This is not locked, because the model evaluates all rows.
            made = explainer_of(self.first, name)
            with self._lock:
                self._explainers.setdefault(name, made)
        return self._explainers[name]

    def session(self, name: str) -> Session:
        """Return the session of a model, with what it has computed."""
        explainer = self.explainer(name)
        with self._lock:
            if explainer.name not in self._sessions:
                more = (self.learner, self.title) if explainer is self.first else ()
                self._sessions[explainer.name] = Session(explainer, self, *more)
            return self._sessions[explainer.name]

    def ghost(self, pin: Pin) -> Ghost:
        """Return the ghost of the model of a pin."""
        return self.session(pin.inputs.shown_model).ghost

    @cached_property
    def arguments(self) -> list[str]:
        """The arguments of `code` that are no inputs."""
        return arguments_of(
            self.first,
            has_learner=self.learner is not None,
            title=self.title,
            is_weighted=self.weights is not None,
        )

    def code(self, inputs: Inputs) -> str:
        """Return the line of Python that reproduces the views of the inputs."""
        return code_of(inputs, self.explainer(inputs.shown_model), self.arguments)

    def notes(self, inputs: Inputs) -> list[Remark]:
        """Say which inputs are not those of the model shown before, where the learner is, and more.

        A model of one thread is called by that thread.
        """
        evaluations = self.explainer(inputs.shown_model).evaluations
        # Those on groups or an order that were chosen are of the populations.
        of_rows = () if inputs.groups or inputs.time else evaluations.remarks_on_rows
        notes = [*self.publisher.user.notes, *evaluations.remarks_on_answers, *of_rows]
        notes += [
            Remark("input-of-another-model", one.sentence)
            for one in self.changes
            if one.sentence and one.is_in(inputs)
        ]
        if self.learner is not None and inputs.shown_model not in ("", self.first.name):
            notes.append(
                Remark(
                    "learner-of-another-model",
                    f"the learner belongs to {self.first.name}, so its marks are not drawn beside "
                    f"{inputs.shown_model}",
                )
            )
        return notes

    def change(self, values: Mapping[str, Any], former: str, shown: str) -> list[InputChange]:
        """Note and return the inputs that change when a model is shown in the place of another.

        Parameters
        ----------
        values : mapping
            Of all traits.
        former, shown : str
            Names of the models.
        """
        self.changes = self._changes(values, former, shown)
        return self.changes

    def inputs(self, inputs: Inputs, shown: str) -> Inputs:
        """Return the inputs with another model shown, see `change`."""
        values = {**inputs.plain(), "shown_model": shown}
        changes = self._changes(values, inputs.shown_model, shown)
        values |= {change.name: change.value for change in changes}
        return inputs_of(values, self.explainer(shown))

    def _changes(self, values: Mapping[str, Any], former: str, shown: str) -> list[InputChange]:
        explainer, changes = self.explainer(shown), []
        initial = initial_state(explainer)
        for name in NAMES:
            if name == "compare_with" and values[name] == f"model:{shown}":
                # The model that was compared is shown now, so the one that was shown is compared.
                changes.append(InputChange(name, f"model:{former}", None))
                continue
            try:
                validate(name, values[name], explainer)
            except ValueError as error:
                # The second half of the sentence says what to do, which does not matter here.
                why = str(error).partition(";")[0].rstrip(".")
                sentence = f"{shown} has not the {name} of {former}, so it is the default: {why}"
                changes.append(InputChange(name, initial[name], sentence))
        return changes
