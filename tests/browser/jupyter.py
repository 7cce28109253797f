"""Servers of notebooks with their own settings and folders, which end with the tests."""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from kernels import TRANSPORT, socket_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Locator, Page

FOLDERS = {
    "HOME": "home",
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "xdg",
    "XDG_STATE_HOME": "state",
}
# For programs that read the settings of Jupyter, and for Voila.
SETTINGS = ("jupyter_config.json", "voila.json")
QUIET = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}

# The status icon says "idle" before the kernel is connected, and "run all" would then be lost.
# The timer ends the evaluation, because Playwright cannot interrupt it.
RUN_ALL = """async (milliseconds) => {
  const timer = new Promise((_, reject) =>
    setTimeout(() => reject(new Error("the notebook did not finish in time")), milliseconds));
  const panel = window.jupyterapp.shell.currentWidget;
  const run = async () => {
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
    return panel.content.model.toJSON().cells
      .flatMap((cell) => cell.outputs ?? [])
      .filter((output) => output.output_type === "error")
      .map((output) => `${output.ename}: ${output.evalue}`);
  };
  return Promise.race([timer, run()]);
}"""
PANEL_READY = "() => window.jupyterapp?.shell.currentWidget?.sessionContext !== undefined"
# Saved notebooks close without a question.
LEAVE = """async () => {
  const { commands, shell } = window.jupyterapp;
  for (const panel of [...shell.widgets("main")]) {
    await panel.context?.save();
    await panel.sessionContext?.shutdown();
  }
  await commands.execute("application:close-all");
}"""
OPEN = """async (path) => {
  await window.jupyterapp.commands.execute("docmanager:open", { path });
}"""

LOG = "server.log"
NO_MODEL = "Error displaying widget: model not found"


@dataclass(frozen=True)
class JupyterLab:
    """A running server and the folder whose notebooks it serves."""

    folder: Path
    url: str
    token: str
    log: Path

    def address(self, name: str) -> str:
        """Return the address of a notebook in a fresh workspace."""
        return f"{self.url}/lab/tree/{name}?token={self.token}&reset"

    def run_notebook(self, page: Page, name: str, timeout: float = 200) -> None:
        """Open a notebook of the folder alone and run all its cells.

        A page that shows this JupyterLab already is not loaded again: the notebooks that are open
        are saved and closed, and their kernels end. Otherwise the workspace is fresh. The kernel
        stays alive, so every test needs a notebook of another name.
        """
        with printed_on_failure(self.log):
            if page.url.startswith(self.url):
                page.evaluate(LEAVE)
                page.evaluate(OPEN, name)
            else:
                page.goto(self.address(name))
            page.wait_for_function(PANEL_READY, timeout=timeout * 1000)
            errors = page.evaluate(RUN_ALL, timeout * 1000)
            assert not errors, errors


def first_widget(page: Page, open_notebook: Callable[[], object]) -> Locator:
    """Open a notebook again and return the first widget that it shows.

    JupyterLab waits two seconds for the model of a widget. Models that arrive when this wait ends
    are there, but their outputs keep an error (jupyterlab_widgets 3.0.17, ipywidgets issue 4026).
    Then the notebook is opened once more, as a person would do; four times at most.
    """
    root = page.get_by_test_id("uq-root").first
    for _ in range(4):
        open_notebook()
        page.wait_for_function(PANEL_READY)
        expect(root.or_(page.get_by_text(NO_MODEL)).first).to_be_visible()
        if root.is_visible():
            return root
    raise AssertionError(f"JupyterLab said four times: {NO_MODEL}")


@contextlib.contextmanager
def jupyter_lab(folder: Path, home: Path) -> Iterator[JupyterLab]:
    """Serve ``folder`` with settings and state under ``home`` until the context ends."""
    port, token = free_port(), secrets.token_urlsafe(16)
    url = f"http://127.0.0.1:{port}"
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",  # otherwise a used port silently moves the server
        f"--ServerApp.root_dir={folder}",
        f"--IdentityProvider.token={token}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=",
        "--LabApp.extension_manager=readonly",
    ]
    with served(command, f"{url}/api", home):
        yield JupyterLab(folder, url, token, home / LOG)


@contextlib.contextmanager
def served(command: list[str], url: str, home: Path) -> Iterator[None]:
    """Run a server whose state lies under ``home`` until the context ends."""
    log = home / LOG
    with log.open("wb") as output, socket_folder() as sockets, printed_on_failure(log):
        server = subprocess.Popen(
            command,
            env=environment(home, sockets),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait_until_up(server, url)
            yield
        finally:
            stop(server)


@contextlib.contextmanager
def printed_on_failure(log: Path) -> Iterator[None]:
    """Print the end of what a server said, if the block fails; pytest shows it with the failure."""
    try:
        yield
    except Exception:
        print("The server said at last:", log.read_text(errors="replace")[-5000:], sep="\n")  # noqa: T201
        raise


def environment(home: Path, sockets: Path) -> dict[str, str]:
    env = {**os.environ, "JUPYTER_RUNTIME_DIR": str(sockets)}
    for variable, name in FOLDERS.items():
        (home / name).mkdir(parents=True, exist_ok=True)
        env[variable] = str(home / name)
    settings = json.dumps({"KernelManager": {"transport": TRANSPORT}})
    for name in SETTINGS:
        (home / FOLDERS["JUPYTER_CONFIG_DIR"] / name).write_text(settings)
    notification = home / "settings" / "@jupyterlab" / "apputils-extension"
    notification.mkdir(parents=True)
    (notification / "notification.jupyterlab-settings").write_text(json.dumps(QUIET))
    return env


def free_port() -> int:
    """Return a port that no program has, below those that the system itself hands out."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("None of 100 ports between 20,000 and 32,000 was free.")


def wait_until_up(server: subprocess.Popen[bytes], url: str, seconds: int = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError("The server ended at its start.")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except urllib.error.HTTPError:
            return  # whoever refuses is up
        except OSError:
            pass
        time.sleep(0.05)
    raise TimeoutError(f"The server did not answer within {seconds} s.")


def stop(server: subprocess.Popen[bytes]) -> None:
    """End the server; Jupyter also shuts down its kernels on SIGTERM."""
    with contextlib.suppress(ProcessLookupError):
        server.send_signal(signal.SIGTERM)
    try:
        server.wait(15)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)  # start_new_session makes a process group
        server.wait()
