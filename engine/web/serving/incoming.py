"""Room for bodies that are not answered yet: how much each address and all together may fill, how fast, and where."""

import threading
from collections import Counter, deque
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

SMALL_BYTES = 64 * 1024  # up to which a body is always let in: the number of connections bounds them
MEDIUM_BYTES = 1024 * 1024  # beyond which a body leaves a quarter of the room to others
IN_MEMORY_BYTES = 256 * 1024  # of a body, beyond which it is on the disk
MARKS = 12  # in a window, at which the bytes of a body are noted


class SpooledBody:
    """A body in memory, from a size on in a file without a name in the folder: nothing of it outlives the process."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(IN_MEMORY_BYTES, dir=None if folder is None else str(folder))  # noqa: SIM115 - closed by close
        self._bytes = 0

    def __len__(self) -> int:
        return self._bytes

    def append(self, data: bytes) -> None:
        """Keep what comes next."""
        self._file.write(data)
        self._bytes += len(data)

    def getfile(self) -> IO[bytes]:
        """All of it, from its beginning."""
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        """Let it go."""
        self._file.close()


class BodyRoom:
    """Bytes that bodies may fill, reserved until their requests are answered: of one address, and in all."""

    def __init__(self, of_address: int, in_all: int) -> None:
        self._of_address, self._in_all = of_address, in_all
        self._lock = threading.Lock()
        self._of_each: Counter[str] = Counter()
        self._total = 0

    @property
    def total(self) -> int:
        """What is reserved by all."""
        return self._total

    def take(self, address: str | None, number: int, size: int) -> bool:
        """Whether there are ``number`` bytes more for a body that has ``size`` with them. None: an address that is
        many clients', such as a trusted proxy's."""
        share = 1.0 if size <= MEDIUM_BYTES else 0.75
        with self._lock:
            if self._total + number > self._in_all * share:
                return False
            if address is not None:
                if self._of_each[address] + number > self._of_address * share:
                    return False
                self._of_each[address] += number
            self._total += number
        return True

    def give_back(self, address: str | None, number: int) -> None:
        """So many bytes are free again."""
        with self._lock:
            self._total -= number
            if address is not None:
                self._of_each[address] -= number
                if self._of_each[address] <= 0:
                    del self._of_each[address]


class Reservation:
    """The room of one body: all that is announced, else what came."""

    def __init__(self, room: BodyRoom, address: str | None) -> None:
        self._room, self._address = room, address
        self._bytes = 0

    def grow(self, size: int) -> bool:
        """Whether there is room for a body of so many bytes; small ones take none."""
        more = size - self._bytes
        if size <= SMALL_BYTES or more <= 0:
            return True
        if not self._room.take(self._address, more, size):
            return False
        self._bytes = size
        return True

    def release(self) -> None:
        """It is answered, or given up."""
        number, self._bytes = self._bytes, 0
        if number:
            self._room.give_back(self._address, number)


class Pace:
    """How fast a body comes, over a window that slides: what came before it does not make up for what does not."""

    def __init__(self, began: float) -> None:
        self._marks = deque([(began, 0)])

    def is_slow(self, now: float, came: int, window: float, least: float) -> bool:
        """Whether fewer than ``least`` bytes a second came in the window that ends now."""
        marks = self._marks
        while len(marks) > 1 and marks[1][0] <= now - window:
            marks.popleft()
        since, bytes_then = marks[0]
        slow = now - since > window and came - bytes_then < least * (now - since)
        if now - marks[-1][0] >= window / MARKS:
            marks.append((now, came))
        return slow
