"""Links between explorers: a change of an input in one is copied to all others."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary, ref

from uqwidgets._utils.choices import unknown
from uqwidgets._utils.remarks import Remark
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.explorer import Explorer
from uqwidgets.widgets.inputs.inputs import NAMES, validate

#: Inputs that are linked by default: those of rows and weights, picked features, measures, what
#: they are compared with, and the shape of a picture whose pixels are the features. Selected rows
#: are not among them, because tables have different rows.
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
    "image_rows",
    "compare_with",
)
_NAMED = 3


class Link:
    """The link between explorers, made by `link`.

    Attributes
    ----------
    names : tuple of str
        The inputs that are linked.
    remarks : tuple of Remark
        Sentences on inputs that cannot be linked, because the tables or the models differ, and on
        values that an explorer could not take since.
    """

    def __init__(self, explorers: Sequence[Explorer], names: tuple[str, ...]) -> None:
        self.names = names
        # An explorer that is closed or freed leaves the others linked.
        self._explorers = [ref(explorer) for explorer in explorers]
        self._differences = tuple(_differences([e.explainer for e in explorers], names))
        self._refused: dict[tuple[int, str], Remark] = {}
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
    def remarks(self) -> tuple[Remark, ...]:
        """Sentences on inputs that cannot be linked."""
        return (*self._differences, *self._refused.values())

    def unlink(self) -> None:
        """Remove the link; each explorer keeps the values that it has."""
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
                    self._refused[at, name] = Remark(
                        "not-linked", f"explorer {at + 1} keeps its {name}: {error}"
                    )
                else:
                    explorer.set_trait(name, value)


def link(*explorers: Explorer, names: Sequence[str] | None = None) -> Link:
    """Synchronise inputs of explorers: a change of one, on a page or in Python, is copied to all.

    All take the values of the first one. If another one cannot have a value, such as a feature
    that its table lacks, its own value stays.

    Parameters
    ----------
    *explorers : Explorer
        Two or more, of one Explainer or of several.
    names : sequence of str, optional
        The inputs to link; by default tau and the other inputs of stress, the picked features,
        measure and indicator, the filter of the rows, what is compared, and ``image_rows``.
        Selected rows are not linked by default, because tables have different rows;
        ``names=["selection", "row"]`` links them too.

    Returns
    -------
    Link
        Its ``unlink`` removes the link, and its ``remarks`` name inputs that could not be linked.

    Raises
    ------
    TypeError
        If there are fewer than two explorers, or something else is among them.
    ValueError
        If there is no such input.

    Warns
    -----
    UserWarning
        If the tables or models differ in something that an input refers to.

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
    ...     link = uq.link(one, other)
    ...     one.tau = 0.5
    ...     link.unlink()
    ...     one.tau = 0.0
    ...     other.tau
    0.5
    """
    for explorer in explorers:
        if not isinstance(explorer, Explorer):
            raise TypeError(
                f"link got an object of type {type(explorer).__name__}; pass explorers, such as "
                "those that uq.explore returns."
            )
    if len(set(explorers)) < max(2, len(explorers)):
        raise TypeError("link needs two or more different explorers: uq.link(one, other).")
    chosen = LINKED if names is None else tuple(names)
    for name in chosen:
        if name not in NAMES:
            raise ValueError(unknown("input", str(name), list(NAMES)))
    made = Link(explorers, chosen)
    for sentence in made.remarks:
        warnings.warn(sentence, UserWarning, stacklevel=2)
    return made


def _differences(explainers: Sequence[Explainer], names: tuple[str, ...]) -> Iterator[Remark]:
    """Name the features, measures and indicators that the explainers do not all have."""
    kinds: tuple[tuple[str, set[str], Callable[[Explainer], Sequence[str]]], ...] = (
        ("features", {"feature", "second", "stress_feature"}, lambda e: e.features),
        ("measures", {"measure"}, lambda e: e.measure_names),
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
            yield Remark(
                "not-linked",
                f"not all explorers have the {what} {listed}{more}; these are not linked.",
            )
