"""Files that somebody hands in as evidence: regular files alone, through no link, and none beyond its folder."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from mimetypes import MimeTypes
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from engine.evidence.store import too_large
from engine.model.errors import Usage

_TYPES = MimeTypes()  # those of the library: what a machine adds to them would make two machines differ
_MORE = {
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".parquet": "application/vnd.apache.parquet",
}


@contextmanager
def open_file(path: Path, most: int) -> Iterator[BinaryIO]:
    """The file at a path. Usage for what is no regular file, a link, or more than ``most`` bytes."""
    with _regular(_open(str(path), str(path), None), str(path), most, too_large) as file:
        yield file


@contextmanager
def open_inside(
    folder: Path, name: str, most: int, refusal: Callable[[str, int], Usage] = too_large
) -> Iterator[BinaryIO]:
    """The file of that name below a folder; the name may have folders in it. Usage as for ``open_file``, and for a name
    that leads out of the folder; ``refusal`` is what is said of one that is too large."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise Usage(f"{name!r} is no path inside {folder}: name a file below it, such as exports/people.csv.")
    parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = _open(part, name, parent, os.O_DIRECTORY)
            os.close(parent)
            parent = below
        handle = _open(parts[-1], name, parent)
    finally:
        os.close(parent)
    with _regular(handle, name, most, refusal) as file:
        yield file


def media_type(name: str) -> str:
    """What kind of file it is, by its name; ``application/octet-stream`` where that does not say."""
    more = _MORE.get(PurePosixPath(name).suffix.lower())
    return more or _TYPES.guess_type(name)[0] or "application/octet-stream"


def _open(path: str, name: str, folder: int | None, more: int = 0) -> int:
    """Without waiting for the other end of a pipe. Usage where there is nothing, or a link."""
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | more, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError) as error:
        if _is_link(path, folder):
            raise _link(name) from error
        raise Usage(f"{name} does not exist.") from error
    except OSError as error:
        if _is_link(path, folder):
            raise _link(name) from error
        raise Usage(f"{name} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a null character
        raise Usage(f"{name!r} is no name of a file.") from error


def _is_link(path: str, folder: int | None) -> bool:
    try:
        return stat.S_ISLNK(os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _link(name: str) -> Usage:
    return Usage(f"{name} is a symbolic link: name the file that it leads to.")


@contextmanager
def _regular(handle: int, name: str, most: int, refusal: Callable[[str, int], Usage]) -> Iterator[BinaryIO]:
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            what = "a folder" if stat.S_ISDIR(state.st_mode) else "a device, a pipe or a socket"
            raise Usage(f"{name} is {what}; expected a regular file.")
        if state.st_size > most:
            raise refusal(name, most)
    except BaseException:
        os.close(handle)
        raise
    with os.fdopen(handle, "rb") as file:
        yield file
