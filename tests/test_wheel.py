"""Wheel and sdist: their contents, and their installation without Node."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
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
RAW_BUDGET, GZIP_BUDGET = 130_000, 45_000


def build(source: Path, target: str, folder: Path, path: str | None = None) -> Path:
    """Build an archive with hatchling itself: what pip does, without fetching hatchling anew."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=source,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
        check=True,
        capture_output=True,
        text=True,
    )
    (archive,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return archive


def path_without_node(folder: Path) -> str:
    """Return a PATH with nothing on it but what a build may count on."""
    for name in ("git", "sh"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return str(folder)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


def test_wheel_carries_the_package_with_its_front_end_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert names >= STATIC | {"uqwidgets/__init__.py", "uqwidgets/py.typed"}
    outside = {name for name in names if not name.startswith("uqwidgets")}
    assert not outside
    assert not {name for name in names if name.endswith((".ts", ".csv", ".npz", ".ipynb"))}


def test_sdist_carries_the_front_end_built_and_as_sources(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert names >= STATIC | {"hatch_build.py", "js/package-lock.json", "js/src/index.ts"}
    assert not {name for name in names if "node_modules" in name or name.startswith("tests/")}


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


def test_sdist_becomes_a_wheel_where_no_node_is(sdist, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("uqwidgets-*")
    bare = tmp_path / "bin"
    bare.mkdir()
    built = build(source, "wheel", tmp_path / "dist", path_without_node(bare))
    assert set(zipfile.ZipFile(built).namelist()) >= STATIC


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


def runs(python: str) -> bool:
    return (
        shutil.which(python) is not None
        and not subprocess.run(
            [python, "-c", "import ensurepip"], capture_output=True, check=False
        ).returncode
    )


def oldest(requirement: str) -> str:
    """Return the requirement of the oldest version that another requirement allows."""
    name, version = re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()
    return f"{name}=={version}.*"


def dependencies() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["dependencies"]


FIRST_LOOK = """
import uqwidgets as uq
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.iloc[:, :5]
ex = uq.Explainer(RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2])
assert len(ex.importance("nll").frame) == 5
ex.dependence("mean radius", measure="entropy").to_altair().to_dict()
ex.stress(features=["mean radius"], taus=5), ex.scores(), ex.calibration()
explorer = uq.explore(ex, tau=0.5)
explorer.wait()
assert explorer._repr_mimebundle_()
uq.show_versions()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("python", "versions"),
    [
        (sys.executable, "oldest"),  # a newer Python has no archives of the oldest versions
        *(
            (python, "newest")
            for python in (f"python3.{minor}" for minor in range(11, 15))
            if runs(python)
        ),
    ],
)
def test_wheel_works_with_its_dependencies(wheel, tmp_path, python, versions):
    subprocess.run([python, "-m", "venv", str(tmp_path)], check=True)
    clean = tmp_path / ("Scripts" if os.name == "nt" else "bin") / "python"
    limits = list(map(oldest, dependencies())) if versions == "oldest" else []
    subprocess.run([clean, "-m", "pip", "install", "--quiet", str(wheel), *limits], check=True)
    # The package is the installed one, wherever the tests themselves find theirs.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [clean, "-c", FIRST_LOOK], cwd=tmp_path, env=own, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    if versions == "oldest":
        for limit in limits:
            name, version = limit.removesuffix(".*").split("==")
            assert f"\n{name}: {version}" in done.stdout


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
