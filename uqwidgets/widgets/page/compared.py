"""The comparison in a page: each kind of difference by the inputs that it depends on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from uqwidgets.widgets.inputs.cohorts import Cohort
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.over_tau.tracks import OF_OTHERS, Track
from uqwidgets.widgets.rows.population import Populations
from uqwidgets.widgets.views.comparison.content import Shown
from uqwidgets.widgets.views.comparison.sides import KINDS, MOVING, OtherSide
from uqwidgets.widgets.views.comparison.view import OF, ComparisonView
from uqwidgets.widgets.views.view import Content, View

# The inputs that decide a kind of difference, beside what is compared, and those that decide what
# is said of all of them.
_READS = {
    "scores": ("simultaneous",),
    "curve": (
        *("feature", "measure", "spacing", "center", "center_at", "derivative", "relative"),
        "simultaneous",
    ),
    "stress": ("indicator", "simultaneous"),
    "importance": (
        *("n_repeats", "interval", "importance_of", "replacement", "compare", "grouped"),
        "simultaneous",
    ),
}
_OF_SENTENCES = ("measure", "indicator", "importance_of", "interval")
# What is shown decides which class is compared with another one.
_OF_CLASSES = ("measure", "indicator", "importance_of")
_NAMES = ("first", "second", "level", "tau")
_OWN = {"importance": ("importance", "units")}


def compared_of_page(view: ComparisonView, shown: Sequence[Inputs]) -> list[ComparedOfPage]:
    """Return the parts of a comparison that a page stores, see `ComparedOfPage`.

    Parameters
    ----------
    view : ComparisonView
        It is used for nothing else.
    shown : sequence of Inputs
        The views that are saved. Their differences follow tau, under the features that they stress.
    """
    return [ComparedOfPage(view, kind, shown) for kind in ("sentences", *KINDS)]


def check_compared_cohorts(shown: Sequence[Inputs]) -> None:
    """Raise a ValueError if cohorts of one name that are compared have different rows."""
    known: dict[str, Cohort] = {}
    for each in shown:
        for cohort in each.cohorts:
            is_compared = each.compare_with == f"cohort:{cohort.name}"
            if is_compared and known.setdefault(cohort.name, cohort) != cohort:
                raise ValueError(
                    f"the cohort {cohort.name!r} of one pin has other rows than that of another "
                    "view, and a page knows it by its name; give one of them another name."
                )


class ComparedOfPage(ComparisonView):
    """One kind of difference, or the sentences on all of them.

    Parameters
    ----------
    of : ComparisonView
    kind : str
        One of `KINDS`, or "sentences".
    shown : sequence of Inputs
    """

    def __init__(self, of: ComparisonView, kind: str, shown: Sequence[Inputs]) -> None:
        super().__init__(of.explainer)
        self.name = f"{of.name}.{kind}"
        self._of, self._kind = of, kind
        is_of_classes = any(one.compare_with.startswith("class:") for one in shown)
        own = _READS.get(kind, _OF_SENTENCES)
        names = (*own, *(_OF_CLASSES if is_of_classes else ()))
        self.reads = ("compare_with", *dict.fromkeys(names))
        # What is computed depends on less than what is said of it, see `_OF_CLASSES`.
        self._own = ("compare_with", *own, "stress_feature", "stress_category", "tau")
        self._known: dict[tuple[object, ...], Shown] = {}
        self.reads_stress = kind == "stress"
        self._followed = {self._input_key(one) for one in shown}
        self._stressed = {one.stress_feature for one in shown}
        self._last = Shown({}, {}, {})

    def complete(
        self, inputs: Inputs, populations: Populations, check: Callable[[], None]
    ) -> Content:
        """Compute the differences; both models are called for what is not known."""
        if not inputs.compare_with:
            return Content()
        if self.reads_stress and inputs.stress_feature not in self._stressed:
            why = f"The difference under stress of {inputs.stress_feature} is not in this page."
            return Content({"sentences": [why]} if inputs.stress_feature else {})
        (of_all,) = self._shown(inputs, populations, lambda *_: check(), ())
        names = of_all.meta["first"], of_all.meta["second"]
        key = (*names, *(getattr(inputs, name) for name in self._own))
        if key not in self._known:
            every = self._shown(inputs, populations, lambda *_: check(), (self._kind,))
            *_, self._known[key] = every
        self._last = shown = self._known[key]
        common = of_all.meta["sentences"]
        own = [one for one in shown.meta["sentences"] if one not in common]
        own_names = (*_NAMES, *_OWN.get(self._kind, (self._kind,)))
        meta = {name: shown.meta[name] for name in own_names if name in shown.meta}
        meta["sentences"] = common if self._kind == "sentences" else own
        meta["of"] = OF[inputs.compare_with.partition(":")[0]]
        under = {f"{OF_OTHERS}{name}": values for name, values in shown.under.items()}
        return Content(meta, shown.columns | under)

    def over_tau(self, inputs: Inputs) -> Sequence[Track]:
        """Return the track of the differences of the views that are saved."""
        is_followed = self._input_key(inputs) in self._followed
        if self._kind not in MOVING or not is_followed or not self._last.meta:
            return ()
        return self._tracks(inputs, self._last, (self._kind,), self._stressed)

    def _input_key(self, inputs: Inputs) -> tuple[object, ...]:
        return View._input_key(self, inputs)

    def _side(self, inputs: Inputs, populations: Populations | None = None) -> OtherSide:
        return self._of._side(inputs, populations)
