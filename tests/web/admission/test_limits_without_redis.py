"""Limits while Redis is away: they count in memory, nobody waits, and are shared again when it is back."""

import os
import shutil
import signal
import socket
import subprocess
import time

import pytest
import redis

from engine.model.errors import TooManyRequests
from engine.web.admission import spare_counters
from engine.web.admission.limits import Limit, Limiter

LIMIT = Limit("test", 3, 60)


def until(ask, seconds=20):
    ends = time.monotonic() + seconds
    while not ask():
        assert time.monotonic() < ends
        time.sleep(0.01)


class Server:
    """A Redis server of one test, on a port of its own."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process = None

    def answers(self):
        with redis.Redis(port=self.port) as probe:
            try:
                return probe.ping()
            except redis.ConnectionError:
                return False

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until(self.answers)

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def server(monkeypatch, caplog):
    if shutil.which("redis-server") is None:
        if os.environ.get("SVC_TEST_REQUIRE_SERVICES") == "1":
            pytest.fail("redis-server is not installed")
        pytest.skip("redis-server is not installed")
    monkeypatch.setattr(spare_counters, "AWAY_SECONDS", 0.05)
    caplog.set_level("INFO", logger="hq.limits")
    made = Server()
    yield made
    if made.process is not None:
        made.kill()


def log_summary(caplog):
    """Warnings and news of the limits by how they begin and end."""
    return [record.levelname for record in caplog.records if record.name == "hq.limits"]


def used_up(limiter, who, count=3):
    """Uses all that a caller has; the longest wait of a request."""
    longest = 0.0
    for _ in range(count):
        began = time.monotonic()
        limiter.check(LIMIT, who)
        longest = max(longest, time.monotonic() - began)
    with pytest.raises(TooManyRequests):
        limiter.check(LIMIT, who)
    return longest


def test_a_redis_that_was_never_there_is_one_warning_and_limits_count(server, caplog):
    limiter = Limiter(server.url)
    for who in "abc":
        used_up(limiter, who)
    assert log_summary(caplog) == ["WARNING"]
    assert "limits are counted in memory until it does" in caplog.text


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_redis_that_dies_is_used_again_when_it_is_back(server, end, caplog):
    server.start()
    limiter = Limiter(server.url)
    used_up(limiter, "before")
    server.process.send_signal(signal.SIGKILL if end == "kill" else signal.SIGTERM)
    server.process.wait()
    used_up(limiter, "meanwhile")
    server.start()
    until(lambda: log_summary(caplog) == ["WARNING", "INFO"])
    limiter.check(LIMIT, "after")
    used_up(Limiter(server.url), "after", 2)  # another process shares what was counted


def test_a_redis_that_hangs_holds_one_request_for_a_moment_and_no_other(server, caplog):
    server.start()
    limiter = Limiter(server.url)
    used_up(limiter, "before")
    server.process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    limiter.check(LIMIT, "first")
    assert 0.15 < time.monotonic() - began < 2.0
    waits = sorted(used_up(limiter, f"caller {number}") for number in range(200))
    assert waits[150] < 0.05
    assert log_summary(caplog) == ["WARNING"]
    server.process.send_signal(signal.SIGCONT)
    until(lambda: log_summary(caplog) == ["WARNING", "INFO"])
    used_up(limiter, "after")
    used_up(Limiter(server.url), "another")
    with pytest.raises(TooManyRequests):
        Limiter(server.url).check(LIMIT, "after")
