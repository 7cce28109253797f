"""Rows that depend on each other have a remark, unasked; independent ones have none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import uqwidgets as uq

CODES = {"rows-of-groups", "rows-in-order", "duplicated-rows", "rows-in-time"}


def linear(X):
    return X["a"] + X["b"]


def autoregression(rng, n, phi):
    return lfilter([1], [1, -phi], rng.normal(size=n + 200))[200:] * np.sqrt(1 - phi**2)


def remarks(X, y, model=linear, **options):
    explainer = uq.Explainer(model, X, y, **options)
    found = explainer.scores().remarks
    assert [
        r
        for r in explainer.importance(
            "nll" if explainer.classes is not None else "squared_error", n_repeats=2
        ).remarks
        if r.code in CODES
    ] == [r for r in found if r.code in CODES]
    return {remark.code: str(remark) for remark in found if remark.code in CODES}


def patients(seed, groups=30, size=10):
    rng = np.random.default_rng(seed)
    of = rng.permutation(np.repeat(np.arange(groups), size))
    X = pd.DataFrame({"a": rng.normal(size=groups)[of], "b": rng.normal(size=len(of))})
    y = linear(X) + rng.normal(size=groups)[of] + rng.normal(size=len(of))
    return X, y, of


@pytest.mark.parametrize(("groups", "size"), [(30, 10), (100, 5)])
def test_patients_in_an_extra_column_are_found(groups, size):
    for seed in range(10):
        X, y, of = patients(seed, groups, size)
        names = np.array([f"p{i}" for i in of])
        for extra in ({"patient": of}, {"patient": names}):
            found = remarks(X, y, extra=extra)
            assert list(found) == ["rows-of-groups"]
            assert "pass groups='patient'" in found["rows-of-groups"]
        assert remarks(X, y, extra={"patient": of}, groups="patient") == {}


def test_patients_are_found_by_a_feature_that_is_constant_within_them():
    X, y, _ = patients(1)
    assert "pass groups='a'" in remarks(X, y)["rows-of-groups"]


@pytest.mark.parametrize("phi", [0.5, 0.8])
def test_rows_that_follow_each_other_are_found(phi):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"a": autoregression(rng, 300, phi), "b": rng.normal(size=300)})
        y = linear(X) + autoregression(rng, 300, phi)
        days = pd.date_range("2024-01-01", periods=300)
        assert list(remarks(X, y)) == ["rows-in-order"]
        shuffled = rng.permutation(300)
        mixed = X.iloc[shuffled].reset_index(drop=True), y.iloc[shuffled].reset_index(drop=True)
        assert remarks(*mixed) == {}
        found = remarks(*mixed, extra={"day": days[shuffled]})
        assert "pass time='day'" in found["rows-in-order"]
        assert list(remarks(*mixed, extra={"day": days[shuffled]}, time="day")) == ["rows-in-time"]


def test_independent_rows_have_no_remark():
    """Of 60 tables at most one, though errors differ by age, by category, and along the order."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([100, 300, 1000]))
        X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
        X["age"], X["count"] = rng.integers(18, 90, size=n), rng.poisson(3, size=n)
        X["job"] = rng.choice(list("abcdefghijklmno"), size=n)
        y = linear(X) + np.sin(X["age"] / 10) + rng.normal(size=n) * np.exp(0.02 * X["age"])
        extra = {"site": rng.integers(0, 40, size=n), "day": np.arange(n)}
        found += bool(remarks(X, y, extra=extra))
        order = np.argsort(y.to_numpy()) if seed % 2 else np.argsort(X["age"].to_numpy())
        sorted_rows = X.iloc[order].reset_index(drop=True), y.iloc[order].reset_index(drop=True)
        found += bool(remarks(*sorted_rows))
    assert found <= 2


def test_classes_and_repeated_rows():
    rng = np.random.default_rng(0)
    X, _, of = patients(0, 60, 5)
    p = 1 / (1 + np.exp(-2 * rng.normal(size=60)[of]))
    y = (rng.random(300) < p).astype(int)

    def model(X):
        return np.full((len(X), 2), 0.5)

    assert list(remarks(X, y, model, extra={"site": of})) == ["rows-of-groups"]
    rows = np.r_[np.arange(300), np.arange(20)]
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    twice = X.iloc[rows].reset_index(drop=True)
    found = remarks(twice, linear(twice) + 1 + rng.normal(size=300)[rows])
    assert list(found) == ["duplicated-rows"]
    assert "20 of 320 rows" in found["duplicated-rows"]


@pytest.mark.parametrize(
    ("time", "message"),
    [
        ("days", "there is no column 'days'; did you mean 'day'"),
        ([1, 2], "time has 2 values but X has 300 rows"),
        (["x", "y"] * 150, "time holds values that are neither numbers nor dates"),
        ([None, *range(299)], "time is missing in 1 of 300 rows"),
        (np.ones(300), "time orders 300 rows in 1 blocks of 5 rows or more, and intervals need 4"),
    ],
)
def test_times_that_cannot_be_used_are_refused_in_one_sentence(time, message):
    X, y, _ = patients(0)
    with pytest.raises(ValueError, match=message):
        uq.Explainer(linear, X, y, extra={"day": np.arange(300)}, time=time)


def test_blocks_follow_time_and_keep_ties_together():
    X, y, _ = patients(0)
    day = np.random.default_rng(0).permutation(np.repeat(np.arange(60), 5))
    table = uq.Explainer(linear, X, y, extra={"day": day}, time="day").table
    blocks = table.row_groups.codes
    assert blocks.max() == 15
    assert len(set(zip(day.tolist(), blocks.tolist(), strict=True))) == 60
    assert (np.diff(blocks[np.argsort(day, kind="stable")]) >= 0).all()
    # Groups hold whole series, and stay.
    panel = uq.Explainer(linear, X, y, groups=day, time=np.arange(300)).table
    assert len(panel.row_groups) == 60
