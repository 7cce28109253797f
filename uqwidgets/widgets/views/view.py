"""The base class of views: their declarations, and how their contents are updated."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy.typing as npt

from uqwidgets._utils.errors import in_one_line
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.replacement import Request
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.explainer.others import in_groups
from uqwidgets.inference.population import Population
from uqwidgets.plotting.result import Result
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.kernel.interruptions import SupersededError
from uqwidgets.widgets.kernel.work import Step, Urgency, Work
from uqwidgets.widgets.over_tau.tracks import Track
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.learner_part import LearnerPart
from uqwidgets.widgets.views.refitted import Refitted

Key = tuple[Any, ...]
# Of a traceback that is shown.
_MOST_LETTERS = 4000


@dataclass(frozen=True, eq=False)
class Content:
    """What a view shows.

    Attributes
    ----------
    meta : dict
        Plain values; among them, ``remarks`` are sentences that a reader of the view should know.
    columns : dict of str to ndarray
        By name, without the name of the view; see `uqwidgets.widgets.kernel.frames.pack`.
    key : tuple or None
        Identifies what it was computed from.
    """

    meta: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    key: Key | None = None


class Availability(NamedTuple):
    """What a view can show without a model call.

    Attributes
    ----------
    is_shown : bool
        Whether its content answers the request, perhaps coarsely.
    is_complete : bool
        Whether nothing is left to do.
    """

    is_shown: bool
    is_complete: bool


class View(ABC):
    """One view of a model: its inputs, its replacements, its computation and its static picture.

    A view declares `name`, `help`, `reads` and `compute`, and where it needs them `replacements`
    and `html`. All else has a default: the model is called for the replacements, then the content
    is computed and published as a whole. Views that take long override `steps` to publish their
    content piece by piece.

    Parameters
    ----------
    explainer : Explainer

    Attributes
    ----------
    name : str
        Of its part in a frame and of its columns; the same as of its front end.
    help : tuple of str
        The paragraphs behind the question mark of its panel: the question that it answers, and how
        to read it.
    tips : dict of str to str
        One line for each of its controls, by the test id of the control in the front end.
    reads : tuple of str
        Inputs that decide its content. Rows and weights (``tau``, ``stress_feature``,
        ``ice_filter``) need no mention: they reach it as `Populations`.
    of_rows : tuple of str
        Columns with values of single rows, which lie along their first axis.
    row_values : str
        These columns in words, for a person who decides whether to share a saved page.
    reads_stress : bool
        Whether its content depends on the stressed feature even at tau = 0.
    is_always_read : bool
        Whether the controls of the page read it, so that it is in every frame; where the page does
        not show it, it describes what they need alone.
    needs_model : bool
        Whether it needs predictions of other rows than those at hand, so that it is not offered
        where the predictions are stored.
    is_overview : bool
        Whether its static picture is in the left column, which compares all features, and
        not in the right one.
    draws : str
        Name of another view whose numbers it draws, and without which it has nothing.
    content : Content
        The latest content; replaced as a whole, for a heartbeat may publish it from another
        thread.
    """

    name: str
    help: ClassVar[tuple[str, ...]] = ()
    tips: ClassVar[Mapping[str, str]] = {}
    reads: tuple[str, ...] = ()
    of_rows: ClassVar[tuple[str, ...]] = ()
    row_values: ClassVar[str] = "values"
    reads_stress: bool = False
    is_always_read: ClassVar[bool] = False
    needs_model: ClassVar[bool] = False
    is_overview: ClassVar[bool] = False
    draws: ClassVar[str] = ""

    def __init__(self, explainer: Explainer) -> None:
        self.explainer = explainer
        self.content = Content()
        self._grouped = explainer
        # The error by the key of the work; it is not attempted again while the key stays the same.
        self._failures: dict[Key, str] = {}
        self._traceback = ""

    def is_read(self, inputs: Inputs) -> bool:
        """Whether a frame of these inputs has a part of this view."""
        return self.is_always_read or inputs.shows(self.name)

    # What a view declares.

    @classmethod
    def is_offered(cls, explainer: Explainer) -> bool:
        """Whether there is anything to show of an explainer."""
        return not cls.needs_model or explainer.predictive.stored is None

    def replacements(self, _inputs: Inputs) -> Sequence[Request]:
        """Return the replacements for which the model has to be called; none by default."""
        return ()

    @abstractmethod
    def compute(self, inputs: Inputs, populations: Populations) -> Content:
        """Compute the content from cached predictions."""

    def html(self, _inputs: Inputs, _population: Population, _check: Callable[[], None]) -> str:
        """Draw the static picture from what is known, without a model call; empty if nothing is.

        It may be drawn on another thread than the content is computed on, for the population of
        the inputs; ``_check`` is called now and then, and what it raises ends the drawing.
        """
        return ""

    def results(
        self, _inputs: Inputs, _populations: Populations, _check: Callable[[], None]
    ) -> dict[str, Result]:
        """Return the frozen results with the numbers of the content, by what they are of.

        None by default. The first is the one that orders or fills the picture. The model is called
        only for predictions that are no longer cached.
        """
        return {}

    def ghost(
        self, _pinned: Inputs, _populations: Populations, _check: Callable[[], None]
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of a pinned view that are drawn behind the present one.

        None by default. Their names begin with ``ghost``; they cause no model call.
        """
        return {}

    def under(self, _inputs: Inputs) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]] | None:
        """Return what this view draws behind the others, where no pin is drawn; None by default.

        It is the description of a ghost, and columns by their names in a frame.
        """
        return None

    # How it is computed for a page, all at once.

    def another(self) -> Self:
        """Return a view of the same explainer, which shares the cached predictions."""
        return type(self)(self.explainer)

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Compute the whole content; the model is called for what is not known.

        Parameters
        ----------
        inputs : Inputs
        populations : Populations
        check : callable
            Called often; what it raises ends the work.
        """
        self.explainer.evaluations.prepare(self.replacements(inputs), lambda _: check())
        return self.compute(inputs, populations)

    # How it is brought up to date.

    def is_ready(self, inputs: Inputs) -> bool:
        """Whether `compute` needs no model call."""
        return all(self.explainer.evaluations.is_cached(q) for q in self.replacements(inputs))

    def show_cached(self, work: Work) -> Availability:
        """Bring the content up to date as far as that needs no model call."""
        key, is_shown = self._input_key(work.inputs), False
        if work.populations is None or self.has_failed(key):
            return Availability(is_shown=False, is_complete=False)

        def show() -> None:
            nonlocal is_shown
            if self.is_ready(work.inputs):
                self._update(work)
                is_shown = True

        self.attempt(work, key, show)
        return Availability(is_shown, is_complete=is_shown)

    def steps(self, work: Work) -> Iterable[Step]:
        """Return what is left to do after `show_cached`."""

        def run() -> None:
            self.explainer.evaluations.prepare(
                self.replacements(work.inputs), lambda _: work.report(self.name)
            )
            self._update(work)

        def attempt() -> None:
            if work.populations is not None:
                self.attempt(work, self._input_key(work.inputs), run)
                work.send()

        return [Step(Urgency.PICKED, attempt)]

    def published(self, _work: Work) -> Content:
        """Return the content as the next frame shows it."""
        return self.content

    def is_stale(self, work: Work) -> bool:
        """Whether the content is not that of the request."""
        populations = work.populations
        return populations is None or self.content.key != self._key(work.inputs, populations)

    def seconds_ahead(self, _inputs: Inputs) -> float:
        """Model time, in seconds, that will be needed; 0 where its steps report it themselves."""
        return 0.0

    def notes(self, _inputs: Inputs) -> Iterable[Remark]:
        """Return sentences on limits that the view cannot go beyond."""
        return ()

    def learner_part(self, _refitted: Refitted) -> LearnerPart | None:
        """Return what a learner adds to this view; None where it adds nothing."""
        return None

    def unfinished(self, _inputs: Inputs) -> str | None:
        """Say where the view was stopped, such as "at 3 of 10 shuffles"; None if it is complete."""
        return None

    def in_groups(self, population: Population) -> Explainer:
        """Return the explainer whose own populations have the groups of this one."""
        grouped = self._grouped  # another thread may replace it
        if grouped.table.row_groups is not population.groups:
            grouped = self._grouped = in_groups(self.explainer, population.groups)
        return grouped

    # What tau moves.

    def over_tau(self, _inputs: Inputs) -> Sequence[Track]:
        """Return the parts of the content that tau moves; see `OverTau`.

        None by default: the view then follows the frames of the kernel while tau moves.
        """
        return ()

    def texts_over_tau(self, _populations: Populations) -> dict[str, str]:
        """Return texts of the content that tau changes, by name."""
        return {}

    # Failures.

    def attempt(self, work: Work, key: Key, run: Callable[[], None]) -> bool:
        """Run a part of the work; False where it fails, or has failed before."""
        if key not in self._failures:
            try:
                run()
                return True
            except SupersededError:
                raise
            except Exception as error:  # noqa: BLE001  a view that fails leaves the others
                work.give_back(error)
                is_sentence = isinstance(error, ValueError)
                self._failures[key] = str(error) if is_sentence else in_one_line(error)
                self._traceback = _last_lines(error)
            except BaseException as error:  # noqa: BLE001
                # An exit or an interrupt on this thread can only be the model's own.
                why = in_one_line(error)
                self._failures[key] = f"the model ended the work on {self.name}: {why}"
                self._traceback = _last_lines(error)
        work.errors.append(self._failures[key])
        return False

    def has_failed(self, key: Key) -> bool:
        """Whether this part of the work failed and is not attempted again."""
        return key in self._failures

    @property
    def failures(self) -> tuple[str, ...]:
        """Sentences on what failed and is not attempted again."""
        return tuple(self._failures.values())

    @property
    def failure(self) -> tuple[str, str] | None:
        """Why the view lacks something, with the last lines of the traceback; None if nothing."""
        return ("; ".join(self.failures), self._traceback) if self._failures else None

    def forget_failures(self, inputs: Inputs) -> None:
        """Forget the failures of work that the inputs do not request any more."""
        self._failures = {
            k: why for k, why in self._failures.items() if self.is_requested(k, inputs)
        }

    def try_again(self) -> None:
        """Forget all failures, so that the work is attempted again."""
        self._failures = {}

    def is_requested(self, key: Key, inputs: Inputs) -> bool:
        """Whether the inputs request a part of the work again."""
        return key == self._input_key(inputs)

    def _key(self, inputs: Inputs, populations: Populations) -> Key:
        return (self._input_key(inputs), populations.key)

    def _input_key(self, inputs: Inputs) -> Key:
        return tuple(getattr(inputs, name) for name in self.reads)

    def _update(self, work: Work) -> None:
        assert work.populations is not None
        if self.is_stale(work):
            content = self.compute(work.inputs, work.populations)
            key = self._key(work.inputs, work.populations)
            self.content = Content(content.meta, content.columns, key)


def _last_lines(error: BaseException) -> str:
    """Return the end of the traceback of an error, or of the error of the model behind it."""
    text = "".join(traceback.format_exception(error.__cause__ or error))
    return text[-_MOST_LETTERS:]
