"""Shuffle one column: what happens to single rows, and how the bars grow out of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets.evaluation.replacement import Repeats
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings, permutation_importance
from uqwidgets.importance.result import Importance
from uqwidgets.inference.population import Population
from uqwidgets.measures import Measure
from uqwidgets.plotting.text import number
from uqwidgets.teach.lesson import Input, Lesson, LessonAnswer, counted, one_of_texts
from uqwidgets.teach.page import facts_on_features, features_of_page
from uqwidgets.widgets.inputs.checks import whole

_MEASURES = ("nll", "entropy")
_GUESSES = {
    "": "no guess yet",
    "nll": "the likelihood loss rises more",
    "entropy": "the entropy rises more",
    "neither": "neither clearly rises more",
}
_MOST_ROWS = 24
_MOST_REPEATS = 20
# All donors of so many rows are a quarter of a million rows for the model.
_MOST_ROWS_FOR_ALL_DONORS = 500


class ShuffleOneColumn(Lesson):
    """One column is shuffled row by row, then once more and once more, up to all donors.

    First single rows get the value of another row, and their likelihood loss and entropy jump.
    The mean jump is the bar: the likelihood importance and the entropy importance of the feature.
    Where another feature is a copy, the model knows nearly as much as before, but the two disagree
    and it becomes unsure: the entropy rises more than the loss.

    Parameters
    ----------
    explainer : Explainer
        With a target, of a model that states its uncertainty.
    **inputs
        Initial values of the attributes below.

    Attributes
    ----------
    feature : str
        The feature that is shuffled; by default the first.
    guess : {"", "nll", "entropy", "neither"}
        What the learner expects to rise more.
    rows : int
        How many of the rows that are drawn have their new value; ``shown_rows`` are their
        positions. When all of them have it, the bars are of all rows of the table.
    repeats : int
        How often the column is shuffled, from 1 to 20; 21 stands for all donors, in a table of at
        most 500 rows.

    Raises
    ------
    ValueError
        If the model gives no likelihood or no entropy; or for a value that an input cannot have.

    See Also
    --------
    Explainer.replaced : The rows with their donors.
    Explainer.importance : The bars.

    References
    ----------
    Wood et al. 2024, figure 1, eq. 5 and section 3.2.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> import uqwidgets as uq
    >>> X, y = uq.datasets.make_redundant(200, copied="x1", n_features=4, n_relevant=2)
    >>> forest = RandomForestClassifier(20, min_samples_leaf=5, random_state=0)
    >>> explainer = uq.Explainer(forest.fit(X[:100], y[:100]), X[100:], y[100:])
    >>> with uq.teach.ShuffleOneColumn(explainer, feature="x4", rows=24, repeats=5) as widget:
    ...     widget.importance("entropy").n_repeats
    5
    """

    name: ClassVar[str] = "shuffle"
    title: ClassVar[str] = "Shuffle one column"
    question: ClassVar[str] = (
        "One feature is shuffled: every row gets the value of another row, and the model predicts "
        "again. What will rise more, how wrong the model is (the likelihood loss), or how unsure "
        "it says it is (the entropy)?"
    )
    task: ClassVar[str] = (
        "Shuffle row by row, and watch which rows jump. Then shuffle all rows, and shuffle again: "
        "a bar is the mean jump."
    )

    feature = Input(
        "",
        lambda lesson, value: one_of_texts(value, "feature", lesson.explainer.groups_and_features),
    )
    guess = Input("", lambda _, value: one_of_texts(value, "guess", tuple(_GUESSES)))
    rows = Input(0, lambda lesson, value: whole(value, "rows", 0, len(lesson.shown_rows)))
    repeats = Input(1, lambda lesson, value: whole(value, "repeats", 1, lesson.most_repeats))

    def __init__(self, explainer: Explainer, **inputs: Any) -> None:
        self.explainer = explainer
        for measure in _MEASURES:
            explainer.measure(measure)
        n = len(explainer.table)
        drawn = np.random.default_rng(explainer.seed).permutation(n)[:_MOST_ROWS]
        self.shown_rows = tuple(int(row) for row in np.sort(drawn))
        self.most_repeats = _MOST_REPEATS + (n <= _MOST_ROWS_FOR_ALL_DONORS)
        super().__init__(**{"feature": explainer.groups_and_features[0], **inputs})

    rows_in_page: ClassVar[str] = (
        f"It holds the values of the features, the losses and the entropies of {_MOST_ROWS} rows "
        "at most."
    )

    def _page_states(self) -> Iterator[dict[str, Any]]:
        last = len(self.shown_rows)
        for feature in self._features_of_page:
            for rows in range(last):
                yield {"feature": feature, "rows": rows}
            for repeats in range(1, self.most_repeats + 1):
                for guess in _GUESSES:
                    yield {"feature": feature, "rows": last, "repeats": repeats, "guess": guess}

    def _page_facts(self) -> dict[str, Any]:
        return facts_on_features(self.explainer.groups_and_features, self._features_of_page)

    @property
    def _features_of_page(self) -> tuple[str, ...]:
        return features_of_page(self.explainer.groups_and_features, self.feature)

    def importance(self, measure: str) -> Importance:
        """Return the importance of the feature with the repeats so far.

        Parameters
        ----------
        measure : {"nll", "entropy"}

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
        >>> with uq.teach.ShuffleOneColumn(explainer) as widget:
        ...     float(widget.importance("entropy").importance[0])
        0.0
        """
        return self.explainer.importance(
            measure, [self.feature], n_repeats=self._n_repeats, callback=self._check
        )

    @property
    def _n_repeats(self) -> Repeats:
        return "all" if self.repeats > _MOST_REPEATS else self.repeats

    def _facts(self) -> dict[str, Any]:
        return {
            "features": self.explainer.groups_and_features,
            "guesses": [
                {"value": value, "label": label} for value, label in _GUESSES.items() if value
            ],
            "n_shown": len(self.shown_rows),
            "most_repeats": self.most_repeats,
            "n_repeats": _MOST_REPEATS,
        }

    def _answer(self) -> LessonAnswer:
        replaced = self.explainer.replaced(self.feature, _MEASURES, callback=self._check)
        table = self.explainer.table
        shown = list(self.shown_rows)
        lit = shown[: self.rows]
        donors = replaced.donors[0]
        columns: dict[str, Any] = {}
        bars = []
        for measure in _MEASURES:
            before = replaced.frame[f"{measure}_before"].to_numpy()
            after = replaced.frame[measure].to_numpy()
            columns[f"{measure}.before"] = before[shown]
            columns[f"{measure}.after"] = after[lit]
            if self._is_complete:
                result = self.importance(measure)
                bars.append((result.importance[0], result.low[0], result.high[0]))
            else:
                change = (after - before)[lit].mean() if lit else 0.0
                bars.append((change, np.nan, np.nan))
        columns["bars"] = np.array(bars)
        moved = [table.column(table.features[j]) for j in table.columns_of(self.feature)]
        meta = {
            "rows": shown,
            "own": [", ".join(_text(column.iloc[row]) for column in moved) for row in shown],
            "new": [", ".join(_text(column.iloc[donors[row]]) for column in moved) for row in lit],
        }
        return LessonAnswer(meta, columns, self._explanation(columns["bars"]))

    @property
    def _is_complete(self) -> bool:
        return bool(self.rows == len(self.shown_rows))

    def _explanation(self, bars: Floats) -> tuple[str, ...]:
        if not self.rows:
            return ()
        (loss, loss_low, loss_high), (entropy, entropy_low, entropy_high) = bars
        if not self._is_complete:
            return (
                f"{counted(self.rows, 'row')} of {len(self.shown_rows)} got the value of another "
                f"row. So far, the loss {_moved(loss)} and the entropy {_moved(entropy)} on "
                "average. A row that jumps got a value that takes it over a boundary of the model, "
                "or to a place where the model has seen no data.",
            )
        n = counted(len(self.explainer.table), "row")
        every = self.repeats > _MOST_REPEATS
        times = "with every row as a donor" if every else f"over {counted(self.repeats, 'shuffle')}"
        sentences = [
            f"Over all {n} and {times}, the loss rises by {loss:.3g} nats ({loss_low:.3g} to "
            f"{loss_high:.3g}) and the entropy by {entropy:.3g} nats ({entropy_low:.3g} to "
            f"{entropy_high:.3g}). The whiskers are 95 % intervals for other rows of the "
            "same kind.",
            self._verdict(),
        ]
        if every:
            sentences.append(
                "With every donor no luck of the shuffles is left, but the intervals remain: they "
                "are about which rows there are, and more shuffles cannot mend that."
            )
        return tuple(sentences)

    def _verdict(self) -> str:
        explainer = self.explainer
        loss, entropy = (explainer.measure(name) for name in _MEASURES)
        # The same pairs of a row and a donor, so what both have in common cancels.
        minus = Measure(
            "nll minus entropy",
            "loss minus entropy",
            "nats",
            of=lambda q, truth: loss.of(q, truth) - entropy.of(q, truth),
        )
        difference = permutation_importance(
            explainer.evaluations,
            minus,
            [self.feature],
            Population.of(len(explainer.table)),
            Settings(n_repeats=self._n_repeats, seed=explainer.seed),
            self._check,
        )
        if difference.low[0] > 0:
            truth, why = (
                "nll",
                "the model goes wrong more than it becomes unsure, so it does not notice that it "
                "lost information that no other feature gives",
            )
        elif difference.high[0] < 0:
            truth, why = (
                "entropy",
                "the model becomes unsure more than it goes wrong: the shuffled value contradicts "
                "what other features say, as where one is a copy",
            )
        else:
            truth, why = (
                "neither",
                "the interval of the difference includes zero, so these rows do not say which "
                "rises more",
            )
        mark = ""
        if self.guess:
            mark = "You were right: " if self.guess == truth else "You expected otherwise: "
        sentence = f"{mark}{_GUESSES[truth]}. That means: {why}."
        return sentence[0].upper() + sentence[1:]


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, (float, np.floating)) else str(value)


def _moved(change: float) -> str:
    """Return "rose by 0.039 nats" or "fell by 0.039 nats"."""
    return f"{'fell' if change < 0 else 'rose'} by {number(abs(change))} nats"
