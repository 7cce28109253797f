"""Stress on the data of Bachoc et al. 2023: claims of its text, figures and tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

from cases import thorough_after
from shared import digits, features_and_target
from uqwidgets import Explainer

SETOSA, VERSICOLOR, VIRGINICA = (
    f"share:Iris-{name}" for name in ("setosa", "versicolor", "virginica")
)
RICH = "share:>50K"
LOGARITHMS = {"LcapitalGain": "capitalGain", "LcapitalLoss": "capitalLoss"}
FIGURE_1 = ["age", "educNum", *LOGARITHMS, "hoursWeek"]
CATEGORIES = ["sex", "origEthn"]
# Table 1: the four greatest and the four smallest responses, below and above tau = 0.
TABLE_1 = {
    (-0.5, 0.0): {
        "black": 4.1,
        "rm": 3.0,
        "dis": 1.7,
        "zn": 0.85,
        "age": -2.78,
        "indus": -3.2,
        "ptratio": -3.8,
        "lstat": -5.1,
    },
    (0.0, 0.5): {
        "rm": 6.8,
        "zn": 4.6,
        "chas": 2.74,
        "dis": 1.64,
        "rad": -2.99,
        "indus": -3.05,
        "tax": -3.18,
        "lstat": -5.26,
    },
}


def over_tau(result, indicator):
    """Return an indicator with a row per feature and a column per level."""
    return table(result, result.values[indicator])


def table(result, numbers):
    return pd.DataFrame(numbers, index=result.features, columns=result.taus)


def rising(curves):
    return bool((np.diff(curves) > 0).all())


def test_signs_and_order_of_a_logistic_model():
    # B.2 and figure 4, with the paper's million rows; two of the coefficients are equal.
    coefficients = np.array([-4.0, 2.0, 0.0, 2.0, 4.0])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 5))

    def model(X):
        ones = 1 / (1 + np.exp(-np.asarray(X) @ coefficients))
        return np.column_stack([1 - ones, ones])

    y = (rng.random(len(X)) < model(X)[:, 1]).astype(int)
    result = Explainer(model, X, y).stress(indicators=["share:1"], taus=[-1, -0.5, 0, 0.5, 1])
    assert (result.status == "ok").all()
    ones = over_tau(result, "share:1")
    assert rising(ones.loc[["x1", "x3", "x4"]])
    assert rising(-ones.loc["x0"])
    response = ones[1.0] - ones[-1.0]
    assert response["x4"] > 1.5 * response["x1"] > 0.5
    assert response["x1"] == pytest.approx(response["x3"], abs=0.01)
    assert response["x0"] == pytest.approx(-response["x4"], abs=0.01)
    assert response["x2"] == pytest.approx(0, abs=0.01)


# B.3 and figure 5. Sepal width is the main feature of setosa in one direction: it is the only one
# that raises the share of setosa when it is raised. Lowering petal length raises the share more.


@pytest.fixture(
    scope="module",
    params=[RandomForestClassifier, GradientBoostingClassifier],
    ids=["forest", "boosting"],
)
def iris(request):
    X, y = features_and_target("iris.csv", "species")
    return Explainer(request.param(n_estimators=50, random_state=0).fit(X, y), X, y).stress()


def test_a_wider_sepal_alone_leads_to_setosa(iris):
    setosa = over_tau(iris, SETOSA)
    assert rising(setosa.loc["sepal_width"])
    assert (np.diff(setosa.drop("sepal_width")) <= 0).all()
    upwards = iris.responses(0, 1, SETOSA)
    assert upwards["feature"][0] == "sepal_width"
    assert upwards["response"][0] == upwards["response"].abs().max()
    assert upwards["response"][0] > 0.4


def test_sepal_width_hardly_tells_the_other_two_apart(iris):
    apart = over_tau(iris, VIRGINICA) - over_tau(iris, VERSICOLOR)
    assert (apart.loc[["petal_length", "petal_width", "sepal_length"], 1.0] > 0.5).all()
    assert abs(apart.loc["sepal_width", 1.0]) < 0.15


def test_shares_of_species_are_those_of_a_population(iris):
    shares = np.stack([iris.values[name] for name in (SETOSA, VERSICOLOR, VIRGINICA)])
    assert shares.sum(axis=0) == pytest.approx(1)
    assert shares[:, :, iris.taus == 0] == pytest.approx(1 / 3)


# Section 4.1, figures 1 and 6: fitted on the published training set, seen on the test set.


def census(part):
    X, income = features_and_target(f"adult_{part}.csv", "income")
    for logarithm, column in LOGARITHMS.items():
        X[logarithm] = np.log1p(X[column])
    columns = [*FIGURE_1, *LOGARITHMS.values(), *CATEGORIES]
    return X[columns].astype(dict.fromkeys(CATEGORIES, "category")), income


@pytest.fixture(scope="module")
def boosting():
    return HistGradientBoostingClassifier(max_iter=60, random_state=0).fit(*census("train"))


@pytest.fixture(scope="module")
def incomes(boosting):
    return Explainer(boosting, *census("test"))


@pytest.fixture(scope="module")
def adult(incomes):
    return incomes.stress(indicators=[RICH, "error_rate", "tpr", "fpr"])


@pytest.fixture(scope="module")
def adult_tails(incomes):
    return incomes.stress(indicators=[RICH], anchor="tail-mean")


def test_education_and_capital_lead_to_high_incomes(adult, adult_tails):
    quantiles, tails = over_tau(adult, RICH), over_tau(adult_tails, RICH)
    for ones in (quantiles.loc[["educNum", "LcapitalGain"]], tails.loc[["educNum", *LOGARITHMS]]):
        assert rising(ones)
        assert (ones[1.0] > 2 * ones[0.0]).all()
    assert set(adult.responses()["feature"][:2]) == {"educNum", "LcapitalGain"}


def test_age_leads_to_higher_incomes_and_then_no_further(adult):
    age = over_tau(adult, RICH).loc["age"]
    assert rising(age[:0.25])
    assert age[0.0] - age[-1.0] > 0.1
    assert np.ptp(age[0.25:]) < 0.02


def test_education_and_long_hours_lead_to_errors(adult):
    errors = adult.responses(0, 1, "error_rate").set_index("feature")["response"]
    most = errors[FIGURE_1].nlargest(2)
    assert set(most.index) == {"educNum", "hoursWeek"}
    assert (most > 0.03).all()


def test_the_effective_sample_size_at_the_ends_is_a_tenth_of_the_rows(adult, incomes):
    ess = table(adult, adult.ess).loc[["age", "educNum", "hoursWeek"], [-1.0, 1.0]]
    share = ess.to_numpy() / len(incomes.table)
    assert share.min() > 0.075
    assert share.max() < 0.135


def test_a_quantile_on_the_wrong_side_of_the_mean_has_a_status(adult, adult_tails, incomes):
    # Fewer than 5 % of the people lost capital, so the 95 % quantile is 0, below the mean.
    status, ones = table(adult, adult.status), over_tau(adult, RICH)
    upwards = adult.taus > 0
    for loss in ("capitalLoss", "LcapitalLoss"):
        assert (status.loc[loss, upwards] == "beyond quantile").all()
        assert ones.loc[loss, upwards].isna().all()
        assert status.loc[loss, -1.0] == "edge"
    # 8 % gained capital, so the 95 % quantile is positive and the 90 % quantile is 0.
    assert (status.loc["capitalGain", upwards] == "ok").all()
    wider = incomes.stress(["capitalGain"], [RICH], tail=0.1)
    assert (wider.status[0, wider.taus > 0] == "beyond quantile").all()
    assert np.isnan(wider.values[RICH][0, wider.taus > 0]).all()

    skewed = [*LOGARITHMS, *LOGARITHMS.values()]
    status = table(adult_tails, adult_tails.status).loc[skewed]
    assert (status.loc[:, status.columns > -1] == "ok").all(axis=None)
    assert (status[-1.0] == "edge").all()
    assert over_tau(adult_tails, RICH).loc[skewed].notna().all(axis=None)


def test_the_share_of_a_category_moves_both_ways(adult):
    ones = over_tau(adult, RICH)
    shares = [name for name in adult.features if "=" in name]
    assert len(shares) == 2 + 5
    assert (table(adult, adult.status).loc[shares] == "ok").all(axis=None)
    reached = table(adult, adult.reached).loc[shares]
    assert rising(reached)
    assert reached[1.0].to_numpy() == pytest.approx(0.95)
    # Of two categories, one falls as the other rises.
    men, women = ones.loc["sex=Male"], ones.loc["sex=Female"]
    assert men[1.0] == pytest.approx(women[-1.0])
    assert men[1.0] - 0.03 > men[0.0] > men[-1.0] + 0.03


@pytest.mark.parametrize("kind", ["adult", "adult_tails"])
def test_the_baseline_stands_at_zero_and_nowhere_else(kind, boosting, request):
    result, predicted = request.getfixturevalue(kind), boosting.predict(census("test")[0])
    known, zero = np.isin(result.status, ["ok", "edge"]), result.taus == 0
    for numbers in (result.values[RICH], result.reached, result.ess, result.kl):
        assert (np.isfinite(numbers) == known).all()
    assert result.values[RICH][:, zero] == pytest.approx((predicted == ">50K").mean(), rel=1e-12)
    assert result.ess[:, zero] == pytest.approx(len(predicted), rel=1e-12)
    assert result.kl[:, zero] == pytest.approx(0, abs=1e-12)
    # At the other levels the weighted mean reaches the target.
    assert result.reached[known] == pytest.approx(result.target[known], rel=1e-9, abs=1e-9)
    away = known & ~zero
    assert (np.abs(result.reached - result.reached[:, zero])[away] > 1e-4).all()
    assert (result.kl[away] > 0).all()


def test_roc_paths_cross_where_nothing_is_stressed(adult):
    paths = {name: adult.roc_path(name).set_index("tau") for name in FIGURE_1}
    crossing = np.array([path.loc[0.0] for path in paths.values()])
    assert crossing == pytest.approx(np.tile(crossing[0], (len(FIGURE_1), 1)))
    # Figure 6: errors increase with the hours per week.
    assert paths["hoursWeek"]["fpr"][1.0] > 1.3 * paths["hoursWeek"]["fpr"][0.0]


# A.2, table 1 and figure 3. The column `black` encodes race. The forest is seen on the rows it
# was fitted on, which gives the paper's numbers.


@pytest.fixture(scope="module")
def boston():
    X, y = features_and_target("boston.csv", "medv")
    return Explainer(RandomForestRegressor(100, random_state=0).fit(X, y), X, y).stress()


@pytest.mark.parametrize("levels", TABLE_1)
def test_table_1(boston, levels):
    result = boston.responses(*levels, "mean").set_index("feature")["response"]
    printed = pd.Series(TABLE_1[levels])
    assert list(result.index[:4]) == list(printed.index[:4])
    assert set(result.index[-4:]) == set(printed.index[-4:])
    assert result.index[-1] == "lstat"
    assert result[printed.index].to_numpy() == pytest.approx(printed.to_numpy(), abs=0.25)


def test_rooms_count_where_there_are_many_and_age_everywhere(boston):
    mean = over_tau(boston, "mean")
    rooms, age = mean.loc["rm"], mean.loc["age"]
    assert rooms[1.0] - rooms[0.0] > 1.5 * (rooms[0.0] - rooms[-1.0])
    line = np.polynomial.Polynomial.fit(boston.taus, age, 1)
    assert np.abs(age - line(boston.taus)).max() < 0.1 * np.ptp(age)


# Section 4.2 and the top of figure 2: a forest fitted on half of the digits sees the others.


@pytest.fixture(scope="module")
def readings():
    X, y = digits()
    forest = RandomForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    return Explainer(forest, X[1::2], y[1::2])


@pytest.fixture(scope="module", params=thorough_after(0, ["quantile", "tail-mean"]))
def pixels(request, readings):
    shares = [f"share:{digit}" for digit in range(10)]
    return readings.stress(indicators=shares, taus=3, anchor=request.param)


def pictures(result):
    """Change of each digit's share, shape (10, 28, 28)."""
    values = np.stack(list(result.values.values()))
    return (values[:, :, 2] - values[:, :, 1]).reshape(10, 28, 28)


