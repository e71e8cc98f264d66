"""What the loop waits for: each connection is registered once, and asked again only where something happened to it.

waitress asks every connection at each turn whether it would read or write, which costs more than a short answer.
"""

import select
from collections import deque
from collections.abc import Callable
from typing import Any

from waitress import wasyncore

READ, WRITE = select.POLLIN | select.POLLPRI, select.POLLOUT


class SocketPoll:
    """The sockets of one loop. Other threads ``touch`` a connection that may wait for something else by now; whoever
    does so first since the last turn is told to wake the loop."""

    def __init__(self, sockets: dict[int, Any]) -> None:  # waitress's map, by file number; waitress has no types
        self._sockets = sockets
        self._poll = select.poll()
        self._flags: dict[int, int] = {}  # that are registered
        self._touched: deque[Any] = deque()
        self._seen: deque[Any] = deque()
        self._woken = False

    def touch(self, connection: object) -> bool:
        """Have it sent what it holds, and asked before the next wait; whether the loop has to be woken for that."""
        self._touched.append(connection)
        first, self._woken = not self._woken, True
        return first

    def look_at(self, connection: object) -> None:
        """Have it asked before the next wait; only the loop's own thread says so."""
        self._seen.append(connection)

    def is_settled(self, connection: Any) -> bool:
        """Whether the loop waits for what the connection wants: another thread may ask once it changed that."""
        return self._flags.get(connection._fileno) == _event_mask(connection)

    def turn(self, timeout: float, asked: Callable[[], object]) -> None:
        """Wait for something to happen, at most ``timeout`` seconds, and let its connections see to it.

        ``asked`` is called before: what it touches counts.
        """
        self._woken = False
        asked()
        while self._touched:
            self._send(self._touched.popleft())
        while self._seen:
            self._settle(self._seen.popleft())
        for number, flags in self._poll.poll(round(timeout * 1000)):
            connection = self._sockets.get(number)
            if connection is None:
                self._forget(number)
                continue
            wasyncore.readwrite(connection, flags)
            self._settle(connection)

    def forget(self, connection: Any) -> None:
        """It is about to be closed, and its number may be another's."""
        self._forget(connection._fileno)

    def _forget(self, number: int) -> None:
        if self._flags.pop(number, 0):
            self._poll.unregister(number)

    def _send(self, connection: Any) -> None:
        """It will mostly be taken at once."""
        if connection._fileno in self._sockets and connection.writable():
            wasyncore.write(connection)
        self._settle(connection)

    def _settle(self, connection: Any) -> None:
        """Register it for what it wants. It is asked again afterwards: a thread that changes it meanwhile compares with
        what is registered then."""
        number = connection._fileno
        while self._sockets.get(number) is connection and (wanted := _event_mask(connection)) != self._flags.get(
            number
        ):
            if wanted:
                self._poll.register(number, wanted)
            elif self._flags.get(number):
                self._poll.unregister(number)
            self._flags[number] = wanted


def _event_mask(connection: Any) -> int:
    reads = READ if connection.readable() else 0
    return reads | WRITE if connection.writable() and not connection.accepting else reads
