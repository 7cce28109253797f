"""The models of an explorer: their sessions, and the inputs that change with the shown model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from uqwidgets._utils.forking import renew_after_fork
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import explainer_of
from uqwidgets.learner import Learner
from uqwidgets.widgets.inputs.inputs import NAMES, Inputs, validate
from uqwidgets.widgets.session.session import Session
from uqwidgets.widgets.session.state import initial_state


class Change(NamedTuple):
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
    make_session : callable
        Returns the session of an explainer, with a learner and a title.
    learner : Learner or None
        Shown beside the first model.
    title : str or None
        Of the first model on the page.
    """

    def __init__(
        self,
        first: Explainer,
        make_session: Callable[..., Session],
        learner: Learner | None,
        title: str | None,
    ) -> None:
        self.first = first
        self._make_session = make_session
        self._of_first = {"learner": learner, "title": title}
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
                more = self._of_first if explainer is self.first else {"learner": None}
                self._sessions[explainer.name] = self._make_session(explainer, **more)
            return self._sessions[explainer.name]

    def changes_of(self, values: Mapping[str, Any], former: str, shown: str) -> list[Change]:
        """Return the inputs that change when a model is shown in the place of another.

        Parameters
        ----------
        values : mapping
            Of all traits.
        former, shown : str
            Names of the models.
        """
        explainer, changes = self.explainer(shown), []
        initial = initial_state(explainer)
        for name in NAMES:
            if name == "compare_with" and values[name] == f"model:{shown}":
                # The model that was compared is shown now, so the one that was shown is compared.
                changes.append(Change(name, f"model:{former}", None))
                continue
            try:
                validate(name, values[name], explainer)
            except ValueError as error:
                # The second half of the sentence says what to do, which does not matter here.
                why = str(error).partition(";")[0].rstrip(".")
                sentence = f"{shown} has not the {name} of {former}, so it is the default: {why}"
                changes.append(Change(name, initial[name], sentence))
        return changes
