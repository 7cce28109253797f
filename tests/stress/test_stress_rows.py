"""Stress of chosen rows equals that of a table with these rows only."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq

TAUS = [-1.0, -0.4, 0.0, 0.6, 1.0]


def model(X: pd.DataFrame) -> np.ndarray:
    shift = (X["sex"] == "m").to_numpy() * 0.8
    yes = 1 / (1 + np.exp(-X["age"].to_numpy() / 10 + 4 - shift))
    return np.column_stack([1 - yes, yes])


def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(8)
    n = 160
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "gain": rng.lognormal(0, 1, n),
            "sex": rng.choice(["f", "m"], n, p=[0.3, 0.7]),
            "one": np.where(np.arange(n) < 60, 1.0, rng.normal(size=n)),
        }
    )
    y = (rng.random(n) < model(X)[:, 1]).astype(int)
    return X, y


@pytest.fixture(scope="module")
def of_all():
    return uq.Explainer(model, *table())


CHOSEN = np.random.default_rng(2).random(160) < 0.55


@pytest.fixture(scope="module")
def of_chosen():
    X, y = table()
    return uq.Explainer(model, X[CHOSEN], y[CHOSEN])


@pytest.mark.parametrize("level", [None, 0.95])
@pytest.mark.parametrize("anchor", ["quantile", "tail-mean"])
def test_stress_of_chosen_rows_is_that_of_their_table(of_all, of_chosen, level, anchor):
    watched = ["error_rate", "tpr", "nll", "roc_auc"] if level else None
    features = ["age"] if level else ["age", "gain", "sex"]
    options = {"taus": [0.6] if level else TAUS, "anchor": anchor, "level": level}
    of_rows = of_all.stress(features, watched, rows=CHOSEN, **options)
    alone = of_chosen.stress(features, watched, **options)
    assert of_rows.features == alone.features
    for name in ("target", "reached", "ess", "kl", "half_share"):
        np.testing.assert_allclose(getattr(of_rows, name), getattr(alone, name), rtol=1e-9)
    np.testing.assert_array_equal(of_rows.status, alone.status)
    for name in alone.indicators:
        for ends in ("values", "low", "high"):
            np.testing.assert_allclose(
                getattr(of_rows, ends)[name], getattr(alone, ends)[name], rtol=1e-8, atol=1e-12
            )
    assert of_rows.remarks == alone.remarks


def test_weights_of_chosen_rows_are_those_of_their_table(of_all, of_chosen):
    positions = np.flatnonzero(CHOSEN)
    weights = of_all.stress_weights("age", 0.7, rows=positions[::-1])
    np.testing.assert_allclose(weights[CHOSEN], of_chosen.stress_weights("age", 0.7), rtol=1e-9)
    assert (weights[~CHOSEN] == 1).all(), "the other rows keep weight 1 as donors"
    assert weights.mean() == pytest.approx(1.0)
    unmoved = of_all.stress_weights("age", 0.0, rows=CHOSEN)
    np.testing.assert_allclose(unmoved, 1.0, rtol=1e-12)
    men = of_all.stress_weights("sex", 0.5, category="m", rows=CHOSEN)
    alone = of_chosen.stress_weights("sex", 0.5, category="m")
    np.testing.assert_allclose(men[CHOSEN], alone, rtol=1e-9)


def test_importance_over_tau_of_chosen_rows_uses_their_weights(of_all):
    over = of_all.importance_over_tau("age", taus=TAUS, n_repeats=3, rows=CHOSEN)
    weights = of_all.stress_weights("age", 0.6, rows=CHOSEN)
    at = of_all.importance(n_repeats=3, rows=CHOSEN, sample_weight=weights)
    for j, name in enumerate(over.features):
        place = at.features.index(name)
        assert over.importance[j, 3] == pytest.approx(at.importance[place], rel=1e-9)
    plain = of_all.importance(n_repeats=3, rows=CHOSEN)
    for j, name in enumerate(over.features):
        assert over.importance[j, 2] == pytest.approx(plain.importance[plain.features.index(name)])
    assert over.ess[2] == pytest.approx(CHOSEN.sum())


def test_missing_values_outside_the_chosen_rows_do_not_matter():
    X, y = table()
    X.loc[~CHOSEN, "gain"] = np.nan
    ex = uq.Explainer(model, X, y)
    assert "gain" in ex.stress(taus=TAUS, rows=CHOSEN).features
    with pytest.raises(ValueError, match=r"'gain' is missing or infinite in \d+ of 160 rows"):
        ex.stress(["gain"])
    some = np.flatnonzero(CHOSEN)[:20].tolist() + np.flatnonzero(~CHOSEN)[:4].tolist()
    with pytest.raises(ValueError, match="missing or infinite in 4 of 24 chosen rows"):
        ex.stress(["gain"], rows=some)
    dropped = ex.stress(["gain"], ["nll"], taus=TAUS, rows=some, missing="drop")
    assert dropped.remarks == ("gain: 4 of 24 chosen rows without a value are left out",)
    alone = uq.Explainer(model, X.iloc[some], y[some])
    expected = alone.stress(["gain"], ["nll"], taus=TAUS, missing="drop")
    np.testing.assert_allclose(dropped.values["nll"], expected.values["nll"], rtol=1e-9)
    weights = ex.stress_weights("gain", 0.5, rows=some, missing="drop")
    assert weights[some[20:]].max() == 0
    assert weights[some].mean() == pytest.approx(1.0)


def test_a_column_constant_in_the_chosen_rows_has_that_status(of_all):
    of_rows = of_all.stress(["one"], ["nll"], taus=TAUS, rows=np.arange(60))
    assert (of_rows.status == "constant").sum() >= len(TAUS) - 1
    with pytest.raises(ValueError, match="rows chooses no row"):
        of_all.stress(["age"], rows=[])
