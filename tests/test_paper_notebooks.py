"""The notebooks of the papers run, and what they print agrees with the papers and their own text.

They use the papers' data where they are present, and data of scikit-learn elsewhere.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import paper_figures_page
from run_notebooks import ROOT, plotting_lines, read, run
from shared import FOLDER

NOTEBOOKS = sorted(
    path.relative_to(ROOT / "notebooks").as_posix() for path in ROOT.glob("notebooks/**/*.ipynb")
)
# Numbers of the figures and tables that each paper has.
FIGURES = {
    "bachoc_2023.ipynb": (range(1, 7), range(1, 3)),
    "dankers_2020.ipynb": ((8.1, 8.2, 8.3), ()),
    "merrick_2019.ipynb": ((), ()),
    "molnar_2023.ipynb": (range(1, 15), range(1, 3)),
    "wood_2024.ipynb": (range(1, 14), ()),
}
HAS_DATA = FOLDER.is_dir()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.delenv("UQ_NOTEBOOKS", raising=False)
    monkeypatch.delenv("UQ_PAPER_DATA", raising=False)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_and_table_of_a_paper_has_its_cell(name):
    figures, tables = FIGURES[name]
    expected = {f"figure-{n}" for n in figures} | {f"table-{n}" for n in tables}
    tags = {
        tag: cell["source"]
        for _, _, cell in paper_figures_page.code_cells(name)
        for tag in cell["metadata"].get("tags", [])
    }
    assert {tag for tag in tags if not tag.startswith("equation-")} == expected
    for tag, lines in tags.items():
        source = "".join(lines)
        if tag.startswith("figure-8."):  # figures of a book, two of which are tables
            assert "with_shuffled(" in source or "to_altair" in source
        elif tag.startswith("figure-"):
            assert plotting_lines(source) or "curves_of(" in source or "to_pixels" in source
        elif tag.startswith("table-"):
            assert "print(" in source or "pd.DataFrame(" in source


def test_the_page_of_figures_says_where_each_is():
    by_notebook = {paper.notebook: set(paper.shows) for paper in paper_figures_page.PAPERS}
    for name, (figures, tables) in FIGURES.items():
        assert by_notebook[name] == {f"figure-{n}" for n in figures} | {
            f"table-{n}" for n in tables
        }
    text = paper_figures_page.PAGE.read_text(encoding="utf-8")
    assert text == paper_figures_page.page(), "run python scripts/paper_figures_page.py"
    numbers = [int(number) for number in re.findall(r"code cell (\d+)", text)]
    assert len(numbers) == sum(len(tags) for tags in by_notebook.values()) == 40


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_cell_needs_more_than_twelve_lines_to_plot(name):
    cells = [cell.source for cell in read(name).cells if cell.cell_type == "code"]
    assert max(plotting_lines(source) for source in cells) <= 12


def columns(text):
    """Return the numbers of each line that begins with a word, by this word."""
    lines = [line.split() for line in text.splitlines()]
    return {line[0]: line[1:] for line in lines if line}


@pytest.mark.thorough
def test_the_stress_paper(kernel):
    texts = run("papers/bachoc_2023.ipynb", kernel)
    assert all(texts)
    _, _, logistic, _, responses, ends, _, _, iris, _, prices, digits, by_quantile, times = texts
    signs = {name: float(line[-1]) for name, line in columns(logistic).items() if name[0] == "x"}
    assert signs["x1"] < -0.5 < -0.05 < signs["x3"] < 0.05 < signs["x2"] < 0.5 < signs["x5"]
    assert "change of error_rate" in responses
    assert "ess" in ends
    for line in iris.splitlines():
        assert not line.startswith("0 ") or "sepal width" in line
    assert iris.count("lowering petal length (cm) raises it most") == 2
    assert "accuracy" in digits
    assert float(by_quantile.splitlines()[0].split()[-1]) < 1e-12
    assert re.search(r"[1-9]\d* of \d+ pixels", by_quantile)
    assert len(times.splitlines()) == 3
    if HAS_DATA:
        assert "beyond quantile" in ends
        rows = [line.split() for line in prices.splitlines()]
        printed = [
            (float(row[1]), float(row[2])) for row in rows if len(row) == 4 and row[1] != "NaN"
        ]
        assert len(printed) == 16
        assert all(abs(paper - here) < 0.3 for paper, here in printed)


@pytest.mark.thorough
def test_the_paper_on_learners(kernel):
    texts = run("papers/molnar_2023.ipynb", kernel)
    numbers = [text for text in texts if text and "alt." not in text]
    _, _, spread, learner, _, tables, _, refits, _, differences, figure_6 = numbers
    one_model, many = (float(line.split()[-1]) for line in spread.splitlines()[1:3])
    assert many > 2 * one_model
    assert float(learner.split()[-1]) < 1e-12
    rows = [line.split()[-5:] for line in tables.splitlines() if " 100 " in line]
    plain, adjusted, plain_sub, adjusted_sub, ideal = np.array(rows, dtype=float).mean(axis=0)
    # Means over eight scenarios; the paper's are .44, .91, .37, .84 and .95.
    assert max(plain, plain_sub) < 0.6 < 0.75 < min(adjusted, adjusted_sub)
    assert ideal > 0.85
    widths = [float(line.split()[-2]) for line in refits.splitlines()[2:6]]
    assert widths == sorted(widths, reverse=True)
    for line in differences.splitlines():
        assert line.startswith("forest minus")
    band = {line.split()[6]: line.split() for line in figure_6.splitlines()[2:]}
    assert float(band["learner:"][-1]) > 1.2 * float(band["model:"][-1])
    if HAS_DATA:
        assert all(float(line.split()[-1][:-1]) < 0 for line in differences.splitlines())
        assert "alcohol, sulphates, volatile acidity" in figure_6


def test_the_paper_on_randomized_ablation(kernel):
    texts = run("papers/merrick_2019.ipynb", kernel)
    truth, estimates, intervals, shares, *_, widths = [text for text in texts if text]
    for line in truth.splitlines()[2:]:
        *_, low, high, expected = line.split()
        assert float(low) <= float(expected) <= float(high)
    values = [float(line.split()[-1]) for line in estimates.splitlines()]
    assert values[1] == values[2]
    assert values[0] == pytest.approx(values[3], abs=0.3)
    assert "u-statistic" in intervals
    share = {name: line for name, line in columns(shares).items() if name[0] in "fru"}
    assert float(share["fixed-data"][0]) > 0.85
    assert float(share["fixed-data"][1]) < 0.6
    assert float(share["u-statistic"][1]) > 0.85
    of_two, *_, of_fifty = widths.splitlines()[2:]
    assert float(of_fifty.split()[1]) < float(of_two.split()[1]) / 5
    assert float(of_fifty.split()[2]) > float(of_two.split()[2]) / 2


@pytest.mark.thorough
def test_the_chapter_on_permutation_and_leaving_out(kernel):
    texts = run("papers/dankers_2020.ipynb", kernel)
    printed = [text for text in texts if text and "alt." not in text and "Styler" not in text]
    _, shuffled, bands, splits, variants, pi, halves = printed
    before, after = (float(number) for number in re.findall(r"= ([\d.]+)", shuffled))
    difference, ratio = (float(n) for n in re.findall(r"[\d.]+", shuffled.splitlines()[1]))
    assert after - before == pytest.approx(difference, abs=0.02)
    assert after / before == pytest.approx(ratio, abs=0.01)
    lines = {name: line for name, line in columns(bands).items() if len(line) == 4}
    assert len(lines) == 7
    assert "split 3" in splits
    assert "set to median" in variants
    of_curve, every = (line.split()[-1] for line in pi.splitlines())
    assert of_curve == every
    assert halves.count("importance of") == 2
    if HAS_DATA:
        assert {*list(lines)[:2]} == {"lstat", "rm"}
        assert float(lines["black"][0]) < float(lines["rm"][0])


@pytest.mark.thorough
def test_the_paper_on_entropy_and_likelihood(kernel):
    texts = run("papers/wood_2024.ipynb", kernel)
    printed = [text for text in texts if text and "alt." not in text]
    _, figure_1, copies, draws, conditional, hollow, concrete, splits = printed
    rise, importance = (line.split()[-1] for line in figure_1.splitlines()[-2:])
    assert rise == importance
    assert float(rise) > 0.1
    # Likelihood and entropy without a copy, and where x10 is a copy of x1.
    x1 = next(line.split()[1:] for line in copies.splitlines() if line.startswith("x1 "))
    nll, entropy, nll_beside_copy, entropy_beside_copy, *_ = map(float, x1)
    assert nll_beside_copy < nll / 2
    assert entropy_beside_copy > 0.03 > entropy
    assert conditional.splitlines()[2].startswith("x1")
    for line in conditional.splitlines()[2:]:
        assert abs(float(line.split()[-1])) < 0.005
    assert "draw 2, entropy" in draws
    stopped, fitted = ([float(n) for n in line.split()[-3:]] for line in hollow.splitlines()[1:])
    assert stopped[1] > max(stopped[0], stopped[2]) + 0.1
    assert abs(fitted[1] - fitted[0]) < 0.05
    assert len(splits.splitlines()) == 4
    if HAS_DATA:
        assert "most important for the likelihood: age" in concrete
        assert "its rank for the entropy: 8 of 8" in concrete
        assert splits.count("most important plas") == 4
