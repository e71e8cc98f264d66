"""What building an organization costs, in processor seconds: measured where it was built before, else estimated."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from engine.reporting.artifacts.durable_files import write_whole

log = logging.getLogger(__name__)

BASE_SECONDS = 2.0
EVENT_SECONDS = 40e-6
"""Of an organization that was never built; docs/how-to/scaling.md has the figures that they are taken from."""


class Cost(NamedTuple):
    """A build of every report of an organization, and how many events it had then."""

    events: int
    seconds: float


class BuildCosts:
    """What was measured, kept in a file of this machine; without a file, or one that can be read, nothing was."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._measured: dict[str, Cost] = dict(_read(path)) if path is not None else {}

    def seconds(self, org_id: str, events: int) -> float:
        """What is expected of it now; what came since costs as much an event as anywhere."""
        measured = self._measured.get(org_id)
        if measured is None:
            return BASE_SECONDS + EVENT_SECONDS * events
        return max(measured.seconds + EVENT_SECONDS * (events - measured.events), BASE_SECONDS / 10)

    def note(self, org_id: str, events: int, seconds: float) -> None:
        """What a whole build took."""
        self._measured[org_id] = Cost(events, round(seconds, 3))

    def save(self, known: Mapping[str, object]) -> None:
        """Keep what was measured of the organizations that are still known. An OSError is logged: it is an estimate."""
        if self._path is None:
            return
        kept = {org_id: cost for org_id, cost in sorted(self._measured.items()) if org_id in known}
        try:
            write_whole(self._path, json.dumps(kept, indent=1).encode())
        except OSError as error:
            log.warning("What building costs is not kept in %s: %s", self._path, error.strerror)


def _read(path: Path) -> Mapping[str, Cost]:
    try:
        content = json.loads(path.read_bytes())
        return {org_id: Cost(int(events), float(seconds)) for org_id, (events, seconds) in content.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError):
        log.warning("%s cannot be read: what building costs is measured anew.", path)
        return {}
