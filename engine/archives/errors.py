"""What is wrong with an archive, or with the disk that it should be written to."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from engine.model.errors import Unavailable


class BrokenArchive(Exception):
    """The first thing that does not hold. ``where`` is a file of the archive, or ``archive`` for the ZIP itself."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem


@contextmanager
def disk(what: str) -> Iterator[None]:
    """A disk that is full or read-only is no fault of ours: Unavailable says so."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else str(error.strerror or error)
        raise Unavailable(f"{what} cannot be kept: {reason}.", word="disk_full" if full else "not_writable") from error
