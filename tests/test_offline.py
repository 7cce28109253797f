"""The check that the demo's page loads nothing from elsewhere."""

from __future__ import annotations

import pytest

from offline import outside_references


@pytest.mark.parametrize(
    "page",
    [
        '<p>plain, with <a href="https://example.org">a link to follow</a></p>',
        '<img src="data:image/png;base64,AAAA">',
        '<svg xmlns="http://www.w3.org/2000/svg"><use href="#mark"/></svg>',
        "<style>p { background: url(data:image/png;base64,AAAA) }</style>",
    ],
)
def test_pages_without_network_references_pass(page):
    assert outside_references(page) == []


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://example.org/a.js"></script>',
        '<script>import("https://example.org/a.js")</script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        '<img src="picture.png">',
        '<img srcset="https://example.org/a.png 2x">',
        '<svg><image href="https://example.org/a.png"/></svg>',
        '<style>@import "https://example.org/a.css";</style>',
        '<p style="background: url(https://example.org/a.png)">text</p>',
    ],
)
def test_references_that_would_be_loaded_are_detected(page):
    assert len(outside_references(page)) == 1
