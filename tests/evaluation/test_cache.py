"""The LRU cache of predictions and derived arrays within a limit of bytes."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqwidgets.evaluation.cache import Cache, parse_bytes


def block(n):
    return np.zeros(n, dtype=np.uint8)


def test_derived_arrays_are_evicted_before_answers_and_the_newest_stays():
    cache = Cache(100)
    cache.keep("answer", block(40))
    cache.put("derived", block(40))
    cache.keep("second", block(40))
    assert list(cache.predictions) == ["answer", "second"]
    assert not cache.derived
    cache.keep("huge", block(500))
    assert list(cache.predictions) == ["huge"]
    assert cache.nbytes == 500


def test_derived_arrays_outlive_large_answers():
    cache = Cache(100)
    for number in range(6):
        cache.put(f"derived {number}", block(5))
        cache.keep(f"answer {number}", block(30))
    assert list(cache.derived) == [f"derived {number}" for number in range(1, 6)]
    assert list(cache.predictions) == ["answer 4", "answer 5"]
    cache.put("large", block(90))
    assert (list(cache.predictions), list(cache.derived)) == ([], ["large"])


def test_the_least_recently_used_is_evicted_first():
    cache = Cache(100)
    for name in "abc":
        cache.keep(name, block(30))
    cache.get("a")
    cache.keep("d", block(30))
    assert list(cache.predictions) == ["c", "a", "d"]
    assert cache.get("b") is None


def test_pinned_arrays_are_found_whatever_is_evicted_until_their_holder_is_gone():
    class Holder:
        pass

    cache, first, second = Cache(100), Holder(), Holder()
    cache.pinned(first)["key"] = block(80)
    cache.pinned(second)["key"] = block(500)
    cache.put("key", block(90))
    cache.put("other", block(90))
    assert list(cache.derived) == ["other"]
    assert cache.nbytes == 90, "what is pinned does not count"
    assert len(cache.array("key")) == 500
    del second
    gc.collect()
    assert len(cache.array("key")) == 80
    assert cache.array("unknown") is None


def test_a_derived_array_is_computed_once_and_read_only():
    cache = Cache(100)
    made = []

    def compute():
        made.append(1)
        return block(10)

    first = cache.cached("key", compute)
    assert cache.cached("key", compute) is first
    assert len(made) == 1
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1


def test_a_replaced_array_is_counted_once():
    cache = Cache(100)
    cache.put("key", block(30))
    cache.put("key", block(50))
    assert cache.nbytes == 50


@given(st.lists(st.tuples(st.sampled_from(["keep", "put"]), st.integers(0, 9), st.integers(1, 60))))
def test_the_byte_count_is_exact_and_above_the_limit_only_for_the_newest(steps):
    cache = Cache(100)
    for number, (what, name, size) in enumerate(steps):
        if what == "keep":
            cache.keep(number, block(size))
        else:
            cache.put(name, block(size))
        arrays = [*cache.predictions.values(), *cache.derived.values()]
        assert cache.nbytes == sum(a.nbytes for a in arrays)
        assert cache.nbytes <= 100 or len(cache.predictions) == 1 or len(cache.derived) == 1


def interrupted(work, line):
    """Raise KeyboardInterrupt at a line of the cache; return whether that line was reached."""
    lines = 0

    def count(frame, event, argument):  # noqa: ARG001
        nonlocal lines
        if event == "line":
            lines += 1
            if lines == line:
                sys.settrace(None)
                raise KeyboardInterrupt
        return count

    def enter(frame, event, argument):  # noqa: ARG001
        return count if frame.f_code.co_filename.endswith("cache.py") else None

    former = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(former)
    return False


def test_the_cache_is_consistent_after_an_interrupt_at_any_line():
    def fill(cache):
        for number in range(6):
            cache.put(f"derived {number}", block(30))
            cache.keep(f"answer {number}", block(25))
            cache.put("replaced", block(10 + number))
            cache.drop(f"answer {number - 1}")

    line = 1
    while True:
        cache = Cache(100)
        if not interrupted(lambda: fill(cache), line):  # noqa: B023
            break
        arrays = [*cache.predictions.values(), *cache.derived.values()]
        assert cache.nbytes == sum(a.nbytes for a in arrays), line
        fill(cache)
        cache.put("last", block(60))
        assert "last" in cache.derived
        assert cache.nbytes <= 100
        line += 1
    assert line > 100


@pytest.mark.parametrize(
    ("size", "bytes_"),
    [
        (1_000, 1_000),
        ("1000", 1_000),
        ("2kB", 2_000),
        ("2 KiB", 2_048),
        ("1.5MB", 1_500_000),
        ("1GiB", 2**30),
        (" 0.5 g ", 500_000_000),
        ("1T", 10**12),
    ],
)
def test_sizes_in_bytes_and_as_text(size, bytes_):
    assert parse_bytes(size) == bytes_


@pytest.mark.parametrize(
    "size", [0, -5, "", "GiB", "0", "0.2", ".", "1.2.3GiB", "1e9", "9" * 400, None, "1 PB", "1iB"]
)
def test_invalid_sizes_are_refused(size):
    with pytest.raises(
        ValueError, match=r"memory_limit is .*; give bytes or a text such as '1GiB'"
    ):
        parse_bytes(size)


@given(st.text(alphabet="0123456789. kKmMgGtTiIbB", max_size=8))
def test_any_text_is_a_size_or_a_value_error(text):
    try:
        result = parse_bytes(text)
    except ValueError as error:
        message = str(error)
    else:
        message = "memory_limit is fine" if result >= 1 else ""
    assert message.startswith("memory_limit is ")
