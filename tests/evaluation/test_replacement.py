"""Donors of every replacement scheme."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets.evaluation.donors import drawn_donors, stream_of
from uqwidgets.evaluation.replacement import SCHEMES, Constant, checked_scheme

ALL = np.zeros(50, dtype=np.intp)
GROUPS = np.arange(50) // 17


@pytest.mark.parametrize("scheme", ["permutation", "conditional"])
def test_every_repeat_is_a_permutation(scheme):
    donors = drawn_donors(scheme, (3,), 0, 20, GROUPS)
    assert donors.shape == (20, 50)
    np.testing.assert_array_equal(np.sort(donors, axis=1), np.tile(np.arange(50), (20, 1)))


def test_ablation_draws_with_replacement():
    donors = drawn_donors("ablation", (3,), 0, 20, ALL)
    assert donors.shape == (20, 50)
    assert donors.min() >= 0
    assert donors.max() < 50
    assert all(len(np.unique(line)) < 50 for line in donors)


def test_conditional_donors_are_of_the_same_subgroup():
    donors = drawn_donors("conditional", (3,), 0, 20, GROUPS)
    assert (GROUPS[donors] == GROUPS).all()
    assert (donors != np.arange(50)).any(axis=1).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_more_repeats_begin_with_the_same_donors(scheme):
    ten, thirty = (drawn_donors(scheme, (1, 4), 7, repeats, GROUPS) for repeats in (10, 30))
    np.testing.assert_array_equal(ten, thirty[:10])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_feature_repeat_and_seed_has_its_own_donors(scheme):
    moved = [(0,), (1,), (2,), (0, 1), (1, 0)]
    drawn = [drawn_donors(scheme, columns, s, 4, ALL) for columns in moved for s in range(3)]
    lines = {tuple(line) for donors in drawn for line in donors.tolist()}
    assert len(lines) == 5 * 4 * 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_repeats_can_start_at_any_number(scheme):
    all_of_them = drawn_donors(scheme, (3,), 7, 12, GROUPS)
    np.testing.assert_array_equal(drawn_donors(scheme, (3,), 7, 4, GROUPS, 8), all_of_them[8:])


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1])
def test_donors_are_drawn_from_the_spawned_streams_of_numpy(seed):
    stream = stream_of(["age"])
    for repeat in (0, 1, 12):
        sequence = np.random.SeedSequence(seed, spawn_key=(*stream, repeat))
        expected = np.arange(50)
        np.random.Generator(np.random.PCG64(sequence)).shuffle(expected)
        (donors,) = drawn_donors("permutation", stream, seed, 1, ALL, repeat)
        np.testing.assert_array_equal(donors, expected)


def test_random_streams_depend_on_the_set_of_names():
    streams = [stream_of(names) for names in (["a"], ["b"], ["a", "b"], ["ab"], ["é"], ["\ud800"])]
    assert len(set(streams)) == len(streams)
    assert stream_of(["b", "a"]) == stream_of(["a", "b"])
    assert stream_of(["a"]) == (310482890, 3401391050, 3006382842, 1306272666)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_donors_are_uniform_within_the_subgroup(scheme):
    groups = np.array([0, 1, 0, 0, 0, 1, 0]) if scheme == "conditional" else np.zeros(7, dtype=int)
    donors = drawn_donors(scheme, (0,), 0, 4000, groups)
    counts = np.stack([np.bincount(donors[:, i], minlength=7) for i in range(7)])
    same = groups[:, None] == groups
    expected = same / same.sum(axis=0)
    # The share of each donor in 4000 draws is binomial; five standard errors allow for 49 shares.
    assert np.abs(counts / 4000 - expected).max() < 5 * np.sqrt(0.25 / 4000)


def test_an_unknown_scheme_suggests_the_nearest_one():
    assert checked_scheme("ablation") == "ablation"
    with pytest.raises(ValueError, match="no replacement 'permute'; did you mean 'permutation'"):
        checked_scheme("permute")


def test_the_donors_of_a_feature_are_drawn_once_for_all_repeats(monkeypatch):
    """Each draw sets up a random stream, which costs more than to shuffle few rows."""
    draws = []

    def counted(*arguments):
        draws.append(arguments[3])  # number of repeats
        return drawn_donors(*arguments)

    monkeypatch.setattr("uqwidgets.evaluation.donors.drawn_donors", counted)
    X = np.random.default_rng(0).normal(size=(30, 4))
    explainer = uq.Explainer(lambda X: X[:, 0], X, X[:, 1])
    explainer.importance("squared_error", n_repeats=5)
    assert draws == [5] * 4
    explainer.importance("squared_error", n_repeats=7)
    assert draws == [5] * 4 + [2] * 4


def test_constants_survive_copies_and_other_processes():
    constant = Constant((1,), (True,))
    for copied in (copy.deepcopy(constant), pickle.loads(pickle.dumps(constant))):
        assert copied == constant
        assert hash(copied) == hash(constant)
        assert copied != Constant((1,), (1,))
