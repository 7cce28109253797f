"""The views of the widget. A new view is one module here, and its name in `NAMES`."""

from importlib import import_module

from uqwidgets.widgets.views.view import Content, View

# Modules of this package, in the order in which the widget and its static picture show them.
NAMES = (
    "importance",
    "pixels",
    "dependence",
    "stress",
    "importance_over_tau",
    "slices",
    "indicators",
    "small_curves",
    "surface",
    "performance",
    "over_time",
    "comparison",
    "selection",
)


def view_named(name: str) -> type[View]:
    """Return the view of a module of this package, which has the name of the module.

    Raises
    ------
    LookupError
        If the module has no such view.
    """
    for value in vars(import_module(f"{__name__}.{name}")).values():
        if isinstance(value, type) and issubclass(value, View) and vars(value).get("name") == name:
            return value
    raise LookupError(f"module {name!r} has no View with name = {name!r}; give it one.")


def registered_views() -> list[type[View]]:
    """Return the views of `NAMES`, in this order."""
    return [view_named(name) for name in NAMES]


__all__ = ["NAMES", "Content", "View", "registered_views", "view_named"]
