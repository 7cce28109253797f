"""The inputs as traits of a widget, declared by `Inputs`."""

from __future__ import annotations

from types import new_class
from typing import TYPE_CHECKING

import traitlets as t

from uqwidgets.widgets.inputs.inputs import input_traits

#: Tags of a trait that the browser has, too; a value from there is not sent back.
SYNCED = {"sync": True, "echo_update": False}

if TYPE_CHECKING:
    from uqwidgets.widgets.inputs.types import InputTraits as InputTraits
else:
    InputTraits = new_class(
        "InputTraits", (t.HasTraits,), exec_body=lambda body: body.update(input_traits(**SYNCED))
    )
