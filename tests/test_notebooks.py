"""The notebooks run; `make demo` runs the quickstart."""

from __future__ import annotations

import re

import pytest

from run_notebooks import run

NUMBER = re.compile(r"-?\d+(\.\d+)?")


@pytest.mark.thorough
def test_the_outputs_of_the_stress_notebook_agree_with_its_text(kernel):
    texts = run("stress.ipynb", kernel)
    assert all(texts)
    truth, responses, *_ = texts
    assert truth.startswith("Stress of 5 features at 21 levels")
    assert [line.split()[1] for line in responses.splitlines()[1:]][0::4] == ["x4", "x0"]
    everything = "\n".join(texts)
    for words in ("beyond quantile", "constant", "edge", "region=west", "ConcatChart"):
        assert words in everything


@pytest.mark.thorough
def test_the_outputs_of_the_uncertainty_notebook_agree_with_its_text(kernel):
    texts = run("uncertainty.ipynb", kernel)
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
    # kinds_of_doubt: entropy, aleatoric, epistemic; fair: likelihood and entropy, permutation
    # and conditional replacement.
    for output in (kinds_of_doubt, rows):
        assert output.startswith("0 more calls of the model")
    for copy in ("x1", "x10"):
        entropy, aleatoric, epistemic = table(kinds_of_doubt)[copy]
        assert abs(aleatoric) < 0.005 < 0.03 < epistemic
        _, nll_beside_copy, surprise, none = table(fair)[copy]
        assert surprise == entropy
        assert max(abs(nll_beside_copy), abs(none)) < 0.002
    assert table(fair)["x4"][1] > 0.1
    assert curve.startswith("Dependence of entropy (nats) on x1: 50 values (even), 250 rows")
    # Curves along x1, of rows with x2 near 0 and of rows with x2 near the border.
    *_, left, middle, right = table(rows).values()
    assert middle[0] - 0.5 > max(left[0], right[0])
    assert middle[1] < max(left[1], right[1])
    assert surface.startswith("Dependence of entropy in nats on x1 and x2: 20 x 20 values")


def table(text):
    """Return the numbers of each line by its first word, for lines that have numbers."""
    lines = [line.split() for line in text.splitlines()]
    by_first_word = {
        first: [float(n) for n in rest if NUMBER.fullmatch(n)] for first, *rest in lines
    }
    return {first: numbers for first, numbers in by_first_word.items() if numbers}


@pytest.mark.thorough
def test_the_outputs_of_the_learner_notebook_agree_with_its_text(kernel):
    texts = run("learner.ipynb", kernel)
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
    # The forest is not better than the linear model here, but better than a full-grown tree.
    low, high = map(float, against_line.splitlines()[2].split()[-3:-1])
    assert low < 0 < high
    against_tree, truth, _, forests, _, lines = rest
    assert float(against_tree.splitlines()[2].split()[-2]) < 0
    assert table(truth)["x1"][0] > 0.1
    # The forest predicts too much at low x1 and too little at high x1.
    biases = [float(line.split()[3]) for line in forests.splitlines()[2:]]
    assert biases[0] > 0.05
    assert biases[-1] < -0.03
    by_feature = {line.split()[1]: line.split() for line in lines.splitlines()[1:5]}
    assert all(float(by_feature[name][4]) < -0.01 for name in ("x3", "x4"))
