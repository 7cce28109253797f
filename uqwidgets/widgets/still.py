"""What a widget shows where no kernel and no script runs."""

from __future__ import annotations

from uqwidgets.dependence import dependence as curves
from uqwidgets.importance.settings import OVER_REPEATS
from uqwidgets.inference.population import Population
from uqwidgets.widgets.about import LEVEL
from uqwidgets.widgets.inputs import Inputs
from uqwidgets.widgets.session import Session
from uqwidgets.widgets.static_page import Beside, still_html


def still(session: Session, inputs: Inputs) -> str:
    """HTML of what the model was asked so far; asks it nothing."""
    ex = session.explainer
    repeats = session.importance.known_repeats(inputs.n_repeats)
    fewest = 2 if inputs.interval in OVER_REPEATS else 1
    importances = session.importance.results(inputs, repeats) if repeats >= fewest else []
    dependence = None
    if inputs.feature and session.dependence.known(inputs.feature):
        dependence = curves(
            ex.evaluations,
            ex.measure(inputs.measure),
            session.dependence.grid(inputs.feature),
            Population.of(len(ex.table)),
            form=session.dependence.form(inputs),
            level=LEVEL,
        )
    stress = ex.stress(indicators=[inputs.indicator]) if session.stress.features else None
    learner = session.learner
    target = min(inputs.n_repeats, session.importance.repeats.most_repeats)
    complete = repeats == target and (learner is None or not learner.pending)
    rows = f"{len(ex.table):,} rows, {len(ex.features)} features"
    return still_html(
        importances,
        dependence,
        stress,
        learner=None if learner is None else Beside(learner.name, *learner.results()),
        heading=f"{ex.predictive.name}: {rows}, target {ex.table.target}",
        message=None if complete else "Still computing when this was saved.",
    )