@pytest.mark.thorough
def test_constant_pixels_have_no_value(pixels):
    still = np.ptp(digits()[0][1::2], axis=0) == 0
    assert still.sum() > 100
    assert ((pixels.status[:, 2] == "constant") == still).all()
    unknown = np.isnan(pictures(pixels)).reshape(10, -1)
    beyond = pixels.status[:, 2] == "beyond quantile"
    assert beyond.any() == (pixels.anchor == "quantile")
    assert (unknown == (still | beyond)).all()


def test_one_digit_gains_what_the_others_lose(pixels):
    assert np.nanmax(np.abs(pictures(pixels).sum(axis=0))) < 1e-10


def test_pixels_raise_the_share_of_the_digits_that_use_them(pixels):
    zero, one, *_, five, six, seven, _, nine = pictures(pixels)
    middle = np.s_[12:16, 13:15]
    assert (one[middle] > 0.05).all()
    assert (zero[middle] < -0.05).all()
    left = np.s_[12:16, 6:9]
    assert (zero[left] > 0.1).all()
    assert (one[left] < -0.05).all()
    # "The CNN identifies 6s by using the bottom part, more so than the top stroke", that of a 5.
    stroke, bottom = np.s_[6:8, 18:21], np.s_[18:20, 11:17]
    assert five[stroke].mean() > 0.05 > 0 > six[stroke].mean()
    assert six[bottom].mean() > 0.1 > 0 > max(seven[bottom].mean(), nine[bottom].mean())


