"""Several models in one explorer: another one is shown in the place of the first."""

from __future__ import annotations

import gc
import time
import weakref

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from uqwidgets.explainer.others import explainer_of


def unsure(X):
    return X["a"].to_numpy() + 0.5 * X["b"].to_numpy(), np.ones(len(X))


def plain(X):
    return 0.3 * X["a"].to_numpy()


def steep(X):
    return 2.0 * X["a"].to_numpy(), np.ones(len(X))


MODELS = {"unsure": unsure, "plain": plain, "steep": steep}
SITE = pd.DataFrame({"site": ["north", "south"] * 30})


def data(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X, unsure(X)[0] + rng.normal(size=n)


@pytest.fixture
def explorer():
    X, y = data()
    with uq.explore(
        MODELS, X, y, n_repeats=3, extra=SITE, importance_of=["squared_error"]
    ) as explorer:
        assert explorer.wait()
        yield explorer


def rows_evaluated(explorer):
    return [explorer._models.explainer(name).rows_evaluated for name in MODELS]


def test_tau_follows_the_hand_after_a_return_to_the_first_model():
    X, y = data()
    with uq.explore(MODELS, X, y, n_repeats=2) as explorer:
        for name in ("unsure", "steep", "unsure"):
            explorer.shown_model = name
            assert explorer.wait(30)
            while not explorer._scheduler._is_followed:
                time.sleep(0.01)
            assert explorer._over_tau["inputs"]["shown_model"] == name


def test_another_model_is_shown_with_the_inputs_of_the_first(explorer):
    explorer.tau, explorer.ice_filter = 0.5, [{"feature": "site", "values": ["north"]}]
    explorer.shown_model = "steep"
    assert explorer.wait()
    frame = explorer._frame
    assert frame["meta"]["error"] is None
    assert frame["inputs"]["shown_model"] == explorer._about["model"] == "steep"
    assert explorer._about["title"] == "steep"
    assert explorer._about["models"] == list(MODELS)
    assert (explorer.tau, explorer.measure) == (0.5, "prediction")
    X, y = data()
    alone = uq.Explainer(steep, X, y)
    rows = np.arange(60) % 2 == 0
    weights = alone.stress_weights(explorer.stress_feature, 0.5, rows=rows)
    expected = alone.importance("squared_error", n_repeats=3, rows=rows, sample_weight=weights)
    np.testing.assert_allclose(
        explorer.result("importance").frame["importance"], expected.frame["importance"]
    )


def test_what_was_compared_is_shown_and_what_was_shown_is_compared(explorer):
    assert explorer.compare_with == "model:plain"
    explorer.shown_model = "plain"
    assert explorer.wait()
    assert explorer.compare_with == "model:unsure"
    meta = explorer._frame["meta"]
    assert (meta["comparison"]["first"], meta["comparison"]["second"]) == ("plain", "unsure")
    explorer.shown_model = "steep"
    assert explorer.compare_with == "model:unsure"


def test_the_answers_of_all_models_are_kept(explorer):
    for name in ("plain", "unsure", "plain"):
        explorer.shown_model = name
        assert explorer.wait()
    before = rows_evaluated(explorer)
    for name in ("unsure", "plain"):
        explorer.shown_model = name
        assert explorer.wait()
    assert rows_evaluated(explorer) == before


def test_a_measure_that_the_other_model_has_not_becomes_the_default_and_a_sentence_says_so(
    explorer,
):
    explorer.measure = "entropy"
    explorer.shown_model = "plain"
    assert explorer.wait()
    assert explorer.measure == "prediction"
    sentence = "plain has not the measure of unsure, so it is the default: measure 'entropy' is not"
    (note,) = [n for n in explorer._frame["meta"]["notes"] if n.startswith(sentence)]
    assert "as_predictive" not in note
    explorer.measure = "squared_error"
    assert explorer.wait()
    assert note not in explorer._frame["meta"]["notes"]


def test_a_message_changes_model_and_measure_together(explorer):
    explorer.shown_model = "plain"
    explorer.set_state({"shown_model": "steep", "measure": "entropy", "_seq": 7})
    assert explorer.wait()
    assert (explorer.shown_model, explorer.measure) == ("steep", "entropy")
    explorer.set_state({"shown_model": "plain", "measure": "entropy", "_seq": 8})
    assert explorer.wait()
    assert (explorer.shown_model, explorer.measure) == ("plain", "prediction")
    assert "'entropy' is not available" in explorer._frame["meta"]["error"]


@pytest.mark.parametrize("name", ["nothing", 3, None, ["plain"], "x" * 1000])
def test_a_model_that_does_not_exist_is_refused(explorer, name):
    explorer.set_state({"shown_model": name, "_seq": 5})
    assert explorer.wait()
    assert explorer.shown_model == "unsure"
    assert explorer._frame["meta"]["error"]
    assert len(explorer._frame["meta"]["error"]) < 1500


def test_a_model_that_fails_is_called_once_and_leaves_the_shown_one():
    calls = []

    def broken(X):
        calls.append(len(X))
        raise RuntimeError("out of order")

    X, y = data()
    with uq.explore({"unsure": unsure, "broken": broken}, X, y, compare_with="") as explorer:
        assert explorer.wait()
        explorer.set_state({"shown_model": "broken", "_seq": 3})
        assert explorer.wait()
        assert explorer.shown_model == "unsure"
        assert "out of order" in explorer._frame["meta"]["error"]
        assert calls == [len(X)]
        explorer.tau = 0.5
        assert explorer.wait()
        assert explorer._frame["meta"]["error"] is None


def test_state_and_code_show_the_same_model_again(explorer):
    explorer.shown_model, explorer.tau = "steep", 0.25
    explorer.wait()
    X, y = data()
    names = {"uq": uq, **MODELS, "X": X, "y": y, "extra": SITE}
    with eval(explorer.code(), names) as same:
        same.wait()
        assert same.state == explorer.state
    with uq.Explorer(
        uq.Explainer(unsure, X, y, name="unsure", others=dict(list(MODELS.items())[1:])),
        state=explorer.state,
    ) as same:
        assert same.shown_model == "steep"
    state = explorer.state
    explorer.shown_model = "unsure"
    explorer.state = state
    assert explorer.shown_model == "steep"
    with pytest.raises(ValueError, match="there is no model 'other'"):
        explorer.state = {"shown_model": "other"}


def test_a_pin_of_another_model_is_a_ghost_and_is_in_a_page(explorer, tmp_path):
    explorer.pin("of unsure")
    expected = explorer.result("dependence").average
    explorer.shown_model = "steep"
    explorer.pins = [{**explorer.pins[0], "ghost": True}]
    assert explorer.wait()
    frame = explorer._frame
    assert (frame["meta"]["error"], frame["meta"]["ghost"]["note"]) == (None, "of unsure")
    np.testing.assert_allclose(np.frombuffer(frame["cols"]["dependence.ghost"]), expected)
    explorer.pin("of steep")
    text = explorer.save(tmp_path / "page.html", lines=0, progress=False).path.read_text("utf-8")
    assert "of steep" in text
    assert "of unsure" in text


def test_single_models_have_no_choice():
    X, y = data()
    with uq.explore(plain, X, y) as explorer:
        assert explorer.shown_model == ""
        assert explorer._about["models"] == []
        with pytest.raises(ValueError, match="there is no model 'other'"):
            explorer.shown_model = "other"


def test_linked_explorers_can_show_the_same_model(explorer):
    X, y = data()
    with uq.explore(MODELS, X, y) as other:
        tie = uq.link(explorer, other, names=["shown_model"])
        explorer.shown_model = "plain"
        assert other.shown_model == "plain"
        tie.unlink()


def test_models_that_are_closed_are_freed_without_a_collector_of_cycles():
    X, y = data()
    explainer = uq.Explainer(unsure, X, y, name="unsure", others={"plain": plain})
    shown = explainer_of(explainer, "plain")
    assert list(shown.others) == ["unsure"]
    assert shown.others["unsure"] is explainer
    reference = weakref.ref(explainer)
    gc.disable()
    try:
        del shown, explainer
        assert reference() is None
    finally:
        gc.enable()


def test_a_model_of_other_rows_is_not_shown():
    X, y = data()
    other = uq.Explainer(plain, X[:30], y[:30])
    explainer = uq.Explainer(unsure, X, y, name="unsure", others={"plain": other})
    with (
        uq.Explorer(explainer, compare_with="") as explorer,
        pytest.raises(ValueError, match="unsure has 60 rows and plain has 30"),
    ):
        explorer.shown_model = "plain"
