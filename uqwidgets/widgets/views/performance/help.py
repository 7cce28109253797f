"""The help of the performance view, and of its controls."""

HELP = (
    "How well does the model predict the rows that are shown? Scores have 95 % intervals, "
    "which take the fitted model as fixed.",
    "Calibration: an event with the predicted probability 80 % should happen in about 80 % of "
    "the rows; such points lie on the diagonal. Where an interval reaches the diagonal, "
    "a difference is not clear from these rows. A ring marks a point that misses, with its name. "
    "The sentence above is about all points together: it names a direction only where that is "
    "clear although there are several.",
    "Along a feature, or along the predicted spread, the chart says where predictions are too sure "
    "or too cautious, and beside it how sharp they are there.",
)
