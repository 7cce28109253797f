"""Paths over tau as products of thin matrices, which a page stores to within a tolerance."""

from __future__ import annotations

import json

import numpy as np

from uqwidgets.widgets.page.low_rank import (
    combinations,
    low_rank,
    shared_scores,
    shared_weights,
)
from uqwidgets.widgets.page.paths import Paths, coefficients
from uqwidgets.widgets.page.store import Store
from widgets.pages import inflated, stored_columns


def test_polynomials_of_tau_are_stored_to_within_their_tolerance():
    rng = np.random.default_rng(1)
    for sides, k in ((60, 12), (4, 40), (1, 1)):
        tolerance = 10.0 ** rng.integers(-6, 3, k)
        start = 1e3 * tolerance * rng.normal(size=k)
        sizes = 300 / (1 + np.arange(8)) ** 2
        samples = start + tolerance * np.cumsum(
            sizes[:, None] * rng.normal(size=(sides, 8, k)), axis=1
        )
        samples = np.concatenate([np.broadcast_to(start, (sides, 1, k)), samples], axis=1)
        store = Store()
        paths = np.stack([coefficients(side, 8) for side in samples], axis=1)
        number = store.add_paths(within(paths, tolerance), "paths")
        restored = stored_columns(store.deflated({}))[number]
        assert (np.abs(restored - samples) < 1.01 * tolerance).all()


def test_polynomials_of_a_side_with_short_axes_are_stored_more_precisely():
    rng = np.random.default_rng(9)
    matrix = rng.normal(size=(5, 30, 12)) * (200 / 4.0 ** np.arange(5))[:, None, None]
    matrix[0] = 0
    room = np.ones((9, 30, 1))
    room[:, 7] = 0.1
    room[3, 8] = 0.5
    scales = room.min(axis=(0, 2))
    paths = Paths(matrix, np.ones(12), [room], [12], scales)
    store = Store()
    number = store.add_paths(paths, "paths")
    off = np.abs(stored_columns(store.deflated({}))[number] - at_nodes(matrix))
    assert (off < 1.01 * room[::2].transpose(1, 0, 2)).all()
    assert off[7].max() < 0.1 < 0.5 < off.max()


def within(matrix, tolerance=None):
    """Return polynomials with the same largest error on all sides."""
    orders, sides, k = matrix.shape
    tolerance = np.ones(k) if tolerance is None else tolerance
    return Paths(matrix, tolerance, [np.ones((2 * orders - 1, sides, 1))], [k])


def test_polynomials_that_are_alike_share_their_components():
    one = np.zeros((3, 50, 30))
    one[1] = np.outer(np.arange(50.0), np.ones(30))
    assert low_rank(within(one)).left.shape == (150, 1)
    assert low_rank(within(np.zeros((3, 4, 5)))).left.shape == (12, 0)


def described(paths, shared):
    """Return the product of paths by the shared scores, if these describe them."""
    return low_rank(paths, shared, shared_weights(paths, shared))


def stored_size(matrices, products):
    """Return the number of characters of matrices in a page."""
    store = Store()
    for i, (each, product) in enumerate(zip(matrices, products, strict=True)):
        store.add_paths(each, str(i), product)
    return sum(map(len, store.deflated({}).values()))


def at_nodes(paths):
    """Return polynomials (orders, sides, k) at the nodes of a side, (sides, nodes, k)."""
    orders = np.arange(len(paths))
    x = -np.cos(np.pi * orders / (len(paths) - 1))
    basis = np.polynomial.chebyshev.chebvander(x, len(paths) - 1)
    basis[:, 1:] -= basis[0, 1:]
    return np.einsum("ij,jsk->sik", basis, paths)


