"""Lanes: which threads serve which kind of work, so that no kind of work and no caller can occupy the server."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Lane:
    """Threads of its own for a kind of request.

    One caller has at most ``share`` of the ``threads`` at a time. ``queue`` requests wait for their turn, each at most
    ``patience`` seconds; whatever is beyond is told to come back. ``workers`` names the processes that compute what
    the threads only wait for.
    """

    name: str
    threads: int
    share: int
    queue: int = 256
    patience: float = 10.0
    workers: str | None = None

    @property
    def retry_after(self) -> int:
        """Seconds after which whoever is refused may come back."""
        return max(1, round(self.patience / 2))


HEALTH = Lane("health", threads=2, share=2)
INGEST = Lane("ingest", threads=4, share=4, queue=512)
REPORTS = Lane("reports", threads=12, share=4, workers="reports")
ARCHIVES = Lane("archives", threads=4, share=2, queue=64, patience=30.0, workers="archives")
EXPORTS = Lane("exports", threads=4, share=2, queue=64)  # rows and files as they are stored, streamed
STREAMS = Lane("streams", threads=8, share=2, queue=32)
PROXIES = Lane("proxies", threads=8, share=4, queue=64)
GENERAL = Lane("general", threads=4, share=4)  # as many threads as SVC_THREADS says
DESK = Lane("desk", threads=6, share=3, queue=64, workers="desk")  # the second application's, on its own listener
LANES = (HEALTH, INGEST, REPORTS, ARCHIVES, EXPORTS, STREAMS, PROXIES, GENERAL)
