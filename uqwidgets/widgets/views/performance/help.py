"""The help of the performance view, and of its controls."""

HELP = (
    "How well does the model predict the rows that are shown? Scores have 95 % intervals, "
    "which take the fitted model as fixed.",
    "Calibration: an event with the predicted probability 80 % should happen in about 80 % of "
    "the rows; such points lie on the diagonal. Where an interval reaches the diagonal, "
    "a difference is not clear from these rows.",
)
