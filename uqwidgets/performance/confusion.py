"""The confusion of classes in a population."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from uqwidgets.inference.population import Population
from uqwidgets.performance.result import Confusion


def confusion(
    truth: npt.NDArray[np.intp],
    predicted: npt.NDArray[np.intp],
    classes: npt.NDArray[np.generic],
    target: str,
    population: Population,
) -> Confusion:
    """Compute the share of the rows with each pair of a true and a predicted class.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n,)
        Class positions.
    classes : ndarray of shape (k,)
    target : str
        Name of the target.
    population : Population

    Returns
    -------
    Confusion
    """
    k, s = len(classes), population.scored
    sums = np.bincount(truth * k + predicted, s, minlength=k * k).reshape(k, k)
    return Confusion(
        classes=tuple(str(label) for label in classes.tolist()),
        share=sums / s.sum(),
        rows_of_pair=np.bincount((truth * k + predicted)[s > 0], minlength=k * k).reshape(k, k),
        target=target,
        weighted=population.weighted,
        n_rows=len(population.positions),
        ess=population.ess,
        groups=population.group_count,
    )
