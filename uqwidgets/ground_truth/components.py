r"""What the spread of estimates owes to what: training rows, the fit's own chance, test rows.

An estimate of training set s, fit r and test set t is

.. math:: \hat\theta_{srt} = \bar\theta + a_s + b_{sr} + e_{srt},

so that its mean square error is the squared bias plus the variances of all three; those of a and b
together are the variance of models (Molnar et al. 2023, section 5 and appendices A and B), that of
e the Monte Carlo error (Molnar et al. 2023, section 6). They are told apart as in a nested analysis
of variance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqwidgets._typing import Floats


@dataclass(frozen=True, eq=False)
class Components:
    """Parts of the mean square error, each of shape (k,).

    Attributes
    ----------
    expected : ndarray of shape (k,)
        Mean of all estimates.
    std_error : ndarray of shape (k,)
        Of that mean.
    model_variance, mc_variance : ndarray of shape (k,)
        Estimates without bias, which may be a little below zero.
    fit_variance : ndarray of shape (k,) or None
        The part of the model variance that fits on the same rows have; None of single fits.
    mse : ndarray of shape (k,)
        Mean square distance of the estimates from the truth.
    """

    expected: Floats
    std_error: Floats
    model_variance: Floats
    mc_variance: Floats
    fit_variance: Floats | None
    mse: Floats


def components(estimates: Floats, truth: Floats) -> Components:
    """Take estimates apart.

    Parameters
    ----------
    estimates : ndarray of shape (n_datasets, n_refits, n_tests, k)
        At least two training sets and two test sets.
    truth : ndarray of shape (k,)
    """
    n_datasets, n_refits, n_tests, _ = estimates.shape
    of_fits = estimates.mean(axis=2)
    of_sets = of_fits.mean(axis=1)
    mc = estimates.var(axis=2, ddof=1).mean(axis=(0, 1))
    between_sets = of_sets.var(axis=0, ddof=1)
    if n_refits == 1:
        fit, model = None, between_sets - mc / n_tests
    else:
        between_fits = of_fits.var(axis=1, ddof=1).mean(axis=0)
        fit = between_fits - mc / n_tests
        model = between_sets - between_fits / n_refits + fit
    return Components(
        expected=of_sets.mean(axis=0),
        std_error=np.sqrt(between_sets / n_datasets),
        model_variance=model,
        mc_variance=mc,
        fit_variance=fit,
        mse=np.square(estimates - truth).mean(axis=(0, 1, 2)),
    )
