"""The base of an explainer: model, table, and the measures that the model gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.choices import as_names
from uqwidgets._utils.remarks import Remark
from uqwidgets.evaluation.evaluations import Evaluations
from uqwidgets.evaluation.table import Table
from uqwidgets.importance import remarks_on_ceiling
from uqwidgets.measures import Function, Measure, Offers, described, find
from uqwidgets.predictive.adapters import Predictive


class ExplainerBase:
    """The model, the table, and the measures that the model gives."""

    predictive: Predictive
    table: Table
    evaluations: Evaluations
    classes: npt.NDArray[np.generic] | None
    seed: int
    _measures: Offers

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns the model sees, in its order.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> explainer.features
        ('x0', 'x1')
        """
        return self.table.features

    @property
    def model_calls(self) -> int:
        """Number of calls of the model so far.

        See Also
        --------
        Explainer.rows_evaluated : Number of rows in all these calls.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(50, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> before = explainer.model_calls
        >>> explainer.stress_weights("x0", 0.5).shape  # weights need no call of the model
        (50,)
        >>> explainer.model_calls - before
        0
        """
        return self.evaluations.model_calls

    @property
    def rows_evaluated(self) -> int:
        """Number of rows that the model has evaluated so far, over all calls.

        See Also
        --------
        Explainer.model_calls : Number of these calls.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> before = explainer.rows_evaluated
        >>> result = explainer.importance("squared_error", n_repeats=3)
        >>> explainer.rows_evaluated - before  # 2 features x 3 repeats x 100 rows
        600
        """
        return self.evaluations.rows_evaluated

    @property
    def measures(self) -> pd.DataFrame:
        """Measures of this model, and the reason why the others are not available.

        The columns are ``measure, label, unit, available, reason``. Only one
        ``interval_width:<level>`` is listed; every level between 0 and 1 is available. So is
        ``margin:<a>:<b>``, the log-odds of any two classes.

        See Also
        --------
        Explainer.measure : One of these measures, or one of a function.
        Explainer.measure_names : The names of those that are available.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(20.0).reshape(10, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> measures = explainer.measures.set_index("measure")
        >>> bool(measures.loc["squared_error", "available"]), bool(measures.loc["nll", "available"])
        (True, False)
        """
        lines = [
            (name, "", "", False, measure_or_reason)
            if isinstance(measure_or_reason, str)
            else (name, measure_or_reason.label, measure_or_reason.unit, True, "")
            for name, measure_or_reason in described(self._measures)
        ]
        return pd.DataFrame(lines, columns=["measure", "label", "unit", "available", "reason"])

    @property
    def measure_names(self) -> list[str]:
        """Names of the measures that this model has, in the order of `measures`.

        See Also
        --------
        Explainer.measures : All measures, with the reason why some are not available.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(20.0).reshape(10, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> explainer.measure_names
        ['prediction', 'squared_error', 'absolute_error', 'crps']
        """
        return [name for name, one in described(self._measures) if not isinstance(one, str)]

    def measure(self, measure: str | Function) -> Measure:
        """Return the measure of this name, or of this function.

        Parameters
        ----------
        measure : str or callable
            A name (see `measures`), or ``f(distribution, y)`` that returns one finite number
            per row of the distribution; y holds the labels of the same rows as they are in the
            target. The numbers are cached, so the function must depend on its arguments alone.

        Returns
        -------
        Measure
            With attributes ``name``, ``label`` and ``unit``.

        Raises
        ------
        ValueError
            If no measure has this name, or the model does not give it; the message says why.

        See Also
        --------
        Explainer.measures : The names of all measures.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(20.0).reshape(10, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> explainer.measure("squared_error").name
        'squared_error'
        """
        return find(measure, self._measures)

    @property
    def groups_and_features(self) -> tuple[str, ...]:
        """Names that importance is computed for: every group, and every feature in no group.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(30.0).reshape(10, 3)
        >>> groups = {"both": ["x0", "x1"]}
        >>> uq.Explainer(lambda X: X[:, 0], X, X[:, 0], feature_groups=groups).groups_and_features
        ('both', 'x2')
        """
        return self.table.groups_and_features

    def _named(self, features: Sequence[str] | None) -> list[str]:
        if features is None:
            return list(self.features)
        return [self.features[self.table.index(name)] for name in as_names(features)]

    def _remarks_on_ceiling(self, names: Sequence[str], rows: Any) -> tuple[Remark, ...]:
        """Return remarks on the observed targets that the model rules out, for means of nll.

        Parameters
        ----------
        names : sequence of str
            Those that are no measures have no remarks.
        rows : ndarray of bools or positions, or None
            Rows that are averaged; None for all.
        """
        measures = (self._measures.get(name) for name in names)
        chosen = slice(None) if rows is None else rows
        return tuple(
            remark
            for measure in measures
            if isinstance(measure, Measure) and np.isfinite(measure.ceiling)
            for remark in remarks_on_ceiling(
                measure, self.evaluations.original_values(measure)[chosen]
            )
        )
