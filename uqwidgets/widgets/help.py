"""The help of the widget: what every control does, and what every panel shows.

The kernel sends all texts once, with the description of the model; the front end places them.
"""

from __future__ import annotations

from typing import Any

from uqwidgets.inference import INTERVALS

#: One line for each control, by its test id in the front end.
TIPS = {
    "uq-shown-model": "The model that all panels show; predictions of the others stay cached",
    "uq-pin": "Save this view, to return to it or to compare with it",
    "uq-undo": "Undo the last change (Ctrl+Z)",
    "uq-redo": "Redo the change (Ctrl+Shift+Z)",
    "uq-copy": "Copy the line of Python that shows this view",
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
    "uq-stress-feature": "The feature whose average, or share of a category, is moved",
    "uq-stress-category": "The category whose share is moved",
    "uq-anchor-options": "The meaning of the ends of the slider, and means that stay fixed",
    "uq-anchor": "The average at the ends of the slider",
    "uq-tail": "How far into the data the ends of the slider go",
    "uq-held": "A mean, or a share, that you fix while the slider moves another one",
    "uq-held-value": "The value at which it is fixed",
    "uq-use-tail-mean": "Use the means of the tails as ends; they can always be reached",
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
    "uq-interval": "The kind of uncertainty that the whiskers show; the list names its source",
    "uq-repeats": "More shuffles: narrower intervals, and more calls of the model",
    "uq-importance-options": "Other columns, replacements and details",
    "uq-replacement": "The values that replace the feature's own values",
    "uq-compare": "The measure after the replacement minus before, or divided by before",
    "uq-groups": "One row for each group of features, whose values are replaced together",
    "uq-verdict": "What the likelihood loss and the entropy together show for each feature",
    "uq-redundancy": "How well the other features predict this one; it fits random forests",
    "uq-search": "List the features whose names contain these letters",
    "uq-feature": "The feature whose curve is drawn",
    "uq-measure": "The quantity that the curve shows",
    "uq-dependence-options": "Colours, own values, changes, slopes, and how lines are drawn",
    "uq-lines": "Number of rows whose lines are drawn; the average is over all rows",
    "uq-center": "Shift every row's line to start at 0, to compare their shapes",
    "uq-derivative": "Draw the slopes of the lines instead of the lines",
    "uq-over-tau-name": "Pick this feature",
    "uq-relative": "Draw each row's difference from its value without a change",
    "uq-center-at": "The value of the feature at which all lines are 0",
    "uq-spacing": "The points of the curve: more where there are many rows, or evenly spaced",
    "uq-color-by": "What the colours of the lines show: the class, or another column",
    "uq-group-averages": "Draw an average for each colour, of the rows with this colour",
    "uq-own-values": "A dot on each line, at the row's own value",
    "uq-rug": "A tick below at each row's own value, faint where the row has little weight",
    "uq-category-order": "The order of the values",
    "uq-all-categories": "Show the rare values too, or hide them again",
    "uq-tau-beside": "The same stress level τ, beside its chart",
    "uq-pixel-measure": "The measure whose importance colours the pixels",
    "uq-small-curves": "How many of the leading features have a small curve; it calls the model",
    "uq-small-curve": "Pick this feature, and draw its curve large",
    "uq-indicator": "The quantity that is shown while averages move",
    "uq-compare-with": "Another model, other rows or another class, drawn behind the present view",
    "uq-selection-find": "A number is a position, counted from 0; Enter selects the row",
    "uq-selection-lines": "Arrow keys go from line to line; Enter selects the row",
    "uq-selection-line": "Select the row of this line, or deselect it",
    "uq-selection-clear": "Clear the selection (Escape)",
    "uq-selection-keep": "Make the selected rows a filter; all panels then show only them",
    "uq-selected-row": "Show this row on the card",
    "uq-range-keep": "Make this range a filter; all panels then show only its rows",
    "uq-range-clear": "Remove the range; the rows stay selected",
    "uq-card-previous": "The previous selected row (Alt with an arrow key)",
    "uq-card-next": "The next selected row (Alt with an arrow key)",
    "uq-what-if": "Another value for this row; the model predicts the row with it",
    "uq-what-if-slider": "Moves the row along its line, at values that need no model call",
    "uq-what-if-search": "List the features whose names contain these letters",
    "uq-what-if-reset": "Back to the row's own values",
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
        "rows times shuffles",
        "the spread over all rows and shuffles together, as if each pair were a new row",
    ),
    "quantile": (
        "spread of shuffles",
        "not an interval for an average: the range of the middle 95 % of the shuffles",
    ),
}
assert set(INTERVAL_TEXTS) == set(INTERVALS)

_WHISKERS = (
    "Dots are estimates, whiskers their 95 % intervals. Where an interval contains 0, it is not "
    "clear from these rows whether there is an effect."
)

