"""The check that the documentation loads nothing from elsewhere and has no dead link."""

from __future__ import annotations

import pytest

from check_site import mistakes


def site(folder, body):
    (folder / "sub").mkdir()
    (folder / "style.css").write_text("p { color: red }")
    (folder / "sub" / "other.html").write_text('<h1 id="place">Other</h1>')
    (folder / "index.html").write_text(f'<link rel="stylesheet" href="style.css">{body}')
    return folder


@pytest.mark.parametrize(
    "body",
    [
        '<a href="sub/other.html#place">there</a>',
        '<a href="https://example.org/">a link to follow</a>',
        '<img src="data:image/png;base64,AAAA">',
        '<h2 id="here">Here</h2><a href="#here">up</a>',
    ],
)
def test_a_site_whose_references_are_its_own_passes(tmp_path, body):
    assert mistakes(site(tmp_path, body)) == []


@pytest.mark.parametrize(
    ("body", "mistake"),
    [
        ('<script src="https://example.org/a.js"></script>', "from elsewhere"),
        ('<iframe src="explorers/1.html"></iframe>', "leads to no file"),
        ('<a href="missing.html">there</a>', "leads to no file"),
        ('<a href="sub/other.html#gone">there</a>', "leads to no place"),
        ('<a href="#gone">up</a>', "leads to no place"),
    ],
)
def test_a_wrong_reference_is_named(tmp_path, body, mistake):
    (sentence,) = mistakes(site(tmp_path, body))
    assert sentence.startswith("index.html: ")
    assert mistake in sentence
