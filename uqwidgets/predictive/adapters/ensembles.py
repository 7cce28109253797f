"""Ensembles, read as mixtures of their members."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from uqwidgets._typing import Floats, Labels
from uqwidgets._utils.remarks import Remark
from uqwidgets.predictive.adapters.base import (
    Adapt,
    AdaptedModel,
    Adapter,
    Options,
    labels_of,
    name_of,
    one_column,
    refuse_unfitted,
)
from uqwidgets.predictive.adapters.mixing import (
    Weights,
    at_least_two,
    mixture_of,
    mixture_of_values,
)
from uqwidgets.predictive.base import floats, unmasked
from uqwidgets.predictive.distributions import Categorical, Distribution, Mixture

_FOREST_CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
_FOREST_REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)
_CLASSIFIERS = (
    *_FOREST_CLASSIFIERS,
    BaggingClassifier,
    VotingClassifier,
    CalibratedClassifierCV,
)
_REGRESSORS = (*_FOREST_REGRESSORS, BaggingRegressor, VotingRegressor)


def _is_read_by_members(model: Any, options: Options) -> bool:
    is_list = isinstance(model, (list, tuple))
    return options.members or (is_list and options.levels is None)


def _read(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    if isinstance(model, (list, tuple)):
        return _read_list(model, options, adapt)
    if not isinstance(model, _CLASSIFIERS + _REGRESSORS):
        raise TypeError(
            f"{name_of(model)} has no members that are predictors of their own; members=True "
            f"reads {', '.join(kind.__name__ for kind in _CLASSIFIERS + _REGRESSORS)}, pipelines "
            "that end in one of them, and lists of models."
        )
    refuse_unfitted(model)
    if isinstance(model, _CLASSIFIERS):
        return _read_classifier(model, options)
    return _read_regressor(model, options, adapt)


def _read_list(models: Sequence[Any], options: Options, adapt: Adapt) -> AdaptedModel:
    at_least_two(len(models), "the list")
    members = [adapt(model, Options(classes=options.classes)) for model in models]

    def distribution_of(X: Any) -> Mixture:
        return mixture_of([_predict(member, X) for member in members], options.noise)

    return AdaptedModel(distribution_of, members[0].classes)


def _read_classifier(model: Any, options: Options) -> AdaptedModel:
    name = name_of(model)
    if options.noise is not None:
        raise ValueError(
            f"noise is for members that predict numbers; {name} is a classifier, so leave it out."
        )
    if isinstance(model, VotingClassifier) and model.voting != "soft":
        raise ValueError(f"{name} votes with labels; members=True needs voting='soft'.")
    labels = labels_of(model, options.classes)
    assert labels is not None
    if isinstance(model, _FOREST_CLASSIFIERS):
        at_least_two(len(model.estimators_), name)
        return AdaptedModel(lambda X: Mixture(_categorical_of_trees(model, X, labels)), labels)
    probabilities, weights = _member_probabilities(model, len(labels))
    return AdaptedModel(lambda X: Mixture(Categorical(probabilities(X), labels), weights), labels)


def _read_regressor(model: Any, options: Options, adapt: Adapt) -> AdaptedModel:
    at_least_two(len(model.estimators_), name_of(model))
    if isinstance(model, _FOREST_REGRESSORS):
        return _read_forest_of_regressors(model, options.noise)
    noise = options.noise
    members = [adapt(member, Options()) for member in model.estimators_]
    weights = _weights(model)

    def distribution_of(X: Any) -> Mixture:
        columns = _columns_of_members(model, X)
        answers = [_predict(one, part) for one, part in zip(members, columns, strict=True)]
        return mixture_of(answers, noise, weights)

    return AdaptedModel(distribution_of)


def _read_forest_of_regressors(forest: Any, noise: float | None) -> AdaptedModel:
    remarks: tuple[Remark, ...] = ()
    if noise is None:
        noise = out_of_bag_noise(forest)
        if noise is not None:
            remarks = (
                Remark(
                    "out-of-bag-noise",
                    f"the noise around the trees' predictions, {noise:.3g}, is estimated from the "
                    "out-of-bag residuals of the forest (as_predictive takes another noise=)",
                ),
            )
    return AdaptedModel(
        lambda X: mixture_of_values(_values_of_trees(forest, X), noise), remarks=remarks
    )


def _predict(member: AdaptedModel, X: Any) -> Distribution:
    # Each member gets its own copy of X, since it may change it; and each answer is copied, since
    # members may answer with one shared buffer.
    return member.distribution_of(X.copy()).owned()


def _member_probabilities(model: Any, k: int) -> tuple[Callable[[Any], Floats], Weights]:
    """Return a function that gives the members' probabilities (n, m, k), and their weights."""
    if isinstance(model, CalibratedClassifierCV):
        members = [member.predict_proba for member in model.calibrated_classifiers_]
    else:
        members = [_probabilities_of_all_classes(member, k) for member in model.estimators_]
    at_least_two(len(members), name_of(model))

    def probabilities(X: Any) -> Floats:
        columns = _columns_of_members(model, X)
        pairs = zip(members, columns, strict=True)
        return np.stack([np.array(unmasked(member(part.copy()))) for member, part in pairs], axis=1)

    return probabilities, _weights(model)


