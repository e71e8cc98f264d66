"""The file of a replica: opening it, telling whether it is sound, setting it aside, and what its disk says.

Whoever has the file holds the lock of a file beside it, ``<name>.lock``: of several processes one alone opens, sets
aside and makes it anew. DuckDB's own lock goes with the file that it is on, and says nothing of the next one. What the
lock file holds is the state in which its last owner left the copy (``stamps``): in that state it is not read through.
"""

import errno
import fcntl
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import TypeAlias

import duckdb

from engine.model.file_errors import FileFault, file_fault
from engine.replica.replica_tables import DEFINITIONS, FINGERPRINT
from engine.replica.stamps import has_stamp, put_stamp
from engine.replica.tallies import strange_rows
from engine.replica.watermarks import Watermarks

log = logging.getLogger(__name__)

Options: TypeAlias = Mapping[str, str | bool | int | float | list[str]]
SUFFIX = ".duckdb"
ASIDE = ".aside"
PROBE_BYTES = 1 << 20
# for a file of SQLite, among others, DuckDB would fetch an extension from its maker, and run it
ALONE: Options = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
# A large copy goes to the file as it is made. Nothing is flushed: what a power cut leaves is found by its digests.
PIECEMEAL: Options = {"write_buffer_row_group_count": "1", "fsync_mode": "NONE"}
_SAID = {
    code: os.strerror(code)
    for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EIO)
}


class Unsound(Exception):
    """A file that opens, and is not what syncs left there; the words say what is wrong."""


class OtherVersion(Unsound):
    """A file that an earlier or later version of the program made."""


class InUse(OSError):
    """Another process has the file, or this one still reads what was there before."""


@dataclass(eq=False)
class Copy:
    """A database that was opened. ``found``: the file was there before, and what it says is doubted first.

    ``as_left``: it is in the state in which the process before this one left it.
    """

    connection: duckdb.DuckDBPyConnection
    path: Path | None
    found: bool = False
    as_left: bool = False
    users: int = 0
    file: tuple[int, int] | None = None
    lock: FileIO | None = None
    marks: Watermarks = field(init=False)

    def __post_init__(self) -> None:
        self.marks = Watermarks(self.connection)

    @property
    def is_in_place(self) -> bool:
        """Whether its file is still the one that its name leads to."""
        return self.path is None or _identity(self.path) == self.file

    def has_stamp(self) -> bool:
        """Whether nobody but this process changed the file since its state was written down."""
        with suppress(OSError):
            return self.path is not None and self.lock is not None and has_stamp(self.path, self.lock)
        return False

    def put_stamp(self) -> None:
        """Write down the state of a file that is whole, for whoever opens it next; else it is read through."""
        if self.path is not None and self.lock is not None and self.is_in_place:
            with suppress(OSError):
                put_stamp(self.path, self.lock)


def lock(path: Path) -> FileIO:
    """The right to open the file and to replace it, until what is returned is closed. InUse, OSError."""
    descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    held = FileIO(descriptor, "r+")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        held.close()
        raise InUse(errno.EAGAIN, "another process has it") from error
    except OSError:
        held.close()
        raise
    return held


def open_or_make(path: Path, options: Options, held: FileIO) -> Copy:
    """The file as it is, or one made anew in its place; the lock is ``held``.

    OSError where the place takes none, InUse where somebody has the file who knows no lock but DuckDB's, a DuckDB error
    where the machine is at an end: then the file stays as it is.
    """
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "it can only be read")
    if os.path.lexists(path):
        try:
            return open_sound(path, options, as_left=has_stamp(path, held))
        except (Unsound, duckdb.Error) as error:
            if isinstance(error, duckdb.OutOfMemoryException) or disk_fault(error, path.parent) is not None:
                raise
            log.warning("The analytics store %s is set aside and rebuilt: %s", path, error)
        quarantine(path)
    return _create(path, options)


def in_memory(options: Options) -> Copy:
    """A copy that no file holds."""
    return _fill(":memory:", None, options)


def quarantine(path: Path) -> None:
    """Rename a file, or whatever is in its place, and its log: the newest such is kept. OSError."""
    remove_asides(path)
    for suffix in ("", ".wal"):
        old = Path(f"{path}{suffix}")
        if os.path.lexists(old):
            old.replace(f"{old}{ASIDE}")
    _remove_logs(path)


def remove_asides(path: Path) -> None:
    """Remove what was set aside. OSError."""
    for suffix in ("", ".wal"):
        _remove(Path(f"{path}{suffix}{ASIDE}"))


def remove(path: Path) -> None:
    """Remove a file with its log and what was set aside. OSError."""
    path.unlink(missing_ok=True)
    _remove_logs(path)
    remove_asides(path)


