"""Links between explorers: a control that is moved in one moves in all."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary, ref

from uqwidgets._utils.choices import unknown
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.explorer import Explorer
from uqwidgets.widgets.inputs import NAMES, validate

#: What is tied by default: which rows and weights are shown, what is picked, and what it is
#: compared with. Positions of rows, and so the selection, differ from table to table.
LINKED = (
    "tau",
    "stress_feature",
    "stress_category",
    "anchor",
    "tail",
    "feature",
    "second",
    "measure",
    "indicator",
    "ice_filter",
    "complement",
    "held",
    "cohorts",
    "compare_with",
)
_NAMED = 3


class Link:
    """The tie between explorers, made by `link`.

    Attributes
    ----------
    names : tuple of str
        The inputs that are tied.
    remarks : tuple of str
        Sentences on what cannot be tied, because the tables or the models differ; among them are
        values that an explorer did not take since.
    """

    def __init__(self, explorers: Sequence[Explorer], names: tuple[str, ...]) -> None:
        self.names = names
        # An explorer that is closed or freed leaves the others tied.
        self._explorers = [ref(explorer) for explorer in explorers]
        self._differences = tuple(_differences([e.explainer for e in explorers], names))
        self._refused: dict[tuple[int, str], str] = {}
        # One change at a time: what is set meanwhile in another explorer waits for it.
        self._lock = threading.RLock()
        self._is_setting = False
        # The values that each explorer had when they were last copied. A worker thread may report
        # a change of one explorer while that of another still waits, so only new values count.
        self._copied: WeakKeyDictionary[Explorer, dict[str, Any]] = WeakKeyDictionary()
        for explorer in explorers:
            explorer.observe(self._follow, names=list(names))
        self._copy(explorers[0], names)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on what cannot be tied."""
        return (*self._differences, *self._refused.values())

    def unlink(self) -> None:
        """Untie the explorers; each keeps the values that it has."""
        for explorer in self._alive():
            explorer.unobserve(self._follow, names=list(self.names))
        self._explorers = []

    def __repr__(self) -> str:
        return "\n".join([f"Link of {len(self._explorers)} explorers", *self.remarks])

    def _alive(self) -> Iterator[Explorer]:
        for reference in self._explorers:
            explorer = reference()
            if explorer is not None and explorer.comm is not None:
                yield explorer

    def _follow(self, change: Any) -> None:
        with self._lock:
            # The explorers that are set here notify of it in this thread.
            if not self._is_setting:
                source = change["owner"]
                # One that was closed when it was linked has no copied values.
                known = self._copied.get(source, {})
                self._copy(source, [n for n in self.names if getattr(source, n) != known.get(n)])

    def _copy(self, source: Explorer, names: Sequence[str]) -> None:
        """Set inputs of the others to those of one, at once, so that each answers once."""
        self._is_setting = True
        try:
            for at, explorer in enumerate(self._alive()):
                for name in names:
                    self._refused.pop((at, name), None)
                if explorer is not source:
                    self._set(at, explorer, source, names)
                values = {name: getattr(explorer, name) for name in names}
                self._copied.setdefault(explorer, {}).update(values)
        finally:
            self._is_setting = False

    def _set(self, at: int, explorer: Explorer, source: Explorer, names: Sequence[str]) -> None:
        with explorer.hold_trait_notifications():
            for name in names:
                value = getattr(source, name)
                if value == getattr(explorer, name):
                    continue
                try:
                    validate(name, value, explorer.explainer)
                except ValueError as error:
                    self._refused[at, name] = f"explorer {at + 1} keeps its {name}: {error}"
                else:
                    explorer.set_trait(name, value)


def link(*explorers: Explorer, names: Sequence[str] | None = None) -> Link:
    """Tie the controls of explorers: one that is moved, on a page or in Python, moves in all.

    All take the values of the first one. A value that another one cannot have, such as a feature
    that its table lacks, leaves that one as it is.

    Parameters
    ----------
    *explorers : Explorer
        Two or more, of one Explainer or of several.
    names : sequence of str, optional
        The inputs to tie; by default tau and what it moves, the picked features, measure and
        indicator, the filter of the rows, and what is compared. Selected rows are not among them,
        for tables have different rows; ``names=["selection", "row"]`` ties them too.

    Returns
    -------
    Link
        Its ``unlink`` unties them, and its ``remarks`` say what could not be tied.

    Raises
    ------
    TypeError
        If there are fewer than two explorers, or something else is among them.
    ValueError
        If there is no such input.

    Warns
    -----
    UserWarning
        If the tables or models differ in something that is tied.

    See Also
    --------
    ImportanceView : A view as a widget of its own.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.ImportanceView(explainer) as one, uq.DependenceView(explainer) as other:
    ...     tie = uq.link(one, other)
    ...     one.tau = 0.5
    ...     tie.unlink()
    ...     one.tau = 0.0
    ...     other.tau
    0.5
    """
    for explorer in explorers:
        if not isinstance(explorer, Explorer):
            raise TypeError(f"link got {type(explorer).__name__}; it ties explorers.")
    if len(set(explorers)) < max(2, len(explorers)):
        raise TypeError("link ties two or more different explorers: uq.link(one, other).")
    chosen = LINKED if names is None else tuple(names)
    for name in chosen:
        if name not in NAMES:
            raise ValueError(unknown("input", str(name), list(NAMES)))
    made = Link(explorers, chosen)
    for sentence in made.remarks:
        warnings.warn(sentence, UserWarning, stacklevel=2)
    return made


def _differences(explainers: Sequence[Explainer], names: tuple[str, ...]) -> Iterator[str]:
    """Say which features, measures and indicators the explainers do not all have."""
    kinds: tuple[tuple[str, set[str], Callable[[Explainer], Sequence[str]]], ...] = (
        ("features", {"feature", "second", "stress_feature"}, lambda e: e.features),
        ("measures", {"measure"}, lambda e: [*e.measures.query("available")["measure"]]),
        ("indicators", {"indicator"}, lambda e: [*e.indicators]),
    )
    for what, inputs, of in kinds:
        if not inputs & set(names):
            continue
        every = [of(explainer) for explainer in explainers]
        common = set.intersection(*map(set, every))
        others = [one for one in dict.fromkeys(n for e in every for n in e) if one not in common]
        if others:
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            listed = ", ".join(repr(one) for one in others[:_NAMED])
            yield f"not all explorers have the {what} {listed}{more}; these are not tied."
