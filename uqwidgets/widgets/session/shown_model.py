"""The model that an explorer shows, one of those it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets as t

from uqwidgets._utils.remarks import Remark

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer
    from uqwidgets.widgets.inputs.inputs import Inputs
    from uqwidgets.widgets.kernel.user_thread import UserThread
    from uqwidgets.widgets.session.learner_panel import LearnerPanel
    from uqwidgets.widgets.session.models import Change, Models
    from uqwidgets.widgets.session.session import Session


class ShownModel(t.HasTraits):
    """An explorer's model; its input ``shown_model`` names it, which a subclass has as a trait."""

    shown_model: str
    _models: Models
    _learner: LearnerPanel | None
    _user: UserThread
    # Inputs that changed with the model.
    _changes: list[Change]

    @property
    def explainer(self) -> Explainer:
        """The explainer of the model that is shown."""
        # Traits are validated together: a name that no model has is refused by its own check.
        name = self.shown_model
        is_known = isinstance(name, str) and self._models.has(name)
        return self._models.explainer(name if is_known else "")

    def __repr__(self) -> str:
        n, p = len(self.explainer.table), len(self.explainer.features)
        return f"{type(self).__name__}({self.explainer.name}, {n:,} rows, {p:,} features)"

    @property
    def _session(self) -> Session:
        return self._models.session(self.explainer.name)

    def _model_changed(self, change: Any) -> None:
        """Describe the shown model to the page, and change the inputs that it cannot have."""
        self.set_trait("_about", self._session.about)
        self._session.over_tau.send_again()
        self._changes = self._models.changes_of(self.trait_values(), change["old"], change["new"])
        with self.hold_trait_notifications():
            for one in self._changes:
                self.set_trait(one.name, one.value)

    def _notes(self, inputs: Inputs) -> list[Remark]:
        """Say which inputs are not those of the model shown before, where the learner is, and more.

        A model of one thread is called by that thread.
        """
        notes = [*self._user.notes, *self.explainer.evaluations.remarks_on_answers]
        notes += [
            Remark("input-of-another-model", one.sentence)
            for one in self._changes
            if one.sentence and one.is_in(inputs)
        ]
        first = self._models.first
        if self._learner is not None and inputs.shown_model not in ("", first.name):
            notes.append(
                Remark(
                    "learner-of-another-model",
                    f"the learner refits the procedure of {first.name}, so its marks stand beside "
                    f"{first.name} and not beside {inputs.shown_model}",
                )
            )
        return notes
