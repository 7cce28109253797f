"""Write the page of the documentation that says where each figure and table of the papers is.

A cell of a notebook in ``notebooks/papers`` that draws figure 3 has the tag ``figure-3``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "paper_figures.md"
FOLDER = ROOT / "notebooks" / "papers"

_BEGINNING = """# Figures and tables of the papers

Every figure and every table of the five papers, with the cell of a notebook that draws it. Code
cells are counted from the beginning of the notebook; the cell has the tag of the figure, such as
`figure-3`. The last column says what differs from the paper, and what is not drawn.

This page is made from the tags by `python scripts/paper_figures_page.py`.
"""


@dataclass(frozen=True)
class Paper:
    """A paper, its notebook, and what each of its figures and tables shows.

    Attributes
    ----------
    title : str
    notebook : str
        File in ``notebooks/papers``.
    shows : dict of str to (str, str)
        By tag, what it shows, and what differs here, or why it is not here.
    """

    title: str
    notebook: str
    shows: dict[str, tuple[str, str]]


_NETWORKS = "The network needs PyTorch."
_TRAINING = f"{_NETWORKS} The histogram counts the test rows, the paper's the training rows."
_QUICK = "A few experiments; 25 to 150 with `UQ_NOTEBOOKS=full`, the paper's 10,000 in neither."
_FORESTS = "Linear models and trees; forests with `UQ_NOTEBOOKS=full`."

PAPERS = (
    Paper(
        "Wood et al. 2024: entropy and likelihood",
        "wood_2024.ipynb",
        {
            "figure-1": ("what a permutation does to the entropy", ""),
            "figure-2": ("a copy of a feature, calibrated forest", ""),
            "figure-3": (
                "correlated features, Gaussian process",
                "Beside it are the truth and other draws.",
            ),
            "figure-4": ("hollow square: rows, and entropy of each feature", ""),
            "figure-5": ("hollow square: single curves by the other feature", ""),
            "figure-6": ("concrete: importance for entropy and likelihood", _NETWORKS),
            "figure-7": ("concrete: what the other features say of each", ""),
            "figure-8": ("concrete: entropy over age, with own values", _NETWORKS),
            "figure-9": ("diabetes: importance for entropy and likelihood", _NETWORKS),
            "figure-10": ("diabetes: entropy over plas, by class", _TRAINING),
            "figure-11": ("diabetes: loss over plas, by class", _TRAINING),
            "figure-12": ("diabetes: entropy over mass, by class", _TRAINING),
            "figure-13": ("diabetes: loss over mass, by class", _TRAINING),
        },
    ),
    Paper(
        "Dankers et al. 2020: PFI and LOCO",
        "dankers_2020.ipynb",
        {
            "figure-8.1": ("tables with a shuffled column", ""),
            "figure-8.2": ("PFI of a forest, medians and quantile bands", ""),
            "figure-8.3": (
                "tables without a column",
                "Beside the tables is the importance, which the chapter leaves out.",
            ),
        },
    ),
    Paper("Merrick 2019: randomized ablation", "merrick_2019.ipynb", {}),
    Paper(
        "Molnar et al. 2023: model and learner",
        "molnar_2023.ipynb",
        {
            "figure-1": (
                "how estimates deviate from the truth",
                "The figure is a diagram; the cell draws its three parts as numbers.",
            ),
            "figure-2": ("curves of one model, and of many", ""),
            "figure-3": ("width and coverage, before and after the correction", _QUICK),
            "figure-4": ("width and coverage, bootstrap and subsampling", _QUICK),
            "figure-5": (
                "width and coverage over the number of refits, PD",
                "A tree; the paper's forest with `UQ_NOTEBOOKS=full`.",
            ),
            "figure-6": ("wine: importance and curve of learner and model", ""),
            "figure-7": ("coverage over the number of refits, PD, n = 100", _FORESTS),
            "figure-8": ("width over the number of refits, PD, n = 100", _FORESTS),
            "figure-9": ("coverage over the number of refits, PD, n = 1000", _FORESTS),
            "figure-10": ("width over the number of refits, PD, n = 1000", _FORESTS),
            "figure-11": ("coverage over the number of refits, PFI, n = 100", _FORESTS),
            "figure-12": ("width over the number of refits, PFI, n = 100", _FORESTS),
            "figure-13": ("coverage over the number of refits, PFI, n = 1000", _FORESTS),
            "figure-14": ("width over the number of refits, PFI, n = 1000", _FORESTS),
            "table-1": ("coverage of intervals of PD", _QUICK),
            "table-2": ("coverage of intervals of PFI", _QUICK),
        },
    ),
    Paper(
        "Bachoc et al. 2023: stress",
        "bachoc_2023.ipynb",
        {
            "figure-1": (
                "Adult: predicted ones and errors",
                "Five numeric features; the paper's models see 14.",
            ),
            "figure-2": (
                "pixels of handwritten digits",
                "A forest takes the place of the network, whose training set is not here. The "
                "lower half is not drawn: it shows LIME and SHAP, which are other packages.",
            ),
            "figure-3": ("Boston: mean, variance and RMSE", ""),
            "figure-4": ("a logistic model with known coefficients", ""),
            "figure-5": ("Iris: errors and predicted shares", "Boosting is that of scikit-learn."),
            "figure-6": ("Adult: ROC paths", ""),
            "table-1": ("Boston: features that respond most", ""),
            "table-2": (
                "times on synthetic data",
                "Two designs; five of them with `UQ_NOTEBOOKS=full`.",
            ),
        },
    ),
)


def code_cells(notebook: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield number, heading above and content of each code cell of a notebook."""
    cells = json.loads((FOLDER / notebook).read_text(encoding="utf-8"))["cells"]
    number, heading = 0, ""
    for cell in cells:
        if cell["cell_type"] == "code":
            number += 1
            yield number, heading, cell
        else:
            headings = re.findall(r"^#+ (.+)$", "".join(cell["source"]), flags=re.MULTILINE)
            heading = headings[-1] if headings else heading


def places(notebook: str) -> dict[str, tuple[int, str]]:
    """Return the number of the cell of each tag, and the heading above it."""
    return {
        tag: (number, heading)
        for number, heading, cell in code_cells(notebook)
        for tag in cell["metadata"].get("tags", [])
    }


def anchor(heading: str) -> str:
    """Return the anchor of a heading in the site."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def page() -> str:
    """Return the page in Markdown: a table for each paper."""
    return "\n".join([_BEGINNING, *(_section(paper) for paper in PAPERS)])


def _section(paper: Paper) -> str:
    document = f"../tutorials/papers/{paper.notebook}"
    lines = [f"## {paper.title}", ""]
    if not paper.shows:
        lines += [
            f"The paper has neither figures nor tables. [Its notebook]({document}) computes its "
            "equations; the cells have tags such as `equation-9`.",
            "",
        ]
        return "\n".join(lines)
    where = places(paper.notebook)
    lines += ["| in the paper | what it shows | here | remark |", "|---|---|---|---|"]
    for tag, (what, remark) in paper.shows.items():
        number, heading = where[tag]
        here = f"[code cell {number}]({document}#{anchor(heading)})"
        lines.append(f"| {tag.replace('-', ' ')} | {what} | {here} | {remark} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
