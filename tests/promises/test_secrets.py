"""What is set as a secret is said nowhere: no answer, log, error, file or command has it."""

import io
import os
import re
import subprocess
import sys
import zipfile

import click
import pytest

from engine.cli import commands
from engine.model.errors import Usage
from engine.runtime.settings import Settings
from tests.promises.conftest import PLANTED, SECRETS, settings_of

MARK = PLANTED[8:20]
CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


def run(args, folder):
    """The command as a process of its own: exit code, and all that it said."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    command = [sys.executable, "-m", "engine.cli", *args]
    ran = subprocess.run(command, env={**kept, **settings_of(folder)}, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def every_command(group, *path):
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from every_command(command, *path, name)
        else:
            yield (*path, name), command


@pytest.mark.real
def test_no_secret_of_a_setting_is_said_by_any_command_or_route(world, tmp_path):
    assert len(SECRETS) > 25
    for path, answer in world.answers.items():
        assert MARK not in str(answer.headers), path
        assert MARK.encode() not in answer.body, path
        if answer.headers["content-type"] == "application/zip":
            with zipfile.ZipFile(io.BytesIO(answer.body)) as file:
                assert [name for name in file.namelist() if MARK.encode() in file.read(name)] == [], path
    assert [line for line in world.lines if MARK in line] == []
    for path in world.folder.rglob("*"):
        assert not path.is_file() or MARK.encode() not in path.read_bytes(), path


def test_hq_config_shows_that_a_secret_is_set_and_never_which(tmp_path):
    code, output = run(["config"], tmp_path)
    assert (code, MARK in output) == (0, False)
    assert output.count("=set\t") == len(SECRETS)


@pytest.mark.real
@pytest.mark.parametrize("args", [["verify"], ["report", "summary", "--org", "acme"]])
def test_no_command_that_fails_says_a_secret(args, tmp_path):
    """The database of this environment does not answer."""
    code, output = run(args, tmp_path)
    assert (code != 0, MARK in output) == (True, False)
    assert output.strip()


def refusal(name, raw):
    """What is said of a value that cannot be read; nothing where it can."""
    try:
        Settings.of({name: raw})
    except Usage as error:
        return str(error)
    return None


def test_a_secret_that_cannot_be_read_is_not_repeated():
    raws = (MARK, f"{PLANTED} \n", f"https://{PLANTED}?x=1#y", f"ftp://hq:{PLANTED}@host")
    told = [said for name in SECRETS for raw in raws if (said := refusal(name, raw)) is not None]
    assert len(told) > 15
    assert [said for said in told if MARK in said] == []


def test_no_option_of_a_command_takes_a_secret():
    """What stands on a command line stands in the list of processes, too."""
    taking = {
        (" ".join(path), option.name)
        for path, command in every_command(commands)
        for option in command.params
        if re.search(r"secret|password|passwd|credential|api_key", option.name or "")
        and not getattr(option, "is_flag", 0)
    }
    assert taking == set()


def test_every_line_of_a_log_is_one_line(world):
    assert len(world.lines) > 3
    wrong = [line for line in world.lines if CONTROL.search(line) and "Traceback" not in line]
    assert wrong == []
    assert [line for line in world.lines if "Traceback" in line] == []
