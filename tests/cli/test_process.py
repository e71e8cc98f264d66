"""The command as a process of its own: at a terminal, in a pipe, and when it is told to stop."""

import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from engine.cli import hq
from engine.cli.common import Steps
from engine.store.database.migrations import migrate

STEPS = """
from engine.cli.common import Steps
with Steps() as steps:
    steps("reports", 1, 2)
    steps("reports", 2, 2)
    steps.count("rows", 5)
"""


@pytest.fixture
def environment(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    return {**kept, "SVC_DATA_DIR": str(tmp_path / "var"), "TERM": "xterm", "COLUMNS": "100"}


def test_progress_is_plain_lines_where_nobody_watches(capsys):
    with Steps() as steps:
        for done in range(21):
            steps("reports", done, 20)
        steps.count("rows", 99_999)
        steps.count("rows", 200_000)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [*(f"reports: {done} of 20" for done in range(0, 21, 2)), "rows: 99999", "rows: 200000"]


def test_progress_is_bars_at_a_terminal(environment):
    terminal, end = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", STEPS], env=environment, stderr=end)
    os.close(end)
    content = b""
    try:
        while piece := os.read(terminal, 4096):
            content += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(terminal)
    assert process.wait(timeout=30) == 0
    assert b"2/2" in content
    assert b"5/?" in content
    assert b"reports: " not in content


@pytest.mark.real
def test_a_reader_who_goes_away_ends_the_command_without_a_word(environment):
    process = subprocess.Popen(
        [sys.executable, "-m", "engine.cli", "tables"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=30), errors) == (1, ""), "not all of it was printed"


def test_ctrl_c_is_exit_code_130_without_a_traceback(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.cli.installation.doors.Settings.of_process", interrupt)
    with pytest.raises(SystemExit) as end:
        hq(["config"])
    assert (end.value.code, capsys.readouterr()) == (130, ("", "\n"))


def leads(path):
    """Whether a scheduler has taken the lead in this store: by then it listens to signals."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT 1 FROM leases").fetchone() is not None


@pytest.mark.real
def test_the_scheduler_alone_stops_cleanly_on_sigterm(environment, tmp_path):
    migrate(f"sqlite:///{tmp_path}/var/hq.db")
    process = subprocess.Popen([sys.executable, "-m", "scheduler"], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        first = process.stderr.readline()
        while not leads(tmp_path / "var" / "hq.db"):
            assert process.poll() is None
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert first == "Scheduled work runs (Ctrl-C stops)\n"
    assert (process.returncode, "Traceback" in errors) == (0, False), errors


@pytest.mark.real
def test_a_key_set_that_cannot_be_read_is_one_sentence(environment, tmp_path, monkeypatch, capsys):
    (tmp_path / "keys.json").write_text("{")
    monkeypatch.setenv("SVC_DATA_DIR", environment["SVC_DATA_DIR"])
    monkeypatch.setenv("SVC_SESSION_JWKS_FILE", str(tmp_path / "keys.json"))
    with pytest.raises(SystemExit) as end:
        hq(["serve"])
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith("hq: SVC_SESSION_JWKS_FILE must be a readable JSON Web Key Set; ")) == ("", True)
