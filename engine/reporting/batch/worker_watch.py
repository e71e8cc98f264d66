"""Which chunks wait for a worker that does not answer, or take far longer than expected: others are to have them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

SILENT_SECONDS = 20.0
"""Without a heartbeat, which Dask's workers send twice a second, every few seconds where there are very many."""
LATE_SECONDS = 60.0
LATE_FACTOR = 4.0
"""A chunk is late after a minute and four times what its worker has in hand is expected to cost: disks, caches and
neighbours differ, and a second worker at it is no harm but the work."""


@dataclass(frozen=True)
class Behind:
    """A task at a worker, for so long; ``silent`` where nothing is heard of the worker."""

    task: str
    worker: str
    seconds: float
    silent: bool


class WorkerWatch:
    """Told now and again what is heard of the workers and what is in their hands. Times are those of one clock."""

    def __init__(self) -> None:
        self._beats: dict[str, tuple[object, float]] = {}
        self._since: dict[tuple[str, str], float] = {}

    def look(
        self,
        now: float,
        beats: Mapping[str, object],
        in_hand: Mapping[str, Collection[str]],
        costs: Mapping[str, float],
    ) -> list[Behind]:
        """The tasks that are behind. ``beats`` has the last heartbeat of each worker, whatever its clock says;
        ``costs`` what each task is expected to take, in seconds."""
        self._beats = {
            worker: self._beats[worker] if worker in self._beats and self._beats[worker][0] == beat else (beat, now)
            for worker, beat in beats.items()
        }
        pairs = [(task, worker) for worker, tasks in in_hand.items() for task in tasks]
        self._since = {pair: self._since.get(pair, now) for pair in pairs}
        behind = []
        for (task, worker), since in self._since.items():
            allowed = LATE_SECONDS + LATE_FACTOR * sum(costs.get(one, 0.0) for one in in_hand[worker])
            silent = worker in self._beats and self.is_silent(worker, now)
            if silent or now - since > allowed:
                behind.append(Behind(task, worker, now - since, silent))
        return behind

    def is_silent(self, worker: str, now: float) -> bool:
        """Whether a worker that is there has not been heard of for long."""
        return now - self._beats[worker][1] > SILENT_SECONDS

    def present(self, now: float) -> list[str]:
        """The workers that are heard of."""
        return [worker for worker in self._beats if not self.is_silent(worker, now)]
