"""The rows whose lines are drawn, in an order that does not change with the filter."""

from __future__ import annotations

import numpy as np
import pandas as pd

from uqwidgets._typing import Positions
from uqwidgets.evaluation.row_order import places_in
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference.population import Population
from uqwidgets.widgets.inputs.rows_text import rows_of_text

# Letters of a label of X's index.
_MOST_CHARACTERS = 60


def row_labels(table: Table, rows: Positions) -> list[str] | None:
    """Return the labels of rows in the index of X; None where these are the positions.

    Parameters
    ----------
    table : Table
    rows : ndarray of shape (m,)
    """
    labels = table.row_labels
    if isinstance(labels, pd.RangeIndex) and labels.start == 0 and labels.step == 1:
        return None
    texts = [str(label) for label in labels.take(rows)]
    return [t if len(t) <= _MOST_CHARACTERS else f"{t[:_MOST_CHARACTERS]}..." for t in texts]


class DrawnRows:
    """Chooses rows among those that are scored.

    Parameters
    ----------
    explainer : Explainer
    """

    def __init__(self, explainer: Explainer) -> None:
        self._evaluations = explainer.evaluations
        # A fixed order, so that a filter thins the lines and does not exchange them.
        order = np.random.default_rng(explainer.seed).permutation(len(explainer.table))
        self._rank = places_in(order)

    def of(
        self, population: Population, most: int, n_rows: int | None, selection: str = ""
    ) -> Positions:
        """Return positions in ascending order: selected rows and those of small samples first.

        They are the same at every level of tau, also where some of them have no weight.

        Parameters
        ----------
        population : Population
        most : int
            Number of rows, if there are so many.
        n_rows : int or None
            Of a sample of so many rows, which is one of the sizes of `RowOrder`; None for all.
        selection : str, default=""
            See `uqwidgets.widgets.inputs.rows_text`.
        """
        order = self._evaluations.row_order
        is_scored = np.zeros(len(self._rank), dtype=np.bool_)
        is_scored[population.positions] = True
        selected = rows_of_text(selection, len(self._rank))
        selected = selected[is_scored[selected]]
        if n_rows is not None:
            selected = selected[order.places[selected] < n_rows]
        selected = selected[np.argsort(self._rank[selected])][:most]
        chosen, n_chosen = [selected], len(selected)
        n_parts = order.n_parts(n_rows) if n_rows is not None else len(order.sizes)
        for number in range(n_parts):
            if n_chosen >= most:
                break
            part = np.setdiff1d(order.part(number), selected, assume_unique=True)
            part = part[is_scored[part]]
            chosen.append(part[np.argsort(self._rank[part])])
            n_chosen += len(part)
        return np.sort(np.concatenate(chosen)[:most])
