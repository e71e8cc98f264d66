"""Where a checkout keeps its bytecode: Python reads it there whatever the environment says of writing any."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engine


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "engine").mkdir()
    shutil.copy(Path(engine.__file__), tmp_path / "engine")
    return tmp_path


def prefix_in(folder, **environment):
    command = [sys.executable, "-c", "import sys, engine; print(engine.__path__[0], sys.pycache_prefix)"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    place, prefix = done.stdout.split()
    assert place == str(folder / "engine")
    return prefix


def test_a_checkout_that_was_installed_has_it_in_var(checkout):
    (checkout / "var" / "bytecode").mkdir(parents=True)
    assert prefix_in(checkout, PYTHONDONTWRITEBYTECODE="1") == str(checkout / "var" / "bytecode")


def test_a_folder_that_somebody_chose_stays(checkout):
    (checkout / "var" / "bytecode").mkdir(parents=True)
    assert prefix_in(checkout, PYTHONPYCACHEPREFIX="/elsewhere") == "/elsewhere"


def test_elsewhere_python_does_as_it_always_does(checkout):
    assert prefix_in(checkout) == "None"
