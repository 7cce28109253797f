"""The help of the stress view, and of its controls."""

HELP = (
    "How do errors, or predictions, change when the average of a feature moves? To the right "
    "rows with larger values have more weight, to the left rows with smaller ones; in the "
    "middle the data are unchanged.",
    "The coloured line is the feature that is stressed, with its 95 % interval as a band; the "
    "grey lines are the other features. Where a band reaches the dashed line, a difference is "
    "not clear from these rows. A click on a line stresses its feature.",
    "For a model of two classes, choose the true or the false positive rate, and both are drawn "
    "against each other: the path shows which errors become more frequent.",
)

TIPS = {
    "uq-stress-feature": "The feature whose average, or share of a category, is moved",
    "uq-stress-category": "The category whose share is moved",
    "uq-anchor-options": "The meaning of the ends of the slider, and means that stay fixed",
    "uq-anchor": "The average at the ends of the slider",
    "uq-tail": "How far into the data the ends of the slider go",
    "uq-held": "A mean, or a share, that you fix while the slider moves another one",
    "uq-held-value": "The value at which it is fixed",
    "uq-use-tail-mean": "Use the means of the tails as ends; they can always be reached",
    "uq-indicator": "The quantity that is shown while averages move",
}
