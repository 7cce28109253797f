"""The help of the widget: what every control does and every panel shows, in a colleague's words.

All of it is sent once, with the description of the model; the front end decides where it stands.
"""

from __future__ import annotations

from typing import Any

from uqwidgets.inference import INTERVALS

#: One line for each control, by its test id in the front end.
TIPS = {
    "uq-shown-model": "The model that all panels show; what the others answered is kept",
    "uq-pin": "Keep this view, to come back to it or to compare with it",
    "uq-undo": "Take back the last change (Ctrl+Z)",
    "uq-redo": "Make the change again (Ctrl+Shift+Z)",
    "uq-copy": "Copy the line of Python that shows this view",
    "uq-tour-back": "The step before",
    "uq-tour-next": "The next step",
    "uq-tour": "Five short steps through this widget",
    "uq-help": "What one sees here",
    "uq-help-close": "Close",
    "uq-pins": "Arrows show the pins, Alt with an arrow moves one, F2 edits its note",
    "uq-pin-note": "A name for this pin, in your own words",
    "uq-pin-ghost": "Draw this pin under what is shown now",
    "uq-pin-earlier": "Move this pin to the front",
    "uq-pin-later": "Move this pin to the back",
    "uq-pin-delete": "Delete this pin; the view itself stays as it is",
    "uq-stress-feature": "The feature whose average, or share of a category, is moved",
    "uq-stress-category": "The category whose share is moved",
    "uq-anchor-options": "What the ends of the slider stand for, and what is held",
    "uq-anchor": "What the average is at the ends of the slider",
    "uq-tail": "How far into the data the ends of the slider go",
    "uq-held": "A mean, or a share, that stays at a value of yours while the slider moves another",
    "uq-held-value": "The value at which it is held",
    "uq-use-tail-mean": "Let the ends be means of the tails, which can always be reached",
    "uq-tau": "How far the average moves: 0 is the data, 1 and -1 are values that few rows exceed",
    "uq-tau-reset": "Back to the data as they are",
    "uq-filter-add": "Show only some rows: choose by what",
    "uq-filter-search": "List the values that contain this text",
    "uq-filter-all": "Choose all values that are listed",
    "uq-filter-none": "Choose none of the values that are listed",
    "uq-filter-only": "Choose this and nothing else",
    "uq-filter-remove": "Remove this filter",
    "uq-filter-value": "Keep the rows with this value",
    "uq-filter-class": "Keep the rows of this class",
    "uq-filter-missing": "Keep the rows without a value",
    "uq-interval": "Which uncertainty the whiskers show; the list says where it comes from",
    "uq-repeats": "More shuffles: narrower intervals, and more calls of the model",
    "uq-importance-options": "Other columns, replacements and details",
    "uq-replacement": "What stands in the place of a feature's own values",
    "uq-compare": "After the replacement minus before, or divided by before",
    "uq-groups": "One row for each group of features, whose values are replaced together",
    "uq-verdict": "What the likelihood loss and the entropy together say of each feature",
    "uq-redundancy": "How well the other features tell this one; it fits random forests",
    "uq-search": "List the features whose names contain these letters",
    "uq-feature": "The feature whose curve is drawn",
    "uq-measure": "What the curve shows of the model",
    "uq-dependence-options": "Colours, own values, changes, slopes, and how lines are drawn",
    "uq-lines": "How many rows have a line of their own; the average is over all of them",
    "uq-center": "Shift every row's line to start at 0, to compare their shapes",
    "uq-derivative": "Draw how steep the lines are, in place of the lines",
    "uq-over-tau-name": "Pick this feature",
    "uq-relative": "Draw how each row changes from what the model says of it as it is",
    "uq-center-at": "The value of the feature at which all lines are 0",
    "uq-spacing": "Where the curve has its values: more where rows are many, or evenly",
    "uq-color-by": "What the colours of the lines tell: the class, or another column",
    "uq-group-averages": "Draw an average for each colour, of its rows alone",
    "uq-own-values": "A dot on each line, at the value that the row really has",
    "uq-rug": "A tick below for the own value of each row drawn, faint where it counts little",
    "uq-category-order": "In which order the values stand",
    "uq-all-categories": "Show the rare values too, or fold them again",
    "uq-tau-beside": "The same stress level τ, beside its chart",
    "uq-small-curves": "How many of the leading features have a small curve; it asks the model",
    "uq-small-curve": "Pick this feature, and draw its curve large",
    "uq-indicator": "What is followed while averages move",
    "uq-compare-with": "Another model, other rows or another class, drawn under what is shown",
    "uq-selection-find": "A number is a position, counted from 0; Enter selects the row",
    "uq-selection-lines": "Arrow keys go from line to line; Enter selects the row",
    "uq-selection-line": "Select the row of this line, or leave it out again",
    "uq-selection-clear": "No row is selected any more (Escape)",
    "uq-selection-keep": "Make the selected rows a filter; all panels show them alone",
    "uq-selected-row": "Show this row on the card",
    "uq-range-keep": "Make this range a filter; all panels show its rows alone",
    "uq-range-clear": "Take the range away; the rows stay selected",
    "uq-card-previous": "The selected row before (Alt with an arrow key)",
    "uq-card-next": "The next selected row (Alt with an arrow key)",
    "uq-what-if": "Another value of this row; the model says what it would predict",
    "uq-what-if-slider": "Moves the row along its line, where the model has answered already",
    "uq-what-if-search": "List the features whose names contain these letters",
    "uq-what-if-reset": "Back to the row's own values",
    "uq-stop": "Stop computing; what is done stays",
    "uq-go-on": "Go on from where it was stopped",
    "uq-retry": "Ask the model again for what failed",
    "uq-cost": "How often the model was called",
    "uq-table-toggle": "The numbers of this chart",
}

