"""The help of the selection view, and of its controls."""

HELP = (
    "Click a line of the curves, or draw a box over some: these rows are selected, and all "
    "panels mark them. A drag over the bars below the curves selects all rows with such "
    "values. Escape clears the selection.",
    "The card shows one of them: its values, its prediction, and how unusual this prediction "
    "is among the rows that are shown.",
    "What if one value were different? Change it on the card: the row moves along its line, "
    "and the card shows the new prediction. The data stay unchanged.",
)

TIPS = {
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
}
