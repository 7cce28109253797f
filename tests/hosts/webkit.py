"""WebKit, which Playwright cannot drive from Debian's packages, through its own driver."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from selenium import webdriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

DRIVER = "/usr/bin/WebKitWebDriver"
SCREEN = "Xvfb"
MINI_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"


def find_mini_browser() -> str | None:
    """Return the path of the browser that WebKitGTK brings, or None."""
    paths = sorted(Path("/").glob(MINI_BROWSERS.lstrip("/")))
    return str(paths[-1]) if paths else None


@contextmanager
def webkit(mini_browser: str) -> Iterator[webdriver.WebKitGTK]:
    """Run WebKit on a screen that is not shown."""
    command = [SCREEN, "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
    screen = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        environment = {
            **os.environ,
            "DISPLAY": f":{screen.stdout.readline().strip()}",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
            "GSETTINGS_BACKEND": "memory",
            "NO_AT_BRIDGE": "1",
        }
        options = Options()
        options.binary_location = mini_browser
        options.add_argument("--automation")
        with webdriver.WebKitGTK(
            options=options, service=Service(executable_path=DRIVER, env=environment)
        ) as driver:
            yield driver
    finally:
        screen.terminate()
        screen.communicate()
