"""Atomic writing of a file: it appears complete, or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield the path of a new file beside ``path``, which replaces it when the block ends.

    If the block fails, the new file is removed, and a former one stays.

    Raises
    ------
    OSError
        If the file cannot be written; the sentence says why.
    """
    new = path.parent / f".{path.name}.{os.getpid()}.part"
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; give the name of a file in it.")
        if path.exists() and not path.is_file():
            raise FileExistsError(f"{path} is a device, not a file; save elsewhere.")
        # It is made before the work begins, so that nobody waits for a page that cannot be written.
        new.touch()
        yield new
        new.replace(path)
    except OSError as error:
        is_own = error.filename is not None and Path(error.filename) in (new, path)
        if not is_own and error.errno != errno.ENOSPC:
            raise
        raise type(error)(_sentence(error, path)) from error
    finally:
        # Where no file can be made, none can be removed.
        with suppress(OSError):
            new.unlink()


def _sentence(error: OSError, path: Path) -> str:
    if error.errno == errno.ENOSPC:
        return f"there is no space left for {path}; free some, or save elsewhere."
    if isinstance(error, FileNotFoundError) and not path.parent.exists():
        return f"the folder {path.parent} does not exist; make it, or save elsewhere."
    why = (error.strerror or str(error)).lower()
    return f"{path} cannot be written ({why}); save elsewhere."
