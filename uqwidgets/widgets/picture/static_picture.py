"""The static picture of a widget, for pages without a kernel and without scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.plotting.text import counted, few, listed, number
from uqwidgets.widgets.inputs.conditions import ONLY, Condition
from uqwidgets.widgets.inputs.held import mean_or_share
from uqwidgets.widgets.inputs.inputs import Inputs
from uqwidgets.widgets.picture.static_page import layout_html, learner_html
from uqwidgets.widgets.rows.population import MISSING

if TYPE_CHECKING:
    from uqwidgets.widgets.session.session import Session
    from uqwidgets.widgets.views.view import View


def static_picture(
    session: Session,
    inputs: Inputs,
    check: Callable[[], None] = lambda: None,
    views: Sequence[View] | None = None,
) -> str:
    """Return the known results as HTML, stressed and filtered; the model is not called.

    Parameters
    ----------
    session : Session
    inputs : Inputs
    check : callable, optional
        Called before each feature; an exception that it raises ends the work.
    views : sequence of View, optional
        Views that have the contents of the inputs; those of the session if not given.
    """
    ex, learner = session.explainer, session.learner
    n = len(ex.table)
    target = f"target {ex.table.target}" if ex.table.has_target else "no target"
    heading = f"{session.title or ex.name}: {n:,} rows, {len(ex.features)} features, {target}"
    rows = session.populations.filtered.chosen(inputs, check)
    conditions = listed([_condition(c, ex) for c in inputs.ice_filter])
    if inputs.complement:
        conditions = f"other values than {conditions}"
    if rows is not None and not rows.any():
        return layout_html("", "", heading=heading, message=f"No row has {conditions}.")
    groups = session.populations.in_groups(inputs).table.row_groups
    population, messages = Population.of(n, rows=rows, groups=groups), []
    if rows is not None:
        chosen = counted(len(population.positions), "row")
        messages.append(f"Shown are the {chosen} with {conditions}.")
    if (inputs.stress_feature and inputs.tau) or inputs.held or session.models.weights is not None:
        population, sentence = _stressed(session, inputs, population)
        messages.append(sentence)
    overview, details = "", ""
    views = session.views if views is None else views
    shown = [view for view in views if inputs.shows(view.name)]
    for view in shown:
        html = view.html(inputs, population, check)
        if learner is not None:
            html += learner_html(learner.name, learner.html(view.name))
        if view.is_overview:
            overview += html
        else:
            details += html
    is_missing = any(view.unfinished(inputs) is not None for view in shown)
    if is_missing or (learner is not None and learner.pending):
        failures = [sentence for view in shown for sentence in view.failures]
        why = dict.fromkeys(f"{sentence.rstrip('.')}." for sentence in failures)
        messages += [*why] or ["Not everything was computed when this was saved."]
    return layout_html(overview, details, heading=heading, message=" ".join(messages) or None)


def _stressed(session: Session, inputs: Inputs, population: Population) -> tuple[Population, str]:
    """Return the stressed population, and a sentence on the mean or the share that is moved."""
    feature, tau = inputs.stress_feature, inputs.tau
    category = session.populations.category(inputs)
    moved = mean_or_share(feature, category)
    populations = session.populations.build(inputs, lambda: None)
    if populations is not None and (rows := populations.selection.described) is not None:
        if populations.problem is not None:
            return populations.now, f"Without stress: {populations.problem}"
        words, projection = f"Weights at τ = 0: {rows.words}.", populations.projection
        if feature and tau and projection is not None:
            column = populations.selection.column(feature, category)
            assert column is not None, "what has no value is a problem"
            words += f" {_moves(tau, moved, rows.at(column, 0.0).mean, projection.reached)}"
        return populations.now, words
    ex = session.explainer
    try:
        weights = ex.stress_weights(
            feature,
            tau,
            category=category,
            tail=inputs.tail,
            anchor=inputs.anchor,
            rows=population.rows,
            missing=MISSING,
        )
    except ValueError as error:
        return population, f"Without stress: {error}"
    stressed = Population.of(len(ex.table), weights, population.rows, population.groups)
    if category is None:
        values = ex.table.numbers(feature)
        known = np.isfinite(values)
    else:
        values = ex.table.labels(feature).mask([category]).astype(np.float64)
        known = ex.table.column(feature).notna().to_numpy()
    means = [
        float(np.average(values[known], weights=p.scored[known])) for p in (population, stressed)
    ]
    n_unmoved = int(np.count_nonzero(~known[population.positions]))
    sentence = _moves(tau, moved, *means)
    if n_unmoved:
        keeps = "keeps its" if n_unmoved == 1 else "keep their"
        sentence += f" {counted(n_unmoved, 'row')} without a value {keeps} weight."
    return stressed, sentence


def _moves(tau: float, moved: str, before: float, now: float) -> str:
    return f"Stressed: τ = {number(tau)} moves the {moved} from {number(before)} to {number(now)}."


def _condition(condition: Condition, ex: Explainer) -> str:
    name = ex.table.target if condition.feature is None else condition.feature
    if condition.predicted is not None:
        return f"predicted {name} {' or '.join(few(list(condition.predicted))) or 'of no value'}"
    if condition.values is not None:
        texts = ["missing" if value is None else value for value in condition.values]
        return f"{name} {' or '.join(few(texts)) or 'of no value'}"
    if condition.missing == ONLY:
        return f"{name} missing"
    ends = []
    if condition.low is not None:
        ends.append(f"at least {_end(condition.low)}")
    if condition.high is not None:
        ends.append(f"at most {_end(condition.high)}")
    missing = " or missing" if condition.missing else ""
    return f"{name} {' and '.join(ends) or 'of any value'}{missing}"


def _end(value: float | str) -> str:
    return value if isinstance(value, str) else number(value)
