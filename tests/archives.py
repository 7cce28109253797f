"""The archives of the package, as hatchling builds them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build(source: Path, target: str, folder: Path, **variables: str) -> Path:
    """Build an archive with hatchling itself: what pip does, without fetching hatchling anew.

    Parameters
    ----------
    source : pathlib.Path
        Folder of the project.
    target : {"wheel", "sdist"}
    folder : pathlib.Path
        Where the archive is written.
    **variables : str
        Of the environment, in place of what they are here.
    """
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=source,
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
        text=True,
    )
    (archive,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return archive
