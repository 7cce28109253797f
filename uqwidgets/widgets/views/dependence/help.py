"""The help of the dependence view, and of its controls."""

HELP = (
    "What does the model predict if one feature has another value and all others stay? Each "
    "thin line is one row, the thick line is the average of the rows, and the band is the 95 % "
    "interval of the average.",
    "Lines that are not parallel mean that the effect depends on other features. Where the "
    "average is dotted there are hardly any rows, so the model extrapolates there.",
    "The bars below show the distribution of the values.",
)

TIPS = {
    "uq-feature": "The feature whose curve is drawn",
    "uq-measure": "The quantity that the curve shows",
    "uq-dependence-options": "Colours, own values, changes, slopes, and how lines are drawn",
    "uq-lines": "Number of rows whose lines are drawn; the average is over all rows",
    "uq-center": "Shift every row's line to start at 0, to compare their shapes",
    "uq-derivative": "Draw the slopes of the lines instead of the lines",
    "uq-relative": "Draw each row's difference from its value without a change",
    "uq-center-at": "The value of the feature at which all lines are 0",
    "uq-spacing": "The points of the curve: more where there are many rows, or evenly spaced",
    "uq-color-by": "What the colours of the lines show: the class, or another column",
    "uq-group-averages": "Draw an average for each colour, of the rows with this colour",
    "uq-own-values": "A dot on each line, at the row's own value",
    "uq-rug": "A tick below at each row's own value, faint where the row has little weight",
    "uq-category-order": "The order of the values",
    "uq-all-categories": "Show the rare values too, or hide them again",
}
