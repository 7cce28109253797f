"""The widget: importance, dependence and stress of one fitted model, live."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from uqwidgets.widgets.kernel.front_end import answer_to, bundle
from uqwidgets.widgets.page.savable import Savable
from uqwidgets.widgets.reproduction.reproducible import Reproducible
from uqwidgets.widgets.rows.selection import selected_rows
from uqwidgets.widgets.session.messages import data_of, is_moving, read_message


class Explorer(Savable, Reproducible):
    """Importance, dependence and stress of one model, bound to live controls.

    Every control is a trait that can be read, set, observed and linked from Python. A change is
    computed on a worker thread; a newer change replaces an older one that is still waiting.
    The worker has what was set in the thread that made the widget: scikit-learn's configuration,
    context variables, numpy's error state, decimal's context, and PyTorch's grad mode and device.

    Parameters
    ----------
    explainer : Explainer
        The fitted model and its table.
    learner : Learner, optional
        Shown beside the model: the mean over refits with its interval. It is fitted and evaluated
        in the background, on its own rows; stress and filters do not change it.
    state : dict, optional
        The ``state`` of an explorer of the same features: its inputs and pins.
    title : str, optional
        Name of the model on the page; by default the kind of the model.
    weights : array-like of shape (n,) or Reweighting, optional
        Weights of the rows at tau = 0, or the result of `Explainer.stress_to`; they are no part
        of ``state``. Curves of the stress view then have no intervals.
    **inputs
        Initial values of the attributes below, which override those of ``state``; and ``layout``:
        the name of a view, a list of names for ``views``, or ``"all"``; and the arguments of every
        notebook widget.

    Attributes
    ----------
    shown_model : str
        Name of the model that is shown, of several. Inputs that the new model does not support
        are reset to their defaults, with a note.
    views : list of str
        Names of the views that are shown and computed, see ``layout`` of `explore`; all if empty.
    tau : float
        Stress level in [-1, 1]; it reweights importance and curves too.
    stress_feature, feature : str
        The stressed feature and the feature whose curves are drawn. Where empty, the most
        important feature is chosen.
    stress_category : str
        The category of the stressed feature whose share is moved. If it is empty, or not a category
        of the feature, it is the most frequent one.
    anchor, tail : str, float
        The means that tau = -1 and 1 stand for, see `Explainer.stress`.
    held : list of dict
        At most two means that the rows have at every tau: ``{"feature", "value"}``, or with
        ``"category"`` for a share. Tau adds the mean of the stressed feature to the same
        projection, see `Explainer.stress_to`.
    small_curves, image_rows, second : int, int, str
        Number of small curves; rows of the picture whose pixels are the features; a second feature.
    measure, indicator : str
        The measure that the curves show, and the indicator that the stress view shows over tau.
    ice_filter : list of dict
        Conditions on the rows, all of which a row must meet to be scored and stressed:
        ``{"feature", "low", "high"}``, ``{"feature", "values"}``, or ``{"feature": None,
        "values"}`` for classes of the target. Rows with a missing value meet a condition if
        ``values`` contains None, or if ``"missing"`` of a range is True; its default is True for a
        range that excludes no value. ``"missing": "only"`` selects these rows alone. Ends of a
        range of dates are dates or ISO texts. ``{"rows"}`` are positions.
    complement : bool
        Whether the rows that do not meet ``ice_filter`` are shown instead.
    cohorts : list of dict
        Filters by name, to switch between: ``{"name", "ice_filter", "complement"}``.
    ice_lines, n_repeats : int
        Number of ICE lines that are drawn, and of permutations of each feature.
    interval : {"u-statistic", "model", "fixed-data", "random-variable", "quantile"}
        Kind of the intervals of importance, see `Explainer.importance`.
    simultaneous : bool
        Whether the intervals of all features hold at once, and those of the whole curve and of all
        differences, as ``simultaneous`` of `Explainer.importance`.
    groups : str
        The feature or extra column whose values say which rows belong together, so that every
        interval is for other groups; where empty, the groups of the explainer, or none. A change
        needs no model call.
    time : str
        The feature or extra column that orders rows which follow each other, as ``time`` of an
        `Explainer`; where empty, the order of the explainer, or none.
    importance_of : list of str
        One to four measures and scorers; where empty, a loss and its measure of uncertainty.
    replacement, compare : str
        See `Explainer.importance`.
    grouped, verdict, redundancy : bool
        Whether the features of a group are replaced together, and whether columns with the results
        of `Explainer.diagnose` and `Explainer.redundancy` are shown.
    sort : str
        A column: a measure or scorer, ``"feature"``, ``"verdict"`` or ``"redundancy"``.
    top : int
        Number of features that are listed; 0 for all.
    compare_with : str
        ``"model:<name>"``, ``"cohort:<name>"``, ``"rest"``, ``"class:<label>"``, ``"learner"``.
    center, derivative, relative, clip_lines, group_averages, own_values, rug : bool
    center_at, spacing, color_by, category_order : str
        How curves and lines are drawn; see `Explainer.dependence`.
    selection : list of int
        Positions of the selected rows, which every view marks. It can be set to positions, a mask
        or conditions as in ``ice_filter``; ``selected`` are these rows.
    row : int
        Position of the selected row on the card; if it is not selected, the first selected row.
    what_if : list of dict
        Other values of that row, ``{"feature", "value"}``, with which the model predicts it.
    pins : list of dict
        Saved views: ``{"note", "state", "ghost"}``. ``state`` has their inputs; the one whose
        ``ghost`` is True is drawn behind the present view. To change pins, assign a new list.

    Raises
    ------
    TypeError
        For an argument that does not exist.
    ValueError
        For a value that an input cannot have.

    See Also
    --------
    explore : Makes the Explainer and the widget in one call.
    Explainer : The same results without a widget, with more options.

    Notes
    -----
    An explorer whose last view was removed from the page stops computing until it is shown again
    or waited for. If nothing in Python refers to it, it is freed when the next explorer is made.
    Hosts that do not count views keep it until it is closed: call `close`, or make it in a ``with``
    statement. The model's answers are freed with the Explainer.

    References
    ----------
    Wood et al. 2024; Bachoc et al. 2023; Goldstein et al. 2015.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> explainer = uq.Explainer(lambda X: (X[:, 0], np.ones(len(X))), X, X[:, 0])
    >>> with uq.Explorer(explainer, measure="entropy") as widget:
    ...     finished = widget.wait()
    ...     widget.tau = 0.5
    >>> finished, widget.feature, widget.tau
    (True, 'x0', 0.5)
    """

    _esm = bundle("index.js")
    _css = bundle("styles.css")

    @property
    def selected(self) -> pd.DataFrame:
        """The selected rows of X, with the target, the prediction and measures of uncertainty.

        Returns
        -------
        DataFrame
            With the index of X; the columns of X come first. A name that X has too is followed
            by "of the model".

        Examples
        --------
        >>> import numpy as np
        >>> import uqwidgets as uq
        >>> X = np.arange(6.0).reshape(3, 2)
        >>> explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 0])
        >>> with uq.Explorer(explainer, selection=[0, 2]) as explorer:
        ...     explorer.selected["x1"].tolist(), explorer.selected.index.tolist()
        ([1.0, 5.0], [0, 2])
        """
        return selected_rows(self.explainer, self._inputs()[0].selection)

    def close(self) -> None:
        """Stop the work, and free the widget's memory in Python and in the browser.

        Examples
        --------
        >>> import uqwidgets as uq
        >>> widget = uq.explore(lambda X: X[:, 0], [[0.0], [1.0]])
        >>> widget.close()
        """
        self._scheduler.close()
        if self._page_stop is not None:
            self._page_stop.set()
        self._notebook_picture.cancel()
        if self._learner is not None:
            self._learner.close()
        super().close()
        if self._own_layout is not None:
            self._own_layout.close()

    def set_state(self, sync_data: Mapping[str, Any]) -> None:
        """Set the valid values of a message from the browser, and answer it."""
        present = self.explainer, self._inputs()[0], max(self._seq, self._stop)
        # To show another model, it is called here.
        message = self._user.state().run(read_message, sync_data, *present)
        accepted, refused, failure = message
        again = partial(self.set_state, sync_data)
        if failure is not None and self._user.run_in_loop(failure, again):
            return
        if "_stop" in accepted:
            self._stop_work()
        with self._message_lock:
            requested = self._requested
            self._publisher.shown.clear()
            if message.needs_answer:
                self._input_error = "; ".join(dict.fromkeys(refused.values())) or None
            self._message_thread = threading.get_ident()
            try:
                # All values are set before the first observer runs, so that its request covers all
                # of them.
                with self._publisher.reporting_errors("an observer"):
                    super().set_state(accepted)
            finally:
                self._message_thread = None
            for name in refused:
                self.send_state(name)
            if message.needs_answer:
                self._request()
            if self._publisher.callback_error is not None:
                self._publisher.publish_again()
        if "_seq" in accepted and self._requested is not requested:
            # The client sends one request at a time. Nagle's algorithm with delayed
            # acknowledgement holds a small TCP message back for about 40 ms, so none may go ahead
            # of a frame: neither an echo nor the kernel's idle status, which follows this call.
            self._scheduler.await_result(self._publisher.shown, self._timing.first_frame)

    def send_state(self, key: str | Iterable[str] | None = None) -> None:
        """Send state to the browser; an error of the connection is reported and not raised."""
        with self._publisher.reporting_errors("sending to the browser"):
            super().send_state(key)

    def _handle_close(self, _message: Any) -> None:
        self.close()

    def _handle_msg(self, msg: Mapping[str, Any]) -> None:
        # Replaces the method of ipywidgets, which inserts binary buffers into the state and raises
        # an error where they do not fit. No input is binary.
        data = data_of(msg)
        if data.get("method") == "request_state":
            self.send_state()
        elif data.get("method") == "update" and isinstance(data.get("state"), dict):
            self.set_state(data["state"])
        elif data.get("method") == "custom" and is_moving(data.get("content")):
            self._notebook_picture.cancel()
            self._scheduler.interrupt()
        elif data.get("method") == "custom" and self._answer_page(data.get("content")):
            pass
        elif data.get("method") == "custom" and (part := answer_to(data.get("content"))):
            with self._publisher.reporting_errors("sending to the browser"):
                self.send(part)
