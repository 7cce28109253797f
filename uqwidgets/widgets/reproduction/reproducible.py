"""Reproduction of the views of an explorer: state, code, results, pins and provenance."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from uqwidgets.plotting.result import Result
from uqwidgets.widgets.reproduction.provenance import provenance
from uqwidgets.widgets.session.pins import new_pin, traits_of
from uqwidgets.widgets.session.requesting import Requesting


class Reproducible(Requesting):
    """State, code, results, pins and provenance of an explorer."""

    @property
    def state(self) -> dict[str, Any]:
        """All inputs and the pins in types of JSON.

        Set it, or pass it to another `Explorer` as ``state``, to have the same view again. Inputs
        missing in a state get their defaults; without ``"pins"`` the pins do not change.

        Raises
        ------
        ValueError
            If an assigned state is not valid for this explainer; the message names the entry, and
            no input changes.

        Examples
        --------
        >>> import json
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer, feature="x1", tau=0.5) as explorer:
        ...     saved = json.dumps(explorer.state)
        >>> with uq.Explorer(explainer, state=json.loads(saved)) as explorer:
        ...     explorer.feature, explorer.tau
        ('x1', 0.5)
        """
        return {**self._inputs()[0].plain(), "pins": deepcopy(self.pins)}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        values = traits_of(state, self.explainer)
        with self.hold_trait_notifications():
            for name, value in values.items():
                self.set_trait(name, value)

    def code(self) -> str:
        """Return the line of Python that reproduces the current views.

        It lists the arguments that differ from their defaults. The variables ``model``, ``X`` and
        ``y`` are the arguments of the explainer, and ``learner`` is the learner.

        Returns
        -------
        str

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer, feature="x1", stress_feature="x0", tau=0.5) as explorer:
        ...     print(explorer.code())
        uq.explore(model, X, y, tau=0.5, stress_feature='x0', feature='x1')
        """
        return self._models.code(self._inputs()[0])

    def result(self, view: str, shown: str | None = None) -> Result:
        """Return the result of a view with the numbers on the screen.

        It waits until the view is complete. Cached evaluations are not computed again.

        Parameters
        ----------
        view : str
            Name of a view, such as ``"importance"``, ``"dependence"`` or ``"stress"``.
        shown : str, optional
            Name of a measure or indicator that the view shows; by default the first.

        Returns
        -------
        Importance, Dependence, Stress or another result
            The result class of the view.

        Raises
        ------
        ValueError
            If there is no such view, or it has no result for the current inputs.

        See Also
        --------
        Explainer.importance, Explainer.dependence, Explainer.stress : With all their options.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer, tau=0.5, stress_feature="x0") as explorer:
        ...     explorer.result("importance").features
        ('x0', 'x1')
        """
        self.wait()
        return self._session.result(view, self._inputs()[0], shown)

    def pin(self, note: str = "") -> None:
        """Append the current inputs with a note to ``pins``.

        Parameters
        ----------
        note : str, default=""

        Raises
        ------
        ValueError
            If the note is not a text or is too long, or there are too many pins.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer, feature="x1") as explorer:
        ...     explorer.pin("x1 does not matter")
        ...     explorer.pins[0]["note"], explorer.pins[0]["state"]["feature"]
        ('x1 does not matter', 'x1')
        """
        self.pins = [*self.pins, new_pin(note, self._inputs()[0])]

    def provenance(self) -> dict[str, Any]:
        """Return model, data, settings and versions behind the current results in types of JSON.

        Returns
        -------
        dict
            See `uqwidgets.widgets.reproduction.provenance.provenance`.

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.random.default_rng(0).normal(size=(30, 2))
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer) as explorer:
        ...     facts = explorer.provenance()
        >>> facts["n_rows"], facts["seed"], facts["interval"]["kind"]
        (30, 0, 'u-statistic')
        """
        return provenance(self.explainer, self._inputs()[0])
