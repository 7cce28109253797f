"""Many lines, which are drawn as one image, look like the strokes of a few less."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import uqwidgets as uq
from browser.harness import watched_page
from browser.reading import wait_for_answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

# The most lines that are strokes.
STROKED = 500

# Red, green, blue and opacity of each pixel, row by row, and whether an image was put there.
PIXELS = """(canvas) => {
  const { width, height } = canvas;
  let text = "";
  for (const value of canvas.getContext("2d").getImageData(0, 0, width, height).data)
    text += String.fromCharCode(value);
  return [height, width, btoa(text), globalThis.images > 0];
}"""
COUNT_IMAGES = """
  globalThis.images = 0;
  const { prototype } = CanvasRenderingContext2D;
  const put = prototype.putImageData;
  prototype.putImageData = function (...image) { images++; return put.apply(this, image); };
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """Pages with the most lines that are strokes, and with one more."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(STROKED + 1, 2)), columns=["a", "b"])
    y = np.where(X["a"] * X["b"] + rng.normal(size=len(X)) > 0, "yes", "no")
    model = RandomForestClassifier(30, min_samples_leaf=10, random_state=0).fit(X, y)
    paths = {}
    for is_image in (False, True):
        lines = STROKED + is_image
        path = tmp_path_factory.mktemp("lines") / f"{lines}.html"
        with uq.Explorer(uq.Explainer(model, X, y), feature="a", ice_lines=lines) as explorer:
            explorer.save(path, intervals=[], stress_features=[], lines=lines, progress=False)
        paths[is_image] = path
    return paths


@pytest.mark.parametrize("scale", [1, 2])
def test_an_image_of_lines_looks_like_their_strokes(
    browser: Browser, pages: dict[bool, Path], scale: int
) -> None:
    lights = {}
    for is_image, path in pages.items():
        with watched_page(browser, device_scale_factor=scale) as page:
            page.add_init_script(COUNT_IMAGES)
            page.goto(path.as_uri())
            root = page.get_by_test_id("uq-root")
            wait_for_answer(root)
            if is_image:
                page.wait_for_function("images > 0")
            height, width, text, has_image = root.locator(".uq-ice").first.evaluate(PIXELS)
            assert has_image == is_image
        pixels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(height, width, 4)
        # Light of the three colours on white paper.
        lights[is_image] = 255 - pixels[..., 3:] / 255 * (255 - pixels[..., :3].astype(float))
    strokes, image = lights[False], lights[True]
    drawn = (strokes < 250).any(axis=2)
    assert drawn.mean() > 0.1
    assert (255 - image).sum() == pytest.approx((255 - strokes).sum(), rel=0.05)
    assert np.corrcoef(strokes.mean(axis=2).ravel(), image.mean(axis=2).ravel())[0, 1] > 0.97
    # Colours of single pixels differ, because later strokes cover earlier ones.
    difference = np.abs(squares(strokes, 12 * scale) - squares(image, 12 * scale))
    assert difference.mean() < 1.5
    assert difference.max() < 20


def squares(light: np.ndarray, size: int) -> np.ndarray:
    """Return the mean light of squares of so many pixels."""
    rows, columns = (side - side % size for side in light.shape[:2])
    return light[:rows, :columns].reshape(rows // size, size, -1, size, 3).mean(axis=(1, 3))
