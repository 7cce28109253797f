"""The saved page needs no host, in any browser."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser.harness import PATIENCE, VIEWPORT
from browser.reading import ROWS, answered, table
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