#: What each kind of interval accounts for: its name in the list, and a sentence.
INTERVAL_TEXTS = {
    "u-statistic": (
        "new rows",
        "how much the numbers would differ with other rows of the same kind, shuffles included",
    ),
    "model": (
        "new rows, same donors",
        "other rows to be scored; the rows that lend their values stay",
    ),
    "fixed-data": (
        "new shuffles only",
        "the luck of the shuffles; the rows stay, so it says nothing of other data",
    ),
    "random-variable": (
        "rows times shuffles",
        "the spread over all rows and shuffles together, as if each pair were a new row",
    ),
    "quantile": (
        "spread of shuffles",
        "no interval of an average: where the middle nine tenths of the shuffles lie",
    ),
}
assert set(INTERVAL_TEXTS) == set(INTERVALS)

_WHISKERS = (
    "Dots are estimates, whiskers their 95 % intervals. Where an interval holds 0, the rows do not "
    "say whether there is an effect."
)

#: Paragraphs for each panel, by the name of its view; ``population`` is the box on top.
PANELS = {
    "population": (
        "What if a feature were higher, or lower, on average? Move the slider: rows with larger "
        "values then count more, and rows with smaller values less. No row is invented or changed.",
        "The further the average moves, the fewer rows carry the result. The widget says how many "
        "rows the weights are worth, and warns where these are too few.",
        "A filter keeps some rows and leaves out the others. All panels show the same rows with "
        "the same weights.",
    ),
    "importance": (
        "How much does the model lose when a feature no longer tells it anything? The values of "
        "one feature are shuffled between the rows, the model predicts again, and the bars show by "
        "how much it got worse, or less sure.",
        _WHISKERS,
        "Features that carry the same information stand in for each other, so each of them may "
        "look unimportant. A click on a feature draws its curve.",
    ),
    "dependence": (
        "What does the model say if one feature is set to another value and all else stays? Each "
        "thin line is one row, the thick line is the average of the rows, and the band is the 95 % "
        "interval of the average.",
        "Lines that are not parallel mean that the effect depends on other features. Where the "
        "average is dotted there are hardly any rows, so the model guesses there.",
        "The bars below show how the values are spread over the rows.",
    ),
    "small_curves": (
        "How does the model's answer change along each of the leading features? Each small chart "
        "is one feature, and all have the same vertical axis, so a flat line is a feature that "
        "moves the average little. The band is the 95 % interval of the average.",
        "The averages have few values, because each of them asks the model about all rows. A click "
        "picks the feature, whose curve is then drawn large.",
    ),
    "surface": (
        "What does the model say if two features are set together? The colours show the average "
        "over the rows, for each pair of values.",
        "The interaction is what remains after the curve of each feature alone: where it is 0, the "
        "two effects just add up. Marked pairs are far from the data, so the model guesses there.",
    ),
    "importance_over_tau": (
        "Does a feature matter more, or less, where the average of the stressed feature is "
        "another? Each line is one feature, with its 95 % interval as a band; at 0 are the data "
        "as they are. Where a band holds 0, the rows do not say whether there is an effect.",
        "The lines are of the features that matter most at some level, and of the picked one. A "
        "click on a line, or on its name, picks the feature.",
    ),
    "stress": (
        "How do errors, or predictions, change when the average of a feature moves? To the right "
        "rows with larger values count more, to the left rows with smaller ones; in the middle "
        "are the data as they are.",
        "The coloured line is the feature that is stressed, with its 95 % interval as a band; the "
        "grey lines are the other features. Where a band reaches the dashed line, a difference is "
        "not clear from these rows. A click on a line stresses its feature.",
    ),
    "performance": (
        "How good is the model itself in the rows that are shown? Scores have 95 % intervals; the "
        "model is taken as it is and not fitted again.",
        "Calibration: of the rows that the model calls 80 % likely, about 80 % should be so. "
        "Points on the diagonal are as good as promised; where an interval reaches the diagonal, "
        "a difference is not clear from these rows.",
    ),
    "comparison": (
        "Does another model do the same, or this one in other rows, or for another class? The "
        "other side lies under what is shown, and here stands the difference: what is shown minus "
        "the other side, with its own 95 % interval.",
        "Two models see the same rows and the same shuffled values. What is hard for both cancels, "
        "so a difference may be clear although the two intervals overlap. Groups of rows may share "
        "rows, which the interval accounts for. Where it holds 0, it is not clear from these rows.",
    ),
    "selection": (
        "Click a line of the curves, or draw a box over some: these rows are selected, and all "
        "panels mark them. A drag over the bars below the curves selects all rows with such "
        "values. Escape clears the selection.",
        "The card shows one of them: its values, what the model says of it, and how unusual that "
        "is among the rows that are shown.",
        "What if one value were another one? Change it on the card: the row moves along its line, "
        "and the model's answer follows. The data stay as they are.",
    ),
}

#: The steps of the tour: the name of a panel, ``population`` or ``pin-bar``, and what to do there.
TOUR = (
    (
        "importance",
        "Start here: the features that the model needs most stand on top. Click one of them.",
    ),
    (
        "dependence",
        "This is its curve: what the model says when this feature takes other values.",
    ),
    (
        "population",
        "Ask a what-if: move the slider, and the feature is higher, or lower, on average. All "
        "panels follow. Below the slider, choose which rows are shown.",
    ),
    (
        "stress",
        "What the slider does, for all its places at once and for every feature: does the error "
        "rise where you are going?",
    ),
    (
        "pin-bar",
        "Keep a view that you like with Pin view, take a step back with Undo, or copy the line of "
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
