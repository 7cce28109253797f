"""The inputs as traits of a widget: declared by `Inputs`, checked when set, and read together."""

from __future__ import annotations

from types import new_class
from typing import TYPE_CHECKING, Any

import traitlets as t

from uqwidgets.widgets.inputs.checks import InputError
from uqwidgets.widgets.inputs.inputs import (
    NAMES,
    READERS,
    Inputs,
    input_traits,
    trait_value,
    validate,
)
from uqwidgets.widgets.session.shown_model import ShownModel

#: Tags of a trait that the browser has, too; a value from there is not sent back.
SYNCED = {"sync": True, "echo_update": False}

if TYPE_CHECKING:
    from uqwidgets.widgets.inputs.types import InputTraits as InputTraits
else:
    InputTraits = new_class(
        "InputTraits", (t.HasTraits,), exec_body=lambda body: body.update(input_traits(**SYNCED))
    )


class CheckedInputs(ShownModel):
    """The inputs of an explorer, whose traits a subclass has."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._lists: dict[str, tuple[Any, ...]] = dict.fromkeys(READERS, ())
        super().__init__(*args, **kwargs)

    @t.validate(*NAMES)
    def _validated(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        try:
            return trait_value(name, validate(name, value, self.explainer), self.explainer)
        except ValueError as error:
            raise InputError(str(error)) from None

    def _inputs(self) -> tuple[Inputs, str | None]:
        """Return the inputs, and the error of a list that was changed in place."""
        problem = None
        for name, read in READERS.items():
            try:
                self._lists[name] = read(getattr(self, name), self.explainer)
            except ValueError as error:
                problem = f"{error} The previous {name} stays in use until {name} is set again."
        values = {name: getattr(self, name) for name in NAMES}
        return Inputs.of(values, self._lists), problem
