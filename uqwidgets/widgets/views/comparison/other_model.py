"""Another fitted model as the other side of a comparison: what both models have is compared."""

from __future__ import annotations

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.metrics import find_metric, is_metric
from uqwidgets.plotting.text import listed, sentence
from uqwidgets.widgets.inputs.choices import curve_measures, importance_measures
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.views.comparison.sides import Compared, OtherSide, measures_of


class OtherModel(OtherSide):
    """Another fitted model of the same rows."""

    def __init__(self, explainer: Explainer, name: str) -> None:
        super().__init__(explainer, (explainer.name, name), has_weights=False)
        self.comparison = explainer.compare(explainer.others[name], names=self.names)

    def sentences(self, inputs: Inputs) -> list[str]:
        """Say what only one of the models has."""
        alone = [sentence(remark) for remark in self.comparison.remarks]
        return [*super().sentences(inputs), *self.compared(inputs).sentences, *alone]

    def compared(self, inputs: Inputs, _population: Population | None = None) -> Compared:
        """Return what both models have, with what is compared where they share nothing shown."""
        own, other = self.comparison.first, self.comparison.second
        shown = measures_of(self.explainer, inputs)
        lacking = {
            name: why
            for name in dict.fromkeys([*shown, inputs.measure])
            if (why := _why_without(other, name)) is not None
        }
        importance: list[tuple[tuple[str], int | None]] = [
            ((name,), column) for column, name in enumerate(shown) if name not in lacking
        ]
        measure = inputs.measure if inputs.measure not in lacking else None
        indicator: str | None = inputs.indicator
        # Where nothing that is shown can be compared, the default of the other model is.
        instead = []
        if not importance:
            shared = [one for one in importance_measures(other) if _has(own, one.name)]
            importance = [((one.name,), None) for one in shared]
            instead += [one.label for one in shared]
        if measure is None:
            offered = (one for one in curve_measures(other) if _has(own, one.name))
            if (one := next(offered, None)) is not None:
                measure = one.name
                instead.append(one.label)
        second, sentences = self.names[1], []
        if lacking:
            what = listed([_label(own, name) for name in lacking])
            sentences.append(f"{second} lacks {what}: {next(iter(lacking.values()))}.")
        if indicator not in other.indicators:
            label = own.indicators[inputs.indicator].label
            indicator = next((name for name in own.indicators if name in other.indicators), None)
            sentences.append(f"{second} lacks {label} under stress.")
            instead += [] if indicator is None else [own.indicators[indicator].label]
        if instead:
            what = listed(list(dict.fromkeys(instead)))
            sentences.append(f"Both models have {what}, compared in its place.")
        return Compared(
            self.comparison,
            importance,
            None if measure is None else (measure,),
            indicator,
            measure == inputs.measure,
            indicator == inputs.indicator,
            sentences,
        )


def _why_without(explainer: Explainer, name: str) -> str | None:
    """Say why a model has not a measure or a scorer; None if it has it."""
    try:
        if is_metric(name):
            evaluations = explainer.evaluations
            metric = find_metric(name, explainer.classes)
            metric.on(evaluations.original_for(metric), evaluations.truth)
        else:
            explainer.measure(name)
    except ValueError as error:
        # The second half of the sentence says what to do, which does not matter here.
        return str(error).partition(";")[0].rpartition(" is not available: ")[2].rstrip(".")
    return None


def _has(explainer: Explainer, name: str) -> bool:
    return _why_without(explainer, name) is None


def _label(explainer: Explainer, name: str) -> str:
    """Return a measure or a scorer in words."""
    of = find_metric(name, explainer.classes) if is_metric(name) else explainer.measure(name)
    return of.label
