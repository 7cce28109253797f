"""Compressed columns compared with sums over their rows."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from uqwidgets.stress.compressed.compression import Compressed, compress
from uqwidgets.stress.compressed.grids import Distinct, Panels, distinct_values
from uqwidgets.stress.compressed.levels import levels

N = 5000
TAUS = np.array([-1.0, -0.99, -0.6, -0.1, 0.0, 0.1, 0.5, 1.0])


def columns(n=N):
    rng = np.random.default_rng(0)
    halves = rng.random(n) < 0.5
    return {
        "normal": rng.normal(size=n),
        "lognormal": rng.lognormal(0, 3, n),
        "gamma": rng.gamma(0.3, size=n),
        "gamma with its quantile near 0": rng.gamma(0.05, size=n),
        "t": rng.standard_t(3, n),
        "Pareto": rng.pareto(1.5, n),
        "Cauchy": rng.standard_cauchy(n),
        "left-skewed": -rng.lognormal(0, 2, n),
        "uniform": rng.random(n),
        "two narrow peaks": np.where(halves, 0.0, 1.0) + rng.normal(0, 1e-4, n),
        "zero-inflated": np.where(rng.random(n) < 0.3, 0.0, rng.gamma(0.3, size=n)),
        "Poisson": rng.poisson(4, n).astype(float),
        "tenths of pixels": rng.integers(0, 256, n) / 255,
        "float32": rng.normal(size=n).astype(np.float32).astype(float),
    }


def outputs_of(values):
    rng = np.random.default_rng(1)
    standard = (values - values.mean()) / values.std()
    return np.stack([rng.random(len(values)) < 0.3, np.sin(standard) - 0.2], axis=1).astype(float)


class Direct:
    """Level tau of a column by sums over its rows, in more digits and with brentq."""

    def __init__(self, values, outputs, tau, low, high):
        x = values.astype(np.longdouble)
        end, anchor, sign = (x.min(), low, 1) if tau < 0 else (x.max(), high, -1)
        distance = sign * (x - end)
        nearest = sign * (np.longdouble(anchor) - end)
        goal = (1 - abs(tau)) * distance.mean() + abs(tau) * nearest
        excess = distance - goal

        def weights(k):
            w = np.exp(-k * excess)
            return w / w.mean()

        k = 0.0
        if tau != 0:
            most = 2 * np.log(len(x)) / float(goal)
            k = brentq(lambda k: float((weights(k) * excess).mean()), 0, most, xtol=1e-300)
            for _ in range(2):  # beyond double precision
                w = weights(k)
                k = k + (w * excess).mean() / (w * excess**2).mean()
        self.weights = w = weights(np.longdouble(k))
        self.target = end + sign * goal
        self.xi = -sign * k * x.std()
        self.means = (w[:, None] * outputs).mean(axis=0)
        self.sizes = (w[:, None] * np.abs(outputs)).mean(axis=0)
        self.ess = len(x) / (w**2).mean()
        self.kl = (w[w > 0] * np.log(w[w > 0])).sum() / len(x)
        self.half_share = (np.searchsorted(np.cumsum(np.sort(w)[::-1]), len(x) / 2) + 1) / len(x)

    def moment(self, values, outputs, power, degree):
        factor = self.weights**power * (values - self.target) ** degree
        ones = np.column_stack([np.ones(len(values)), outputs])
        return (factor[:, None] * ones).mean(axis=0), (np.abs(factor)[:, None] * np.abs(ones)).mean(
            axis=0
        )


def relative(result, true):
    return float(np.max(np.abs(result / true - 1)))


@pytest.mark.parametrize(
    "change",
    [
        (1.0, 0.0),
        pytest.param((1e-5, 0.0), marks=pytest.mark.thorough),
        pytest.param((1.0, 1e6), marks=pytest.mark.thorough),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", columns())
def test_tables_give_the_result_of_rows(name, change):
    values = columns()[name] * change[0] + change[1]
    outputs = outputs_of(values)
    low, high = np.quantile(values, [0.05, 0.95])
    compressed = compress(values, outputs.T, low, high)
    result = levels(compressed, TAUS)
    rounding = 1e-12 * values.std() + 1e-15 * np.abs(values).max()
    assert compressed.n == N
    assert compressed.mean == pytest.approx(values.mean(), abs=rounding)
    assert compressed.std == pytest.approx(values.std(), rel=1e-9)
    for t, tau in enumerate(TAUS):
        if result.status[t] != "ok":
            continue
        true = Direct(values, outputs, tau, low, high)
        assert result.target[t] == pytest.approx(float(true.target), abs=rounding)
        assert abs(result.reached[t] - result.target[t]) <= 1e-10 * values.std()
        assert (np.abs(result.means[t] - true.means) <= 1e-10 * true.sizes).all()
        assert relative(result.ess[t], true.ess) < 1e-10
        assert result.kl[t] == pytest.approx(float(true.kl), rel=1e-9, abs=1e-15)
        assert result.half_share[t] == pytest.approx(true.half_share, abs=5e-4)
        error = result.row_weights(slice(t, t + 1), values)[0] - true.weights
        assert np.max(np.abs(error)) < 1e-9 * true.weights.max()
        for degree in (0, 1, 2):
            moment, size = true.moment(values, outputs, 2, degree)
            assert (np.abs(result.moments(2, degree)[t] - moment) <= 1e-9 * size).all()


def tables(values, outputs, tail=0.05):
    """The same rows on panels and on their distinct values."""
    low, high = np.quantile(values, [tail, 1 - tail])
    ends = float(values.min()), float(values.max()), float(low), float(high)
    panels, distinct = Panels(*ends, len(values)), Distinct(np.unique(values))
    return [Compressed(*ends, g, g.sums(values, outputs.T)) for g in (panels, distinct)]


sizes = st.floats(1e-12, 1e12) | st.floats(1, 2)
numbers = st.lists(st.tuples(sizes, st.sampled_from([-1, 1])), min_size=2, max_size=40)


@settings(max_examples=150, deadline=None)
@given(
    numbers,
    st.sampled_from([0.0, 1e3]),
    st.lists(st.integers(1, 300), min_size=40, max_size=40),
    st.sampled_from([0.05, 0.3]),
)
def test_panels_approximate_any_column(signed, shift, times, tail):
    values = np.repeat([size * sign + shift for size, sign in signed], times[: len(signed)])
    if values.min() == values.max():
        return
    low, high = np.quantile(values, [tail, 1 - tail])
    if Panels(values.min(), values.max(), low, high, len(values)).too_fine:
        return  # `compress` keeps the distinct values of such a column
    outputs = np.random.default_rng(0).normal(size=(len(values), 1)) ** 3
    on_panels, on_values = (levels(c, TAUS) for c in tables(values, outputs, tail))
    sizes = levels(tables(values, np.abs(outputs), tail)[1], TAUS).means
    assert (on_panels.status == on_values.status).all()
    there = np.isin(on_values.status, ["ok", "edge"])
    error = np.abs(on_panels.means - on_values.means)[there]
    assert (error <= 1e-10 * sizes[there]).all()
    assert relative(on_panels.ess[there], on_values.ess[there]) < 1e-10
    np.testing.assert_allclose(on_panels.kl[there], on_values.kl[there], rtol=1e-9, atol=1e-14)
    gap = np.abs(on_panels.reached - on_panels.target)[there]
    assert (gap <= 1e-10 * values.std()).all()


def test_a_column_that_spans_few_floats_keeps_its_distinct_values():
    steps = np.random.default_rng(0).integers(0, 40_000, size=5000)
    values = 1e16 + 2.0 * steps
    outputs = np.random.default_rng(1).normal(size=(5000, 1))
    low, high = np.quantile(values, [0.05, 0.95])
    compressed = compress(values, outputs.T, low, high)
    assert isinstance(compressed.grid, Distinct)
    result = levels(compressed, TAUS)
    for t in np.flatnonzero(result.status == "ok"):
        weights = result.row_weights(slice(t, t + 1), values)[0]
        assert result.means[t, 0] == pytest.approx(weights @ outputs[:, 0] / 5000, abs=1e-9)


@pytest.mark.parametrize("name", ["normal", "zero-inflated", "Poisson", "gamma"])
def test_tables_of_two_batches_add_up(name):
    values = columns()[name]
    outputs = outputs_of(values)
    low, high = np.quantile(values, [0.05, 0.95])
    whole = compress(values, outputs.T, low, high)
    parts = [
        Compressed(whole.least, whole.most, low, high, whole.grid, whole.grid.sums(v, o.T))
        for v, o in zip(np.array_split(values, 7), np.array_split(outputs, 7), strict=True)
    ]
    joined = parts[0]
    for part in parts[1:]:
        joined = joined + part
    assert joined.n == N
    one, other = levels(whole, TAUS), levels(joined, TAUS)
    np.testing.assert_allclose(other.means, one.means, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(other.ess, one.ess, rtol=1e-12)
    np.testing.assert_array_equal(other.status, one.status)


def test_tables_on_different_grids_do_not_add_up():
    values = columns()["normal"]
    one, other = (compress(v, outputs_of(v).T, -1.6, 1.6) for v in (values, values[:-100] + 0.1))
    with pytest.raises(ValueError, match=r"from -3.* do not add up; compress both on one grid"):
        one + other


def test_few_distinct_values_are_the_nodes():
    values = columns()["Poisson"]
    compressed = compress(values, outputs_of(values).T, 1.0, 8.0)
    assert isinstance(compressed.grid, Distinct)
    np.testing.assert_array_equal(compressed.grid.values, np.unique(values))
    np.testing.assert_array_equal(compressed.sums.masses[0], np.bincount(values.astype(int)))
    assert distinct_values(columns()["normal"]) is None
    assert distinct_values(np.repeat(columns()["normal"][:900], 100)) is not None
    # Values that first appear in a late batch count too.
    late = np.concatenate([np.zeros(50_000), columns()["normal"]])
    assert distinct_values(late) is None
    assert len(distinct_values(late[: 50_000 + 20])) == 21


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.0, 0.1, 0.2, 0.3, 1.0]),
        np.array([-1e13, -3.0, 2e-13, 1e-12]),  # no multiples of a common step
        np.array([1.0, 1.0 + 2**-52, 2.0]),
        np.array([5.0]),
    ],
    ids=str,
)
def test_every_row_is_assigned_its_value(values):
    rows = np.random.default_rng(0).permutation(np.repeat(values, np.arange(1, 1 + len(values))))
    sums = Distinct(values).sums(rows, [rows])
    np.testing.assert_array_equal(sums.counts, np.arange(1, 1 + len(values)))
    np.testing.assert_allclose(sums.masses[1], values * sums.counts)


@pytest.mark.parametrize("n", [500, N])
def test_the_edge_gives_extreme_rows_equal_weights(n):
    values = columns(n)["gamma"]
    values[: n // 5] = 0.0
    outputs = outputs_of(values)
    result = levels(compress(values, outputs.T, 0.0, np.quantile(values, 0.95)), TAUS)
    at = values == values.min()
    assert result.status[0] == "edge"
    assert result.target[0] == result.reached[0] == 0
    np.testing.assert_allclose(result.means[0], outputs[at].mean(axis=0), rtol=1e-13)
    assert result.ess[0] == pytest.approx(at.sum(), rel=1e-14)
    assert result.kl[0] == pytest.approx(np.log(n / at.sum()), rel=1e-14)
    assert result.half_share[0] == np.ceil(at.sum() / 2) / n
    assert result.xi[0] == -np.inf
    np.testing.assert_allclose(result.row_weights(slice(1), values)[0], at * (n / at.sum()))
    squares = (outputs[at] * (n / at.sum()) ** 2).sum(axis=0) / n
    np.testing.assert_allclose(result.moments(2, 0)[0, 1:], squares, rtol=1e-13)
    assert (result.moments(2, 1)[0] == 0).all()


@pytest.mark.parametrize(
    ("values", "low", "high", "status"),
    [
        (np.full(2000, 0.1), 0.1, 0.1, ["constant"] * 3),
        (np.arange(2000.0), 2.0, 2500.0, ["ok", "ok", "infeasible"]),
        (np.arange(2000.0), -1.0, 1999.0, ["infeasible", "ok", "edge"]),
        (np.where(np.arange(5000) < 3, 50.0, 0.0), 0.0, 0.0, ["edge", "ok", "beyond quantile"]),
    ],
    ids=["constant", "above", "below", "inflated"],
)
def test_infeasible_levels_have_a_status(values, low, high, status):
    result = levels(
        compress(values, outputs_of(values + np.arange(len(values))).T, low, high), TAUS
    )
    assert result.status[[0, 4, -1]].tolist() == status
    there = np.isin(result.status, ["ok", "edge"])
    for numbers in (result.means[:, 0], result.reached, result.ess, result.kl, result.half_share):
        assert np.isfinite(numbers[there]).all()
        assert np.isnan(numbers[~there]).all()
    for t in np.flatnonzero(~there):
        assert np.isnan(result.row_weights(slice(t, t + 1), values)[0]).all()


def test_tau_zero_gives_unweighted_means():
    for values in columns().values():
        outputs = outputs_of(values)
        result = levels(compress(values, outputs.T, *np.quantile(values, [0.05, 0.95])), TAUS)
        zero = TAUS.tolist().index(0)
        np.testing.assert_allclose(result.means[zero], outputs.mean(axis=0), rtol=1e-12)
        assert result.ess[zero] == pytest.approx(N, rel=1e-12)
        assert (result.kl[zero], result.xi[zero], result.half_share[zero]) == (0, 0, 0.5)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_very_large_and_very_small_columns(scale):
    values = columns()["normal"]
    outputs = outputs_of(values)
    plain, scaled = (
        levels(compress(v, outputs.T, *np.quantile(v, [0.05, 0.95])), TAUS)
        for v in (values, values * scale)
    )
    np.testing.assert_allclose(scaled.means, plain.means, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(scaled.reached / scale, plain.reached, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scaled.xi, plain.xi, rtol=1e-9)
    own, other = (
        f.row_weights(slice(1), v) for f, v in ((scaled, values * scale), (plain, values))
    )
    np.testing.assert_allclose(own, other, rtol=1e-9)


def test_a_quantile_next_to_the_end_of_a_vast_column():
    values = 10.0 ** np.random.default_rng(0).uniform(-150, 0, 3000)
    outputs = outputs_of(np.log(values))
    low, high = np.quantile(values, [0.05, 0.95])
    result = levels(compress(values, outputs.T, low, high), TAUS)
    true = Direct(values, outputs, -1.0, low, high)
    assert (np.abs(result.means[0] - true.means) <= 1e-10 * true.sizes).all()
    assert relative(result.ess[0], true.ess) < 1e-10


def test_parts_of_the_rows_are_summed_on_the_same_nodes():
    values = columns()["normal"]
    outputs = outputs_of(values)
    low, high = np.quantile(values, [0.05, 0.95])
    whole = compress(values, outputs.T, low, high)
    tail = values <= low
    sums = whole.grid.sums(values[tail], outputs[tail].T)
    part = Compressed(whole.least, whole.most, low, high, whole.grid, sums)
    result = levels(whole, TAUS)
    true = Direct(values, outputs, -0.6, low, high)
    moment, size = true.moment(values, np.where(tail[:, None], outputs, 0), 1, 1)
    error = np.abs(result.moments(1, 1, rows=part)[2, 1:] - moment[1:])
    assert (error <= 1e-10 * size[1:]).all()


@pytest.mark.parametrize("kind", ["panels", "look-up table", "few values"])
def test_a_compressed_column_holds_the_bytes_that_it_counts_for_the_limit(kind):
    rng = np.random.default_rng(0)
    # The values 1 and 64 k are multiples of 1 up to 64,000, for which there is a look-up table.
    multiples = 64.0 * rng.integers(0, 1000, 20_000)
    multiples[:100] = 1.0
    values = {
        "panels": rng.normal(size=20_000),
        "look-up table": multiples,
        "few values": rng.integers(0, 900, 20_000) * 1.0,
    }[kind]
    outputs = [(values > 1) * 1.0]
    low, high = np.quantile(values, [0.05, 0.95])

    def held():
        before = tracemalloc.get_traced_memory()[0]
        compressed = compress(values, outputs, low, high)
        solved = levels(compressed, np.linspace(-1, 1, 5))
        for name in ("means", "ess", "kl", "half_share"):
            assert np.isfinite(getattr(solved, name)).all()
        compressed.quantiles(np.array([0.5]), upper=True)
        del solved
        gc.collect()
        return compressed.nbytes, tracemalloc.get_traced_memory()[0] - before

    # Only what is made from here on is searched for garbage.
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        held()
        # A thread of an earlier test may allocate in between, so the least of some is taken.
        counted, memory = min((held() for _ in range(5)), key=lambda sizes: sizes[1])
    finally:
        tracemalloc.stop()
    # Objects of Python themselves take some thousand bytes.
    assert memory < counted + 8_000
    assert counted < 0.5 * values.nbytes