def _columns_of_members(model: Any, X: Any) -> Sequence[Any]:
    """Return the columns of X that each member was fitted with: some of them in bagging."""
    if isinstance(model, (BaggingClassifier, BaggingRegressor)):
        rows = validate_data(
            model,
            X,
            reset=False,
            dtype=None,
            accept_sparse=["csr", "csc"],
            ensure_all_finite=False,
        )
        return [rows[:, columns] for columns in model.estimators_features_]
    members = getattr(model, "calibrated_classifiers_", None) or model.estimators_
    return [X] * len(members)


def _probabilities_of_all_classes(member: Any, k: int) -> Callable[[Any], Floats]:
    """Probabilities (n, k) from a member that was fitted on class positions, maybe on a few."""
    if not hasattr(member, "predict_proba"):
        # The predicted class gets the probability one, as in scikit-learn.
        return lambda X: np.eye(k)[one_column(member.predict(X))]
    own = getattr(member, "classes_", np.arange(k))

    def probabilities(X: Any) -> Floats:
        of_own_classes = floats(member.predict_proba(X), "probabilities")
        if len(own) == k:
            return of_own_classes
        of_all_classes = np.zeros((len(of_own_classes), k))
        of_all_classes[:, own] = of_own_classes
        return of_all_classes

    return probabilities


def _weights(model: Any) -> Weights:
    if getattr(model, "weights", None) is None:
        return None
    pairs = zip(model.estimators, model.weights, strict=True)
    shares = np.array([weight for (_, member), weight in pairs if member != "drop"], dtype=float)
    return np.asarray(shares / shares.sum())


def _categorical_of_trees(forest: Any, X: Any, labels: Labels) -> Categorical:
    """Probabilities of each tree of a classifying forest, shape (n, m, k)."""
    p = _of_trees(forest, X, "predict_proba", len(forest.classes_))
    # Class shares within a leaf sum to one. To check them all would take as long as predicting
    # them, so that only those of the first row are checked.
    return Categorical(p[:1], labels)._with(probabilities=p)


def _values_of_trees(forest: Any, X: Any) -> Floats:
    """Predictions of each tree of a forest of regressors, shape (n, m)."""
    if forest.n_outputs_ > 1:
        raise ValueError(
            f"{name_of(forest)} predicts {forest.n_outputs_} targets at once; pass a function "
            "that predicts one of them."
        )
    return _of_trees(forest, X, "predict")


def _of_trees(forest: Any, X: Any, method: str, *shape: int) -> Floats:
    """Return what each tree answers for each row, (n, m, *shape)."""
    # Validated and converted to single precision once, not by every tree.
    nan = "allow-nan" if get_tags(forest).input_tags.allow_nan else True
    rows = validate_data(
        forest, X, reset=False, dtype=np.float32, accept_sparse="csr", ensure_all_finite=nan
    )
    values = np.empty((rows.shape[0], len(forest.estimators_), *shape))

    def predict(position: int, tree: Any) -> None:
        values[:, position] = getattr(tree, method)(rows, check_input=False)

    threads = Parallel(n_jobs=forest.n_jobs, require="sharedmem")
    threads(delayed(predict)(*each) for each in enumerate(forest.estimators_))
    return values


MEMBERS = Adapter(
    _is_read_by_members,
    _read,
    options=("classes", "members", "noise"),
    reason="an ensemble is read by its members",
)


# A tree of a bootstrap sample leaves out a row with at least about the probability 1/e.
_DRAWN = 1 - math.exp(-1)
# With so few trees that more rows than this are expected in every bootstrap sample, the score of
# the forest counts predictions of rows that have none.
_MOST_ROWS_IN_ALL = 0.01
_CRITERIA = ("squared_error", "friedman_mse")


def out_of_bag_noise(forest: Any) -> float | None:
    r"""Root mean squared residual of the rows that each tree was not fitted on.

    A forest that was fitted with ``oob_score=True`` has the coefficient of determination R2 of
    its out-of-bag predictions, but not the targets. The root of each tree has the variance v of the
    targets of a bootstrap sample of m rows, whose expectation is (m - 1) / m times the variance
    of all targets. So the mean squared residual is :math:`(1 - R^2) \bar v m / (m - 1)` (Breiman
    2001, section 11, has the out-of-bag error of forests of regressors).

    Parameters
    ----------
    forest : RandomForestRegressor or ExtraTreesRegressor

    Returns
    -------
    float or None
        None where the forest does not determine it: it was fitted without ``oob_score=True``, with
        weights of rows, another criterion, several targets or too few trees, or without any
        residual.
    """
    trees = [tree.tree_ for tree in forest.estimators_]
    if (
        forest.oob_score is not True
        or not hasattr(forest, "oob_score_")
        or forest.n_outputs_ > 1
        or forest.criterion not in _CRITERIA
        or getattr(forest, "_sample_weight", None) is not None
        or len(forest.oob_prediction_) * _DRAWN ** len(trees) > _MOST_ROWS_IN_ALL
    ):
        return None
    sizes = {float(tree.weighted_n_node_samples[0]) for tree in trees}
    size = sizes.pop()
    if sizes or size < 2:  # weights of rows make the samples differ in size
        return None
    variance = float(np.mean([tree.impurity[0] for tree in trees])) * size / (size - 1)
    squared = (1 - forest.oob_score_) * variance
    return math.sqrt(squared) if squared > 0 else None
