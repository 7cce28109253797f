"""What a page holds in each scope, what it is said to take, and pages in the background."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace

import pytest

import uqwidgets as uq
from uqwidgets.widgets.over_tau.levels import STOPS
from uqwidgets.widgets.page.assembly import Steps
from uqwidgets.widgets.page.contents import PACKING
from uqwidgets.widgets.page.price import Look, Measured, counts_of, measured, price_of
from uqwidgets.widgets.page.saving import SavedPage, SavingPage
from widgets.pages import index_of, model


@pytest.fixture
def explorer(table):
    views = ["importance", "dependence", "stress"]
    inputs = {"n_repeats": 3, "ice_lines": 20, "feature": "a", "stress_feature": "a"}
    with uq.explore(model, *table, views=views, **inputs) as explorer:
        explorer.wait()
        yield explorer


def held(path):
    """The views of a page, the features that can be stressed, and those that have a curve."""
    index = index_of(path)
    (cohort,) = index["cohorts"]
    curves = {json.loads(key)[0] for key in cohort["entries"]["dependence"]}
    stressed = {json.loads(key)[0] for key in cohort["levels"]}
    views = {name.partition(".")[0] for name in cohort["entries"]}
    return views, stressed, curves


def test_what_was_shown_is_saved_by_default(explorer, tmp_path):
    explorer.stress_feature = "b"
    explorer.views = ["importance", "dependence", "stress", "performance"]
    explorer.pin("b in another view")
    explorer.views, explorer.stress_feature = ["importance", "dependence", "stress"], "a"
    page = explorer.save(tmp_path / "page.html", progress=False).path
    views, stressed, curves = held(page)
    assert {"importance", "dependence", "stress", "performance"} <= views
    assert views.isdisjoint({"surface", "small_curves", "importance_over_tau"})
    assert stressed == {"a", "b"}
    assert curves == {"a", "b", "c"}
    about = {one["name"]: one["unstressable"] for one in index_of(page)["about"]["features"]}
    assert about == {"a": None, "b": None, "c": "not in this page"}
    frozen = explorer.freeze(progress=False)
    (tmp_path / "frozen.html").write_text(frozen.html)
    assert held(tmp_path / "frozen.html") == (views, stressed, curves)


def kinds_of(path):
    """Whether the importance of a page holds one at a time or all at once, or either."""
    index = index_of(path)
    (cohort,) = index["cohorts"]
    at = index["reads"]["importance"].index("simultaneous")
    kinds = {json.loads(key)[at] for key in cohort["entries"]["importance"]}
    assert index["about"]["simultaneous"] == sorted(kinds)
    return kinds


def test_a_page_holds_the_kinds_of_levels_of_the_saved_views(explorer, tmp_path):
    one, two = (tmp_path / f"{name}.html" for name in ("one", "two"))
    explorer.save(one, progress=False)
    assert kinds_of(one) == {False}
    explorer.pin("one at a time")
    explorer.simultaneous = True
    explorer.save(two, progress=False)
    assert kinds_of(two) == {False, True}
    # Lines and their weights are stored once.
    assert two.stat().st_size < 1.3 * one.stat().st_size


def test_a_page_knows_the_codes_of_the_remarks_of_its_views(table, tmp_path):
    X, y = table
    twice = X.iloc[[*range(90), *range(20)]].reset_index(drop=True)
    with uq.explore(model, twice, [*y, *y[:20]], views=["performance"]) as explorer:
        explorer.save(tmp_path / "page.html", progress=False)
    index = index_of(tmp_path / "page.html")
    (entry,) = index["cohorts"][0]["entries"]["performance"].values()
    (remark,) = (one for one in entry["content"]["meta"]["remarks"] if "repeat another" in one)
    assert index["codes"][remark] == "duplicated-rows"
    assert "duplicated-rows" in index["about"]["urgent"]


def test_all_is_every_view_and_stressed_feature(explorer, tmp_path):
    page = explorer.save(tmp_path / "page.html", scope="all", progress=False).path
    views, stressed, curves = held(page)
    assert views == {view.name for view in explorer._session.views}
    assert stressed == curves == {"a", "b", "c"}
    assert index_of(page)["inputs"]["views"] == []
    # A list of features wins over the scope.
    explorer.save(page, scope="all", stress_features=["c"], progress=False)
    assert held(page)[1] == {"a", "c"}
    explorer.save(page, stress_features=["c"], progress=False)
    assert held(page)[1] == {"a", "c"}


def test_pictures_have_no_script_and_those_of_each_pin(explorer, tmp_path):
    explorer.measure = "entropy"
    explorer.ice_filter = [{"feature": "a", "low": 0.0}]
    explorer.pin("</script><b>large a</b>")
    explorer.ice_filter = []
    saved = explorer.save(
        tmp_path / "page.html", scope="pictures", author="An Author", progress=False
    )
    text = saved.path.read_text()
    assert "<script" not in text
    assert "javascript" not in text.lower()
    assert not re.search(r"\son\w+=", text)
    assert "<b>large a" not in text
    assert "An Author" in text
    parts = re.findall(r"<h2[^>]*>(.*?)</h2>(.*?)(?=<h2|$)", text, re.DOTALL)
    present, pin = (part for name, part in parts[:2])
    assert "large a" in parts[1][0]
    assert present.count("<svg") == pin.count("<svg") >= 3
    n_large = int((explorer.explainer.table.numbers("a") >= 0).sum())
    assert f"{n_large} rows" in pin
    assert f"{n_large} rows" not in present
    assert "Tables and code" in text
    assert saved.rows.startswith("It shows curves of single rows")
    without = explorer.save(tmp_path / "none.html", scope="pictures", lines=0, progress=False)
    assert without.rows.startswith("It holds no row")


def test_a_scope_that_does_not_exist_is_refused(explorer, tmp_path):
    for wrong in ("everything", None, ["all"]):
        with pytest.raises(ValueError, match=r"there is no scope .*did you mean"):
            explorer.save(tmp_path / "page.html", scope=wrong)
    with pytest.raises(ValueError, match="there is no scope 'pictures'"):
        explorer.freeze(scope="pictures")
    for option in ("wait", "progress"):
        with pytest.raises(ValueError, match=f"{option} is 'no'; it must be True or False"):
            explorer.save(tmp_path / "page.html", **{option: "no"})
    with pytest.raises(ValueError, match="no page shows the explorer"):
        explorer.save(progress=False)
    assert list(tmp_path.iterdir()) == []


# The price.


@pytest.mark.parametrize("scope", ["shown", "all"])
def test_the_price_counts_what_the_page_computes(explorer, monkeypatch, scope):
    plan = explorer._plan(scope, {"large a": {"feature": "a", "low": 0.0}}, None, (), None)
    counts = counts_of(plan)
    steps, before = [], explorer.explainer.rows_evaluated
    original = Steps.next

    def count(self, what):
        steps.append(what)
        original(self, what)

    monkeypatch.setattr(Steps, "next", count)
    explorer._page(plan, 1, Steps(lambda *_: None))
    assert counts.cohorts == 2
    for name, n in counts.contents.items():
        assert steps.count(name) == n, name
    assert steps.count(PACKING) == 2
    asked = explorer.explainer.rows_evaluated - before
    assert sum(counts.rows.values()) == asked > 0
    # What is known is not counted again.
    assert sum(counts_of(plan).rows.values()) == 0


def test_the_price_multiplies_what_was_measured_by_the_counts(explorer):
    plan = explorer._plan("all", None, None, (), None)
    counts = counts_of(plan)
    names = list(counts.contents)

    def look(stressed, levels):
        # Each content takes a second, and one more for each level of a stressed feature.
        seconds = {name: [1.0 + stressed * levels] for name in names}
        return Look(stressed, levels, seconds, dict.fromkeys(["", *names], 1000))

    known = Measured([look(0, 41), look(1, 41), look(3, 41)], 0.5, 7000, slowness=2.0)
    price = price_of(counts._replace(asking={}), known)
    each = 1 + 3 * len(STOPS)
    n = sum(counts.contents.values())
    for name in names:
        assert price.steps[name] == pytest.approx(2 * each)
    assert price.seconds >= 2 * n * each
    # The review repeats importance over tau of the one stressed feature.
    rest = price.seconds - 2 * n * each
    assert rest == pytest.approx(2 * (1 + len(STOPS) + len(names) + 0.5), rel=0.05)
    slower = price_of(counts._replace(asking={}), known._replace(slowness=4.0))
    assert slower.seconds == pytest.approx(2 * price.seconds)
    assert slower.nbytes == price.nbytes
    asked = price_of(counts._replace(asking={"dependence": 60.0}), known)
    assert asked.seconds - price.seconds == pytest.approx(60)


def test_the_price_asks_the_model_nothing_and_computes_a_few_contents(explorer, monkeypatch):
    before = explorer.explainer.model_calls
    plan = explorer._plan("all", None, None, (), None)
    known = measured(plan, lambda: None)
    assert explorer.explainer.model_calls == before
    assert [(look.stressed, look.levels) for look in known.looks] == [(0, 41), (1, 41), (3, 41)]
    n_measures = len({json.dumps(m) for m in explorer._session.about["measures"]})
    assert len(known.looks[0].steps["dependence"]) <= n_measures
    # Of more values, fewer levels are computed.
    monkeypatch.setattr("uqwidgets.widgets.page.price._MANY", 100)
    known = measured(plan, lambda: None)
    assert [(look.stressed, look.levels) for look in known.looks] == [(0, 41), (1, 11)]


def test_the_price_of_the_bytes_holds_within_a_factor_of_two(explorer, tmp_path):
    price = explorer.page_price()
    for scope in ("shown", "all", "pictures"):
        said = getattr(price, scope).nbytes
        saved = explorer.save(tmp_path / "page.html", scope=scope, progress=False)
        assert 0.5 < said / saved.nbytes < 2, scope
    assert re.fullmatch(
        r"(about \d+|less than 1) s, 0\.\d MB; all: (about \d+|less than 1) s, \d\.\d MB; "
        r"pictures: (about \d+|less than 1) s, 0\.\d MB",
        repr(price),
    )
    larger = replace(price.shown, seconds=237.0, nbytes=6_000_000)
    assert repr(larger) == "about 4 min, 6.0 MB"


# In the background.


def test_a_page_in_the_background_is_that_of_the_call(explorer, tmp_path, monkeypatch):
    may_go_on = threading.Event()
    original = Steps.next

    def wait(self, what):
        may_go_on.wait(30)
        original(self, what)

    monkeypatch.setattr(Steps, "next", wait)
    path = tmp_path / "page.html"
    saving = explorer.save(path, progress=False, wait=False)
    assert isinstance(saving, SavingPage)
    assert (saving.done, saving.result, saving.error) == (False, None, None)
    assert "0% done" in repr(saving)
    with pytest.raises(TimeoutError, match=r"not complete after 0.01 s; wait longer, or stop"):
        saving.wait(0.01)
    with pytest.raises(RuntimeError, match="another page is being saved"):
        explorer.save(tmp_path / "other.html", progress=False)
    # The explorer answers meanwhile.
    explorer.feature = "c"
    assert explorer.wait(30)
    assert explorer.result("dependence").feature == "c"
    assert not saving.done
    may_go_on.set()
    saved = saving.wait(60)
    assert isinstance(saved, SavedPage)
    assert saving.done
    assert saving.result is saved
    assert (saving.share, repr(saving)) == (1.0, repr(saved))
    assert index_of(path)["inputs"]["feature"] == "a"
    assert list(tmp_path.iterdir()) == [path]


def test_stop_in_the_background_leaves_the_former_file(explorer, tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("former")
    reached, original = threading.Event(), Steps.next

    def wait(self, what):
        reached.set()
        stopping.wait(30)
        original(self, what)

    monkeypatch.setattr(Steps, "next", wait)
    for stop in (
        SavingPage.stop,
        lambda _: explorer.set_state({"_stop": 10_000}),
        lambda _: explorer._handle_msg(custom({"page": "stop"})),
        lambda _: explorer.close(),
    ):
        stopping = threading.Event()
        reached.clear()
        saving = explorer.save(path, progress=False, wait=False)
        assert reached.wait(30)
        stop(saving)
        stopping.set()
        with pytest.raises(RuntimeError, match="the page was stopped before it was complete"):
            saving.wait(30)
        assert saving.error == "the page was stopped before it was complete; none is written."
        assert saving.result is None
        assert saving.error in repr(saving)
        assert path.read_text() == "former"
        assert list(tmp_path.iterdir()) == [path]


def test_an_error_in_the_background_is_one_sentence(explorer, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="does not exist; make it"):
        explorer.save(tmp_path / "none" / "page.html", wait=False)
    with pytest.raises(ValueError, match="z"):
        explorer.save(tmp_path / "page.html", stress_features=["z"], wait=False)

    def fail(*_):
        raise ArithmeticError("no\nnumber")

    monkeypatch.setattr(Steps, "next", fail)
    saving = explorer.save(tmp_path / "page.html", progress=False, wait=False)
    with pytest.raises(ArithmeticError):
        saving.wait(30)
    assert saving.error == "ArithmeticError: no"
    assert list(tmp_path.iterdir()) == []


# In the browser.


def custom(content):
    return {"content": {"data": {"method": "custom", "content": content}}}


@pytest.fixture
def told(explorer, monkeypatch):
    """What the browser is told about pages, while it shows the explorer."""
    sent, original = [], uq.Explorer.send

    def send(self, content, buffers=None):
        if "page" in content:
            sent.append(content["page"])
            if content["page"].keys() & {"error", "saved", "price"}:
                ended.set()
        original(self, content, buffers)

    def ask(content):
        ended.clear()
        sent.clear()
        explorer._handle_msg(custom(content))
        assert ended.wait(60)
        return sent

    ended = threading.Event()
    monkeypatch.setattr(uq.Explorer, "send", send)
    explorer._view_count = 1
    return ask


def test_the_browser_asks_for_the_price_and_downloads_the_page(explorer, told, tmp_path):
    (answer,) = told({"page": "price"})
    assert answer["price"].keys() == {"shown", "all", "pictures"}
    assert re.fullmatch(r"(about \d+|less than 1) s, 0\.\d MB", answer["price"]["shown"])
    sent = told({"page": "shown", "id": "7"})
    shares = [one["share"] for one in sent if "share" in one]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    (page,) = (one for one in sent if "text" in one)
    assert page["id"] == "7"
    assert re.fullmatch(r"What-drives-[\w.-]+\.html", page["name"])
    path = tmp_path / "page.html"
    path.write_text(page["text"])
    assert held(path)[1] == {"a"}
    assert sent[-1]["saved"].startswith(page["name"])
    assert sent[-1]["error"] is None
    # Python has it downloaded as well, by whichever page shows the explorer.
    saved = explorer.save(title="A / title", scope="pictures", progress=False)
    assert saved.path.name == "A-title.html"


def test_what_the_browser_asks_is_checked(told, monkeypatch):
    for wrong in ("everything", "__init__"):
        assert "there is no scope" in told({"page": wrong})[-1]["error"]
    monkeypatch.setattr("uqwidgets.widgets.page.savable.MOST_SECONDS", 0.0)
    assert "a browser may ask for one hour" in told({"page": "shown", "id": ["x"]})[-1]["error"]


def test_messages_about_no_page_are_ignored(explorer):
    for content in ({"page": 3}, {"page": None}, {"page": ["all"]}, [], None):
        explorer._handle_msg(custom(content))
    explorer._handle_msg(custom({"page": "stop"}))
    assert explorer._page_stop is None
