"""One bar for work of several parts, with the time that is left of all of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engine.cli.common import Steps

if TYPE_CHECKING:
    from rich.progress import ProgressColumn, TaskID


class OneBar(Steps):
    """Progress as ``Steps``; on a terminal the parts share a bar. ``seconds``: how long each part usually takes."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        super().__init__()
        self._seconds = seconds
        self._parts = dict.fromkeys(seconds, 0.0)
        self._bar: TaskID | None = None

    def _columns(self) -> "Sequence[ProgressColumn]":
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

        share = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
        return *share, TextColumn("left:"), TimeRemainingColumn()

    def __call__(self, what: str, done: int, total: int) -> None:
        self.move(what, done, total)
        if self._bars is None:
            super().__call__(what, done, total)
            return
        if self._bar is None:
            self._bar = self._bars.add_task(what, total=1.0)
        self._bars.update(self._bar, description=what, completed=self.share)

    def move(self, what: str, done: int, total: int) -> None:
        """Note how far a part is; nothing to do is done."""
        self._parts[what] = done / total if total else 1.0

    @property
    def share(self) -> float:
        """How much of all is done, between 0 and 1."""
        done = sum(seconds * self._parts[part] for part, seconds in self._seconds.items())
        return done / sum(self._seconds.values())
