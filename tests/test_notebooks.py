"""The notebooks run; `make demo` runs the quickstart."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"-?\d+(\.\d+)?")


def shown(name):
    """Run a notebook; return what each cell showed, as plain text."""
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    resources = {"metadata": {"path": str(ROOT)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return [
        "".join(output.get("text") or output["data"]["text/plain"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_the_notebook_on_stress_shows_what_it_tells():
    texts = shown("stress.ipynb")
    assert all(texts)
    truth, responses, *_ = texts
    assert truth.startswith("Stress of 5 features at 21 levels")
    assert [line.split()[1] for line in responses.splitlines()[1:]][0::4] == ["x4", "x0"]
    everything = "\n".join(texts)
    for said in ("beyond quantile", "constant", "edge", "region=west", "ConcatChart"):
        assert said in everything


def test_the_notebook_on_uncertainty_shows_what_it_tells():
    texts = shown("uncertainty.ipynb")
    assert all(texts)
    _, diagnosis, redundancy, kinds_of_doubt, fair, curve, rows, surface = texts
    verdicts = {line.split()[0]: line for line in diagnosis.splitlines()[2:12]}
    for copy in ("x1", "x10"):
        assert verdicts[copy].endswith("shares information")
    for alone in ("x2", "x3", "x4"):
        assert verdicts[alone].endswith("informative")
    for unused in ("x5", "x6", "x7", "x8", "x9"):
        assert verdicts[unused].endswith(("not used", "hardly used"))
    assert table(redundancy)["x1"][0] == 1 > 0 > table(redundancy)["x4"][0]
    # Entropy, aleatoric and epistemic; then likelihood and entropy, each by both shuffles.
    for told in (kinds_of_doubt, rows):
        assert told.startswith("0 more calls of the model")
    for copy in ("x1", "x10"):
        entropy, aleatoric, epistemic = table(kinds_of_doubt)[copy]
        assert abs(aleatoric) < 0.005 < 0.03 < epistemic
        _, nll_given_copy, surprise, none = table(fair)[copy]
        assert surprise == entropy
        assert max(abs(nll_given_copy), abs(none)) < 0.002
    assert table(fair)["x4"][1] > 0.1
    assert curve.startswith("Dependence of entropy (nats) on x1: 50 values (even), 250 rows")
    # Along x1, of rows whose x2 is near 0 and of those where it is near the border.
    *_, left, middle, right = table(rows).values()
    assert middle[0] - 0.5 > max(left[0], right[0])
    assert middle[1] < max(left[1], right[1])
    assert surface.startswith("Dependence of entropy in nats on x1 and x2: 20 x 20 values")


def table(text):
    """Numbers of each line that has some after its first word, by that word."""
    lines = [line.split() for line in text.splitlines()]
    found = {first: [float(n) for n in rest if NUMBER.fullmatch(n)] for first, *rest in lines}
    return {first: numbers for first, numbers in found.items() if numbers}


def test_the_notebook_on_learners_shows_what_it_tells():
    texts = shown("learner.ipynb")
    assert all(texts)
    of_model, draws, of_learner, figure, widths, confidence, against_line, *rest = texts
    assert of_model.startswith("Importance of 4 features for squared error: permutation, 10")
    assert draws.split()[:2] == ["draw", "1"]
    assert "mean over 15 refits" in of_learner
    assert figure == "alt.VConcatChart(...)"
    narrow, wide = (float(line.split()[-1]) for line in widths.splitlines())
    assert wide > 3 * narrow
    intervals = [line.split() for line in confidence.splitlines()[1:]]
    assert [m for m, *_ in intervals] == ["nll"] * 4 + ["entropy"] * 4
    assert intervals[0][1] == "x1"
    assert float(intervals[0][3]) > 0.03
    assert all(float(low) < 0 < float(high) for *_, low, high in intervals[4:])
    # A forest is no better than a line here, and better than a full-grown tree.
    low, high = map(float, against_line.splitlines()[2].split()[-3:-1])
    assert low < 0 < high
    against_tree, truth, _, forests, _, lines = rest
    assert float(against_tree.splitlines()[2].split()[-2]) < 0
    assert table(truth)["x1"][0] > 0.1
    # Too high at the low end of x1, too low at its high end.
    biases = [float(line.split()[3]) for line in forests.splitlines()[2:]]
    assert biases[0] > 0.05
    assert biases[-1] < -0.03
    by_feature = {line.split()[1]: line.split() for line in lines.splitlines()[1:5]}
    assert all(float(by_feature[name][4]) < -0.01 for name in ("x3", "x4"))
