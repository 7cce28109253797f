"""The help of the importance view, and of its controls."""

HELP = (
    "How much does the model lose without the information of a feature? The values of "
    "one feature are shuffled between the rows, the model predicts again, and the dots show "
    "how much worse, or less certain, its predictions are.",
    "Dots are estimates, whiskers their 95 % intervals. Where an interval contains 0, it is not "
    "clear from these rows whether there is an effect.",
    "Features with the same information can replace each other, so each of them may "
    "seem unimportant. A click on a feature draws its curve.",
)

TIPS = {
    "uq-interval": "The kind of uncertainty that the whiskers show; the list names its source",
    "uq-simultaneous": "Intervals of all features, and of the whole curve, hold together: wider",
    "uq-row-groups": "What rows belong to, such as persons or sites: intervals are then for others",
    "uq-repeats": "More shuffles: narrower intervals, and more calls of the model",
    "uq-importance-options": "Other columns, replacements and details",
    "uq-replacement": "The values that replace the feature's own values",
    "uq-compare": "The measure after the replacement minus before, or divided by before",
    "uq-grouped": "One row for each group of features, whose values are replaced together",
    "uq-verdict": "What the likelihood loss and the entropy together show for each feature",
    "uq-redundancy": "How well the other features predict this one; it fits random forests",
    "uq-search": "List the features whose names contain these letters",
}
