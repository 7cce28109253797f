"""The saved page needs no host, in any browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import uqwidgets as uq
from browser.harness import PATIENCE, VIEWPORT
from browser.reading import ROWS, answered, table, wait_for_answer
from cases import thorough_after
from hosts.conftest import missing
from hosts.rounds import are_the_numbers_of_python, first_root
from hosts.webkit import find_mini_browser, webkit

# The page has levels of tau within 0.2 % of the axis.
SHARE = 0.002


@pytest.mark.parametrize("browser", thorough_after(1, ["chromium", "firefox"]))
def test_tau_moves_in_a_saved_page(browser, browsers, saved):
    errors, requests = [], []
    with browsers(browser).new_context(viewport=VIEWPORT) as session:
        page = session.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(saved.as_uri())
        root = first_root(page)
        are_the_numbers_of_python(table(root, "Importance"), 0.0)
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        assert float(root.get_by_test_id("uq-tau").input_value()) == 1
        are_the_numbers_of_python(table(root, "Importance"), 1.0, SHARE)
    assert errors == []
    assert set(requests) <= {saved.as_uri()}


@pytest.fixture(scope="module")
def damaged(saved, tmp_path_factory):
    """The page with another number in its store, and the page without its end."""
    content = saved.read_bytes()
    at = content.index(b'id="uq-store">') + 5000
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "edited.html").write_bytes(
        content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    )
    (folder / "cut.html").write_bytes(content[: len(content) // 2])
    return [folder / "edited.html", folder / "cut.html"]


def says_damaged(saved):
    size = f"{saved.stat().st_size:,}"
    return f"This file is damaged (it should have {size} bytes). Ask for it again."


@pytest.mark.thorough
def test_pages_are_opened_again_side_by_side_and_in_part_in_firefox(browsers, saved, damaged):
    errors, asked = [], []
    with browsers("firefox").new_context(viewport=VIEWPORT) as session:
        page, second = session.new_page(), session.new_page()
        for each in (page, second):
            each.set_default_timeout(PATIENCE)
            each.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        page.goto(saved.as_uri())
        second.goto(saved.as_uri())
        root, other = first_root(page), first_root(second)
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        are_the_numbers_of_python(table(other, "Importance"), 0.0)
        for path in damaged:
            page.goto(path.as_uri())
            expect(page.locator("body")).to_have_text(says_damaged(saved))
            page.go_back()
            wait_for_answer(root)
            tau = float(root.get_by_test_id("uq-tau").input_value())
            are_the_numbers_of_python(table(root, "Importance"), tau, SHARE if tau else 0.0)
        page.get_by_role("heading", name="Review", exact=True, level=2).click()
        page.get_by_label("Reviewer").press_sequentially("R")
        page.reload()
        wait_for_answer(root)
        assert asked == ["beforeunload"]
        expect(page.get_by_label("Reviewer")).to_have_value("")
    assert errors == []


# Selenium's own driver of WebKit calls what Selenium deprecates.
@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::DeprecationWarning:selenium")
def test_tau_moves_in_a_saved_page_in_webkit(saved):
    mini_browser = find_mini_browser()
    if mini_browser is None:
        missing("no WebKit: on Debian, `apt-get install webkit2gtk-driver xvfb`")
    with webkit(mini_browser) as driver:
        driver.set_script_timeout(PATIENCE / 1000)
        wait = WebDriverWait(driver, PATIENCE / 1000)
        driver.get(saved.as_uri())
        details = wait.until(
            lambda _: driver.find_element(By.CSS_SELECTOR, "[aria-label=Importance] .uq-twin")
        )

        def shows(tau, share=0.0):
            rows = driver.execute_async_script(
                f"({ROWS})(arguments[0]).then(arguments[1])", details
            )
            try:
                are_the_numbers_of_python(rows, tau, share)
            except AssertionError:
                return False
            return True

        wait.until(lambda _: shows(0.0))
        slider = driver.find_element(By.CSS_SELECTOR, "[data-testid=uq-tau]")
        slider.send_keys(Keys.END)
        assert slider.get_property("value") == "1"
        wait.until(lambda _: shows(1.0, SHARE))


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::DeprecationWarning:selenium")
def test_pages_are_opened_again_and_in_part_in_webkit(saved, damaged):
    mini_browser = find_mini_browser()
    if mini_browser is None:
        missing("no WebKit: on Debian, `apt-get install webkit2gtk-driver xvfb`")
    with webkit(mini_browser) as driver:
        wait = WebDriverWait(driver, PATIENCE / 1000)

        def opens(_):
            return driver.execute_script("return document.documentElement.dataset.opened")

        driver.get(saved.as_uri())
        wait.until(opens)
        for path in damaged:
            driver.get(path.as_uri())
            body = driver.find_element(By.TAG_NAME, "body")
            assert body.text == says_damaged(saved)
            driver.back()
            wait.until(opens)
        driver.refresh()
        wait.until(opens)
        foot = driver.find_element(By.CSS_SELECTOR, "footer.uq-seal code")
        assert foot.text == uq.read_review(saved).sha256