#: Paragraphs for each panel, by the name of its view; ``population`` is the box on top.
PANELS = {
    "population": (
        "What if a feature were higher, or lower, on average? Move the slider: rows with larger "
        "values then get more weight, and rows with smaller values less. No row is invented or "
        "changed.",
        "The further the average moves, the fewer rows determine the result. The widget states the "
        "number of equally weighted rows that the weights are worth, and warns where it is small.",
        "A filter selects some rows and leaves out the others. All panels show the same rows with "
        "the same weights.",
    ),
    "importance": (
        "How much does the model lose without the information of a feature? The values of "
        "one feature are shuffled between the rows, the model predicts again, and the dots show "
        "how much worse, or less certain, its predictions are.",
        _WHISKERS,
        "Features with the same information can replace each other, so each of them may "
        "seem unimportant. A click on a feature draws its curve.",
    ),
    "dependence": (
        "What does the model predict if one feature has another value and all others stay? Each "
        "thin line is one row, the thick line is the average of the rows, and the band is the 95 % "
        "interval of the average.",
        "Lines that are not parallel mean that the effect depends on other features. Where the "
        "average is dotted there are hardly any rows, so the model extrapolates there.",
        "The bars below show the distribution of the values.",
    ),
    "pixels": (
        "Which parts of the picture does the model need? Each square is a pixel, which is a "
        "feature; the stronger its colour, the larger its importance. A small square is a pixel "
        "whose interval contains 0: not clear from these rows.",
        "Click a pixel to see its curve. With the keyboard, the arrow keys move from pixel to "
        "pixel, and Enter picks one.",
    ),
    "small_curves": (
        "How does the model's answer change along each of the leading features? Each small chart "
        "is one feature, and all have the same vertical axis, so a flat line is a feature that "
        "moves the average little. The band is the 95 % interval of the average.",
        "The averages have few values, because each of them asks the model about all rows. A click "
        "picks the feature, whose curve is then drawn large.",
    ),
    "surface": (
        "What does the model predict if two features have other values? The colours show the "
        "average over the rows, for each pair of values.",
        "The interaction is what remains after the curve of each feature alone: where it is 0, the "
        "two effects add up. Marked pairs are far from the data, so the model extrapolates there.",
    ),
    "importance_over_tau": (
        "Does a feature become more important, or less, when the average of the stressed feature "
        "moves? Each line is one feature, with its 95 % interval as a band; at τ = 0 the data are "
        "unchanged. Where a band contains 0, it is not clear whether there is an effect.",
        "The lines belong to the features with the largest importance at any level, and to the "
        "picked feature. A click on a line, or on its name, picks the feature.",
    ),
    "stress": (
        "How do errors, or predictions, change when the average of a feature moves? To the right "
        "rows with larger values have more weight, to the left rows with smaller ones; in the "
        "middle the data are unchanged.",
        "The coloured line is the feature that is stressed, with its 95 % interval as a band; the "
        "grey lines are the other features. Where a band reaches the dashed line, a difference is "
        "not clear from these rows. A click on a line stresses its feature.",
        "Of a yes-or-no model, follow the true or the false positive rate, and both are drawn "
        "against each other: the path says which errors become more frequent.",
    ),
    "performance": (
        "How well does the model predict the rows that are shown? Scores have 95 % intervals, "
        "which take the fitted model as fixed.",
        "Calibration: an event with the predicted probability 80 % should happen in about 80 % of "
        "the rows; such points lie on the diagonal. Where an interval reaches the diagonal, "
        "a difference is not clear from these rows.",
    ),
    "comparison": (
        "Is the result the same for another model, for other rows, or for another class? The other "
        "side is drawn behind the views. This panel shows the difference: the present results "
        "minus those of the other side, with a 95 % interval of its own.",
        "Two models predict the same rows and the same shuffled values. Errors that both make "
        "cancel, so a difference may be clear although the two intervals overlap. Groups may share "
        "rows, which the interval accounts for. Where it contains 0, a difference is not clear.",
    ),
    "selection": (
        "Click a line of the curves, or draw a box over some: these rows are selected, and all "
        "panels mark them. A drag over the bars below the curves selects all rows with such "
        "values. Escape clears the selection.",
        "The card shows one of them: its values, its prediction, and how unusual this prediction "
        "is among the rows that are shown.",
        "What if one value were different? Change it on the card: the row moves along its line, "
        "and the card shows the new prediction. The data stay unchanged.",
    ),
}

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


def help_texts() -> dict[str, Any]:
    """Return all texts in plain types for the front end."""
    return {
        "tips": TIPS,
        "panels": {name: list(paragraphs) for name, paragraphs in PANELS.items()},
        "tour": [{"at": at, "text": text} for at, text in TOUR],
        "intervals": [
            {"name": name, "label": label, "accounts_for": accounts_for}
            for name, (label, accounts_for) in INTERVAL_TEXTS.items()
        ],
    }
