"""The help of the comparison view, and of its controls."""

HELP = (
    "Is the result the same for another model, for other rows, or for another class? The other "
    "side is drawn behind the views. This panel shows the difference: the present results "
    "minus those of the other side, with a 95 % interval of its own.",
    "Two models predict the same rows and the same shuffled values. Errors that both make "
    "cancel, so a difference may be clear although the two intervals overlap. Groups may share "
    "rows, which the interval accounts for. Where it contains 0, a difference is not clear.",
)

TIPS = {
    "uq-compare-with": "Another model, other rows or another class, drawn behind the present view",
}
