"""A file is written as a whole, through links, with its mode, and by nobody else's."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from uqwidgets._utils import writing
from uqwidgets._utils.writing import whole_file


def save(path, text="new"):
    with whole_file(path) as write:
        return write(text)


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def test_a_link_that_somebody_planted_is_never_written_through(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    shared = tmp_path / "of_all"
    shared.mkdir()
    # The name that was predictable, and the next random one.
    for name in (f".page.html.{os.getpid()}.part", ".uqwidgets-planted.part"):
        (shared / name).symlink_to(victim)
    with whole_file(shared / "page.html"):
        made = set(names(shared)) - {".uqwidgets-planted.part"}
        (temporary,) = [name for name in made if name.startswith(".uqwidgets-")]
    with whole_file(shared / "page.html"):
        assert temporary not in names(shared)
    save(shared / "page.html")
    monkeypatch.setattr(writing.secrets, "token_hex", lambda _: "planted")
    with pytest.raises(FileExistsError, match=r"page\.html cannot be written \(file exists\)"):
        save(shared / "page.html")
    assert victim.read_text() == "theirs"
    assert (shared / "page.html").read_text() == "new"


def test_a_link_is_followed(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target.html", tmp_path / "link.html"
    for former in ("former", None):
        target.unlink(missing_ok=True)
        link.unlink(missing_ok=True)
        if former:
            target.write_text(former)
        link.symlink_to("folder/target.html")
        save(link)
        assert link.is_symlink()
        assert target.read_text() == "new"
    link.unlink()
    link.symlink_to(link.name)
    with pytest.raises(OSError, match=r"link\.html cannot be written \(.*link.*\)"):
        save(link)
    assert names(tmp_path) == ["folder", "link.html"]
    assert names(tmp_path / "folder") == ["target.html"]


@pytest.mark.parametrize("mode", [0o640, 0o600, 0o664, 0o755])
def test_a_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "page.html"
    path.write_text("former")
    path.chmod(mode)
    with whole_file(path) as write:
        (temporary,) = (each for each in tmp_path.iterdir() if each != path)
        # Nobody can read the new file who could not read the former one.
        assert not stat.S_IMODE(temporary.stat().st_mode) & ~mode
        write("new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


def test_a_new_file_has_the_mode_of_new_files(tmp_path):
    (tmp_path / "usual").touch()
    save(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_hard_link_stays_and_a_failure_writes_back(tmp_path, monkeypatch):
    path, other = tmp_path / "page.html", tmp_path / "other.html"
    path.write_text("a former page that is longer")
    other.hardlink_to(path)
    save(path)
    assert path.samefile(other)
    assert other.read_text() == "new"

    original = writing._write

    def fails_once(file, content):
        original(file, content[:2])
        monkeypatch.setattr(writing, "_write", original)
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(writing, "_write", fails_once)
    with pytest.raises(OSError, match=r"page\.html cannot be written \(disk quota exceeded\)"):
        save(path, "another")
    assert other.read_text() == "new"
    assert names(tmp_path) == ["other.html", "page.html"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another owner")
def test_a_file_keeps_its_owner(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("former")
    os.chown(path, 1234, 1235)
    save(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 1235)
    assert path.read_text() == "new"


def test_a_file_that_is_read_only_is_refused(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("former")
    path.chmod(0o444)
    (tmp_path / "link.html").symlink_to(path)
    for name in ("page.html", "link.html"):
        with pytest.raises(PermissionError, match=rf"{name} is read-only; make it writable"):
            save(tmp_path / name)
    assert path.read_text() == "former"


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path):
    for name in ("n" * 250, "n" * 255, "ü" * 127):
        save(tmp_path / name)
        assert (tmp_path / name).read_text() == "new"
    with pytest.raises(OSError, match=r"cannot be written \(file name too long\)"):
        save(tmp_path / ("n" * 256))


@pytest.mark.parametrize("path", [3, None, b"page.html", ["page.html"]])
def test_what_is_no_path_is_said(path):
    with pytest.raises(TypeError, match=r"^path is .*; pass the name of a file, as a text or"):
        save(path)


@pytest.mark.parametrize("path", ["a\0b", "\ud800"])
def test_what_cannot_be_a_name_is_said(path):
    with pytest.raises(ValueError, match=r"^path is '.*', which cannot name a file \(.*\)\.$"):
        save(path)


def test_two_files_to_one_path_share_nothing(tmp_path):
    path = tmp_path / "page.html"
    with whole_file(path) as first, whole_file(path) as second:
        assert len(names(tmp_path)) == 2
        second("second")
        first("first")
    assert path.read_text() == "first"
    assert names(tmp_path) == ["page.html"]

    texts = [letter * 200_000 for letter in "abcdefgh"]
    threads = [threading.Thread(target=save, args=(path, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts
    assert names(tmp_path) == ["page.html"]


KILLED = """
import os, signal, sys
from uqwidgets._utils.writing import whole_file

with whole_file(sys.argv[1]) as write:
    print("made", flush=True)
    sys.stdin.read()
    os.kill(os.getpid(), int(sys.argv[2]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_later_save_removes_what_a_killed_process_left(tmp_path, number):
    path = tmp_path / "page.html"
    left = [".page.html.part"]
    (tmp_path / left[0]).touch()
    if os.geteuid() == 0:
        left.append(".uqwidgets-others.part")
        (tmp_path / left[1]).touch()
        os.chown(tmp_path / left[1], 1234, 1234)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, path, str(int(number))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"made\n"
    while_running = sorted([*names(tmp_path), "page.html"])
    save(path)
    assert names(tmp_path) == while_running
    process.communicate()
    assert process.returncode == -number
    assert names(tmp_path) == while_running
    save(path)
    assert names(tmp_path) == [*left, "page.html"]


def test_a_pipe_with_the_name_of_a_temporary_file_is_left(tmp_path):
    os.mkfifo(tmp_path / ".uqwidgets-0.part")
    save(tmp_path / "page.html")
    assert names(tmp_path) == [".uqwidgets-0.part", "page.html"]


def test_a_file_that_grows_too_large_leaves_the_former_one(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("former")
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, former[1]))
    try:
        with pytest.raises(OSError, match=r"page\.html cannot be written \(file too large\); save"):
            save(path, "x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert path.read_text() == "former"
    assert names(tmp_path) == ["page.html"]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOSPC, "there is no space left for {}; free some, or save elsewhere."),
        (errno.EDQUOT, "{} cannot be written (disk quota exceeded); save elsewhere."),
        (errno.EIO, "{} cannot be written (input/output error); save elsewhere."),
    ],
)
def test_an_error_of_the_disk_is_one_sentence_with_the_path(
    tmp_path, monkeypatch, number, sentence
):
    path = tmp_path / "page.html"

    def fails(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(writing, "_write", fails)
    pattern = re.escape(sentence.format(path))
    with pytest.raises(OSError, match=f"^{pattern}$"):
        save(path)
    assert names(tmp_path) == []


def test_an_error_of_the_block_is_its_own(tmp_path):
    with pytest.raises(OSError, match=r"^a model failed$"), whole_file(tmp_path / "page.html"):
        raise OSError("a model failed")
    assert names(tmp_path) == []


def test_the_package_writes_files_in_one_place():
    package = Path(writing.__file__).parents[1]
    writers = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(
            word in path.read_text() for word in ("write_text(", "write_bytes(", ".replace(target)")
        )
    ]
    assert writers == ["_utils/writing.py"]
