"""The order in which a model is looked at, in one place."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets.predictive.adapters import (
    ensembles,
    estimators,
    functions,
    ngboost,
    quantiles,
    skpro,
    wrappers,
)
from uqwidgets.predictive.adapters.options import Options
from uqwidgets.predictive.adapters.predictive import Predictive
from uqwidgets.predictive.adapters.reading import Reading, from_library, name_of


def as_predictive(
    model: Any,
    classes: npt.ArrayLike | None = None,
    *,
    members: bool = False,
    noise: float | None = None,
    levels: npt.ArrayLike | None = None,
    samples: bool = False,
) -> Predictive:
    """Wrap a fitted model so that it answers with a predictive distribution.

    The first that fits decides:

    1. a `Pipeline` or a search with ``best_estimator_``: what its last step or best model says;
    2. ``members=True``, or a list of models: `Mixture` of what the members say;
    3. a dict ``{level: model}``, a list with ``levels``, a model that predicts a quantile per
       level (XGBoost's ``quantile_alpha``): `Quantiles`;
    4. ``predict_distribution``;
    5. NGBoost's ``pred_dist``;
    6. skpro's ``predict_proba``;
    7. ``predict_proba``: `Categorical`;
    8. ``predict(X, return_std=True)``: `Normal`;
    9. a `TransformedTargetRegressor` around one of 4 to 8: its distribution on the target's scale;
    10. a function: a distribution, ``(mean, std)``, one value per row, or an array of more
        dimensions as ``classes``, ``levels`` or ``samples`` say;
    11. plain ``predict``: `Point`, or `Normal` with ``noise``.

    Distributions of NGBoost, skpro and `scipy.stats` (frozen) are read exactly where they are
    normal, mixtures of normals, categorical or counts, and by their own quantiles otherwise.

    Parameters
    ----------
    model : object, callable, list or dict
        A fitted estimator, a function of ``X``, the models of an ensemble, or a model per level.
    classes : array-like of shape (k,), optional
        Labels of the columns of probabilities, for a model that does not name them or names
        them by numbers. For a distribution of counts: the counts that are possible.
    members : bool, default=False
        Whether to read an ensemble as a `Mixture` with one member for each of its models, so
        that entropy splits into aleatoric and epistemic: forests, bagging, soft voting,
        `CalibratedClassifierCV`.
    noise : float, optional
        Standard deviation of the target around what is predicted, in the target's units. Of
        members, samples or models that predict one number; without it, members and samples are
        read as the kernel density of what they predict.
    levels : array-like of shape (q,), optional
        Levels of the quantiles in the columns of what the model answers, or of the models in a
        list.
    samples : bool, default=False
        Whether the lines of what a function returns are samples, shape (members, n). An array of
        shape (members, n, k) always holds samples of probabilities.

    Returns
    -------
    Predictive

    Raises
    ------
    TypeError
        If the model offers none of these.
    ValueError
        If an option means nothing for this model, a classifier knows fewer than two classes, or
        the model was not fitted (as scikit-learn's `NotFittedError`, where it shows).
    """
    options = Options(classes, members, noise, levels, samples)
    if isinstance(model, Predictive):
        if options.given():
            raise ValueError(
                f"{options.given()[0]} was passed with a Predictive; pass it when making it."
            )
        return model
    found = _read(model, options)
    wanted, n_wanted = _columns(model)
    return Predictive(name_of(model), found.ask, found.classes, wanted, n_wanted)


def _read(model: Any, options: Options) -> Reading:
    if inspect.isclass(model):
        raise TypeError(f"{model.__name__} is a class; pass a fitted model, not its class.")
    if wrappers.is_pipeline(model):
        return wrappers.pipeline(model, options, _read)
    if hasattr(model, "best_estimator_"):
        return _read(model.best_estimator_, options)
    several = isinstance(model, (list, tuple))
    if options.members or (several and options.levels is None):
        _only("classes", "members", "noise", of=options, says="an ensemble is read by its members")
        return ensembles.members(model, options, _read)
    if several or isinstance(model, dict):
        _only("levels", of=options, says="models of one level each give quantiles")
        return quantiles.one_per_level(model, options, _read)
    is_function = callable(model) and not hasattr(model, "predict")
    says_levels = options.levels is not None and hasattr(model, "predict")
    if says_levels or quantiles.own_levels(model) is not None:
        _only("levels", of=options, says=f"{name_of(model)} is read as giving quantiles")
        return quantiles.one_model(model, options)
    name = name_of(model)
    if hasattr(model, "predict_distribution"):
        _only(of=options, says=f"{name} gives a distribution of its own")
        return estimators.distribution(model)
    if hasattr(model, "pred_dist"):
        _only("classes", of=options, says=f"{name} gives a distribution of its own")
        return ngboost.pred_dist(model, options)
    if from_library(model, "skpro"):
        _only("classes", of=options, says=f"{name} gives a distribution of its own")
        return skpro.regressor(model, options)
    if hasattr(model, "predict_proba"):
        _only("classes", of=options, says=f"{name} gives probabilities of classes")
        return estimators.probabilities(model, options)
    if estimators.gives_std(model):
        _only(of=options, says=f"{name} gives a mean and a standard deviation")
        return estimators.mean_and_std(model)
    if wrappers.is_transformed(model):
        inside = _read(model.regressor_, Options())
        if inside.uncertain:
            _only(of=options, says=f"{name} is read by the distribution of what is inside")
            return wrappers.transformed(model, inside)
    if is_function:
        _only("classes", "noise", "levels", "samples", of=options, says="a function has no members")
        return functions.function(model, options)
    if hasattr(model, "predict"):
        _only("classes", "noise", of=options, says=f"{name} answers one value per row")
        return estimators.point(model, options)
    raise TypeError(
        f"{name} has neither predict_proba nor predict and is no function; pass a fitted model."
    )


def _columns(model: Any) -> tuple[tuple[Any, ...] | None, int | None]:
    """Labels and number of the columns that a model, or each of several, was fitted with."""
    if isinstance(model, dict):
        model = list(model.values())
    if isinstance(model, (list, tuple)):
        # A function does not say, and is asked about what the others want.
        said = {_columns(one) for one in model} - {(None, None)}
        if len(said) > 1:
            raise ValueError("the models were fitted with different columns; fit them on the same.")
        return said.pop() if said else (None, None)
    if isinstance(model, Predictive):
        return model.wanted, model.n_wanted
    names = getattr(model, "feature_names_in_", None)
    labels = None if names is None else tuple(np.asarray(names).tolist())
    # Numbers in their order are what a library calls columns without names.
    if labels == tuple(range(len(labels or ()))):
        labels = None
    n_wanted = getattr(model, "n_features_in_", None)
    return labels, ngboost.n_columns(model) if n_wanted is None else n_wanted


def _only(*allowed: str, of: Options, says: str) -> None:
    for name in of.given():
        if name not in allowed:
            raise ValueError(f"{name} means nothing here, since {says}.")
