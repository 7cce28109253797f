"""Random messages, most of them wrong: made from the declared inputs, so that none is left out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from uqwidgets.widgets.inputs.inputs import NAMES


def deep(depth: int) -> list[Any]:
    """Return lists in lists."""
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


#: Values that no check may fail on, whatever the input.
ANYTHING: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 2**31, 2**53, 2**63, 10**400, -(10**5000), 0.5, -0.25,
    float("nan"), float("inf"), 1e308, "", " ", "a", "b", "c", "same", "nll", "yes", "model",
    "\ud800", "<b>", "x" * 2000, "x" * 20_000, "__class__", b"\0", [], {}, [None], [[]], [{}],
    {"a": {}}, ["a"] * 300, deep(300), deep(980),
    "rest", "learner", "cohort:", "cohort:red", "model:", "model:second", "class:", "class:yes",
    "0", "1e400", "nan", "2024-01-01", "2024-13-45", "2024-01-01T00:00:00+99:99", "9999-12-31",
    "0-99", "5-2", "0-999999999999", "1,2," * 500, "bits:", "bits:////", "bits:=", "-1",
)  # fmt: skip


class RandomMessages:
    """Messages of random values for the inputs.

    Parameters
    ----------
    valid : mapping of str to object
        A valid value of every input; most values are made from it by small changes.
    seed : int
    others : sequence of str
        Names besides the inputs that messages set.
    """

    def __init__(self, valid: Mapping[str, Any], seed: int, others: Sequence[str] = ()) -> None:
        assert set(valid) == set(NAMES), "every input needs a valid value"
        self._valid = valid
        self._random = random.Random(seed)
        self._names = [*NAMES, "pins", *others]
        self._keys = sorted(
            {"low", "high", "missing", "rows", "state", "note", "ghost", *self._keys_in(valid)}
        )

    def state(self) -> dict[str, Any]:
        """Return random values of some traits."""
        chosen = self._random.sample(self._names, self._random.randint(1, 4))
        return {name: self.value(name) for name in chosen}

    def paths(self) -> list[list[str]]:
        """Return paths of binary buffers, mostly none."""
        return [[self._random.choice(self._names)]] if self._random.random() < 0.1 else []

    def value(self, name: str) -> Any:
        """Return a value for a trait: a valid one, a changed one or any."""
        kind = self._random.random()
        if kind < 0.3 or name not in {*NAMES, "pins"}:
            return self._anything()
        valid = [self._pin()] if name == "pins" else self._valid[name]
        return valid if kind < 0.5 else self._changed(valid)

    def _pin(self) -> dict[str, Any]:
        chosen = self._random.sample(NAMES, 3)
        state = {name: self._changed(self._valid[name]) for name in chosen}
        return {"note": "n", "state": state, "ghost": self._random.random() < 0.5}

    def _anything(self) -> Any:
        return self._random.choice(ANYTHING)

    def _changed(self, value: Any) -> Any:
        """Return a value with one change at one place of it."""
        choose = self._random.random()
        if isinstance(value, list) and value and choose < 0.9:
            at = self._random.randrange(len(value))
            before, after = value[:at], value[at + 1 :]
            return self._random.choice(
                [
                    [*before, self._changed(value[at]), *after],
                    [*before, *after],
                    [*value, value[at]],
                    [*value, self._anything()],
                    [*value[::-1]],
                    value * 60,
                ]
            )
        if isinstance(value, dict) and value and choose < 0.9:
            key = self._random.choice(list(value))
            rest = {k: v for k, v in value.items() if k != key}
            other = self._random.choice(self._keys)
            return self._random.choice(
                [
                    {**value, key: self._changed(value[key])},
                    {**value, key: self._anything()},
                    rest,
                    {**rest, other: value[key]},
                    {**value, other: self._anything()},
                ]
            )
        if type(value) in (int, float) and abs(value) < 1e100 and choose < 0.5:
            return self._random.choice(
                [-value, value + 1, value * 10**9, value * 0.3 if abs(value) < 1e300 else 0.3]
            )
        return self._anything()

    def _keys_in(self, value: Any) -> set[str]:
        """Return the keys of all dicts in a value."""
        match value:
            case Mapping():
                inside = [self._keys_in(each) for each in value.values()]
                return set(value).union(*inside)
            case list():
                return set().union(*map(self._keys_in, value))
        return set()
