"""ClassComparison: two classes of one fitted model, side by side and as a paired difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from uqwidgets._utils.choices import as_names, one_of
from uqwidgets.explainer.comparison.base import Comparison
from uqwidgets.explainer.comparison.models import ModelComparison
from uqwidgets.explainer.comparison.result import Difference
from uqwidgets.explainer.defaults import methods_take_options
from uqwidgets.measures import Function, Measure
from uqwidgets.stress.indicators import Indicator, MetricIndicator

if TYPE_CHECKING:
    from uqwidgets.explainer.explainer import Explainer


@methods_take_options
class ClassComparison(Comparison):
    """Two classes of one fitted model: both results, and their paired difference.

    `Explainer.compare_classes` returns it. What is compared is the probability of each class, and
    under stress the share of rows that are predicted as it too. Both have the same rows and the
    same donors of replaced values, so that the interval is that of a difference in the same rows.

    Parameters
    ----------
    explainer : Explainer
    names : tuple of (str, str)
        Of both classes.

    Attributes
    ----------
    explainer : Explainer
    names : tuple of (str, str)

    See Also
    --------
    Explainer.compare_classes : Makes it.

    References
    ----------
    Hoeffding 1948; Wood et al. 2024, eq. 5.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = np.digitize(X[:, 0], [-0.5, 0.5])
    >>> explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
    >>> curve = explainer.compare_classes(2, 0).dependence("x0", grid=[-2.0, 2.0]).difference
    >>> bool(curve.high[0] < 0 < curve.low[1])  # class 2 has the larger values of x0
    True
    """

    def __init__(self, explainer: Explainer, names: tuple[str, str]) -> None:
        self.explainer, self.names = explainer, names
        self._explainers = explainer, explainer
        self._of_classes = _OfClasses(explainer, explainer, names)

    def importance(self, features: Sequence[str] | None = None, **options: Any) -> Difference:
        """Compute the importance for the probability of each class, and its difference.

        Parameters
        ----------
        features : sequence of str, optional
        **options
            As in `ModelComparison.importance`.

        Returns
        -------
        Difference
            Of three `Importance`.

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.importance : Importance for one measure.

        References
        ----------
        Hoeffding 1948; Wood et al. 2024, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> y = np.digitize(X[:, 0], [-0.5, 0.5])
        >>> explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
        >>> explainer.compare_classes(2, 0).importance(n_repeats=2).title
        '2 minus 0'
        """
        return self._of_classes.importance("probability", features, **options)

    def dependence(self, feature: str, **options: Any) -> Difference:
        """Compute the curve of the probability of each class, and their difference.

        Parameters
        ----------
        feature : str
        **options
            As in `ModelComparison.dependence`.

        Returns
        -------
        Difference
            Of three `Dependence`.

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.dependence : The curve of one measure.

        References
        ----------
        Molnar et al. 2023, eq. 5.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> y = np.digitize(X[:, 0], [-0.5, 0.5])
        >>> explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
        >>> explainer.compare_classes(2, 0).dependence("x0").difference.label
        'probability, 2 minus 0'
        """
        return self._of_classes.dependence(feature, "probability", **options)

    def stress(
        self,
        features: Sequence[str] | None = None,
        indicators: Sequence[str] | None = None,
        **options: Any,
    ) -> Difference:
        """Compute indicators of both classes under the same weights, and their difference.

        Parameters
        ----------
        features : sequence of str, optional
        indicators : sequence of {"probability", "share"}, optional
            The mean probability of a class, and the share of rows that are predicted as it; by
            default both.
        **options
            As in `ModelComparison.stress`.

        Returns
        -------
        Difference
            Of three `Stress`.

        Raises
        ------
        ValueError
            For a name that does not exist, or a value out of range.

        See Also
        --------
        Explainer.stress : All indicators of a model.

        References
        ----------
        Bachoc et al. 2023, sections 2 and 3.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> y = np.digitize(X[:, 0], [-0.5, 0.5])
        >>> explainer = uq.Explainer(LogisticRegression().fit(X, y), X, y)
        >>> result = explainer.compare_classes(2, 0).stress(["x0"], ["share"], taus=3)
        >>> [bool(value > 0) for value in result.frame["difference"]]
        [False, False, True]
        """
        chosen = ("probability", "share") if indicators is None else indicators
        return self._of_classes.stress(features, chosen, **options)

    @property
    def _sizes(self) -> str:
        return self.explainer.table.size


class _OfClasses(ModelComparison):
    """A model compared with itself, where each side has the measures of its class."""

    def _measures(self, measure: str | Function) -> list[Measure]:
        return [
            replace(self.first.measure(f"{measure}:{name}"), label=str(measure))
            for name in self.names
        ]

    def _of_sides(
        self, indicators: object
    ) -> tuple[Sequence[Indicator | MetricIndicator], Sequence[Indicator | MetricIndicator]]:
        labels = {"probability": "mean probability", "share": "share of predictions"}
        names = [
            one_of(tuple(labels), name, "indicator") for name in as_names(indicators, "indicators")
        ]
        own, other = (
            [self._indicator(name, labels[name], of) for name in names] for of in self.names
        )
        return own, other

    def _indicator(self, name: str, label: str, of: str) -> Indicator:
        indicator = self.first.indicators[f"{name}:{of}"]
        # The same name on both sides, and an identity of their own in caches.
        return replace(indicator, name=name, label=label, identity=of)
