"""A damaged page says so: it shows no wrong number, it is never blank, and it never throws."""

from __future__ import annotations

import base64

import numpy as np
import pandas as pd
import pytest

import uqwidgets as uq
from browser.harness import new_page
from cases import thorough_after
from widgets.damages import damages

N_DAMAGES, N_PARTS = 500, 20
# The first runs with every change, the second in the thorough run, and all before a release.
PARTS = [0, 1, *(pytest.param(part, marks=pytest.mark.slow) for part in range(2, N_PARTS))]

# What a reader sees: whether a sentence says that the page may be damaged, and everything else.
READ = r"""(root) => {
  const isShown = (e) => e && e.getClientRects().length > 0 && e.checkVisibility();
  const alert = root.querySelector("body > [role=alert]");
  const sentences = ["top", "middle", "end"].map((name) => root.querySelector(`#uq-${name}`));
  return {
    says: [alert, ...sentences].filter(isShown)
      .some((e) => /damaged|[\d,]{4,} bytes/.test(e.innerText)),
    opened: Boolean(root.documentElement.dataset.opened),
    text: root.body ? root.body.innerText : "",
    values: [...root.querySelectorAll("[data-value]")].map((e) => e.dataset.value).join(),
  };
}"""
# Opens damaged pages, some at once, in frames; a script that the policy refuses never settles.
OPEN_ALL = """async ([whole, damages]) => {
  const page = Uint8Array.from(atob(whole), (letter) => letter.charCodeAt(0));
  const read = READ;
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const open = async (pieces) => {
    const parts = pieces.map(([start, stop, bytes]) =>
      bytes ? Uint8Array.from(bytes) : page.subarray(start, stop));
    const text = await new Response(new Blob(parts)).text();
    const frame = document.createElement("iframe");
    frame.width = 1000;
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    frame.srcdoc = text;
    document.body.append(frame);
    await loaded;
    const isSettled = () => frame.contentDocument.documentElement.dataset.opened
      || frame.contentDocument.querySelector("body > [role=alert]");
    for (let i = 0; i < 50 && !isSettled(); i++) await sleep(30);
    let seen = read(frame.contentDocument);
    // An explorer paints several times.
    for (let i = 0; i < 100 && seen.opened && seen.text !== reference?.text; i++) {
      await sleep(reference ? 50 : 20);
      seen = read(frame.contentDocument);
    }
    reference ??= seen;
    frame.remove();
    return seen;
  };
  let reference;
  const results = [await open([[0, page.length]])];
  const next = damages.entries();
  const work = async () => { for (const [i, one] of next) results[i + 1] = await open(one); };
  await Promise.all(Array.from({ length: 6 }, work));
  return results;
}""".replace("READ;", f"{READ};")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["length", "width τ"])
    y = X["length"] + rng.normal(size=60)
    path = tmp_path_factory.mktemp("pages") / "page.html"
    model = lambda X: (X["length"], np.full(len(X), 0.5))  # noqa: E731
    with uq.explore(model, X, y, stress_feature="length", n_repeats=2, ice_lines=5) as explorer:
        explorer.tau = 0.5
        explorer.pin("lengths were larger")
        explorer.save(path, stress_features=["length"], author="An Author", progress=False)
    return path


def encoded(damage):
    return [[0, 0, list(p)] if isinstance(p, bytes) else [*p, None] for p in damage.pieces]


def faults_of(seen, whole):
    if not seen["text"].strip():
        return "is blank"
    same = (seen["text"], seen["values"]) == (whole["text"], whole["values"])
    return None if seen["says"] or same else "shows what nobody sent, and does not say so"


@pytest.mark.parametrize("part", thorough_after(1, PARTS))
def test_no_damaged_page_shows_a_wrong_number_or_nothing(browser, path, part):
    content = path.read_bytes()
    every = list(damages(content, N_DAMAGES))[part::N_PARTS]
    with new_page(browser) as page:
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        whole = base64.b64encode(content).decode()
        reference, *seen = page.evaluate(OPEN_ALL, [whole, list(map(encoded, every))])
    assert reference["opened"]
    assert "This page is whole" in reference["text"]
    assert not reference["says"]
    faults = [
        (d.name, f) for d, s in zip(every, seen, strict=True) if (f := faults_of(s, reference))
    ]
    assert not faults
    assert not errors
    assert sum(s["says"] for s in seen) > 0.8 * len(every)
