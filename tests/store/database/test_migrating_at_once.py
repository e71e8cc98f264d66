"""Several processes that migrate at once: one does it, the others wait and find it done."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import create_engine

from engine.store.database.migrations import latest, migrate

AT_ONCE = 8


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def empty_url(request, tmp_path):
    """The URL of a database without any table, on each engine in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new/hq.db"
    url = request.getfixturevalue("postgresql_url")
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()
    return url


def at_once(url):
    together = Barrier(AT_ONCE)

    def run(number):
        together.wait()
        return migrate(url)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        return sorted(threads.map(run, range(AT_ONCE)), key=str)


@pytest.mark.real
@pytest.mark.parametrize("before", [None, "0014"])
def test_of_eight_one_migrates_and_the_others_find_it_done(empty_url, before):
    if before is not None:
        migrate(empty_url, before)
    done = (latest(), latest())
    assert at_once(empty_url) == sorted([(before, latest()), *[done] * (AT_ONCE - 1)], key=str)
    assert at_once(empty_url) == [done] * AT_ONCE


@pytest.mark.real
def test_eight_processes_all_end_well_and_say_what_they_did(empty_url, tmp_path):
    names = {"SVC_DATABASE_URL": empty_url, "SVC_DATA_DIR": str(tmp_path / "data")}
    command = [sys.executable, "-m", "engine.cli", "migrate"]
    pipe = subprocess.PIPE
    all_at_once = [
        subprocess.Popen(command, env=os.environ | names, stdout=pipe, stderr=pipe, text=True) for _ in range(AT_ONCE)
    ]
    said = sorted((*process.communicate(timeout=120), process.returncode) for process in all_at_once)
    assert said == [
        *[(f"already at {latest()}\n", "", 0)] * (AT_ONCE - 1),
        (f"migrated from nothing to {latest()}\n", "", 0),
    ]
