"""Single views as widgets of their own, for boxes, tabs and grids."""

from __future__ import annotations

from typing import Any, ClassVar

from uqwidgets.explainer.explainer import Explainer
from uqwidgets.widgets.explorer import Explorer


class _OneView(Explorer):
    """An explorer that shows one view alone."""

    _shown_view: ClassVar[str]

    def __init__(self, explainer: Explainer, **arguments: Any) -> None:
        super().__init__(explainer, **{"views": [self._shown_view], **arguments})


class ImportanceView(_OneView):
    """The importance of all features, as a widget of its own.

    It fits into any box, tab or grid of ipywidgets. All widgets of one `Explainer` share its cached
    predictions, and each computes its own view; `link` synchronises their controls.

    Parameters
    ----------
    explainer : Explainer
        The fitted model and its table.
    **arguments
        As for `Explorer`.

    See Also
    --------
    Explorer : All views in one widget, with all its inputs.
    link : Synchronises the inputs of several widgets.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.ImportanceView(explainer) as view:
    ...     view.result("importance").features
    ('x0', 'x1')
    """

    _shown_view = "importance"


class DependenceView(_OneView):
    """The curves of a feature, as a widget of its own; see `ImportanceView`.

    Parameters
    ----------
    explainer : Explainer
    **arguments
        As for `Explorer`. Where no ``feature`` is chosen, it is the first of the table.

    See Also
    --------
    ImportanceView, StressView, SurfaceView, PerformanceView : The other views.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.DependenceView(explainer, feature="x1") as view:
    ...     view.result("dependence").feature
    'x1'
    """

    _shown_view = "dependence"


class StressView(_OneView):
    """An indicator under stress of every feature, as a widget of its own; see `ImportanceView`.

    Parameters
    ----------
    explainer : Explainer
    **arguments
        As for `Explorer`.

    See Also
    --------
    ImportanceView, DependenceView, SurfaceView, PerformanceView : The other views.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.StressView(explainer) as view:
    ...     view.result("stress").features
    ('x0', 'x1')
    """

    _shown_view = "stress"


class SurfaceView(_OneView):
    """The surface of two features, as a widget of its own; see `ImportanceView`.

    Parameters
    ----------
    explainer : Explainer
    **arguments
        As for `Explorer`; ``feature`` and ``second`` are the two features.

    See Also
    --------
    ImportanceView, DependenceView, StressView, PerformanceView : The other views.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.SurfaceView(explainer, feature="x0", second="x1") as view:
    ...     view.result("surface").features
    ('x0', 'x1')
    """

    _shown_view = "surface"


class PerformanceView(_OneView):
    """Scores, confusion and calibration, as a widget of its own; see `ImportanceView`.

    Parameters
    ----------
    explainer : Explainer
        With a target.
    **arguments
        As for `Explorer`.

    See Also
    --------
    ImportanceView, DependenceView, StressView, SurfaceView : The other views.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
    >>> with uq.PerformanceView(explainer) as view:
    ...     type(view.result("performance")).__name__
    'Scores'
    """

    _shown_view = "performance"