def test_figure_2_is_drawn(pixels):
    spec = pixels.to_pixels((28, 28)).to_dict()
    (drawn,) = (pd.DataFrame(rows) for rows in spec["datasets"].values())
    titles = [picture["title"] for picture in spec["concat"]]
    assert titles == [f"share predicted {digit}" for digit in range(10)]
    # Pixels that are inked in one or two digits only are blank.
    trusted = pixels.ess[:, 2] >= 10
    assert "below an effective sample size of 10" in spec["title"]["subtitle"]
    for column, picture in enumerate(pictures(pixels)):
        change = drawn[f"change{column}"].to_numpy(dtype=float)
        np.testing.assert_array_equal(change, np.where(trusted, picture.ravel(), np.nan))


def test_stress_changes_only_indicators_that_depend_on_the_feature():
    # Bachoc et al. 2023, appendix B.2: stress does not change indicators of independent features.
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20_000, 2))
    explainer = Explainer(lambda X: X[:, 1], X, X[:, 1])
    result = explainer.stress(["x0", "x1"], ["mean"], taus=5)
    noise = X[:, 1].std() / np.sqrt(result.ess[0])
    assert (np.abs(result.values["mean"][0]) < 4 * noise).all()
    np.testing.assert_allclose(result.values["mean"][1], result.reached[1])


def test_stress_of_a_normal_feature_shifts_its_mean():
    # exp(xi x) times a normal density is a normal density with another mean and the same variance.
    X = np.random.default_rng(6).normal(size=(50_000, 1))
    explainer = Explainer(lambda X: X[:, 0], X, X[:, 0])
    w = explainer.stress_weights("x0", 0.5)
    mean = np.average(X[:, 0], weights=w)
    assert mean == pytest.approx(0.5 * np.quantile(X[:, 0], 0.95), abs=0.01)
    assert np.average((X[:, 0] - mean) ** 2, weights=w) == pytest.approx(1, abs=0.05)
    result = explainer.stress(taus=5)
    assert result.kl[0, 3] == pytest.approx(mean**2 / 2, rel=0.05)
