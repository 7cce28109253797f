"""Provenance: model, data, settings and versions behind the results, to compare two analyses."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from uqwidgets._utils.versions import installed_versions
from uqwidgets.evaluation.labels import ColumnLabels
from uqwidgets.evaluation.table import Table
from uqwidgets.explainer.explainer import Explainer
from uqwidgets.inference import described_interval
from uqwidgets.widgets.inputs.choices import LEVEL
from uqwidgets.widgets.inputs.conditions import labels as labels_of
from uqwidgets.widgets.inputs.inputs import Inputs, in_dependence
from uqwidgets.widgets.kernel.frames import plain

_LIBRARIES = ("uqwidgets", "numpy", "pandas", "scipy", "scikit-learn")
# Longest text of a parameter that is not a number.
_MOST_CHARACTERS = 200
_SECONDS_OF_GIT = 5.0


def provenance(explainer: Explainer, inputs: Inputs) -> dict[str, Any]:
    """Return the provenance of the results in types of JSON.

    Parameters
    ----------
    explainer : Explainer
    inputs : Inputs

    Returns
    -------
    dict
        ``model``: its ``class`` and ``parameters``; parameters that are not numbers are texts.
        ``target``, ``task``, ``classes``: name of the target, classification or regression, and
        the labels.
        ``n_rows``, ``n_features``: numbers of rows and features of the table.
        ``groups``: what the rows belong to, such as "30 patients"; None if they are independent.
        ``features``: the kind of each, by name.
        ``sha256``: digests of ``X`` and ``y``, see `digest_of_table` and `digest_of_target`; None
        without a target.
        ``seed``, ``n_repeats``: seed and number of the permutations.
        ``interval``: its ``kind`` and ``level``, what it ``accounts_for`` and what it
        ``takes_as_fixed``.
        ``model_calls``, ``rows_evaluated``: model calls and evaluated rows so far.
        ``versions``: versions of Python, of this package and of the libraries.
        ``commit``: Git commit of the working directory, with ``-changed`` if files differ; None
        without Git.
    """
    table, model, classes = explainer.table, explainer.model, explainer.classes
    groups = in_dependence(explainer, inputs.groups, inputs.time).table.row_groups
    accounts_for, takes_as_fixed = described_interval(inputs.interval)
    return dict(
        plain(
            {
                "model": facts_of_model(model),
                "target": table.target,
                "task": "regression" if classes is None else "classification",
                "classes": [] if classes is None else [str(c) for c in classes.tolist()],
                "n_rows": len(table),
                "n_features": len(table.features),
                "groups": None if groups is None else str(groups),
                "features": {name: table.kind(name) for name in table.features},
                "sha256": {
                    "X": digest_of_table(table),
                    "y": digest_of_target(explainer) if table.has_target else None,
                },
                "seed": explainer.seed,
                "n_repeats": inputs.n_repeats,
                "interval": {
                    "kind": inputs.interval,
                    "level": LEVEL,
                    "accounts_for": accounts_for,
                    "takes_as_fixed": takes_as_fixed,
                },
                "model_calls": explainer.model_calls,
                "rows_evaluated": explainer.rows_evaluated,
                "versions": _versions(model),
                "commit": _commit(),
            }
        )
    )


def facts_of_model(model: Any) -> dict[str, Any]:
    """Return the class of a model, and its parameters; those that are not numbers are texts."""
    return dict(plain({"class": _class_of(model), "parameters": _parameters(model)}))


def digest_of_table(table: Table) -> str:
    """Return the SHA-256 of the features of a table as hexadecimal digits.

    It depends on names, kinds and values in their order, but not on their storage types: numbers
    are read as float64, and all other values as the texts of their categories.

    Parameters
    ----------
    table : Table
    """
    digest = hashlib.sha256()
    for name in table.features:
        _add_texts(digest, [name, table.kind(name)])
        if table.kind(name) == "numeric":
            digest.update(_bytes(table.numbers(name), "<f8"))
        else:
            _add_labels(digest, table.labels(name))
    return digest.hexdigest()


def digest_of_target(explainer: Explainer) -> str:
    """Return the SHA-256 of the target: of its labels as texts, or of its numbers as float64."""
    digest = hashlib.sha256()
    if explainer.classes is None:
        digest.update(_bytes(np.asarray(explainer.table.y, dtype=np.float64), "<f8"))
    else:
        _add_labels(digest, labels_of(explainer, None))
    return digest.hexdigest()


def _bytes(values: npt.NDArray[Any], dtype: str) -> bytes:
    # All NaNs get the same bytes, and so do 0.0 and -0.0.
    values = np.where(np.isnan(values), np.nan, values + 0.0) if dtype == "<f8" else values
    return np.ascontiguousarray(values, dtype=dtype).tobytes()


def _add_labels(digest: Any, labels: ColumnLabels) -> None:
    texts, positions = labels.by_text
    _add_texts(digest, texts)
    digest.update(_bytes(positions, "<i8"))


def _add_texts(digest: Any, texts: Iterable[str]) -> None:
    for text in texts:
        # The length comes first, so that ("ab", "c") and ("a", "bc") differ.
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)


def _class_of(model: Any) -> str:
    kind = model if isinstance(model, type) or hasattr(model, "__qualname__") else type(model)
    return f"{kind.__module__}.{kind.__qualname__}"


def _parameters(model: Any) -> dict[str, Any]:
    try:
        parameters = dict(model.get_params())
    except Exception:  # noqa: BLE001  a model may have no get_params, or a failing one
        return {}
    return {str(name): _brief(value) for name, value in sorted(parameters.items())}


def _brief(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, np.bool_, np.number)):
        return value
    text = value if isinstance(value, str) else " ".join(repr(value).split())
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."


def _versions(model: Any) -> dict[str, str]:
    names = [*_LIBRARIES, _class_of(model).partition(".")[0]]
    return {"python": platform.python_version(), **installed_versions(names)}


def _commit() -> str | None:
    def git(*arguments: str) -> str:
        answer = subprocess.run(
            ["git", *arguments],
            cwd=Path.cwd(),
            capture_output=True,
            text=True,
            timeout=_SECONDS_OF_GIT,
            check=True,
        )
        return answer.stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return f"{commit}-changed" if git("status", "--porcelain") else commit
    except (OSError, subprocess.SubprocessError):
        return None
