"""Predictions of several members, combined into one mixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

import numpy as np
import numpy.typing as npt

from uqwidgets._typing import Floats, Labels
from uqwidgets.predictive.distributions import (
    Categorical,
    Distribution,
    MemberValues,
    Mixture,
    Normal,
    Point,
    class_codes,
)

Weights = npt.NDArray[np.float64] | None


def with_noise(values: npt.NDArray[np.generic], noise: float) -> Normal:
    """Return normal distributions around predicted numbers, ``noise`` their standard deviation."""
    if values.dtype.kind not in "biuf":
        raise ValueError(
            "noise is for predicted numbers, but the model predicts labels; leave it out."
        )
    return Normal(values, np.full(values.shape, noise))


def mixture_of_values(values: Floats, noise: float | None, weights: Weights = None) -> Mixture:
    """Mixture of the values that the members predict.

    Parameters
    ----------
    values : ndarray of shape (n, m)
    noise : float or None
        Standard deviation of the target around each prediction; without it the mixture is the
        kernel density of the predictions, which has no likelihood.
    weights : ndarray of shape (m,) or None
    """
    if noise is not None:
        return Mixture(with_noise(values, noise), weights)
    return MemberValues.of(values, weights)


def mixture_of(
    answers: Sequence[Distribution], noise: float | None, weights: Weights = None
) -> Mixture:
    """Mixture of the members' distributions, which must be of one kind.

    Parameters
    ----------
    answers : sequence of Distribution
        One per member, each of n rows.
    noise : float or None
        Standard deviation of the target around the values of members that predict single values.
    weights : ndarray of shape (m,) or None

    Raises
    ------
    ValueError
        If the members differ in kind or classes, or noise is passed for members that have a
        distribution of their own.
    """
    match _kinds(answers):
        case ["Categorical"]:
            if noise is not None:
                raise ValueError(
                    "noise is for members that predict numbers; these give probabilities, so leave "
                    "it out."
                )
            return Mixture(_categorical(cast("Sequence[Categorical]", answers)), weights)
        case ["Normal"]:
            if noise is not None:
                raise ValueError(
                    "noise is for members that give a single value; leave it out, because these "
                    "give standard deviations of their own."
                )
            normals = cast("Sequence[Normal]", answers)
            mean = np.stack([one.loc for one in normals], axis=1)
            return Mixture(Normal(mean, np.stack([one.scale for one in normals], axis=1)), weights)
        case ["Point"] | ["Poisson"] | ["NegativeBinomial"]:  # of counts, the means are mixed
            values = np.stack(
                [one.value if isinstance(one, Point) else one.mean() for one in answers], axis=1
            )
            if values.dtype.kind not in "biuf":
                raise ValueError("the members predict labels; use members that give probabilities.")
            return mixture_of_values(values.astype(np.float64), noise, weights)
        case kinds:
            raise ValueError(
                "a mixture needs members that are all Categorical, Normal or Point, or one kind of "
                f"counts; these are {', '.join(kinds)}."
            )


def at_least_two(members: int, owner: str) -> None:
    """Raise a `ValueError` if there are fewer than two members."""
    if members < 2:
        count = "one member" if members else "no members"
        raise ValueError(f"{owner} has {count}; a mixture needs at least two.")


def _kinds(answers: Sequence[Distribution]) -> list[str]:
    """Names of the kinds of distribution that occur, sorted; a subclass counts as its kind."""
    kinds = get_args(Distribution)
    return sorted(
        kind.__name__ for kind in kinds if any(isinstance(answer, kind) for answer in answers)
    )


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
