"""Wood et al. 2024, section 4.2: figures 9 to 13, Bayes by backprop, over several splits."""

from __future__ import annotations

import pytest

from agreement import agreement, assert_agreed
from diabetes import figures_9_to_13, people
from uqwidgets import Explainer
from uqwidgets.predictive.torch import BayesByBackprop

pytestmark = pytest.mark.usefixtures("one_thread")

RARE = [
    "figure 9: then age and mass",
    "figure 9: age before mass",
    "figure 10: it is highest between 130 and 170",
    "figure 10: it is highest between 150 and 175",
]


def claims(seed):
    X_train, X_test, y_train, y_test = people(seed)
    network = BayesByBackprop(random_state=seed).fit(X_train, y_train)
    return figures_9_to_13(Explainer(network, X_test, y_test))


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(3), marks=pytest.mark.thorough),
        pytest.param(range(20), marks=pytest.mark.slow),
    ],
)
def test_figures_9_to_13_diabetes(seeds):
    shares = agreement("diabetes, Bayes by backprop", claims, seeds)
    # The paper claims it for both models; over several splits it does not hold for networks.
    rare = [shares.pop(claim) for claim in RARE]
    assert max(rare) < 0.6
    assert_agreed(
        shares,
        {
            "figure 10: entropy is low for low plas, and higher from 120 on": 0.6,
            "figure 12: which the average does not show": 0.6,
        },
    )
