"""The place nobody has been: which models doubt where there are no rows, and which bluff."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from uqwidgets._typing import Floats
from uqwidgets._utils.options import brief, checked_flag
from uqwidgets.dependence import grid_of
from uqwidgets.dependence.density import axis_of, near
from uqwidgets.evaluation.batch import RowBlock
from uqwidgets.evaluation.replacement import Constant, SingleRow
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import explainer_of, model_names
from uqwidgets.measures import UNKNOWN_TRUTH
from uqwidgets.teach.hollow_models import expected_target, hollow_explainer
from uqwidgets.teach.lesson import Input, Lesson, LessonAnswer, one_of_texts
from uqwidgets.widgets.inputs.checks import number, whole

# An odd number, so that the middle of the square is a place.
_STEPS = 33
_LEVEL = 0.95
_NONE = "none"
_MOST_ROWS_DRAWN = 400


class OnGrid(NamedTuple):
    """What a model says at every place of the map.

    Attributes
    ----------
    prediction, low, high, entropy : ndarray of shape (g1, g2)
        The ends of the 95 % interval are NaN for classes.
    usual : float
        The 95 % quantile of the entropy over the rows; above it, the model is less sure than for
        95 % of the rows.
    """

    prediction: Floats
    low: Floats
    high: Floats
    entropy: Floats
    usual: float


def _place(lesson: ThePlaceNobodyHasBeen, value: Any) -> tuple[float, float]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ValueError(f"place is {brief(value)}; it must be a pair of numbers.")
    pairs = zip(value, lesson.features, lesson.grids, strict=True)
    first, second = (
        _nearest(grid, number(one, f"place along {name}", grid[0], grid[-1]))
        for one, name, grid in pairs
    )
    return first, second


def _nearest(grid: Floats, value: float) -> float:
    return float(grid[np.abs(grid - value).argmin()])


class ThePlaceNobodyHasBeen(Lesson):
    """A map of two features with an empty place: which model doubts there, and which bluffs.

    The learner guesses which model becomes the most unsure where there are no rows, and then moves
    a point over the map. For each model the prediction and the entropy follow. A model doubts at a
    place if its entropy exceeds that of 95 % of the rows. It bluffs if it does not, although there
    are no rows around the place.

    Each model predicts once for each place of a grid of 33 x 33. To move the point calls no model.

    Parameters
    ----------
    explainer : Explainer, optional
        With the rows that the models were fitted to, or others of the same kind; ``others`` has
        further models. By default a forest, a Gaussian process and a network that are fitted to
        the hollow square, see `uqwidgets.datasets.make_hollow`.
    features : sequence of two str, optional
        Two numeric features; by default the first two.
    truth : callable, optional
        ``truth(X)``: the expected target of each row, shape (n,), where it is known.
    row : int, default=0
        Position of the row that gives the values of all other features.
    **inputs
        Initial values of the attributes below.

    Attributes
    ----------
    place : tuple of two float
        The values of both features, one of the places of the grid. At the beginning it is the
        place that is nearest to a row.
    guess : str
        The model that the learner expects to become the most unsure in the emptiest place,
        ``"none"``, or empty. Before, the page has no number of any model.
    model : str
        The model whose entropy the map shows.
    revealed : bool
        Whether the map shows the entropy.
    emptiest : tuple of two float
        The place that is farthest from all rows, in parts of the range of each feature.

    Raises
    ------
    ValueError
        If there are no two numeric features, or a model states no entropy; or for a value out of
        range.

    See Also
    --------
    Explainer.dependence : Surfaces of two features, also of the entropy.

    References
    ----------
    Wood et al. 2024, section 3.5, figures 4 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X, y = uq.datasets.make_hollow(200)
    >>> def sure(X):
    ...     return X[:, 0], np.ones(len(X))
    >>> def unsure_in_the_middle(X):
    ...     return X[:, 0], np.exp(2 - abs(X).max(axis=1))
    >>> explainer = uq.Explainer(
    ...     sure, X.to_numpy(), y, name="sure", others={"unsure": unsure_in_the_middle}
    ... )
    >>> with uq.teach.ThePlaceNobodyHasBeen(explainer, guess="unsure", place=(0, 0)) as widget:
    ...     widget.verdicts
    {'sure': 'bluffs', 'unsure': 'doubts'}
    """

    name: ClassVar[str] = "place"
    title: ClassVar[str] = "The place nobody has been"
    question: ClassVar[str] = (
        "Each dot is a row, and there are none in the empty place of the map. Which model becomes "
        "the most unsure there, compared with the rows?"
    )
    task: ClassVar[str] = (
        "Move the point over the map with the mouse or the arrow keys, into the empty place and "
        "out of it. Below, each model shows its curve, its prediction and its entropy."
    )

    place = Input((0.0, 0.0), _place)
    guess = Input("", lambda lesson, value: one_of_texts(value, "guess", lesson.guesses))
    model = Input("", lambda lesson, value: one_of_texts(value, "model", lesson.models))
    revealed = Input(False, lambda _, value: checked_flag(value, "revealed"))

    def __init__(
        self,
        explainer: Explainer | None = None,
        features: Sequence[str] | None = None,
        *,
        truth: Callable[[Any], Any] | None = None,
        row: int = 0,
        **inputs: Any,
    ) -> None:
        if explainer is None:
            explainer, truth = hollow_explainer(), truth or expected_target
        self.explainer = explainer
        table = explainer.table
        self.features = _two_numeric(explainer, features)
        self.models = tuple(model_names(explainer)) or (explainer.name,)
        self.guesses = ("", *self.models, _NONE)
        self._points = [grid_of(table, name, _STEPS, "even") for name in self.features]
        self.grids = tuple(grid.values.astype(np.float64) for grid in self._points)
        for name in self.models:
            explainer_of(explainer, name).measure("entropy")
        self._requested = self._requests(whole(row, "row", 0, len(table) - 1))
        self._answered_models: dict[str, OnGrid] = {}
        self._truth = None if truth is None else self._expected(truth, self._requested)
        axes = [axis_of(table, grid) for grid in self._points]
        self._near = near(axes, np.ones(len(table)))
        distance = self._distances()
        self.emptiest = self._at(int(distance.argmax()))
        start = {"place": self._at(int(distance.argmin())), "model": self.models[0]}
        super().__init__(**{**start, **inputs})

    rows_in_page: ClassVar[str] = (
        f"It holds two features of up to {_MOST_ROWS_DRAWN} rows, as the map shows them."
    )

    def _page_states(self) -> Iterator[dict[str, Any]]:
        yield {"guess": ""}
        places = [self._at(position) for position in range(self._shape[0] * self._shape[1])]
        for guess in self.guesses[1:]:
            for place in places:
                yield {"guess": guess, "revealed": False, "place": place}
                for model in self.models:
                    yield {"guess": guess, "revealed": True, "place": place, "model": model}

    @property
    def _on_grid(self) -> dict[str, OnGrid]:
        """What each model says at each place, which it is asked once."""
        with self._computing:
            for step, name in enumerate(self.models):
                if name not in self._answered_models:
                    self._begin(step, len(self.models))
                    one = explainer_of(self.explainer, name)
                    self._answered_models[name] = self._answers(one, self._requested)
            return self._answered_models

    @property
    def verdicts(self) -> dict[str, str]:
        """What each model does at the place: "doubts", "bluffs" or, near rows, "is sure"."""
        return {name: self._verdict_of(name) for name in self.models}

    @property
    def _shape(self) -> tuple[int, int]:
        first, second = self.grids
        return len(first), len(second)

    def _at(self, position: int) -> tuple[float, float]:
        i, j = np.unravel_index(position, self._shape)
        return float(self.grids[0][i]), float(self.grids[1][j])

    @property
    def _position(self) -> tuple[int, int]:
        """Position of the place along both grids."""
        pairs = zip(self.grids, self.place, strict=True)
        i, j = (int(np.abs(grid - value).argmin()) for grid, value in pairs)
        return i, j

    def _requests(self, row: int) -> list[SingleRow]:
        """Return the replacements of both features in a row, one for each place."""
        columns = tuple(self.explainer.table.index(name) for name in self.features)
        pairs = product(*(grid.points for grid in self._points))
        return [SingleRow(Constant(columns, pair), row) for pair in pairs]

    def _answers(self, explainer: Explainer, requests: Sequence[SingleRow]) -> OnGrid:
        prediction, entropy = explainer.measure("prediction"), explainer.measure("entropy")
        evaluations = explainer.evaluations
        q = evaluations.joined(evaluations.settled(requests, entropy), self._check)
        answers = evaluations.joined(evaluations.settled(requests, prediction), self._check)
        nothing = np.full(len(requests), np.nan)
        low, high = q.interval(_LEVEL) if explainer.classes is None else (nothing, nothing)
        values = (prediction.of(answers, UNKNOWN_TRUTH), low, high, entropy.of(q, UNKNOWN_TRUTH))
        usual = np.quantile(evaluations.original_values(entropy), _LEVEL)
        shaped = (np.asarray(each).reshape(self._shape) for each in values)
        predicted, low, high, stated = shaped
        return OnGrid(predicted, low, high, stated, float(usual))

    def _expected(self, truth: Callable[[Any], Any], requests: Sequence[SingleRow]) -> Floats:
        blocks = [
            RowBlock(range(row, row + 1), one.columns, None, one.values)
            for one, row, _ in requests
            if isinstance(one, Constant)
        ]
        values = np.asarray(truth(self.explainer.table.stacked(blocks)), dtype=np.float64)
        if values.shape != (len(requests),):
            raise ValueError(
                f"truth returned an array of shape {values.shape} for {len(requests)} rows; it "
                "must return one number for each row."
            )
        return values.reshape(self._shape)

    def _distances(self) -> Floats:
        """How far each place is from the nearest row, in parts of the ranges."""
        table = self.explainer.table
        spans = np.array([grid[-1] - grid[0] for grid in self.grids])
        rows = np.stack([table.numbers(name) for name in self.features], axis=1) / spans
        places = np.stack(np.meshgrid(*self.grids, indexing="ij"), axis=-1).reshape(-1, 2) / spans
        return np.asarray(cKDTree(rows).query(places)[0])

    def _verdict_of(self, model: str) -> str:
        answers, at = self._on_grid[model], self._position
        if answers.entropy[at] > answers.usual:
            return "doubts"
        return "is sure" if self._near[at] else "bluffs"

    def _excess(self) -> dict[str, float]:
        """By how much the entropy of each model in the emptiest place exceeds its usual one."""
        i, j = (
            int(np.abs(grid - value).argmin())
            for grid, value in zip(self.grids, self.emptiest, strict=True)
        )
        return {name: one.entropy[i, j] - one.usual for name, one in self._on_grid.items()}

    def _facts(self) -> dict[str, Any]:
        prediction = self.explainer.measure("prediction")
        labels = {_NONE: "none of them", **{name: name for name in self.models}}
        return {
            "features": self.features,
            "models": self.models,
            "label": prediction.label,
            "unit": prediction.unit,
            "guesses": [
                {"value": value, "label": labels[value]} for value in self.guesses if value
            ],
        }

    def _answer(self) -> LessonAnswer:
        # The models are asked before the guess, so that nobody waits then.
        columns, every = {**self._map}, self._on_grid.values()
        if not self.guess:
            return LessonAnswer({}, columns)
        _, j = self._position
        for part in ("prediction", "low", "high", "entropy"):
            columns[part] = np.stack([getattr(one, part)[:, j] for one in every])
        columns["usual"] = np.array([one.usual for one in every])
        if self._truth is not None:
            columns["truth"] = self._truth[:, j]
        if self.revealed:
            columns["map"] = self._on_grid[self.model].entropy
        return LessonAnswer({}, columns, self._explanation())

    @cached_property
    def _span(self) -> float:
        """Range of all predictions, which decides their digits."""
        return float(np.ptp([one.prediction for one in self._on_grid.values()]))

    @cached_property
    def _map(self) -> dict[str, Floats]:
        """What the map shows of no model: its grids, and rows."""
        table = self.explainer.table
        step = -(-len(table) // _MOST_ROWS_DRAWN)
        grids = {f"grid.{i}": grid for i, grid in enumerate(self.grids)}
        names = enumerate(self.features)
        return grids | {f"rows.{i}": table.numbers(name)[::step] for i, name in names}

    def _explanation(self) -> tuple[str, ...]:
        at = self._position
        place = self._named(self.place)
        rows = "There are rows around" if self._near[at] else "There are no rows around"
        sentences = [f"{rows} {place}.", *(self._about_model(name) for name in self.models)]
        if self._truth is not None:
            true = _text(self._truth[at], self._span)
            sentences.append(f"The true expected target is {true} there.")
        if self.revealed:
            sentences.append(self._comparison())
        return tuple(sentences)

    def _about_model(self, name: str) -> str:
        answers, at = self._on_grid[name], self._position
        meanings = {
            "doubts": "it doubts",
            "bluffs": "it bluffs, because it is as sure as where there are rows",
            "is sure": "it is sure, and there are rows to learn from",
        }
        predicted, low, high = (
            _text(part[at], self._span) for part in (answers.prediction, answers.low, answers.high)
        )
        interval = ""
        if np.isfinite(answers.low[at]):
            misses = self._truth is not None and not (
                answers.low[at] <= self._truth[at] <= answers.high[at]
            )
            interval = f" (95 % interval {low} to {high}{', without the truth' * misses})"
        verdict = self._verdict_of(name)
        more = "more" if verdict == "doubts" else "no more"
        return (
            f"{name}: predicts {predicted}{interval}; its entropy is "
            f"{answers.entropy[at]:.3g} nats, {more} than the {answers.usual:.3g} nats that 95 % "
            f"of the rows do not exceed: {meanings[verdict]}."
        )

    def _comparison(self) -> str:
        excess = self._excess()
        most = max(excess, key=lambda name: excess[name])
        truth = most if excess[most] > 0 else _NONE
        where = f"in the emptiest place, {self._named(self.emptiest)}"
        if truth == _NONE:
            sentence = f"no model is more unsure {where}, than at its rows"
        else:
            sentence = (
                f"{most} becomes the most unsure {where}: its entropy is {excess[most]:.3g} nats "
                "above its usual one"
            )
            silent = [name for name in self.models if excess[name] <= 0]
            if silent:
                shows = "shows" if len(silent) == 1 else "show"
                sentence += f", and {' and '.join(silent)} {shows} no more doubt there than usual"
        mark = "You were right: " if self.guess == truth else "You expected otherwise: "
        return f"{mark}{sentence}. Entropy says what a model states, not how wrong it is."

    def _named(self, place: tuple[float, float]) -> str:
        spans = [grid[-1] - grid[0] for grid in self.grids]
        named = zip(self.features, place, spans, strict=True)
        return " and ".join(f"{name} = {_text(value, span)}" for name, value, span in named)


def _two_numeric(explainer: Explainer, features: Sequence[str] | None) -> tuple[str, str]:
    table = explainer.table
    able = [name for name in table.numeric if not table.missing(name)]
    able = [name for name in able if len(np.unique(table.numbers(name))) > 1]
    names = able[:2] if features is None else [str(name) for name in features]
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(able):
        raise ValueError(
            f"features are {brief(names)}; a map needs two different numeric features without "
            f"missing values, of {brief(able)}."
        )
    return names[0], names[1]


def _text(value: float, span: float) -> str:
    """Write a number of an axis that is so long, with three digits of its length."""
    digits = 2 - int(np.floor(np.log10(span))) if span > 0 else 2
    # Adding 0 makes a 0 of -0.
    return f"{round(float(value), digits) + 0.0:g}"
