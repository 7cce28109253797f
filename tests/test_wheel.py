"""Wheel and sdist: their contents, and their installation without Node."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import hatch_build
from archives import ROOT, build

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
    "parts/performance.js",
    "parts/performance.css",
)
STATIC = {f"uqwidgets/static/{name}" for name in BUILT}
NOT_PUBLISHED = {hatch_build.REPOSITORY: ""}
RAW_BUDGET, GZIP_BUDGET = 130_000, 45_000


def path_without_node(folder: Path) -> str:
    """Return a PATH with nothing on it but what a build may count on."""
    for name in ("git", "sh"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return str(folder)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"), **NOT_PUBLISHED)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"), **NOT_PUBLISHED)


def test_wheel_carries_the_package_with_its_front_end_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert names >= STATIC | {"uqwidgets/__init__.py", "uqwidgets/py.typed"}
    outside = {name for name in names if not name.startswith("uqwidgets")}
    assert not outside
    assert not {name for name in names if name.endswith((".ts", ".csv", ".npz", ".ipynb"))}


@pytest.mark.thorough
def test_sdist_carries_the_front_end_built_and_as_sources(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert names >= STATIC | {"hatch_build.py", "js/package-lock.json", "js/src/index.ts"}
    assert not {name for name in names if "node_modules" in name or name.startswith("tests/")}


REPOSITORY = "https://github.com/Owner/name"
ADDRESSES = {
    "Homepage": "https://owner.github.io/name/",
    "Documentation": "https://owner.github.io/name/",
    "Source": REPOSITORY,
    "Issues": f"{REPOSITORY}/issues",
    "Changelog": f"{REPOSITORY}/blob/main/CHANGELOG.md",
}


def addresses_of(wheel):
    """Addresses in the metadata of a wheel, by label."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    return dict(line.split(", ", 1) for line in metadata.get_all("Project-URL", []))


def unpacked(sdist, folder):
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.glob("uqwidgets-*")
    return source


@pytest.mark.thorough
def test_archives_have_the_addresses_of_the_repository_that_publishes_them(tmp_path):
    name = hatch_build.REPOSITORY
    published = build(ROOT, "sdist", tmp_path / "sdist", **{name: REPOSITORY})
    source = unpacked(published, tmp_path)
    # Whoever builds from it, wherever, does not change them.
    for folder, repository in (("here", ""), ("elsewhere", "https://github.com/another/fork")):
        made = build(source, "wheel", tmp_path / folder, **{name: repository})
        assert addresses_of(made) == ADDRESSES


@pytest.mark.thorough
def test_archives_without_a_repository_have_no_addresses(sdist, wheel, tmp_path):
    assert addresses_of(wheel) == {}
    source = unpacked(sdist, tmp_path)
    assert addresses_of(build(source, "wheel", tmp_path / "dist")) == {}


def test_bundle_stays_within_its_budget(wheel):
    with zipfile.ZipFile(wheel) as archive:
        texts = [archive.read(f"uqwidgets/static/{name}") for name in ("index.js", "styles.css")]
    assert sum(map(len, texts)) <= RAW_BUDGET
    assert sum(len(gzip.compress(text)) for text in texts) <= GZIP_BUDGET


def test_bundle_travels_with_the_licences_of_what_is_in_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        licenses = archive.read("uqwidgets/static/LICENSES.txt").decode()
    assert "d3-scale" in licenses
    assert licenses.count("Permission to use, copy, modify") >= 3


@pytest.mark.thorough
def test_sdist_becomes_a_wheel_where_no_node_is(sdist, tmp_path):
    source = unpacked(sdist, tmp_path)
    bare = tmp_path / "bin"
    bare.mkdir()
    built = build(source, "wheel", tmp_path / "dist", PATH=path_without_node(bare))
    assert set(zipfile.ZipFile(built).namelist()) >= STATIC


@pytest.mark.thorough
def test_wheel_installs_into_a_clean_environment_and_is_imported(wheel, tmp_path):
    venv.create(tmp_path, with_pip=False)
    python = tmp_path / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    # Borrow the dependencies of this environment. Its own uqwidgets stays out of sight: it is an
    # editable install, and a folder that a .pth file names has its own .pth files left unread.
    (packages,) = tmp_path.rglob("site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))

    code = "import uqwidgets; print(uqwidgets.__file__); print(uqwidgets.__version__)"
    done = subprocess.run(
        [str(python), "-W", "error", "-c", code],
        cwd=tmp_path,
        env={"PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    file, version = done.stdout.split()
    assert Path(file).is_relative_to(packages)
    assert f"-{version}-" in wheel.name


@pytest.mark.slow
def test_clone_becomes_a_wheel_with_the_node_from_pypi(tmp_path):
    """On a machine with Python and its registries alone, the build fetches a Node for itself."""
    source = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    bare = tmp_path / "bin"
    bare.mkdir()
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(tmp_path / "dist"), "."],
        cwd=source,
        env={**os.environ, "PATH": path_without_node(bare)},
        check=True,
    )
    (built,) = (tmp_path / "dist").glob("*.whl")
    assert set(zipfile.ZipFile(built).namelist()) >= STATIC
