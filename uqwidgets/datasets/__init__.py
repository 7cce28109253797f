"""Synthetic data of the papers: any number of rows, from any seed, with a known truth.

Features are named x1, x2, ... as in the papers, the target y.
"""

from uqwidgets.datasets.classification import make_logistic, make_redundant
from uqwidgets.datasets.regression import (
    CORRELATED_PAIRS,
    LINEAR,
    NON_LINEAR,
    Process,
    make_correlated_pairs,
    make_hollow,
    make_linear,
    make_non_linear,
)

__all__ = [
    "CORRELATED_PAIRS",
    "LINEAR",
    "NON_LINEAR",
    "Process",
    "make_correlated_pairs",
    "make_hollow",
    "make_linear",
    "make_logistic",
    "make_non_linear",
    "make_redundant",
]
