"""Stress to a target: move the mean of a feature until an indicator reaches a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from uqwidgets._typing import Floats
from uqwidgets._utils.options import checked_flag
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.stress.result import Stress
from uqwidgets.teach.lesson import Input, Lesson, LessonAnswer, one_of_texts
from uqwidgets.teach.page import facts_on_features, features_of_page
from uqwidgets.widgets.inputs.checks import number

_GUESSES = {
    "higher": "a higher mean",
    "lower": "a lower mean",
    "neither": "no mean reaches it",
}
# Levels from -1 to 1 in steps of 0.02.
_LEVELS = 101
# Weights that are worth a smaller share of the rows say little.
_FEW = 0.1
# Standard deviations from which on another feature comes along.
_COMES_ALONG = 0.1


class StressToATarget(Lesson):
    """The learner moves the mean of a feature until the error rate reaches a target.

    Rows with larger, or smaller, values count more, and the further the mean moves, the fewer rows
    carry the result. Features that are correlated with the stressed one come along. The widget says
    when the target is reached; some targets are out of reach.

    Parameters
    ----------
    explainer : Explainer
    indicator : str, optional
        What has to reach the target, see `Explainer.stress`; by default the error rate, or the
        RMSE where the target is a number.
    target : float, default=0.1
        In the unit of the indicator.
    **inputs
        Initial values of the attributes below.

    Attributes
    ----------
    feature : str
        A numeric feature without missing values; by default the first.
    guess : {"", "higher", "lower", "neither"}
        Which mean the learner expects to reach the target.
    tau : float
        Stress level in [-1, 1], in steps of 0.02.
    revealed : bool
        Whether the indicator is shown at all levels.

    Raises
    ------
    ValueError
        If there is no numeric feature without missing values, or a value is out of range.

    See Also
    --------
    Explainer.stress : The curve.
    Explainer.stress_weights : The weights.

    References
    ----------
    Bachoc et al. 2023, section 2.2 and eq. 4.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> explainer = uq.Explainer(lambda X: 0 * X[:, 0], X, X[:, 0])
    >>> with uq.teach.StressToATarget(explainer, target=1.2) as widget:
    ...     widget.tau = 0.5
    ...     widget.reachable
    (True, True)
    """

    name: ClassVar[str] = "target"
    title: ClassVar[str] = "Stress to a target"
    question: ClassVar[str] = ""
    task: ClassVar[str] = (
        "Move the slider until the target is reached. Watch how many rows still speak, and which "
        "other features come along."
    )

    feature = Input("", lambda lesson, value: one_of_texts(value, "feature", lesson.features))
    guess = Input("", lambda _, value: one_of_texts(value, "guess", ("", *_GUESSES)))
    tau = Input(0.0, lambda _, value: round(50 * number(value, "tau", -1, 1)) / 50)
    revealed = Input(False, lambda _, value: checked_flag(value, "revealed"))

    def __init__(
        self,
        explainer: Explainer,
        indicator: str | None = None,
        target: float = 0.1,
        **inputs: Any,
    ) -> None:
        self.explainer = explainer
        default = "rmse" if explainer.classes is None else "error_rate"
        self._indicator = explainer.indicator(default if indicator is None else indicator)
        self.target = number(target, "target", -np.inf, np.inf)
        table = explainer.table
        self.features = tuple(
            name
            for name in table.numeric
            if not table.missing(name) and len(np.unique(table.numbers(name))) > 2
        )
        if not self.features:
            raise ValueError(
                "no feature is numeric with more than two values and none missing; stress the "
                "shares of categories with Explainer.stress."
            )
        self._results: dict[str, Stress] = {}
        # By how many standard deviations the means move, by the stressed feature and the level.
        self._known_shifts: dict[tuple[str, int], Floats] = {}
        super().__init__(**{"feature": self.features[0], **inputs})

    def _page_states(self) -> Iterator[dict[str, Any]]:
        for feature in self._features_of_page:
            for level in range(_LEVELS):
                state = {"feature": feature, "tau": (2 * level - _LEVELS + 1) / (_LEVELS - 1)}
                yield {**state, "revealed": False}
                for guess in ("", *_GUESSES):
                    yield {**state, "revealed": True, "guess": guess}

    def _page_facts(self) -> dict[str, Any]:
        return facts_on_features(self.features, self._features_of_page)

    @property
    def _features_of_page(self) -> tuple[str, ...]:
        return features_of_page(self.features, self.feature)

    @property
    def reachable(self) -> tuple[bool, bool]:
        """Whether the target is reached by a lower mean, and by a higher one."""
        with self._computing:
            values = self._values()
        middle = _LEVELS // 2
        return self._crosses(values[middle::-1]), self._crosses(values[middle:])

    def _crosses(self, values: Floats) -> bool:
        known = values[np.isfinite(values)] - self.target
        return bool((known <= 0).any() and (known >= 0).any())

    def _is_reached(self, level: int) -> bool:
        """Whether no neighbouring level is nearer to the target, which lies between levels."""
        near = self._values()[max(level - 1, 0) : level + 2]
        distances = np.abs(near - self.target)
        is_nearest = distances[min(level, 1)] <= np.nanmin(distances)
        return bool(is_nearest) and self._crosses(near)

    def _result(self) -> Stress:
        if self.feature not in self._results:
            self._results[self.feature] = self.explainer.stress(
                [self.feature], [self._indicator.name], taus=np.linspace(-1, 1, _LEVELS)
            )
        return self._results[self.feature]

    def _values(self) -> Floats:
        return np.asarray(self._result().values[self._indicator.name][0])

    def _level(self) -> int:
        tau: float = self.tau
        return round((tau + 1) / 2 * (_LEVELS - 1))

    def _shifts(self) -> Floats:
        """By how many standard deviations the mean of each feature moves."""
        key = self.feature, self._level()
        if key not in self._known_shifts:
            self._known_shifts[key] = self._shifts_at(self._level())
        return self._known_shifts[key]

    def _shifts_at(self, level: int) -> Floats:
        if level == _LEVELS // 2:
            return np.zeros(len(self.features))  # and not what rounding leaves
        if self._result().status[0, level] not in ("ok", "edge"):
            return np.full(len(self.features), np.nan)
        table = self.explainer.table
        columns = np.stack([table.numbers(name) for name in self.features])
        weights = self.explainer.stress_weights(self.feature, self.tau)
        means = columns @ weights / weights.sum()
        return np.asarray((means - columns.mean(axis=1)) / columns.std(axis=1))

    def _facts(self) -> dict[str, Any]:
        label = self._indicator.label
        return {
            "features": self.features,
            "label": label,
            "unit": self._indicator.unit,
            "target": self.target,
            "guesses": [{"value": value, "label": label} for value, label in _GUESSES.items()],
            "question": (
                f"Which mean of the feature makes the {label} {self.target:.3g}, and how far is "
                "that from the data as they are?"
            ),
        }

    def _answer(self) -> LessonAnswer:
        result, i = self._result(), self._level()
        values = self._values()
        shown = np.ones(_LEVELS, dtype=bool) if self.revealed else np.arange(_LEVELS) == i
        shifts = self._shifts()
        columns = {
            "mean": result.target[0],
            "value": np.where(shown, values, np.nan),
            "shift": shifts,
        }
        meta = {
            "level": i,
            "base": values[_LEVELS // 2],
            "ess": result.ess[0, i],
            "n": len(self.explainer.table),
            "features": self.features,
        }
        return LessonAnswer(meta, columns, self._explanation(result, i, shifts))

    def _explanation(self, result: Stress, i: int, shifts: Floats) -> tuple[str, ...]:
        sentences = []
        value, ess, n = self._values()[i], result.ess[0, i], len(self.explainer.table)
        label, mean = self._indicator.label, result.target[0, i]
        if self.tau and not np.isfinite(value):
            sentences.append(
                f"No weights of these rows give {self.feature} a mean of {mean:.4g} "
                f"({result.status[0, i]}): the data reach no further."
            )
        elif self.tau:
            sentences.append(
                f"At a mean of {mean:.4g} instead of {result.target[0, _LEVELS // 2]:.4g}, the "
                f"{label} is {value:.3g}. The weights are worth about {ess:.0f} of {n:,} rows"
                + ("; so few rows say little." if ess < _FEW * n else ".")
            )
            if self._is_reached(i):
                sentences.append(f"The target of {self.target:.3g} is reached.")
            along = [
                f"{name} by {shift:+.2f}"
                for name, shift in zip(self.features, shifts, strict=True)
                if name != self.feature and abs(shift) >= _COMES_ALONG
            ]
            if along:
                sentences.append(
                    f"Other features come along, in standard deviations: {', '.join(along)}. So "
                    f"the change is not of {self.feature} alone."
                )
        if self.revealed:
            sentences.append(self._verdict())
        return tuple(sentences)

    def _verdict(self) -> str:
        lower, higher = self.reachable
        if lower and higher:
            sentence = "a lower and a higher mean both reach the target"
        elif lower or higher:
            sentence = f"a {'lower' if lower else 'higher'} mean reaches the target"
        else:
            sentence = "no mean between the 5 % and the 95 % quantile reaches the target"
        mark = ""
        if self.guess:
            truths = {"lower": lower, "higher": higher, "neither": not (lower or higher)}
            mark = "You were right: " if truths[self.guess] else "You expected otherwise: "
        sentence = f"{mark}{sentence}."
        return sentence[0].upper() + sentence[1:]
