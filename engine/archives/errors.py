"""What is wrong with an archive, or with the disk that it should be written to."""

from collections.abc import Iterator
from contextlib import contextmanager

from engine.model.file_errors import file_problem


class BrokenArchive(Exception):
    """The first thing that does not hold. ``where`` is a file of the archive, or ``archive`` for the ZIP itself."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem


@contextmanager
def disk(what: str) -> Iterator[None]:
    """A disk that is full or read-only is no fault of ours: Unavailable says what it is."""
    try:
        yield
    except OSError as error:
        raise file_problem(f"{what} cannot be kept", error) from error
