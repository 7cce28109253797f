"""Saved pages as people open them: two at once, again, from a notebook, with answers, in part."""

from __future__ import annotations

import re

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

import uqwidgets as uq
from browser.harness import new_page, watched_page
from browser.reading import answered, wait_for_answer
from browser.saved_pages import assert_importance

# Parsers of HTML treat these in ways of their own.
ODD = "\n\tlead \r\x85\u2028\u00a0&nbsp;&notit;&#13;\ufeff<!-- --><title>'\"\ufdd0\U0001fffe"
# Cells of a notebook.
N_CELLS = 10


@pytest.fixture(scope="module")
def explorer():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["length", "width τ"])
    y = X["length"] + rng.normal(size=60)

    def model(X):
        return X["length"].to_numpy(), np.full(len(X), 0.5)

    with uq.explore(model, X, y, stress_feature="length", n_repeats=2, ice_lines=5) as explorer:
        explorer.pin(ODD)
        yield explorer


@pytest.fixture(scope="module")
def saved(explorer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    options = {"stress_features": ["length"], "progress": False}
    one = explorer.save(folder / "one.html", title="One", **options)
    explorer.tau = 0.5
    texts = {"title": f"Other {ODD}", "author": ODD, "note": ODD}
    other = explorer.save(folder / "other.html", **texts, **options)
    explorer.tau = 0.0
    return one, other


def exact(explorer, tau):
    weights = explorer.explainer.stress_weights("length", tau) if tau else None
    return explorer.explainer.importance("nll", n_repeats=2, sample_weight=weights)


def opened(page, saved):
    page.goto(saved.path.as_uri())
    root = page.get_by_test_id("uq-root")
    wait_for_answer(root)
    return root


def test_a_whole_page_shows_its_hash_and_no_sentence_of_a_still(browser, saved):
    with watched_page(browser) as page:
        opened(page, saved[0])
        foot = page.locator("footer.uq-seal")
        expect(foot).to_contain_text(saved[0].sha256)
        expect(foot.locator("b")).to_have_text(saved[0].sha256[:8])
        expect(page.get_by_text("bytes")).to_have_count(0)
        assert page.title() == "One"


@pytest.mark.parametrize("is_scripted", [False, True], ids=["no scripts", "a script that is cut"])
def test_where_its_script_does_not_run_a_page_says_that_it_shows_a_still(
    browser, saved, tmp_path, is_scripted
):
    content, size = saved[0].path.read_bytes(), f"{saved[0].nbytes:,} bytes"
    path = tmp_path / "page.html"
    at = content.index(b'<script type="module">') + 50_000
    # The policy of the page refuses a script with another hash.
    path.write_bytes(content[:at] + content[at + 1 :] if is_scripted else content)
    with new_page(browser, java_script_enabled=is_scripted) as page:
        page.goto(path.as_uri())
        still = page.get_by_text("This is a still picture")
        expect(still).to_be_visible()
        expect(still).to_contain_text(size)
        expect(page.locator("#uq-still svg").first).to_be_visible()
        top = page.get_by_text("This file should have").bounding_box()
        assert top["y"] < still.bounding_box()["y"] < page.locator("#uq-still").bounding_box()["y"]


@pytest.mark.parametrize("share", [0.2, 0.7, 0.999])
def test_a_page_that_is_loaded_in_part_says_so(browser, saved, tmp_path, share):
    content = saved[0].path.read_bytes()
    path = tmp_path / "page.html"
    path.write_bytes(content[: int(share * len(content))])
    with watched_page(browser) as page:
        page.goto(path.as_uri())
        if share < 0.5:
            # The cut is in the script.
            expect(page.locator("body")).to_have_text(
                re.compile(rf"should have {saved[0].nbytes:,} bytes.*it is damaged: ask for it"),
                use_inner_text=True,
            )
        else:
            sentence = f"This file is damaged (it should have {saved[0].nbytes:,} bytes). "
            expect(page.locator("body")).to_have_text(f"{sentence}Ask for it again.")


def test_answers_are_read_back_with_the_hash_of_their_page(browser, saved, tmp_path):
    copy = tmp_path / "copy.html"
    with watched_page(browser) as page:
        opened(page, saved[0])
        page.get_by_role("heading", name="Review", exact=True).click()
        page.get_by_label("Reviewer").fill("R. Viewer τ <b>")
        page.get_by_label("approved", exact=True).check()
        page.get_by_text("Comment", exact=True).first.click()
        page.get_by_role("textbox", name="Comment on view 1").fill("seen")
        with page.expect_download() as info:
            page.get_by_role("button", name="Download with answers").click()
        info.value.save_as(copy)
    review = uq.read_review(copy)
    given = (review.verdict, review.reviewer, review.pins[0].comment)
    assert given == ("approved", "R. Viewer τ <b>", "seen")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", review.date)
    assert review.sha256 == saved[0].sha256
    assert f'<b class="uq-bytes">{copy.stat().st_size:,}</b>' in copy.read_text("utf-8")
    # A damaged answer is no answer.
    copy.write_bytes(copy.read_bytes().replace(b'"verdict":"approved"', b'"verdict":"rejected"'))
    with pytest.raises(ValueError, match="is damaged"):
        uq.read_review(copy)
    with watched_page(browser) as page:
        page.goto(copy.as_uri())
        expect(page.get_by_role("alert")).to_contain_text("This file is damaged")


def test_two_pages_at_once_do_not_know_of_each_other(browser, saved, explorer):
    with watched_page(browser) as page:
        root = opened(page, saved[0])
        second = page.context.new_page()
        other = opened(second, saved[1])
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        assert other.get_by_test_id("uq-tau").input_value() == "0.5"
        assert_importance(other, exact(explorer, 0.5))
        assert_importance(root, exact(explorer, 1.0), tolerance=0.002)


def test_after_another_page_the_back_button_shows_a_page_that_answers(browser, saved, explorer):
    with watched_page(browser) as page:
        root = opened(page, saved[0])
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        opened(page, saved[1])
        page.go_back()
        assert page.title() == "One"
        wait_for_answer(root)
        # A browser keeps the page, or opens it anew.
        tau = float(root.get_by_test_id("uq-tau").input_value())
        assert tau in (0.0, 1.0)
        assert_importance(root, exact(explorer, tau), tolerance=0.002 if tau else 0.0)
        with answered(root):
            root.get_by_test_id("uq-tau").press("Home")
        assert_importance(root, exact(explorer, -1.0), tolerance=0.002)


def test_a_reload_warns_of_typed_answers_and_opens_the_page_anew(browser, saved, explorer):
    asked = []
    with watched_page(browser) as page:
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        root = opened(page, saved[1])
        page.reload()
        wait_for_answer(root)
        assert asked == []
        page.get_by_role("heading", name="Review", exact=True).click()
        page.get_by_label("Reviewer").press_sequentially("R")
        page.reload()
        wait_for_answer(root)
        assert asked == ["beforeunload"]
        expect(page.get_by_label("Reviewer")).to_have_value("")
        assert_importance(root, exact(explorer, 0.5))


# A browser without memory, or a chunk that fails its checksum.
FAILING = """() => {
  window.former = window.DecompressionStream;
  window.DecompressionStream = class {
    constructor() {
      return new TransformStream({ transform: () => { throw new TypeError("bad checksum"); } });
    }
  };
}"""


def test_a_part_that_cannot_be_inflated_is_said_and_the_numbers_stay(browser, saved, explorer):
    with watched_page(browser) as page:
        root = opened(page, saved[0])
        page.evaluate(FAILING)
        with answered(root):
            root.get_by_test_id("uq-feature").select_option("width τ")
        expect(root.get_by_test_id("uq-error")).to_contain_text("could not inflate this part")
        expect(root.get_by_test_id("uq-feature")).to_have_value("length")
        assert_importance(root, exact(explorer, 0.0))
        page.evaluate("() => { window.DecompressionStream = window.former; }")
        with answered(root):
            root.get_by_test_id("uq-feature").select_option("width τ")
        expect(root.get_by_test_id("uq-error")).to_be_hidden()


def test_ten_cells_of_a_notebook_hold_pages_that_all_open(browser, explorer, tmp_path):
    pages = []
    for tau in (0.0, 0.5):
        explorer.tau = tau
        pages.append(explorer.freeze(height=400, stress_features=["length"], progress=False))
    explorer.tau = 0.0
    outputs = [
        nbformat.v4.new_output("display_data", {"text/html": pages[i % 2]._repr_html_()})
        for i in range(N_CELLS)
    ]
    cells = [nbformat.v4.new_code_cell("explorer.freeze()", outputs=[one]) for one in outputs]
    html, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    path = tmp_path / "notebook.html"
    path.write_text(html, encoding="utf-8")
    held = N_CELLS / 2 * sum(len(page.html.encode()) for page in pages)
    # What the notebook adds to the pages: the escapes of its attributes, and the page around it.
    assert held < path.stat().st_size < 1.25 * held + 1e6
    with new_page(browser) as page:
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        frames = page.locator("iframe")
        expect(frames).to_have_count(N_CELLS)
        for i, tau in enumerate((0.0, 0.5) * (N_CELLS // 2)):
            frames.nth(i).scroll_into_view_if_needed()
            root = frames.nth(i).content_frame.get_by_test_id("uq-root")
            wait_for_answer(root)
            assert_importance(root, exact(explorer, tau))
        root = frames.nth(3).content_frame.get_by_test_id("uq-root")
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        assert_importance(root, exact(explorer, 1.0), tolerance=0.002)
    assert errors == []
