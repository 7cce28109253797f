"""How Sphinx builds the site: `make docs` writes it to build/docs."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import uqwidgets

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS / "_ext"), str(ROOT / "scripts")]

project = "uqwidgets"
author = "The uqwidgets developers"
copyright = f"2026, {author}"  # noqa: A001  Sphinx reads this name
version = release = uqwidgets.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
]
exclude_patterns = ["_ext", "_templates"]
templates_path = ["_templates"]
default_role = "py:obj"

# The notebooks are tutorials. Sphinx reads only what lies below its own folder.
for notebook in sorted((ROOT / "notebooks").glob("**/*.ipynb")):
    copy = DOCS / "tutorials" / notebook.relative_to(ROOT / "notebooks")
    copy.parent.mkdir(exist_ok=True)
    shutil.copy2(notebook, copy)
# Each code of a remark has a page, made from the list in the package.
import remarks_page  # noqa: E402

remarks_page.write()
# The site is public, and some of the papers' data may not be passed on: its pages use other data.
os.environ["UQ_PAPER_DATA"] = ""

# Every explorer of the site is a page that `Explorer.freeze` made: this startup file of the kernels
# shows it in a frame.
PROFILE = ROOT / "build" / "docs-kernel"
(PROFILE / "profile_default" / "startup").mkdir(parents=True, exist_ok=True)
shutil.copy2(DOCS / "_ext" / "saved_explorers.py", PROFILE / "profile_default" / "startup")
os.environ["IPYTHONDIR"] = str(PROFILE)
os.environ["UQWIDGETS_DOCS"] = str(DOCS)
os.environ["UQWIDGETS_DOCS_PAGES"] = str(ROOT / "build" / "docs" / "explorers")

nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True
# The explorers are pages: no script of the notebook widgets is loaded.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
# Some file systems do not distinguish the page of `Overlay` from that of `overlay`.
autosummary_filename_map = {"uqwidgets.overlay": "uqwidgets.overlay_function"}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
copybutton_exclude = ".linenos, .gp, .go"

html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = "uqwidgets"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "navigation_with_keys": False,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Pages without pages beside them.
ALONE = ("index", "trust", "troubleshooting", "alternatives", "glossary")
html_sidebars = {page: [] for page in ALONE}
