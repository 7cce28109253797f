"""Short code that leads to a remark, by code; the pages of the documentation show and run it."""

from __future__ import annotations

import ast
from types import MappingProxyType
from typing import Any

_NUMBERS = """X = rng.normal(size=(200, 2))
y = X[:, 0] + rng.normal(size=200)


def model(X):
    return X[:, 0], np.ones(len(X))


"""

#: By code: what follows the imports. The last expression has remarks.
_AFTER = {
    "coverage-under-stress": _NUMBERS
    + 'ex = uq.Explainer(model, X, y)\nex.stress(["x0"], level=0.95)',
    "dominating-row": _NUMBERS.replace("\n\n\ndef", "\ny[0] += 100\n\n\ndef", 1)
    + 'uq.Explainer(model, X, y).importance("nll")',
    "heavy-tails": _NUMBERS.replace("rng.normal(size=200)\n", "rng.standard_t(2, size=200)\n", 1)
    + "uq.Explainer(model, X, y).scores()",
    "few-effective-rows": _NUMBERS
    + 'uq.Explainer(model, X, y).importance("nll", sample_weight=np.exp(4 * X[:, 0]))',
    "many-features": """X = rng.normal(size=(200, 12))
coefficients = np.r_[1, rng.normal(size=11) / 10]
uq.Explainer(lambda X: X @ coefficients, X, X[:, 0]).importance("squared_error")""",
    "importance-under-stress": _NUMBERS
    + 'uq.Explainer(model, X, y).importance_over_tau("x0", "nll", taus=3)',
    "few-repeats": _NUMBERS.replace("200", "30")
    + 'uq.Explainer(model, X, y).importance("nll", n_repeats=2)',
    "given-models": _NUMBERS
    + "ex = uq.Explainer(model, X, y)\n"
    + 'ex.importance("nll", replacement="conditional", sampler="residuals", n_repeats=2)',
    "given-subgroups": _NUMBERS
    + 'uq.Explainer(model, X, y).importance("nll", replacement="conditional")',
    "few-events": """X = rng.normal(size=(200, 1))


def model(X):
    p = 1 / (1 + np.exp(5 - X[:, 0]))
    return np.column_stack([1 - p, p])


uq.Explainer(model, X, np.arange(200) < 8).scores()""",
    "few-rows-for-slices": _NUMBERS + 'uq.Explainer(model, X, y).slices("nll", rows=np.arange(30))',
    "no-counterpart": _NUMBERS + "uq.Explainer(model, X, y).stress_to(table=X + 2)",
    "few-rows-like-there": _NUMBERS
    + "uq.Explainer(model, X[:60], y[:60]).stress_to(table=X[:60] + 1)",
    "moments-missed": _NUMBERS
    + "uq.Explainer(model, X[:40], y[:40]).stress_to(table=X[:40] * 0.1 + 2)",
    "rates-of-counts": """from sklearn.linear_model import PoissonRegressor

X = rng.normal(size=(200, 2))
y = rng.poisson(np.exp(X[:, 0])) / 2
uq.Explainer(PoissonRegressor().fit(X, y), X, y).importance("squared_error")""",
    "groups-of-few-rows": _NUMBERS
    + "site = np.where(np.arange(200) < 4, 'A', np.where(np.arange(200) < 90, 'B', 'C'))\n"
    + "uq.Explainer(model, X, y, extra={'site': site}).compare_groups('site')",
    "few-groups": _NUMBERS
    + 'uq.Explainer(model, X, y, groups=np.arange(200) // 40).importance("nll")',
    "varies-within-groups": _NUMBERS
    + "ex = uq.Explainer(model, X, y, groups=np.arange(200) // 10)\n"
    + 'ex.importance("nll", permute="groups")',
    "single-groups": _NUMBERS
    + 'uq.Explainer(model, X, y, groups=np.arange(200)).importance("nll")',
    "rows-of-groups": _NUMBERS.replace("\n\n\ndef", "\nsite = np.arange(200) % 20\n\n\ndef", 1)
    + "y += rng.normal(size=20)[site]\n"
    + 'uq.Explainer(model, X, y, extra={"site": site}).importance("nll")',
    "rows-in-order": _NUMBERS
    + 'y += np.cumsum(rng.normal(size=200))\nuq.Explainer(model, X, y).importance("nll")',
    "rows-in-time": _NUMBERS
    + "y += np.cumsum(rng.normal(size=200))\n"
    + 'uq.Explainer(model, X, y, time=np.arange(200)).importance("nll")',
    "duplicated-rows": _NUMBERS
    + "X[:20], y[:20] = X[-20:], y[-20:]\n"
    + 'uq.Explainer(model, X, y).importance("nll")',
    "rows-outside-bins": _NUMBERS
    + 'uq.Explainer(model, X, y).accumulated_effects("x0", grid=[-1, 0, 1])',
    "joined-bins": _NUMBERS + 'uq.Explainer(model, X, y).accumulated_effects("x0", grid=150)',
    "unlike-partial-dependence": """X = rng.normal(size=(400, 2))
X[:, 1] = X[:, 0] + X[:, 1] / 2
uq.Explainer(lambda X: X[:, 0] * X[:, 1], X).accumulated_effects("x0")""",
    "few-pairs": _NUMBERS
    + 'uq.Explainer(model, X, y).importance("nll", sample_weight=np.exp(4 * X[:, 0]), n_repeats=1)',
    "feature-left-out": _NUMBERS.replace("\n\n\ndef", "\nX[:5, 1] = np.nan\n\n\ndef", 1)
    + "uq.Explainer(model, X, y).stress()",
    "learner-coverage": """from sklearn.linear_model import BayesianRidge

X, y = uq.datasets.make_linear(200)
uq.Learner(BayesianRidge(), X, y, n_refits=10).importance("nll")""",
    "number-of-refits": """from sklearn.linear_model import BayesianRidge

X, y = uq.datasets.make_linear(200)
uq.Learner(BayesianRidge(), X, y, n_refits=2).importance("nll")""",
    "failed-refits": """from sklearn.linear_model import BayesianRidge


class Fragile(BayesianRidge):
    def fit(self, X, y):
        if y[0] > 0:
            raise ValueError("the first target is above 0")
        return super().fit(X, y)


X, y = uq.datasets.make_linear(200)
uq.Learner(Fragile(), X, y, n_refits=10).importance("nll")""",
    "stratified-refits": """from sklearn.linear_model import LogisticRegression

X = rng.normal(size=(200, 2))
y = np.repeat([0, 1], [197, 3])
uq.Learner(LogisticRegression(), X, y, n_refits=10).importance("nll")""",
    "fixed-fits": """from sklearn.linear_model import BayesianRidge

X, y = uq.datasets.make_linear(200)
model = BayesianRidge().fit(X[:100], y[:100])
uq.loco_importance(model, X[:100], y[:100], X[100:], y[100:])""",
    "target-named-as-a-feature": """import pandas as pd

X = pd.DataFrame({"age": rng.normal(size=200)})
y = X["age"] + rng.normal(size=200)
uq.Explainer(lambda X: X["age"].to_numpy(), X, y).importance("squared_error")""",
    "missing-values": _NUMBERS.replace("\n\n\ndef", "\nX[:5, 1] = np.nan\n\n\ndef", 1)
    + 'uq.Explainer(model, X, y).stress(["x1"], missing="drop")',
    "narrow-predictions": _NUMBERS.replace("np.ones(len(X))", "np.full(len(X), 0.05)").replace(
        "rng.normal(size=200)\n", "0.05 * rng.normal(size=200)\n"
    )
    + 'uq.Explainer(model, X, y).importance("nll")',
    "no-interval": """X = rng.normal(size=(200, 2))


def model(X):
    p = np.where(X[:, 0] > 0, 0.9, 0.1)
    return np.column_stack([1 - p, p])


uq.Explainer(model, X, X[:, 0] > 0).scores()""",
    "out-of-bag-noise": """from sklearn.ensemble import RandomForestRegressor

X, y = uq.datasets.make_linear(200)
forest = RandomForestRegressor(oob_score=True, random_state=0).fit(X, y)
uq.Explainer(uq.as_predictive(forest, members=True), X, y).importance("nll")""",
    "probability-zero": """X = rng.normal(size=(50, 2))


def model(X):
    return np.tile([1.0, 0.0], (len(X), 1))


uq.Explainer(model, X, X[:, 0] > 0).importance("nll")""",
    "rare-categories": """import pandas as pd

places = pd.Categorical(rng.integers(0, 80, 2000).astype(str))
X = pd.DataFrame({"place": places, "x": rng.normal(size=2000)})


def model(X):
    return X["x"].to_numpy(), np.ones(len(X))


uq.Explainer(model, X).dependence("place")""",
    "most-frequent-category": """import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

X = pd.DataFrame({"place": pd.Categorical(list("aabc") * 50), "x": rng.normal(size=200)})
y = (X["x"] > 0).to_numpy()
model = HistGradientBoostingClassifier(categorical_features="from_dtype")
uq.loco_importance(model, X[:100], y[:100], X[100:], y[100:], replace="mean")""",
    "no-pairs": _NUMBERS
    + """only = (np.arange(200) == 0).astype(float)
uq.Explainer(model, X, y).importance("nll", sample_weight=only, n_repeats=1)""",
    "edge-of-the-rows": _NUMBERS
    + """edge = {"x0": X[:, 0].max(), "x1": X[X[:, 0].argmax(), 1]}
uq.Explainer(model, X, y).stress_to(edge)""",
    "curves-of-some-rows": _NUMBERS
    + """ex = uq.Explainer(model, np.tile(X, (500, 1)), memory_limit="8 MB")
ex.dependence("x0")""",
    "undefined-metric": """X = rng.normal(size=(200, 2))


def model(X):
    p = 1 / (1 + np.exp(-X[:, 0]))
    return np.column_stack([1 - p, p])


uq.Explainer(model, X, X[:, 0] > 1).scores(["roc_auc"], rows=X[:, 0] > 1)""",
    "unshared-features": _NUMBERS
    + """first = uq.Explainer(model, X, y)
second = uq.Explainer(model, np.column_stack([X, X[:, 0]]), y)
first.compare(second).importance("nll")""",
    "unstable-predictions": """X = rng.normal(size=(200, 2))


def model(X):
    return X[:, 0] + rng.normal(size=len(X)), np.ones(len(X))


uq.Explainer(model, X, X[:, 0]).importance("nll")""",
}


def _whole(after: str) -> str:
    """Return an example with all its imports at the beginning."""
    lines = after.splitlines()
    imports = {line for line in lines if line.startswith(("import ", "from "))}
    plain = "\n".join(line for line in lines if line not in imports).lstrip("\n")
    imports |= {"import numpy as np", "import uqwidgets as uq"}
    first = sorted(imports, key=lambda line: (line.startswith("from "), "uqwidgets" in line, line))
    gap = ["", ""] if plain.startswith(("class ", "def ")) else []
    return "\n".join([*first, "", "rng = np.random.default_rng(0)", *gap, plain])


EXAMPLES = MappingProxyType({code: _whole(after) for code, after in _AFTER.items()})


def outcome(source: str) -> Any:
    """Run an example, and return what its last expression is."""
    tree = ast.parse(source)
    *before, last = tree.body
    names: dict[str, Any] = {}
    exec(compile(ast.Module(before, []), "example", "exec"), names)
    return eval(compile(ast.Expression(last.value), "example", "eval"), names)
