"""The saved page needs no host, in any browser."""

from __future__ import annotations

import pytest

from browser.harness import PATIENCE, VIEWPORT
from browser.reading import answered
from hosts.rounds import first_root, shows_the_numbers_of_python


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_tau_moves_in_a_saved_page(browser, browsers, saved):
    errors, requests = [], []
    with browsers(browser).new_context(viewport=VIEWPORT) as session:
        page = session.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(saved.as_uri())
        root = first_root(page)
        shows_the_numbers_of_python(root, 0.0)
        with answered(root):
            root.get_by_test_id("uq-tau").press("End")
        tau = float(root.get_by_test_id("uq-tau").input_value())
        assert tau == 1
        # The page interpolates between levels, within 0.2 % of the axis.
        shows_the_numbers_of_python(root, tau, share=0.002)
    assert errors == []
    assert set(requests) <= {saved.as_uri()}
