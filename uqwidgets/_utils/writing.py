"""Writing of a file: it appears complete, or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from uqwidgets._utils.options import brief

if sys.platform != "win32":
    import fcntl

# Windows lacks the first two, and it alone has the third.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# A temporary file has a short name, so that every valid name of a file can be written.
_PREFIX, _SUFFIX = ".uqwidgets-", ".part"


@contextmanager
def whole_file(path: Any) -> Iterator[Callable[[str], int]]:
    """Yield a function that writes a text as a file, in UTF-8, and returns its number of bytes.

    A new file replaces the former one when it is complete. It is made beside it before the block
    begins, so that nobody waits for a page that cannot be written. A link is followed. A file keeps
    its mode; if it has another name (a hard link) or another owner, it is written in place, since a
    new file would lose them. Temporary files of processes that were killed are removed.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    TypeError
        If the path is neither.
    OSError
        If the file cannot be written; the sentence says why. The former one stays.
    """
    try:
        path = Path(path)
    except TypeError:
        raise TypeError(
            f"path is {brief(path)}; pass the name of a file, as a text or a Path."
        ) from None
    with _one_sentence(path):
        former = _former(path)
        target = path.resolve()
        _remove_stale(target.parent)
        mode = None if former is None else stat.S_IMODE(former.st_mode) & 0o777
        new, file = _made(target.parent, 0o666 if mode is None else mode)

    def write(text: str) -> int:
        content = text.encode("utf-8")
        with _one_sentence(path):
            if former is not None and not _can_replace(former, os.fstat(file.fileno())):
                _overwrite(target, content)
                return len(content)
            _write(file, content)
            if mode is not None and sys.platform != "win32":
                os.fchmod(file.fileno(), mode)
            # It stays open, and so locked, until it has the name of the target, lest another save
            # takes it for stale; but Windows replaces no open file.
            if sys.platform == "win32":
                file.close()
            new.replace(target)
        return len(content)

    try:
        yield write
    finally:
        with suppress(OSError):
            file.close()
        with suppress(OSError):
            new.unlink()


def _former(path: Path) -> os.stat_result | None:
    """Check that a file can be written, and return what is known of it, None if there is none."""
    try:
        former = path.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(former.st_mode):
        raise IsADirectoryError(f"{path} is a folder; give the name of a file in it.")
    if not stat.S_ISREG(former.st_mode):
        raise FileExistsError(f"{path} is a device, not a file; save elsewhere.")
    # To an administrator every file is writable.
    if not former.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(f"{path} is read-only; make it writable, or save elsewhere.")
    return former


def _can_replace(former: os.stat_result, new: os.stat_result) -> bool:
    """Whether a new file has all that the former one has, apart from its mode."""
    is_own = (former.st_uid, former.st_gid) == (new.st_uid, new.st_gid)
    return former.st_nlink <= 1 and is_own


def _made(folder: Path, mode: int) -> tuple[Path, FileIO]:
    """Make and lock a temporary file whose name nobody can foresee."""

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_EXCL | _NO_LINK, mode)

    while True:
        new = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
        file = FileIO(str(new), "x+", opener=opened)
        _lock(file)
        # Another process may have removed it as stale before it was locked.
        if sys.platform == "win32" or os.fstat(file.fileno()).st_nlink:
            return new, file
        file.close()


def _remove_stale(folder: Path) -> None:
    """Remove one's own temporary files that no running process writes."""
    for stale in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError):
            if sys.platform == "win32":
                stale.unlink()  # which fails while a process has it open
                continue
            with FileIO(str(stale), "r+", opener=_opened) as file:
                known = os.fstat(file.fileno())
                if stat.S_ISREG(known.st_mode) and known.st_uid == os.geteuid():
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    stale.unlink()


def _lock(file: FileIO) -> None:
    """Lock a file until it is closed, also by the end of the process, where files have locks."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)


def _overwrite(path: Path, content: bytes) -> None:
    """Write a file in place; if that fails, write back what it held."""
    with FileIO(str(path), "r+", opener=_opened) as file:
        _lock(file)
        former = file.readall()
        try:
            _write(file, content)
        except OSError:
            _write(file, former)
            raise


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _NO_LINK)


def _write(file: FileIO, content: bytes) -> None:
    """Write the whole content of a file."""
    file.seek(0)
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]
    file.truncate()


@contextmanager
def _one_sentence(path: Path) -> Iterator[None]:
    """Raise every error of the system as one sentence with the path and the cause."""
    try:
        yield
    except OSError as error:
        raise type(error)(_sentence(error, path)) from error
    except ValueError as error:  # a null byte, or a surrogate that no file system can encode
        raise ValueError(f"path is {str(path)!r}, which cannot name a file ({error}).") from error


def _sentence(error: OSError, path: Path) -> str:
    if error.errno is None:
        return str(error)  # one of ours
    if error.errno == errno.ENOSPC:
        return f"there is no space left for {path}; free some, or save elsewhere."
    if isinstance(error, FileNotFoundError) and not path.parent.exists():
        return f"the folder {path.parent} does not exist; make it, or save elsewhere."
    why = (error.strerror or str(error)).lower()
    return f"{path} cannot be written ({why}); save elsewhere."
