"""Where sources lie on this machine: below the folder of the file of pulls, through no link, of a bounded size.

What lies there is looked at before anything is read, and once more when it is opened to be read.
"""

import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from engine.evidence.incoming import open_inside
from engine.evidence.pulls.declarations import PullFile, PullSource
from engine.model.errors import Usage

MOST_BYTES = 256 << 20  # of a file, or of what a command or a server answers
MOST_FILES = 1_000
_WILD = ("*", "?", "[")


def check_paths(file: PullFile, sources: Iterable[PullSource]) -> None:
    """Usage where a source names what is no file to be read: beyond the folder, behind a link, a device, too large.

    What is not there is no matter of the file: a source that cannot be read makes its checks stale.
    """
    for source in sorted(sources, key=lambda source: source.name):
        try:
            _check(source, file.folder)
        except Usage as problem:
            raise Usage(f"{file.path.name}: [source.{source.name}]: {problem.message}") from problem


def _check(source: PullSource, base: Path) -> None:
    if source.kind == "files":
        for name in matching_files(source, base):
            with open_source_file(base, name):
                pass
    elif source.kind == "sqlite":
        must_be_below(base, source.text("path"), stat.S_ISREG, "a regular file")
    elif source.kind == "git":
        must_be_repository(base, source.text("path"))


def matching_files(source: PullSource, base: Path) -> list[str]:
    """The files that the paths of a source match, by name, each once. Usage for a path that leads through a link."""
    names = list(dict.fromkeys(name for pattern in source.words("paths") for name in matches_of(pattern, base)))
    if len(names) > MOST_FILES:
        raise Usage(f"{len(names):,} files are matched; {MOST_FILES:,} may be read.")
    return names


def matches_of(pattern: str, base: Path) -> list[str]:
    """The files that one path matches, by name."""
    for literal in _literal_beginnings(pattern):
        if (base / literal).is_symlink():
            raise Usage(f"{literal} is a symbolic link: name the file that it leads to.")
    if any("**" in part and part != "**" for part in PurePosixPath(pattern).parts):  # Python 3.13 takes it for one star
        raise Usage(f"{pattern!r} is no path that can be looked up: ** stands alone between slashes.")
    try:
        names = sorted(path.relative_to(base).as_posix() for path in base.glob(pattern))
        "".join(names).encode()
    except UnicodeEncodeError as error:
        raise Usage(f"{pattern!r} matches a file whose name is not UTF-8: rename it.") from error
    except (ValueError, OSError, NotImplementedError) as error:
        raise Usage(f"{pattern!r} is no path that can be looked up: {error}.") from error
    return names


def _literal_beginnings(pattern: str) -> Iterator[str]:
    """The folders, and the file, that a path names before its first wildcard."""
    path = PurePosixPath()
    for part in PurePosixPath(pattern).parts:
        if any(wild in part for wild in _WILD):
            return
        path /= part
        yield path.as_posix()


@contextmanager
def open_source_file(base: Path, name: str) -> Iterator[BinaryIO]:
    """A file below the folder, opened without following a link. Usage for what is none, or is too large."""
    with open_inside(base, name, MOST_BYTES, _too_large) as file:
        yield file


def _too_large(name: str, most: int) -> Usage:
    return Usage(f"{name} has more than {most:,} bytes, the most that a pull reads of a file.")


def must_be_below(base: Path, name: str, is_kind: Callable[[int], bool], expected: str) -> None:
    """Usage where what lies at a path below the folder is behind a link, or is not what is expected; nothing may."""
    path = base
    for part in PurePosixPath(name).parts:
        path /= part
        if path.is_symlink():
            raise Usage(f"{name} is or passes a symbolic link: name what it leads to.")
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if not is_kind(mode):
        raise Usage(f"{name} must be {expected}; it is {_kind(mode)}.")


def must_be_repository(base: Path, name: str) -> None:
    """Usage where a folder below the folder is a repository that has its objects elsewhere; nothing may be there."""
    must_be_below(base, name, stat.S_ISDIR, "a folder")
    own = base / name / ".git"
    if own.is_symlink() or own.is_file():
        raise Usage(f"{name}/.git leads to a repository elsewhere: name the folder that has it.")
    folder = own if own.is_dir() else base / name
    for part in ("commondir", "objects/info/alternates"):
        if (folder / part).exists():
            raise Usage(f"{name} takes objects from another repository by {part}: a pull reads one that has its own.")
    for part in ("HEAD", "objects", "packed-refs", "refs"):
        if (folder / part).is_symlink():
            raise Usage(f"{name} has {part} behind a symbolic link: a pull reads a repository that has its own.")


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "a file"
    return "a folder" if stat.S_ISDIR(mode) else "a device, a pipe or a socket"
