"""Command lines in a process of somebody who owns nothing: permissions bind it, as they do not bind root."""

import codecs
import importlib
import io
import json
import logging
import os
import subprocess
import sys
import traceback
from pathlib import Path

from engine.cli import hq

ROOT = Path(__file__).parents[2]
NOBODY = 65534
LOADED = (
    "api",
    "scheduler",
    "reports",
    "pydoc",
    "engine.cli.installation.workers",
    "engine.store.database.migrations",
    "engine.reporting.site",
    "engine.reporting.snapshot.views",
    "engine.reporting.difference.snapshot_pair",
    "engine.reporting.batch.chunk_runs",
    "engine.intake.imports.imports",
)


def as_nobody(data_dir, *commands):
    """What ``as_owner`` gives, for somebody else. Without root it is our own account, whom permissions bind as well."""
    return _answers(data_dir, commands, NOBODY if os.getuid() == 0 else os.getuid())


def as_owner(data_dir, *commands):
    """(exit code, standard output, standard error) of each command, one after the other in one process."""
    return _answers(data_dir, commands, os.getuid())


def _answers(data_dir, commands, user):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "COV"))}
    text = json.dumps([list(map(str, command)) for command in commands])
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.commands", str(user), text],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**inherited, "SVC_DATA_DIR": str(data_dir), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(answer) for answer in json.loads(done.stdout)]


def _become(user):
    """Be somebody else from now on. What commands import is loaded before: it may lie where only root looks."""
    for name in LOADED:
        importlib.import_module(name)
    for codec in ("unicode-escape", "utf-8-sig", "idna", "latin-1", "ascii"):
        codecs.lookup(codec)
    if user != os.getuid():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


def _run(command):
    sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    logging.getLogger().handlers.clear()  # each command writes its log to its own standard error
    code = 0
    try:
        hq(command)
    except SystemExit as end:
        code = end.code or 0
    except Exception:
        code = traceback.format_exc()
    sys.stdout.flush()
    return code, sys.stdout.buffer.getvalue().decode(), sys.stderr.getvalue()


if __name__ == "__main__":
    _become(int(sys.argv[1]))
    answers = [_run(command) for command in json.loads(sys.argv[2])]
    sys.__stdout__.write(json.dumps(answers))
