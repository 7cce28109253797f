"""Guess the ranking: order the features before their importance is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from uqwidgets._utils.options import brief, checked_flag
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.importance import Settings
from uqwidgets.importance.order import pairwise_differences
from uqwidgets.importance.result import Importance
from uqwidgets.importance.settings import checked_repeats
from uqwidgets.inference.population import Population
from uqwidgets.teach.lesson import Input, Lesson, LessonAnswer, counted

_MOST_FEATURES = 12
# A page holds the score of each of their 5,040 orders.
_MOST_FEATURES_OF_PAGE = 7
_MEANING = (
    "A bar says how much the model loses when it no longer knows a feature, not how much the "
    "feature has to do with the target: a feature that others can stand in for has a short bar."
)


def _order(lesson: GuessTheRanking, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"order is {brief(value)}; it must be a list of names.")
    if sorted(value) != sorted(lesson.features):
        raise ValueError(
            f"order is {brief(list(value))}; it must hold each of {list(lesson.features)!r} once."
        )
    return tuple(value)


class GuessTheRanking(Lesson):
    """The learner orders the features by importance, and then sees the bars.

    The score counts pairs of features. A pair whose difference is not clear, because the 95 %
    interval of the difference of their importances includes zero, is a tie and counts for nobody.

    Parameters
    ----------
    explainer : Explainer
    measure : str or function, default="nll"
        A measure of rows, see `Explainer.importance`.
    features : sequence of str, optional
        Two to twelve features or groups to order; by default all.
    n_repeats : int, default=10
    **inputs
        Initial values of ``order`` and ``revealed``.

    Attributes
    ----------
    order : tuple of str
        The learner's order, the most important feature first. At the beginning it is drawn at
        random, with the seed of the explainer.
    revealed : bool
        Whether the importance is shown. Before, the page does not have it.

    Raises
    ------
    ValueError
        For fewer than two features, or more than twelve; or a name or value that does not exist.

    See Also
    --------
    Explainer.importance : The numbers that are shown.

    References
    ----------
    Wood et al. 2024, eq. 5; Hoeffding 1948.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.teach.GuessTheRanking(explainer, "squared_error") as widget:
    ...     widget.order = ("x0", "x1")
    ...     widget.revealed = True
    ...     widget.score
    (1, 1)
    """

    name: ClassVar[str] = "guess"
    title: ClassVar[str] = "Guess the ranking"
    question: ClassVar[str] = (
        "Which feature does the model need most? Put that one on top, and the one it needs least "
        "at the bottom."
    )
    task: ClassVar[str] = "When you are content with your order, show the bars."

    order = Input((), _order)
    revealed = Input(False, lambda _, value: checked_flag(value, "revealed"))

    def __init__(
        self,
        explainer: Explainer,
        measure: Any = "nll",
        features: Sequence[str] | None = None,
        *,
        n_repeats: int = 10,
        **inputs: Any,
    ) -> None:
        self.explainer = explainer
        self.features = tuple(explainer.table.named_features(features))
        if not 2 <= len(self.features) <= _MOST_FEATURES:
            raise ValueError(
                f"there are {counted(len(self.features), 'feature')}; a person can order 2 to "
                f"{_MOST_FEATURES}: name some of them with features=[...]."
            )
        self._measure, self._measured = measure, explainer.measure(measure)
        self._n_repeats = checked_repeats(n_repeats)
        self._result: tuple[Importance, list[tuple[str, str]]] | None = None
        shuffled = np.random.default_rng(explainer.seed).permutation(len(self.features))
        super().__init__(**{"order": tuple(self.features[j] for j in shuffled), **inputs})

    @property
    def importance(self) -> Importance:
        """The importance, which is computed when it is first needed."""
        return self._results()[0]

    @property
    def clear_pairs(self) -> list[tuple[str, str]]:
        """Pairs whose difference is clear, the more important feature first."""
        return self._results()[1]

    def _results(self) -> tuple[Importance, list[tuple[str, str]]]:
        with self._computing:
            if self._result is None:
                explainer = self.explainer
                importance = explainer.importance(
                    self._measure, self.features, n_repeats=self._n_repeats, callback=self._check
                )
                differences = pairwise_differences(
                    explainer.evaluations,
                    self._measured,
                    importance.features,
                    Population.of(len(explainer.table)),
                    Settings(n_repeats=self._n_repeats, seed=explainer.seed),
                )
                clear = [pair for pair, bounds in differences.items() if bounds.low > 0]
                self._result = importance, clear
            return self._result

    @property
    def score(self) -> tuple[int, int]:
        """Number of clear pairs that are ordered as the model has them, and of all clear pairs."""
        right = [pair for pair in self.clear_pairs if not self._is_wrong(pair)]
        return len(right), len(self.clear_pairs)

    def _facts(self) -> dict[str, Any]:
        return {"label": self._measured.label, "unit": self._measured.unit}

    def _answer(self) -> LessonAnswer:
        # Computed before it is shown, so that nobody waits for it then.
        result, clear = self._results()
        if not self.revealed:
            return LessonAnswer({"revealed": False}, {})
        wrong = [pair for pair in clear if self._is_wrong(pair)]
        meta = {
            "revealed": True,
            "features": result.features,
            "wrong": [sum(name in pair for pair in wrong) for name in result.features],
        }
        columns = {"importance": result.importance, "low": result.low, "high": result.high}
        return LessonAnswer(meta, columns, self._explanation(wrong))

    def _page_states(self) -> Iterator[dict[str, Any]]:
        yield {"revealed": False}
        if not self._orders_of_page:
            yield {"revealed": True}
        for order in self._orders_of_page:
            yield {"revealed": True, "order": order}

    def _page_facts(self) -> dict[str, Any]:
        if self._orders_of_page:
            return {}
        return {"note": "The score of your order needs the notebook: this page holds the bars."}

    def _page_answer(self) -> LessonAnswer:
        answer = self._answer()
        if not self.revealed or self._orders_of_page:
            return answer
        meta = {**answer.meta, "wrong": [0] * len(self.features)}
        return LessonAnswer(meta, answer.columns, (*self._ties(), _MEANING))

    @property
    def _orders_of_page(self) -> list[tuple[str, ...]]:
        """Every order of the features, or none where there are too many."""
        if len(self.features) > _MOST_FEATURES_OF_PAGE:
            return []
        return list(permutations(self.features))

    def _is_wrong(self, pair: tuple[str, str]) -> bool:
        order: tuple[str, ...] = self.order
        return order.index(pair[0]) > order.index(pair[1])

    def _explanation(self, wrong: list[tuple[str, str]]) -> tuple[str, ...]:
        right, clear = self.score
        if clear:
            sentences = [f"You ordered {right} of the {counted(clear, 'clear pair')} as they are."]
        else:
            sentences = ["No pair is clear, so no order is better than another."]
        if wrong:
            first, second = wrong[0]
            sentences.append(
                "Features with a cross belong to a clear pair in the other order: for example, the "
                f"model needs {first} more than {second}."
            )
        return (*sentences, *self._ties(), _MEANING)

    def _ties(self) -> list[str]:
        k = len(self.features)
        ties = k * (k - 1) // 2 - len(self.clear_pairs)
        if not ties:
            return []
        n = counted(len(self.explainer.table), "row")
        are_ties = f"{counted(ties, 'pair')} {'is a tie' if ties == 1 else 'are ties'}"
        return [
            f"{are_ties}: the interval of the difference includes zero, so these {n} do not say "
            "which of the two features matters more. A tie counts for nobody."
        ]
