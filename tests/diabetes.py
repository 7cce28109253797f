"""Diabetes as in Wood et al. 2024, section 4.2: the split, and the claims about any model."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from shared import features_and_target


def halves(X, y, share, seed):
    """Split into training rows and other rows, with the same share of ill people in both."""
    return train_test_split(X, y, test_size=share, stratify=y, random_state=seed)


def people(seed):
    """Split into 75 % training and 25 % test rows: ``X_train, X_test, y_train, y_test``."""
    return halves(*features_and_target("pima.csv", "class"), 0.25, seed)


def figures_9_to_13(explainer):
    """Check the claims of the text and of the captions on a model's test rows."""
    result = explainer.importance("nll")
    nll = result.frame.set_index("feature")
    ill = explainer.table.y == 1

    def ice(feature, measure, grid):
        """Return the ICE curves of the ill people, and those of the others."""
        lines = explainer.dependence(feature, measure, grid=grid).ice
        return lines[ill], lines[~ill]

    over_plas = explainer.dependence("plas", "entropy", grid=np.arange(50.0, 200.0, 5.0))
    peak = over_plas.grid[over_plas.average.argmax()]
    loss_plas, loss_mass = (
        [lines[:, 1] - lines[:, 0] for lines in ice(feature, "nll", grid)]
        for feature, grid in (("plas", [60.0, 180.0]), ("mass", [22.0, 45.0]))
    )
    doubt_ill, doubt_well = ice("mass", "entropy", [22.0, 45.0])
    average = explainer.dependence("mass", "entropy", grid=[22.0, 45.0]).average
    return {
        "figure 9: plas matters most for the likelihood, beyond doubt": (
            nll.index[0] == "plas" and nll.low["plas"] > 0
        ),
        "figure 9: then age and mass": set(nll.index[1:3]) == {"age", "mass"},
        "figure 9: age before mass": nll.importance["age"] > nll.importance["mass"],
        "figure 10: entropy is low for low plas, and higher from 120 on": (
            over_plas.average[over_plas.grid < 100].max()
            < over_plas.average[over_plas.grid >= 120].min()
        ),
        "figure 10: it is highest between 130 and 170": 130 <= peak <= 170,
        "figure 10: it is highest between 150 and 175": 150 <= peak <= 175,
        "figure 11: loss falls with plas for every one of the ill": (loss_plas[0] < 0).all(),
        "figure 11: and rises for every other": (loss_plas[1] > 0).all(),
        "figure 12: at a low mass, the ill are more in doubt": (
            doubt_ill[:, 0].mean() > doubt_well[:, 0].mean() + 0.05
        ),
        "figure 12: which the average does not show": average[0] < average[1] - 0.05,
        "figure 13: loss falls with mass for the ill": loss_mass[0].mean() < -0.3,
        "figure 13: and rises for the others": loss_mass[1].mean() > 0.2,
    }
