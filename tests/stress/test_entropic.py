"""Entropic projection on several constraints: optimal weights, the edge, or a status."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

from cases import thorough_after
from uqwidgets.stress.constrained import entropic
from uqwidgets.stress.constrained.entropic import project
from uqwidgets.stress.constrained.hull import distance, exit_towards, least_depth, reach
from uqwidgets.stress.constrained.tilting import tilt
from uqwidgets.stress.projection import Column

DRAWS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "gamma": lambda rng, n: rng.gamma(0.5, size=n),
    "lognormal": lambda rng, n: np.exp(2 * rng.normal(size=n)),
    "poisson": lambda rng, n: rng.poisson(0.7, n) * 1.0,
    "binary": lambda rng, n: (rng.random(n) < 0.2) * 1.0,
}
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def problem(seed, n=200, k=3, pull=0.3):
    """Make columns of several distributions and their means under random positive weights."""
    rng = np.random.default_rng(seed)
    phi = np.stack([DRAWS[rng.choice(list(DRAWS))](rng, n) for _ in range(k)], axis=1)
    return phi, rng.dirichlet(np.full(n, pull) + 0.01) @ phi


def gaps(result, phi):
    """Return weighted means minus targets, in standard deviations."""
    return (np.average(phi, axis=0, weights=result.weights) - result.target) / phi.std(axis=0)


def divergence(shares, base):
    positive = shares > 0
    return float(shares[positive] @ np.log(shares[positive] / base[positive]))


@pytest.mark.parametrize("seed", thorough_after(10, range(60)))
def test_targets_are_reached_by_weights_of_mean_one_that_are_exponential_in_phi(seed):
    phi, target = problem(seed, k=1 + seed % 6)
    result = project(phi, target)
    assert result.status == "ok"
    assert result.weights.mean() == pytest.approx(1, abs=1e-14)
    assert np.abs(gaps(result, phi)).max() <= 1e-10
    np.testing.assert_allclose(result.reached, target, atol=1e-10 * phi.std(axis=0).max())
    # Bachoc et al. 2023, eq. 4, with Z the mean of exp(<xi, Phi>).
    exponents = phi @ result.xi
    level = logsumexp(exponents) - np.log(len(phi))
    np.testing.assert_allclose(np.log(result.weights), exponents - level, atol=1e-7)


@pytest.mark.parametrize("seed", range(15))
def test_weights_are_those_of_an_independent_minimiser_of_the_dual(seed):
    phi, target = problem(seed, n=60, k=1 + seed % 4)
    z, t = (phi - phi.mean(axis=0)) / phi.std(axis=0), (target - phi.mean(axis=0)) / phi.std(axis=0)

    def dual(xi):
        exponents = (z - t) @ xi
        shares = np.exp(exponents - logsumexp(exponents))
        return logsumexp(exponents), shares @ (z - t)

    least = minimize(dual, np.zeros(len(t)), jac=True, method="BFGS", options={"gtol": 1e-11})
    shares = np.exp((z - t) @ least.x - least.fun)
    assert np.abs(least.jac).max() < 1e-7
    np.testing.assert_allclose(project(phi, target).weights, shares * len(z), atol=1e-5)


def test_weights_are_those_of_a_direct_minimiser_of_the_divergence():
    phi, target = problem(3, n=15, k=2, pull=2.0)
    n = len(phi)
    direct = minimize(
        lambda w: float(w @ np.log(w * n)),
        np.full(n, 1 / n),
        jac=lambda w: np.log(w * n) + 1,
        bounds=[(1e-12, 1)] * n,
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ phi - target},
        ],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    result = project(phi, target)
    np.testing.assert_allclose(result.weights / n, direct.x, atol=1e-5)
    assert result.kl == pytest.approx(direct.fun, abs=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_no_other_weights_of_these_means_are_closer_to_the_data(seed):
    rng = np.random.default_rng(seed)
    phi, target = problem(seed, k=3)
    result = project(phi, target)
    base = np.full(len(phi), 1 / len(phi))
    shares = result.weights / len(phi)
    assert result.kl == pytest.approx(divergence(shares, base), rel=1e-9)
    constraints = np.column_stack([np.ones(len(phi)), (phi - target) / phi.std(axis=0)])
    for _ in range(30):
        # Any direction that keeps the sum and the means; a step that keeps weights positive.
        direction = rng.normal(size=len(phi)) * shares
        direction -= constraints @ np.linalg.lstsq(constraints, direction, rcond=None)[0]
        down = direction < 0
        other = shares + 0.5 * (shares[down] / -direction[down]).min() * direction
        np.testing.assert_allclose(other @ constraints, [1, 0, 0, 0], atol=1e-9)
        assert divergence(other, base) > result.kl


@pytest.mark.parametrize("name", list(DRAWS))
@pytest.mark.parametrize("tau", [-0.9, -0.3, 0.4, 1.0])
def test_one_constraint_equals_the_projection_of_a_column(name, tau):
    values = DRAWS[name](np.random.default_rng(1), 400)
    column = Column(values, 0.05).project(tau)
    result = project(values, column.target)
    assert result.status == column.status
    np.testing.assert_allclose(result.weights, column.weights, atol=1e-8)


@pytest.mark.parametrize("seed", range(12))
def test_unit_origin_and_order_of_constraints_change_nothing(seed):
    phi, target = problem(seed, k=4)
    first = project(phi, target).weights
    factor = 1e-5 ** np.arange(4)
    np.testing.assert_allclose(project(phi * factor, target * factor).weights, first, atol=1e-7)
    turned = project(phi[:, ::-1], target[::-1])
    np.testing.assert_allclose(turned.weights, first, atol=1e-9)
    # Adding 1e6 rounds the values to 1e-10 of their unit.
    origin = np.array([0, 1e6, 0, -1e6])
    moved = project(phi + origin, target + origin)
    np.testing.assert_allclose(moved.weights, first, atol=1e-5)


def test_duplicate_constraints_are_one():
    phi, target = problem(5, k=2)
    once = project(phi, target)
    twice = np.column_stack([phi, 3 - 2e-5 * phi[:, 0], phi.sum(axis=1), np.full(len(phi), 7.0)])
    result = project(twice, [*target, 3 - 2e-5 * target[0], target.sum(), 7.0])
    assert result.status == "ok"
    np.testing.assert_allclose(result.weights, once.weights, atol=1e-8)


def test_nearly_equal_constraints_are_two():
    phi, target = problem(5, k=1)
    apart = phi[:, 0] + 1e-7 * np.random.default_rng(0).normal(size=len(phi))
    two = np.column_stack([phi[:, 0], apart])
    result = project(two, [target[0], target[0] + 1e-8])
    assert result.status == "ok"
    assert np.abs(result.reached[1] - result.reached[0] - 1e-8) < 1e-13


def test_contradicting_constraints_are_infeasible():
    phi, _ = problem(5, k=1)
    pair = pd.DataFrame({"a": phi[:, 0], "b": 2 * phi[:, 0]})
    result = project(pair, [pair["a"].mean(), 2 * pair["a"].mean() + 0.1])
    assert result.status == "infeasible"
    assert result.weights is None
    assert result.message.startswith("b cannot be ")
    assert f"together with a at {pair['a'].mean():.6g}" in result.message
    assert f"reach only {2 * pair['a'].mean():.6g}" in result.message


def test_starting_weights_are_a_population():
    phi, target = problem(7, n=50, k=2)
    counts = np.random.default_rng(0).integers(0, 4, len(phi))
    many = np.repeat(np.arange(len(phi)), counts)
    weighted = project(phi, target, sample_weight=counts)
    repeated = project(phi[many], target)
    assert weighted.status == repeated.status == "ok"
    per_row = weighted.weights[many] / counts[many] * len(many) / len(phi)
    np.testing.assert_allclose(per_row, repeated.weights, atol=1e-9)
    assert weighted.kl == pytest.approx(repeated.kl, rel=1e-9)
    assert (weighted.weights[counts == 0] == 0).all()


def test_targets_equal_to_the_means_give_equal_weights():
    phi, _ = problem(2)
    result = project(phi, phi.mean(axis=0))
    np.testing.assert_allclose(result.weights, 1, atol=1e-9)
    assert result.kl == pytest.approx(0, abs=1e-15)
    assert result.ess == pytest.approx(len(phi))
    assert result.half_share == pytest.approx(0.5)


def test_the_divergence_of_a_small_move_is_accurate():
    values = np.random.default_rng(0).normal(size=1000)
    result = project(values, values.mean() + 1e-6 * values.std())
    assert result.kl == pytest.approx(0.5e-12, rel=1e-3)


# What a target of the unit square, its corners twice, is: status, and the weight of each corner.
@pytest.mark.parametrize(
    ("target", "status", "corners"),
    [
        ([0.5, 0.5], "ok", [0.25, 0.25, 0.25, 0.25]),
        ([0.2, 0.7], "ok", [0.24, 0.56, 0.06, 0.14]),
        ([0.0, 0.0], "edge", [1, 0, 0, 0]),
        ([1.0, 1.0], "edge", [0, 0, 0, 1]),
        ([0.0, 0.3], "edge", [0.7, 0.3, 0, 0]),
        ([0.4, 1.0], "edge", [0, 0.6, 0, 0.4]),
    ],
)
def test_corners_sides_and_inside_of_a_square(target, status, corners):
    phi = np.concatenate([SQUARE, SQUARE])
    result = project(phi, target)
    assert result.status == status
    np.testing.assert_allclose(result.weights, np.tile(corners, 2) * 4, atol=1e-9)
    np.testing.assert_allclose(result.reached, target, atol=1e-10)


@pytest.mark.parametrize("angle", [0.3, 1.1, 2.5])
def test_a_turned_square_has_the_same_edges(angle):
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    for target, rows in (([0.0, 0.0], [0]), ([0.0, 0.25], [0, 1]), ([0.75, 1.0], [1, 3])):
        result = project(SQUARE @ turn, target @ turn)
        assert result.status == "edge"
        assert np.flatnonzero(result.weights).tolist() == rows
        np.testing.assert_allclose(result.reached, target @ turn, atol=1e-10)
        assert "only" in result.message
        assert np.isnan(result.xi).all()


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(8))
def test_a_face_of_any_dimension_carries_the_projection_of_its_rows(k, seed):
    rng = np.random.default_rng(seed)
    # All rows lie on one side of a face of dimension k - 1.
    on_face = np.column_stack([rng.normal(size=(30, k - 1)), np.zeros(30)])
    inside = np.column_stack([rng.normal(size=(50, k - 1)), 0.1 + rng.random(50)])
    turn = np.linalg.qr(rng.normal(size=(k, k)))[0]
    target = rng.dirichlet(np.ones(30)) @ on_face
    result = project(np.concatenate([on_face, inside]) @ turn, target @ turn)
    alone = project(on_face[:, :-1], target[:-1])
    assert (result.status, alone.status) == ("edge", "ok")
    np.testing.assert_allclose(result.weights[:30], alone.weights * 80 / 30, atol=1e-6)
    assert not result.weights[30:].any()


def test_edge_weights_are_the_limit_of_those_inside():
    rng = np.random.default_rng(0)
    phi = np.concatenate([SQUARE, rng.random((40, 2)) * 0.8 + 0.1])
    at = project(phi, [0.0, 0.3])
    assert at.status == "edge"
    last = np.inf
    for step in (1e-2, 1e-4, 1e-6, 1e-9):
        near = project(phi, [step, 0.3])
        assert near.status == "ok"
        distance = np.abs(near.weights - at.weights).max()
        assert distance < last
        last = distance
    assert last < 1e-6


@pytest.mark.parametrize("seed", thorough_after(3, range(20)))
def test_targets_just_outside_are_infeasible_and_just_inside_are_not(seed):
    rng = np.random.default_rng(seed)
    phi = rng.normal(size=(100, 3))
    ray = rng.normal(size=3)
    inside, outside = 0.0, 20.0
    for _ in range(30):
        middle = 0.5 * (inside + outside)
        if distance(phi - phi.mean(axis=0), ray * middle) <= 1e-9:
            inside = middle
        else:
            outside = middle
    assert project(phi, phi.mean(axis=0) + ray * inside * (1 - 1e-6)).status == "ok"
    beyond = project(phi, phi.mean(axis=0) + ray * outside * (1 + 1e-6))
    assert beyond.status == "infeasible"
    assert " cannot be " in beyond.message


def test_a_target_beyond_one_column_says_its_range():
    phi = pd.DataFrame({"age": [17.0, 30.0, 90.0], "income": [1.0, 5.0, 2.0]})
    result = project(phi, [120, 3])
    assert result.status == "infeasible"
    assert result.message == "age cannot be 120: weights of these rows reach 17 to 90."
    assert np.isnan(result.reached).all()
    assert np.isnan([result.ess, result.kl, result.half_share]).all()


def test_the_reason_is_searched_once_and_only_when_it_is_read(monkeypatch):
    searches = []
    monkeypatch.setattr(entropic, "reach", lambda *at: searches.append(1) or reach(*at))
    result = project(SQUARE[:3], [0.8, 0.6])
    assert result.status == "infeasible"
    assert not searches
    assert result.message == result.message
    assert len(searches) == 1


def test_the_message_names_the_fewest_infeasible_targets_and_their_range():
    rng = np.random.default_rng(0)
    phi = pd.DataFrame(np.c_[SQUARE[:3], rng.random(3)], columns=["a", "b", "c"])
    result = project(phi, [0.8, 0.6, phi["c"].mean()])
    assert result.status == "infeasible"
    assert result.message == (
        "b cannot be 0.6 together with a at 0.8: weights of these rows reach 0 to 0.2."
    )


def test_a_sentence_names_only_some_of_many_constraints():
    result = project(np.eye(8), np.full(8, 0.2))
    assert result.status == "infeasible"
    # Six shares of 0.2 are too many; the first three are named.
    assert result.message == (
        "constraint 5 cannot be 0.2 together with constraint 0 at 0.2 and constraint 1 at 0.2 "
        "and constraint 2 at 0.2 and 2 more: weights of these rows reach only 0."
    )


def test_a_constant_is_feasible_at_its_value_only():
    phi, target = problem(1, k=2)
    with_constant = np.column_stack([phi, np.full(len(phi), 1e6 + 0.1)])
    same = project(with_constant, [*target, 1e6 + 0.1])
    np.testing.assert_allclose(same.weights, project(phi, target).weights, atol=1e-9)
    moved = project(with_constant, [*target, 5.0], names=["a", "b", "c"])
    assert moved.status == "constant"
    assert moved.weights is None
    assert moved.message == "c cannot be 5: it is 1e+06 in every row."


@given(st.integers(0, 10**6))
def test_any_target_is_reached_or_refused_and_never_the_baseline(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 60)), int(rng.integers(1, 5))
    phi = np.stack([DRAWS[rng.choice(list(DRAWS))](rng, n) for _ in range(k)], axis=1)
    few = rng.choice(n, int(rng.integers(1, n + 1)), replace=False)
    target = rng.dirichlet(np.ones(len(few))) @ phi[few]
    if seed % 3 == 0:
        target = target + rng.normal(size=k) * phi.std(axis=0)
    result = project(phi, target)
    if result.weights is None:
        assert seed % 3 == 0
        assert result.status in ("infeasible", "constant")
        assert " cannot be " in result.message
    else:
        assert result.status in ("ok", "edge")
        assert (result.weights >= 0).all()
        scale = phi.std(axis=0) + 1e-300
        reached = np.average(phi, axis=0, weights=result.weights)
        assert (np.abs(reached - target) <= 1e-9 * scale + 1e-12).all()


def test_hundred_thousand_rows_need_few_steps():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(100_000, 5))
    base = np.full(len(points), 1e-5)
    for far in (0.1, 0.5, 1.0, 1.5):
        solved = tilt(points, base, np.full(5, far))
        assert solved.error <= 1e-10
        assert solved.steps <= 15
    heavy = np.exp(2 * points)
    heavy = (heavy - heavy.mean(axis=0)) / heavy.std(axis=0)
    assert tilt(heavy, base, np.full(5, 1.0)).steps <= 40
    assert project(points, np.full(5, 1.0)).status == "ok"


def test_steps_grow_only_slowly_towards_the_edge():
    points = np.random.default_rng(0).random((500, 2)) - 0.5
    leaves = exit_towards(points, np.array([0.1, 0.2]))
    ray = np.array([0.1, 0.2]) + leaves.depth / (leaves.outward @ [0.1, 0.2]) * np.array([0.1, 0.2])
    for near in (1e-2, 1e-5, 1e-8):
        solved = tilt(points, np.full(500, 1 / 500), ray * (1 - near))
        assert solved.error <= 1e-10
        assert solved.steps <= 80


@pytest.mark.parametrize("seed", [222, 505, 349])
def test_targets_well_inside_need_few_steps(seed):
    # Means, a variance and two shares at once: steps that halve the gap and raise H alternate
    # between two points for ever, or for very long.
    rng = np.random.default_rng(seed)
    skewed, normal, kind = (
        rng.normal(size=300) ** 3,
        rng.normal(size=300),
        rng.integers(3, size=300),
    )
    mean, variance = rng.uniform(1.8, 2.5), rng.uniform(1, 3)
    phi = np.column_stack([skewed, normal, (normal - mean) ** 2, kind == 0, kind == 1])
    target = np.array([0.6 * skewed.mean(), mean, variance, 0.33, 0.336666])
    result = project(phi, target)
    assert result.status == "ok", result.message
    np.testing.assert_allclose(result.reached, target, atol=1e-8)
    assert result.ess > 3
    white = (phi - phi.mean(axis=0)) / phi.std(axis=0)
    solved = tilt(white, np.full(300, 1 / 300), (target - phi.mean(axis=0)) / phi.std(axis=0))
    assert solved.error <= 1e-10
    assert solved.steps <= 25
    np.testing.assert_allclose(solved.weights * 300, result.weights, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_depth_of_a_mean_is_at_least_its_bound(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, 3)) ** rng.integers(1, 4)
    points -= points.mean(axis=0)
    weights = rng.dirichlet(np.full(40, rng.uniform(0.1, 2)))
    target = weights @ points
    depth = exit_towards(points, target).depth
    assert 0 < least_depth(points, weights, target) <= depth
    # Weights of another mean prove less, and those that are far from the target nothing.
    near = target + 1e-3 * depth * np.array([1.0, 0.0, 0.0])
    assert least_depth(points, weights, near) < least_depth(points, weights, target)
    assert least_depth(points, weights, points[0]) < 0


def test_only_targets_near_the_edge_need_linear_programs(monkeypatch):
    solved = []

    def counted(points, target):
        solved.append(target)
        return exit_towards(points, target)

    monkeypatch.setattr(entropic, "exit_towards", counted)
    points = np.random.default_rng(0).normal(size=(500, 2))
    for far in (0.0, 0.5, 1.5):
        assert project(points, [far, -far]).status == "ok"
    assert not solved
    assert project(points, [2.4, 2.4]).status == "infeasible"
    assert project(SQUARE, [0.5, 1 - 1e-11]).status == "ok"
    assert len(solved) == 2


def test_hull_of_a_square():
    centred = SQUARE - 0.5
    leaves = exit_towards(centred, np.array([0.25, 0.0]))
    np.testing.assert_allclose(leaves.outward, [1, 0], atol=1e-9)
    assert leaves.depth == pytest.approx(0.25)
    assert exit_towards(centred, np.array([0.0, 0.75])).depth == pytest.approx(-0.25)
    assert exit_towards(centred, np.zeros(2)) is None
    assert distance(centred, np.array([0.25, 0.1])) == pytest.approx(0, abs=1e-9)
    assert distance(centred, np.array([1.0, 0.75])) == pytest.approx(0.75)
    triangle = SQUARE[:3]
    np.testing.assert_allclose(reach(triangle, np.array([0.75, 9.0])), (0, 0.25), atol=1e-6)


def test_a_function_makes_phi_from_the_rows():
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0, 8.0], "b": [0.0, 1.0, 0.0, 1.0]})
    result = project(lambda X: X[["b"]].assign(logs=np.log2(X["a"])), [0.6, 1.8], X=X)
    assert result.names == ("b", "logs")
    np.testing.assert_allclose(result.weights @ np.log2(X["a"]) / 4, 1.8)
    np.testing.assert_allclose(result.weights @ X["b"] / 4, 0.6)


@pytest.mark.parametrize(
    ("phi", "targets", "more", "message"),
    [
        (np.ones((3, 2)), [1.0], {}, r"targets has shape \(1,\); pass one for each of 2"),
        (np.ones((3, 2, 2)), [1.0], {}, r"phi has shape \(3, 2, 2\)"),
        (np.ones((3, 0)), [], {}, r"phi has shape \(3, 0\)"),
        ([1.0, np.nan, 2.0], 1.5, {}, "constraint 0 is nan in row 1"),
        ([1.0, 3.0, np.inf], 1.5, {"names": ["size"]}, "size is inf in row 2"),
        ([1.0, 2.0], np.nan, {}, "a target is nan"),
        (["a", "b"], 1.5, {}, "phi holds something that is not a number"),
        ([1.0, 2.0], "x", {}, "targets holds something that is not a number"),
        ([1.0], 1.0, {}, "only one row"),
        ([1.0, 2.0], 1.5, {"sample_weight": [0, 1]}, "only one row has weight"),
        ([1.0, 2.0], 1.5, {"names": ["a", "b"]}, "2 names for 1 constraints"),
        (lambda X: X, 1.5, {}, "pass them as X"),
        (lambda X: X[:1], 1.5, {"X": pd.DataFrame({"a": [1.0, 2.0]})}, "1 rows but X has 2"),
    ],
)
def test_invalid_arguments_are_refused(phi, targets, more, message):
    with pytest.raises(ValueError, match=message):
        project(phi, targets, **more)


def test_inputs_are_left_as_they_were():
    phi, target = problem(0)
    before = phi.copy(), target.copy()
    project(phi, target)
    np.testing.assert_array_equal(phi, before[0])
    np.testing.assert_array_equal(target, before[1])
