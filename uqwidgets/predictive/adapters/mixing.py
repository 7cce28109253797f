"""Answers of several members as one mixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats
from uqwidgets.predictive.adapters.reading import Labels
from uqwidgets.predictive.checks import equal_up_to_rounding
from uqwidgets.predictive.distributions import (
    Categorical,
    Distribution,
    InvalidRowError,
    Mixture,
    Normal,
    Point,
    class_codes,
)

Weights = npt.NDArray[np.float64] | None


def with_noise(values: npt.NDArray[np.generic], noise: float) -> Normal:
    """Predicted numbers, with the spread of the target around each of them."""
    if values.dtype.kind not in "biuf":
        raise ValueError("noise is for predicted numbers, but the model answers with labels.")
    return Normal(values, np.full(values.shape, noise))


def mixture_of_values(values: Floats, noise: float | None, weights: Weights = None) -> Mixture:
    """Mixture of what the members predict.

    Parameters
    ----------
    values : ndarray of shape (n, m)
    noise : float or None
        Standard deviation of the target around each prediction; without it the mixture is the
        kernel density of the predictions.
    weights : ndarray of shape (m,) or None
    """
    if noise is not None:
        return Mixture(with_noise(values, noise), weights)
    if weights is not None and np.ptp(weights) > 0:
        raise ValueError(
            "members of unequal weights need noise=...: the standard deviation of the target "
            "around what each of them predicts."
        )
    same = equal_up_to_rounding(values)
    if same.any():
        raise InvalidRowError(
            "members all predict the same, which has no density without noise=... (the standard "
            "deviation of the target around it)",
            int(same.argmax()),
        )
    return Mixture.from_samples(values.T)


def mixture_of(
    answers: Sequence[Distribution], noise: float | None, weights: Weights = None
) -> Mixture:
    """Mixture of what the members say, which is of one kind.

    Raises
    ------
    ValueError
        If they differ in kind or classes, or there is noise beside spreads of their own.
    """
    if all(isinstance(one, Categorical) for one in answers):
        if noise is not None:
            raise ValueError("noise is for members that predict numbers; these give probabilities.")
        return Mixture(
            _categorical([one for one in answers if isinstance(one, Categorical)]), weights
        )
    if all(isinstance(one, Normal) for one in answers):
        if noise is not None:
            raise ValueError(
                "noise is for members that give a single value; these give standard deviations "
                "of their own."
            )
        normal = [one for one in answers if isinstance(one, Normal)]
        return Mixture(
            Normal(
                np.stack([one.loc for one in normal], axis=1),
                np.stack([one.scale for one in normal], axis=1),
            ),
            weights,
        )
    if all(isinstance(one, Point) for one in answers):
        values = np.stack([one.value for one in answers if isinstance(one, Point)], axis=1)
        if values.dtype.kind not in "biuf":
            raise ValueError("the members answer with labels; use members that give probabilities.")
        return mixture_of_values(values.astype(np.float64), noise, weights)
    kinds = sorted({type(one).__name__ for one in answers})
    raise ValueError(
        f"a mixture needs members that are all Categorical, Normal or Point; these are "
        f"{', '.join(kinds)}."
    )


def at_least_two(members: int, whose: str) -> None:
    """Raise if this is no ensemble."""
    if members < 2:
        count = "one member" if members else "no members"
        raise ValueError(f"{whose} has {count}; a mixture needs at least two.")


def _categorical(answers: Sequence[Categorical]) -> Categorical:
    classes = answers[0].classes
    return Categorical(np.stack([_in_order(one, classes) for one in answers], axis=1), classes)


def _in_order(answer: Categorical, classes: Labels) -> Floats:
    own = answer.classes
    if set(own.tolist()) != set(classes.tolist()):
        raise ValueError(
            f"the members know different classes, {own.tolist()} and {classes.tolist()}; fit them "
            "on the same ones."
        )
    return answer.probabilities[:, class_codes(classes, own)]
