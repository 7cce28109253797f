"""The table of adapters: the first family that a model belongs to decides how it is read."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from uqwidgets._utils.packages import from_packages
from uqwidgets._utils.remarks import Remark
from uqwidgets.predictive.adapters.base import (
    AdaptedModel,
    Adapter,
    NoLabelsError,
    Options,
    attribute,
    estimator_kind,
    name_of,
    offers,
)
from uqwidgets.predictive.adapters.catboost import CATBOOST
from uqwidgets.predictive.adapters.columns import FittedColumns, fitted_columns
from uqwidgets.predictive.adapters.counts import COUNTS, is_model_of_counts
from uqwidgets.predictive.adapters.ensembles import MEMBERS
from uqwidgets.predictive.adapters.estimators import PREDICT, PREDICT_PROBA, RETURN_STD
from uqwidgets.predictive.adapters.functions import FUNCTION, PREDICT_DISTRIBUTION
from uqwidgets.predictive.adapters.ngboost import NGBOOST
from uqwidgets.predictive.adapters.own_predict import own_predict
from uqwidgets.predictive.adapters.predictive import Predictive
from uqwidgets.predictive.adapters.quantiles import MODEL_PER_LEVEL, SEVERAL_LEVELS
from uqwidgets.predictive.adapters.skpro import SKPRO
from uqwidgets.predictive.adapters.stored import STORED
from uqwidgets.predictive.adapters.wrappers import PIPELINE, SEARCH, TRANSFORMED_TARGET

_RATES = Remark(
    "rates-of-counts",
    "The model is one of counts, but y holds fractions or negative numbers, such as rates; so its "
    "predictions are read as single numbers without a distribution",
)
# The first row that matches decides. A new family needs a file that defines an `Adapter`, and its
# row here, before any row that would match its models too.
ADAPTERS: tuple[Adapter, ...] = (
    STORED,
    PIPELINE,
    SEARCH,
    MEMBERS,
    MODEL_PER_LEVEL,
    SEVERAL_LEVELS,
    PREDICT_DISTRIBUTION,
    NGBOOST,
    SKPRO,
    CATBOOST,
    PREDICT_PROBA,
    RETURN_STD,
    COUNTS,
    TRANSFORMED_TARGET,
    FUNCTION,
    PREDICT,
)


def as_predictive(
    model: Any,
    classes: npt.ArrayLike | None = None,
    *,
    members: bool = False,
    noise: float | None = None,
    levels: npt.ArrayLike | None = None,
    samples: bool = False,
    normalize: bool = False,
) -> Predictive:
    """Wrap a fitted model so that it answers with a predictive distribution.

    The first of these that a model offers decides:

    1. a `Pipeline` or a search with ``best_estimator_``: its last step or best model is read;
    2. ``members=True``, or a list of models: `Mixture` of the members' predictions;
    3. a dict ``{level: model}``, a list with ``levels``, a model that predicts a quantile per
       level (XGBoost's ``quantile_alpha``, CatBoost's ``MultiQuantile``): `Quantiles`;
    4. ``predict_distribution``;
    5. NGBoost's ``pred_dist``;
    6. skpro's ``predict_proba``;
    7. CatBoost's ``RMSEWithUncertainty``: `Normal`;
    8. ``predict_proba``: `Categorical`;
    9. ``predict(X, return_std=True)``: `Normal`;
    10. a model of counts, also in a `TransformedTargetRegressor`: `Poisson` or `NegativeBinomial`
        with the mean that ``predict`` answers (see below);
    11. a `TransformedTargetRegressor` around one of 4 to 9: its distribution on the target's scale;
    12. a function: a distribution, ``(mean, std)``, one value per row, or an array of more
        dimensions as ``classes``, ``levels`` or ``samples`` say;
    13. plain ``predict``: `Point`, or `Normal` with ``noise``; with ``classes`` as a function.

    A distribution (`Categorical`, `Normal` and others) stands for the predictions of the rows at
    hand where there is no model: everything that needs no new prediction works with it.

    One column of probabilities, of shape (n,) or (n, 1), holds those of the second of two classes.

    Models of counts are scikit-learn's ``PoissonRegressor``, ``TweedieRegressor(power=1)`` and
    ``loss="poisson"``, the objective ``poisson`` of LightGBM and XGBoost, and statsmodels'
    ``Poisson`` and ``NegativeBinomial``, as families of a ``GLM`` and as models of their own.
    Where the target is a rate and no count, pass ``lambda X: model.predict(X)``.

    A distribution of the outermost object comes first: what is inside it is read only for what it
    does not give itself. Labels and predicted numbers are those of the outermost ``predict``: where
    that may differ from the most probable class or the mean, results compare both on the rows, and
    follow ``predict`` if one row differs.

    Distributions of NGBoost, skpro and `scipy.stats` (frozen) are converted exactly where they are
    normal, mixtures of normals, categorical or counts, and by their own quantiles otherwise.

    Parameters
    ----------
    model : object, callable, list or dict
        A fitted estimator, a function of ``X``, the models of an ensemble, a model per level, or
        stored predictions.
    classes : array-like of shape (k,), optional
        Labels of the columns of probabilities, for a model that does not name them or names
        them by numbers. Of a function or a ``predict`` that returns one number between 0 and 1
        per row, they say that it is the probability of the second of two classes. Of two, the
        positive class of rates, curves, calibration and scores is 1 beside 0 or -1, True beside
        False, and else the second. For a distribution of counts: the counts that are possible.
    members : bool, default=False
        Whether to read an ensemble as a `Mixture` with one member for each of its models, so
        that entropy splits into aleatoric and epistemic: forests, bagging, soft voting,
        `CalibratedClassifierCV`.
    noise : float, optional
        Standard deviation of the target around the prediction, in the target's units. It applies
        to members, samples or models that predict one number. Without it, samples are those of the
        target, read as a kernel density. A forest of regressors that was fitted with
        ``oob_score=True`` has it estimated from its out-of-bag residuals, and results say so; other
        members that predict one number have an entropy but no ``"nll"``.
    levels : array-like of shape (q,), optional
        Levels of the quantiles in the columns of what the model answers, or of the models in a
        list.
    samples : bool, default=False
        Whether the lines of the array that a function returns are samples, shape (members, n). An
        array of shape (members, n, k) always holds samples of probabilities.
    normalize : bool, default=False
        Whether scores of classes that do not sum to one, such as those of one class against the
        others, are divided by their sum.

    Returns
    -------
    Predictive
        Callable with a DataFrame or array of n rows; returns their distribution.

    Raises
    ------
    TypeError
        If the model offers none of these.
    ValueError
        If an option means nothing for this model, a classifier knows fewer than two classes, or
        the model was not fitted (as scikit-learn's `NotFittedError`, where it shows).

    See Also
    --------
    Explainer : Takes any of these models, or the result of this function.
    Normal, Categorical, Mixture, Quantiles, Point, Poisson, NegativeBinomial : The distributions.

    Examples
    --------
    >>> import numpy as np
    >>> import uqwidgets as uq
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, ["no", "no", "yes", "yes"])
    >>> q = uq.as_predictive(forest, members=True)(X)
    >>> type(q).__name__, q.classes.tolist()
    ('Mixture', ['no', 'yes'])
    >>> bool(np.allclose(q.entropy(), q.aleatoric() + q.epistemic()))
    True

    A model that predicts single values has a distribution once its noise is known:

    >>> uq.as_predictive(lambda X: X[:, 0], noise=0.5)(X).std()
    array([0.5, 0.5, 0.5, 0.5])
    """
    options = Options(classes, members, noise, levels, samples, normalize)
    if isinstance(model, Predictive):
        if options.passed():
            raise ValueError(
                f"{options.passed()[0]} was passed with a Predictive; pass it when making it."
            )
        return model
    return _predictive(model, options)


def with_labels(model: Any, y: Any) -> Predictive:
    """Wrap a fitted model as `as_predictive` does; if it names no classes, they are those of y.

    Parameters
    ----------
    model : object, callable, list or dict
    y : array-like of shape (n,) or None
        The target of some rows, whose labels in sorted order are then those of the columns.

    Raises
    ------
    ValueError
        If the labels of y have no order.
    """
    if y is None or isinstance(model, Predictive):
        return as_predictive(model)
    if not callable(model) or offers(model, "predict"):
        if is_model_of_counts(model) and not _holds_counts(y):
            read = _predictive(model, Options(of_rates=True))
            return replace(read, remarks=(*read.remarks, _RATES))
        try:
            return as_predictive(model)
        except NoLabelsError:
            if len(labels := _labels_of_target(y)) < 2:
                raise
            return as_predictive(model, labels)
    labels = _labels_of_target(y)
    if len(labels) < 2:
        return as_predictive(model)
    # Only its first call shows whether the function returns probabilities.
    return replace(_predictive(model, Options(labels, of_target=True)), classes=None)


def _holds_counts(y: Any) -> bool:
    """Whether a target has whole numbers from 0 on, as far as it has numbers."""
    values = np.ravel(np.asarray(y))
    if values.dtype.kind not in "biuf":
        return True  # what it holds is refused elsewhere
    known = values[~pd.isna(values)]
    return bool((known >= 0).all() and (known == np.floor(known)).all())


def _labels_of_target(y: Any) -> npt.NDArray[Any]:
    values = np.ravel(np.asarray(y))
    try:
        distinct: npt.NDArray[Any] = np.unique(values[~pd.isna(values)])
    except TypeError:
        raise ValueError(
            "y mixes kinds of labels that have no order; make them all texts or all numbers."
        ) from None
    return distinct


def _predictive(model: Any, options: Options) -> Predictive:
    adapted = _adapt(model, options)
    return Predictive(
        name_of(model),
        adapted.distribution_of,
        adapted.classes,
        _columns(model),
        adapted.remarks,
        own_predict(model, adapted, options),
        adapted.stored,
    )


def _adapt(model: Any, options: Options) -> AdaptedModel:
    if inspect.isclass(model):
        raise TypeError(f"{model.__name__} is a class; pass a fitted model, not its class.")
    if estimator_kind(model) in ("clusterer", "outlier_detector"):
        raise TypeError(
            f"{name_of(model)} predicts no target, but clusters or outliers; pass a classifier, a "
            "regressor, or a function that predicts what you want to explain."
        )
    others: tuple[Adapter, ...] = tuple(from_packages("adapters").values())
    for adapter in (*others, *ADAPTERS):
        if adapter.matches(model, options):
            return adapter.adapt(model, options, _adapt)
    if attribute(model, "refit") is False and offers(model, "best_params_"):
        raise ValueError(
            f"{name_of(model)} was fitted with refit=False, so that it holds no best model; fit it "
            "with refit=True, or pass a model that is fitted with its best_params_."
        )
    raise TypeError(
        f"{name_of(model)} has neither predict_proba nor predict and is no function; pass a "
        "fitted model."
    )


def _columns(model: Any) -> FittedColumns:
    """Columns that a model, or each of several, was fitted with."""
    if isinstance(model, dict):
        model = list(model.values())
    if isinstance(model, (list, tuple)):
        # A function has no fitted columns: it gets those of the other models.
        columns = [one for one in map(_columns, model) if one != FittedColumns()]
        if len({(one.names, one.count) for one in columns}) > 1:
            raise ValueError("the models were fitted with different columns; fit them on the same.")
        of_array = all(one.of_array for one in columns)
        return replace(columns[0], of_array=of_array) if columns else FittedColumns()
    return model.columns if isinstance(model, Predictive) else fitted_columns(model)
