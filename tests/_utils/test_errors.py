"""Errors of models in one line."""

from __future__ import annotations

import numpy as np
import pytest

import uqwidgets as uq
from uqwidgets._utils.errors import in_one_line


class WithoutTextError(Exception):
    def __str__(self):
        raise ValueError("no text")


def test_an_error_is_its_type_and_the_first_line_of_its_message():
    assert in_one_line(KeyError()) == "KeyError"
    assert in_one_line(RuntimeError("one\ntwo")) == "RuntimeError: one"
    assert in_one_line(WithoutTextError()) == "WithoutTextError"


def test_a_model_whose_error_has_no_text_is_reported():
    def model(_X):
        raise WithoutTextError

    with pytest.raises(uq.ModelError, match="WithoutTextError"):
        uq.Explainer(model, np.zeros((3, 2)), np.zeros(3))
