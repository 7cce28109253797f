"""The pages under docs/: examples run, named files exist, citation keys resolve."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import uqwidgets as uq

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "how_it_works.md").read_text(encoding="utf-8")
REFERENCES = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
AUTHOR = r"[A-ZÀ-Þ][a-zß-ÿ]+(?:-?[A-ZÀ-Þ][a-zß-ÿ]+)*"
CITATION = re.compile(
    rf"({AUTHOR}(?: et al\.|(?:, {AUTHOR})* and {AUTHOR})?)(?:'s)?"  # one, two or more authors
    r"(?: \w+)?,? \(?((?:19|20)\d\d)\b"
)
EPONYM = re.compile(rf"\b({AUTHOR}(?: and {AUTHOR})?)'s\b|(?<=of )({AUTHOR} and {AUTHOR})\b")
# Terms of textbooks, and programs.
NOT_LITERATURE = {
    *("Altair", "Arrow", "Bessel", "CatBoost", "Horner", "Lambert", "Nagle", "Newton"),
    *("PyTorch", "Python"),
}


def test_the_examples_of_how_it_works_run():
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        exec(block, names)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w/]+/\w+\.(?:py|md))`", PAGE))))
def test_named_files_exist(path):
    assert any((ROOT / place / path).exists() for place in ("", "uqwidgets", "docs"))


def texts():
    """Text of every file of the package and of its documents, by path."""
    paths = [
        *(ROOT / "uqwidgets").rglob("*.py"),
        *(ROOT / "benchmarks").rglob("*.py"),
        *(ROOT / "benchmarks").glob("*.md"),
        *(p for p in (ROOT / "docs").rglob("*.md") if p.name != "references.md"),
        *(
            ROOT / name
            for name in (
                "README.md",
                "CHANGELOG.md",
                "CONTRIBUTING.md",
                "RELEASING.md",
                "SECURITY.md",
            )
        ),
    ]
    for path in sorted(paths):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield (
            path.name,
            " ".join(" ".join(line.strip().removeprefix("# ") for line in lines).split()),
        )


def citations(text):
    """Keys of the citations in a text: its authors and the year."""
    return {f"{authors} {year}" for authors, year in CITATION.findall(text)}


def entries():
    """Text of every entry of the references, by its key."""
    parts = re.split(r"\*\*(.+?)\.\*\*", REFERENCES)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("(Hall 1992)", {"Hall 1992"}),
        ("Cribari-Neto 2004; Kott 2001.", {"Cribari-Neto 2004", "Kott 2001"}),
        ("of Hall and Sheather 1988, with", {"Hall and Sheather 1988"}),
        ("Friedman and Popescu's H (2008, section 8.1)", {"Friedman and Popescu 2008"}),
        ("Wood et al. 2024, eq. 5", {"Wood et al. 2024"}),
        ("in 2024 rows of 1988", set()),
    ],
)
def test_citations_are_read_in_all_their_forms(text, keys):
    assert citations(text) == keys


def test_every_citation_is_in_the_references():
    keys = entries().keys()
    assert len(keys) > 35
    every = {(key, name) for name, text in texts() for key in citations(text)}
    assert not [citation for citation in every if citation[0] not in keys]
    assert keys == {key for key, _ in every}, "no entry is without use"


def test_what_is_named_after_somebody_is_cited_beside_it():
    """Kelley's method without a year in the same file leaves a reader without the source."""
    uncited = []
    for name, text in texts():
        cited = " ".join(f"{key} {entries().get(key)}" for key in citations(text))
        named = {first or second for first, second in EPONYM.findall(text)} - NOT_LITERATURE
        uncited += [(name, author) for author in named if author not in cited]
    assert not uncited


# Modules of public names.
MODULES = {"datasets", "teach"}
PUBLIC = [getattr(uq, name) for name in uq.__all__ if name not in MODULES]
PUBLIC += [getattr(uq.teach, name) for name in uq.teach.__all__]
PUBLIC += [one for one in map(uq.datasets.__dict__.get, uq.datasets.__all__) if callable(one)]


@pytest.mark.parametrize("public", PUBLIC, ids=lambda one: one.__name__)
def test_public_names_have_an_example_and_say_what_belongs_to_them(public):
    documentation = public.__doc__
    assert ">>> " in documentation.split("Examples\n")[1]
    assert "See Also\n" in documentation


# What ipywidgets, a notebook or a forked process calls, and no user.
CALLED_BY_HOSTS = {"display_picture", "get_state", "renew_locks", "send_state", "set_state"}


def methods_of(cls):
    """Names of the public methods of a class that are defined in this package."""
    for owner in cls.__mro__:
        if owner.__module__.startswith("uqwidgets"):
            for name, member in vars(owner).items():
                is_method = inspect.isfunction(getattr(member, "__func__", member))
                if is_method and not name.startswith("_"):
                    yield name


# Classes and functions that implement nothing of the literature.
WITHOUT_SOURCE = {
    *("ModelError", "Point", "Process", "Progress", "ProgressBar", "Remark", "Confusion"),
    *("DependenceView", "ImportanceView", "PerformanceView", "StressView", "SurfaceView"),
    *("as_predictive", "link", "read_review", "set_options", "show_versions"),
    "save",
}


@pytest.mark.parametrize("public", PUBLIC, ids=lambda one: one.__name__)
def test_what_implements_something_cites_its_source(public):
    has_references = bool(re.search(r"^ *References\n *---", public.__doc__, re.MULTILINE))
    assert has_references == (public.__name__ not in WITHOUT_SOURCE)


FRONT_DOORS = (uq.Explainer, uq.Learner, uq.GroundTruth)
FRONT_DOORS += (uq.ModelComparison, uq.RowsComparison, uq.ClassComparison)
# Methods that only describe a model, a table or a learner.
DESCRIPTIONS = {"confusion", "measure", "indicator", "data", "fit"}


@pytest.mark.parametrize("cls", FRONT_DOORS)
def test_public_methods_say_what_belongs_to_them_and_cite_their_sources(cls):
    for name in {*methods_of(cls)} - DESCRIPTIONS:
        documentation = getattr(cls, name).__doc__
        assert "See Also\n" in documentation, name
        assert "References\n" in documentation, name


@pytest.mark.parametrize("cls", FRONT_DOORS[:3])
def test_public_properties_have_an_example(cls):
    owned = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    properties = {name: one for name, one in owned.items() if isinstance(one, property)}
    assert not [name for name, one in properties.items() if ">>> " not in (one.__doc__ or "")]


@pytest.mark.parametrize("cls", [one for one in PUBLIC if inspect.isclass(one)])
def test_public_methods_have_an_example_of_their_own(cls):
    methods = {*methods_of(cls)} - CALLED_BY_HOSTS
    assert not [m for m in methods if ">>> " not in (getattr(cls, m).__doc__ or "")]


def test_the_citation_names_the_version():
    (version,) = re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert version == uq.__version__