def test_matrices_of_the_same_populations_share_their_scores():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(8, 60, 5)) * (30 / 4.0 ** np.arange(8))[:, None, None]
    widths = (30, 50, 40, 30, 60, 80)
    every = [within(scores @ rng.normal(size=(5, k))) for k in widths]
    unlike = np.zeros((8, 60, 3))
    unlike[1, 7] = 1000.0 * rng.normal(size=3)
    shared = shared_scores(every)
    assert shared_scores(every[:5]) is None  # too few
    assert shared.whole.shape == (480, 6)  # and the common start of all sides
    together = [*every, within(unlike)]
    products = [described(each, shared) for each in together]
    assert [product.shared is shared for product in products] == [True] * 6 + [False]
    store = Store()
    numbers = [
        store.add_paths(each, str(i), product)
        for i, (each, product) in enumerate(zip(together, products, strict=True))
    ]
    columns = stored_columns(store.deflated({}))
    for number, paths in zip(numbers, together, strict=True):
        assert np.abs(columns[number] - at_nodes(paths.coefficients)).max() < 1.01
    index = json.loads(inflated(store.deflated({})[""]))
    left = [index["columns"][number]["left"] for number in numbers[:-1]]
    assert len(set(left)) == 1
    assert stored_size(every, products[:-1]) < 0.7 * stored_size(every, [None] * 6)
    # Combinations of shared scores are few, however wide the matrices are.
    wide = [within(np.tile(each.coefficients, (1, 1, 6))) for each in every]
    products = [described(each, shared_scores(wide)) for each in wide]
    for each, product in zip(wide, products, strict=True):
        assert product.shared is not None
        assert product.weights.size < 0.1 * product.left.size
        error = (product.values - each.matrix).reshape(each.shape)
        assert np.abs(at_nodes(error)).max() < 1
    assert stored_size(wide, products) < 0.8 * stored_size(wide, [None] * len(wide))


def test_there_are_as_many_shared_scores_as_the_matrices_need(monkeypatch):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(8, 60, 12)) * (30 / 4.0 ** np.arange(8))[:, None, None]
    every = [within(scores @ rng.normal(size=(12, 40))) for _ in range(6)]
    assert shared_scores(every).whole.shape == (480, 13)
    most = "uqwidgets.widgets.page.low_rank._MOST_SHARED"
    # The first ones are not enough, so there are more, which describe the matrices as well.
    monkeypatch.setattr(most, (4, 64))
    shared = shared_scores(every)
    assert shared.whole.shape == (480, 13)
    assert all(described(each, shared).shared is shared for each in every)
    monkeypatch.setattr(most, (4,))
    assert shared_scores(every).whole.shape == (480, 4)


def test_columns_that_are_hardly_alike_are_combinations_of_the_shared_scores():
    rng = np.random.default_rng(4)
    sizes = (30 / 4.0 ** np.arange(8))[:, None, None]
    scores = rng.normal(size=(8, 60, 30)) * sizes * 0.9 ** np.arange(30)
    alike = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 40))
    # Steps along the grid: each column is the one before it with a few rows more.
    steps = np.cumsum(rng.normal(size=(30, 40)) * (rng.random(40) < 0.7), axis=1)
    every = [within(scores @ each) for each in (alike, *[steps] * 6)]
    shared = shared_scores(every)
    assert combinations(every[0], shared, shared_weights(every[0], shared)) is None
    product = combinations(every[1], shared, shared_weights(every[1], shared))
    assert product.weights is None
    assert product.right.shape == (product.left.shape[1], 40)
    store = Store()
    number = store.add_paths(every[1], "steps", product)
    column = stored_columns(store.deflated({}))[number]
    assert np.abs(column - at_nodes(every[1].coefficients)).max() < 1.01
    components = described(every[1], shared)
    assert stored_size(every[1:2], [product]) < 0.95 * stored_size(every[1:2], [components])
    unlike = np.zeros((8, 60, 40))
    unlike[1] = 1000.0 * rng.normal(size=(60, 40))
    assert shared_weights(within(unlike), shared) is None


def test_lines_of_whole_numbers_are_stored_as_their_smallest_differences():
    smooth = np.rint(1e6 * np.sin(np.linspace(0, 3, 400)))
    rough = np.random.default_rng(8).integers(-9, 9, 400)
    paths = np.zeros((2, 1, 400))
    store = Store()
    orders = []
    for line in (smooth, rough):
        paths[1, 0] = line
        number = store.add_paths(within(paths), str(line[1]))
        chunks = store.deflated({})
        columns = stored_columns(chunks)
        assert np.abs(columns[number][0, 1] - 2 * line).max() < 1
        described = json.loads(inflated(chunks[""]))["columns"]
        orders.append(columns[described[described[number]["right"]]["orders"]].tolist())
    assert orders[0][0] > 1
    assert orders[1] == [0]