def remove_unused(folder: Path) -> list[Path]:
    """Remove all replicas in a folder that no process holds; the others, which are removed by who holds them."""
    held = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            with lock(path):
                _nobody_has(path)
                remove(path)
        except InUse:
            remove_asides(path)
            held.append(path)
    return held


def disk_fault(error: BaseException, folder: Path) -> FileFault | None:
    """What is wrong with the disk, if that is why DuckDB failed: it has no codes, but repeats the system's words.

    Where it does not, a file as large as a few of its blocks is tried.
    """
    text = str(error)
    for code, words in _SAID.items():
        if words in text:
            return file_fault(OSError(code, words))
    probe = folder / f".probe-{os.getpid()}"
    try:
        with probe.open("wb") as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as refused:
        return file_fault(refused)
    finally:
        with suppress(OSError):
            probe.unlink()
    return None


def open_sound(path: Path, options: Options, *, as_left: bool = False) -> Copy:
    """The file, if it is what a sync left there: read through, unless it is ``as_left``.

    Unsound, InUse, or an error of DuckDB.
    """
    if not path.is_file():
        raise Unsound("there is something else in its place")
    if not os.access(path, os.R_OK | os.W_OK):
        raise Unsound("it cannot be written")
    try:
        connection = duckdb.connect(str(path), config={**options, **ALONE, **PIECEMEAL})
    except duckdb.Error:
        _nobody_has(path)
        raise
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET TimeZone = 'UTC'")
            wrong = None if as_left else _wrong_tables(cursor) or strange_rows(cursor)
        if wrong:
            raise Unsound(wrong)
    except BaseException:
        with suppress(duckdb.Error):
            connection.close()
        raise
    return Copy(connection, path, found=True, as_left=as_left, file=_identity(path))


def _nobody_has(path: Path) -> None:
    """InUse where another process has the lock that DuckDB sets, such as somebody's own look at the file."""
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            raise InUse(errno.EAGAIN, "another process has it") from error


def _wrong_tables(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """What keeps a database from being a replica of this program, in words."""
    known = cursor.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'replica'").fetchall()
    rows = cursor.execute("SELECT fingerprint FROM replica").fetchall() if known else []
    if rows != [(FINGERPRINT,)]:
        raise (OtherVersion if len(rows) == 1 else Unsound)("it is of another schema")
    with _scratch() as wanted:
        if _tables(cursor) != _tables(wanted):
            return "its tables are not those that were made"
    return None


def _tables(cursor: duckdb.DuckDBPyConnection) -> list[tuple[str | None, ...]]:
    """All that somebody made in a database: columns of tables, views, indexes, functions, sequences."""
    return cursor.execute(
        """
        SELECT schema_name, table_name, column_name, data_type, column_default, is_nullable::VARCHAR
        FROM duckdb_columns() WHERE NOT internal AND database_name = current_database()
        UNION ALL SELECT schema_name, view_name, NULL, NULL, NULL, 'view'
        FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
        UNION ALL SELECT schema_name, index_name, NULL, NULL, NULL, 'index'
        FROM duckdb_indexes() WHERE database_name = current_database()
        UNION ALL SELECT schema_name, function_name, NULL, NULL, NULL, 'function'
        FROM duckdb_functions() WHERE NOT internal AND database_name = current_database()
        UNION ALL SELECT schema_name, table_name, constraint_text, NULL, NULL, 'constraint'
        FROM duckdb_constraints() WHERE database_name = current_database()
        ORDER BY ALL
        """
    ).fetchall()


@contextmanager
def _scratch() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty replica."""
    with duckdb.connect(":memory:") as connection:
        for definition in DEFINITIONS:
            connection.execute(definition)
        yield connection


def _create(path: Path, options: Options) -> Copy:
    _remove_logs(path)  # DuckDB would play the log of another file into this one
    try:
        copy = _fill(str(path), path, options)
    except BaseException:
        with suppress(OSError):
            path.unlink(missing_ok=True)
            _remove_logs(path)
        raise
    copy.file = _identity(path)
    return copy


def _fill(target: str, path: Path | None, options: Options) -> Copy:
    connection = duckdb.connect(target, config={**options, **ALONE, **PIECEMEAL})
    try:
        connection.begin()
        for definition in DEFINITIONS:
            connection.execute(definition)
        connection.execute("INSERT INTO replica VALUES (?)", [FINGERPRINT])
        connection.commit()
    except BaseException:
        with suppress(duckdb.Error):
            connection.close()
        raise
    return Copy(connection, path)


def _remove_logs(path: Path) -> None:
    for log_file in path.parent.glob(f"{path.name}.wal*"):
        if not log_file.name.endswith(ASIDE):
            _remove(log_file)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino
