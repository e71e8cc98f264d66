"""``hq serve`` as the processes that it is: who they are, and which of them has a connection."""

import os
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.web.attacks import HOST, connect
from tests.web.served import free_port, until


def listens(port):
    """Whether anybody does."""
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0


class Serving:
    """A running ``hq serve``; ``log`` is what it says."""

    def __init__(self, process, port, log):
        self.process, self.port, self._log = process, port, log

    @property
    def log(self):
        return self._log.read_text()

    def children(self, kind="hq serving"):
        """(pid, name) of its processes, in the order of their names."""
        found = []
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(lines["PPid"]) == self.process.pid and lines["Name"].startswith(kind):
                found.append((int(lines["Pid"]), lines["Name"]))
        return sorted(found, key=lambda child: child[1])

    def pids(self):
        return [pid for pid, _ in self.children()]

    def owner(self, client):
        """The process at the other end of a connection, once it was accepted."""
        ours, theirs = (f":{end[1]:04X}" for end in (client.getsockname(), client.getpeername()))
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[1].endswith(theirs) and fields[2].endswith(ours):
                for pid in self.pids():
                    for handle in Path(f"/proc/{pid}/fd").iterdir():
                        if handle.is_symlink() and str(handle.readlink()) == f"socket:[{fields[9]}]":
                            return pid
        return None

    def accepting_process(self, client):
        """The process at the other end, once there is one."""
        until(lambda: self.owner(client) is not None)
        return self.owner(client)

    def one_each(self, closing):
        """A connection to each process, by its pid."""
        each = {}

        def complete():
            for _ in range(10):
                client = connect(closing, self.port)
                each.setdefault(self.accepting_process(client), client)
            return set(each) == set(self.pids())

        until(complete)
        return each


@contextmanager
def serving(folder, *options, command=("engine.cli",), **settings):
    """``hq serve`` over the data in ``folder``, ended in the end; every setting is a variable of its environment."""
    port, log = free_port(), folder / "log"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment = {**kept, "SVC_DATA_DIR": str(folder), **settings}
    arguments = [sys.executable, "-m", *command, "serve", "--port", str(port), *options]
    with log.open("w") as file:
        process = subprocess.Popen(arguments, env=environment, stdout=file, stderr=file, start_new_session=True)
    try:
        until(lambda: "Serving on" in log.read_text() or process.poll() is not None, 90)
        assert process.poll() is None, log.read_text()
        yield Serving(process, port, log)
    finally:
        process.kill()
        process.wait(30)


@contextmanager
def connections(found):
    """A connection to each process of what serves."""
    with ExitStack() as closing:
        yield found.one_each(closing)
