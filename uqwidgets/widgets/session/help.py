"""The help of the widget: what every control does, and what every panel shows.

The help of a view is a part of the view (`View.help`, `View.tips`); what belongs to no view is
here. The kernel sends all texts once, with the description of the model; the front end places them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from uqwidgets.inference import INTERVALS
from uqwidgets.widgets.views.view import View

#: One line for each control outside the views, by its test id in the front end.
TIPS = {
    "uq-shown-model": "The model that all panels show; predictions of the others stay cached",
    "uq-pin": "Save this view, to return to it or to compare with it",
    "uq-undo": "Undo the last change (Ctrl+Z)",
    "uq-redo": "Redo the change (Ctrl+Shift+Z)",
    "uq-copy": "Copy the line of Python that shows this view",
    "uq-save": "Download a page that works without a kernel; its size and time are said before",
    "uq-save-start": "Make the page; the widget stays usable meanwhile",
    "uq-save-close": "Close",
    "uq-save-stop": "Stop the page; nothing is downloaded",
    "uq-scope-shown": "Everything that is shown, with its features, measures and levels of τ",
    "uq-scope-all": "Also views that nothing shows, and all levels of τ of every feature",
    "uq-scope-pictures": "A page that cannot be moved, and that every mail program lets through",
    "uq-tour-back": "The previous step",
    "uq-tour-next": "The next step",
    "uq-tour": "Five short steps through this widget",
    "uq-help": "What this panel shows",
    "uq-help-close": "Close",
    "uq-pins": "Arrows show the pins, Alt with an arrow moves one, F2 edits its note",
    "uq-pin-note": "A name for this pin, in your own words",
    "uq-pin-ghost": "Draw this pin behind the present view",
    "uq-pin-earlier": "Move this pin to the front",
    "uq-pin-later": "Move this pin to the back",
    "uq-pin-delete": "Delete this pin; the view itself stays as it is",
    "uq-tau": "How far the average moves: 0 is the data, 1 and -1 are values that few rows exceed",
    "uq-tau-reset": "Back to the data as they are",
    "uq-filter-add": "Show only some rows: choose the column of the filter",
    "uq-filter-search": "List the values that contain this text",
    "uq-filter-all": "Choose all values that are listed",
    "uq-filter-none": "Choose none of the values that are listed",
    "uq-filter-only": "Choose only this value",
    "uq-filter-remove": "Remove this filter",
    "uq-filter-value": "Show the rows with this value",
    "uq-filter-class": "Show the rows of this class",
    "uq-filter-missing": "Show the rows without a value",
    "uq-tau-beside": "The same stress level τ, beside its chart",
    "uq-stop": "Stop computing; the results so far stay",
    "uq-go-on": "Continue where it was stopped",
    "uq-retry": "Call the model again for the part that failed",
    "uq-cost": "How often the model was called",
    "uq-table-toggle": "The numbers of this chart",
}

#: What each kind of interval accounts for: its name in the list, and a sentence.
INTERVAL_TEXTS = {
    "u-statistic": (
        "new rows",
        "how much the numbers would differ with other rows from the same population, and with "
        "other shuffles",
    ),
    "model": (
        "new rows, same donors",
        "how much the numbers would differ if other rows were scored; the donors stay the same",
    ),
    "fixed-data": (
        "new shuffles only",
        "the randomness of the shuffles; the rows stay, so it says nothing about other data",
    ),
    "random-variable": (
        "each shuffle as a new row",
        "the spread over all rows and shuffles together, as if each pair were a new row",
    ),
    "quantile": (
        "range of the shuffles",
        "not an interval for an average: the range of the middle 95 % of the shuffles",
    ),
}
assert set(INTERVAL_TEXTS) == set(INTERVALS)

#: Paragraphs for the box on top, which selects the rows and moves an average.
POPULATION = (
    "What if a feature were higher, or lower, on average? Move the slider: rows with larger "
    "values then get more weight, and rows with smaller values less. No row is invented or "
    "changed.",
    "The further the average moves, the fewer rows determine the result. The widget states the "
    "number of equally weighted rows that the weights are worth, and warns where it is small.",
    "A filter selects some rows and leaves out the others. All panels show the same rows with "
    "the same weights.",
)

#: The codes of remarks that stand at the top of the page, those on dependent rows first.
URGENT = (
    *("rows-of-groups", "rows-in-order", "duplicated-rows", "few-groups", "single-groups"),
    *("rows-in-time", "unstable-predictions", "few-events", "few-repeats", "many-features"),
)

#: The steps of the tour: the name of a panel, ``population`` or ``pin-bar``, and what to do there.
TOUR = (
    (
        "importance",
        "Start here: the features that the model needs most are at the top. Click one of them.",
    ),
    (
        "dependence",
        "This is its curve: what the model predicts when this feature has other values.",
    ),
    (
        "population",
        "Ask a what-if: move the slider, and the feature is higher, or lower, on average. All "
        "panels follow. Below the slider, choose which rows are shown.",
    ),
    (
        "stress",
        "The effect of the slider at all its positions, for every feature: where does the error "
        "rise?",
    ),
    (
        "pin-bar",
        "Save a view with Pin view, go back one step with Undo, or copy the line of "
        "Python that shows it again. The question marks explain each panel.",
    ),
)


def help_texts(views: Iterable[View]) -> dict[str, Any]:
    """Return all texts in plain types for the front end.

    Parameters
    ----------
    views : iterable of View
        The views that the page has.
    """
    tips, panels = dict(TIPS), {"population": list(POPULATION)}
    for view in views:
        tips.update(view.tips)
        if view.help:
            panels[view.name] = list(view.help)
    return {
        "tips": tips,
        "panels": panels,
        "tour": [{"at": at, "text": text} for at, text in TOUR],
        "intervals": [
            {"name": name, "label": label, "accounts_for": accounts_for}
            for name, (label, accounts_for) in INTERVAL_TEXTS.items()
        ],
    }
