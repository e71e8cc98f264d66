"""One bar for work of several parts, with the time that is left of all of it."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.cli.common import Steps

if TYPE_CHECKING:
    from rich.progress import ProgressColumn, TaskID

SURE = 0.05  # once so much is done, its own pace counts instead of the usual one


class OneBar(Steps):
    """Progress as ``Steps``; on a terminal the parts share a bar. ``seconds``: how long each part usually takes."""

    def __init__(self, seconds: Mapping[str, float], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._parts = dict.fromkeys(seconds, 0.0)
        self._clock = clock
        self._start = self._moved = clock()
        self._bar: TaskID | None = None

    def _columns(self) -> "Sequence[ProgressColumn]":
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn

        return TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), _remaining_column(self)

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
        self._moved = self._clock()

    @property
    def share(self) -> float:
        """How much of all is done, between 0 and 1."""
        done = sum(seconds * self._parts[part] for part, seconds in self._seconds.items())
        return done / sum(self._seconds.values())

    @property
    def seconds_remaining(self) -> float:
        """The seconds that it will take still, at the pace so far."""
        share, usual = self.share, sum(self._seconds.values())
        whole = (self._moved - self._start) / share if share > SURE else usual
        return max(0.0, whole * (1 - share) - (self._clock() - self._moved))


def _remaining_column(bar: OneBar) -> "ProgressColumn":
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class RemainingColumn(ProgressColumn):
        """The time left, which goes on while nothing moves."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            minutes, seconds = divmod(round(bar.seconds_remaining), 60)
            return Text(f"{minutes}:{seconds:02d} left", style="progress.remaining")

    return RemainingColumn()
