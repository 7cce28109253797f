"""Every remark has a code, and the documentation explains every code."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import remarks_page
import uqwidgets as uq
from reading_html import StaticHtml
from remark_examples import EXAMPLES, outcome
from uqwidgets._utils.remarks import REMARKS, Remark
from uqwidgets.plotting.html import Markup, panel

ROOT = Path(__file__).resolve().parents[2]
HOST_OF_PAGES = ROOT / "js" / "src" / "page" / "host.ts"


def codes_in_the_package() -> Iterator[str]:
    """Yield the code of every remark that the package makes."""
    for path in (ROOT / "uqwidgets").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remark":
                code = node.args[0]
                if isinstance(code, ast.Constant):
                    yield str(code.value)


def test_every_code_that_is_used_is_in_the_list_and_every_code_of_the_list_is_used() -> None:
    # The page without a kernel makes remarks too.
    script = HOST_OF_PAGES.read_text(encoding="utf-8")
    of_pages = {code for code in REMARKS if f'"{code}"' in script}
    assert {*codes_in_the_package(), *of_pages} == set(REMARKS)


def test_the_documentation_has_a_page_for_each_code(tmp_path: Path) -> None:
    (tmp_path / "of-another-time.md").touch()
    remarks_page.write(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {"index", *REMARKS}
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    for code, kind in REMARKS.items():
        text = (tmp_path / f"{code}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {code}\n")
        assert all(sentence in text for sentence in kind)
        assert f"[{code}]({code}.md)" in index


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_leads_to_its_remark(code: str) -> None:
    remarks = [one for one in outcome(EXAMPLES[code]).remarks if one.code == code]
    assert remarks
    assert f"> {remarks[0]}" in remarks_page.page(code)


def test_codes_are_plain_and_explanations_are_sentences() -> None:
    for code, kind in REMARKS.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
        assert all(text.endswith(".") and text[0].isupper() for text in kind)


def test_a_remark_is_its_text_and_keeps_its_code() -> None:
    remark = Remark("few-pairs", "the weights leave 3 pairs")
    assert remark == "the weights leave 3 pairs"
    assert repr((remark,)) == "('the weights leave 3 pairs',)"
    for twin in (copy.deepcopy(remark), pickle.loads(pickle.dumps(remark))):
        assert (twin, twin.code) == (remark, "few-pairs")
    with pytest.raises(ValueError, match="there is no remark 'few'"):
        Remark("few", "text")


def test_the_remarks_of_results_have_codes() -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    X[:5, 1] = np.nan
    truth = X[:, 0] > 0
    certain = uq.Explainer(lambda X: np.tile([1.0, 0.0], (len(X), 1)), X, truth)
    stress = certain.stress(["x1"], missing="drop", level=0.95)
    assert {remark.code for remark in stress.remarks} >= {"missing-values", "coverage-under-stress"}
    importance = certain.importance("nll")
    assert importance.remarks[0].code == "probability-zero"
    other = uq.Explainer(lambda X: np.tile([0.5, 0.5], (len(X), 1)), X, truth)
    compared = certain.compare(other).importance("nll")
    assert "probability-zero" in {remark.code for remark in compared.remarks}


def test_a_picture_shows_the_code_of_a_remark_on_hover() -> None:
    notes = ["a note", Remark("few-pairs", "a <remark>")]
    read = StaticHtml(panel("title", "summary", Markup(""), notes, Markup("")))
    codes = [attributes.get("title") for tag, attributes in read.tags if tag == "small"]
    assert codes == [None, "few-pairs"]
    assert "a <remark>" in read.text
