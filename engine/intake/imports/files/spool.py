"""Batches of a file that wait on disk, so that a large file never has to fit into memory."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

BATCH_ROWS = 50_000


class RowSpool:
    """Frames in the order in which they were added. Lives in a folder that the caller removes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self._count = 0
        self.rows = 0

    def append(self, frame: pl.DataFrame) -> None:
        """Keep one more batch."""
        frame.write_ipc(self._path(self._count), compression="lz4")
        self._count += 1
        self.rows += frame.height

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for number in range(self._count):
            yield pl.read_ipc(self._path(number))

    def drain(self) -> Iterator[pl.DataFrame]:
        """The batches, each given up once it was read."""
        for number in range(self._count):
            yield pl.read_ipc(self._path(number))
            self._path(number).unlink()
        self._count = 0

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.arrow"
