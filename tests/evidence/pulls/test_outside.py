"""What a pull may reach: one pull at a time, addresses that were judged, a database that is only read, repositories."""

import subprocess

import pytest

from engine.evidence.pulls.sources.reading import SourceProblem
from engine.evidence.pulls.turns import turn
from engine.model.errors import Conflict
from engine.operations.pulls import scheduled_files, source_readers
from engine.runtime.settings import Settings
from tests.evidence.pulls.sources import read, readers


def test_a_second_pull_waits_and_then_says_so(tmp_path):
    with (
        turn(tmp_path, "acme"),
        turn(tmp_path, "other"),
        pytest.raises(Conflict) as problem,
        turn(tmp_path, "acme", wait=0.2),
    ):
        pass
    assert problem.value.message == "Another pull of acme runs; it was waited for 0 s. Try again later."
    assert problem.value.exit_code == 1
    with turn(tmp_path, "acme"):
        pass


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1/x", "https://localhost/x", "https://db.internal/x", "https://u:p@api.example.com/"]
)
def test_an_internal_address_is_not_asked_unless_it_is_named(url, tmp_path):
    settings = Settings.of({"SVC_DATA_DIR": str(tmp_path)})
    with pytest.raises(SourceProblem) as problem:
        source_readers(settings, {}).fetch(url, "", 1, 1000)
    assert "is not asked: " in problem.value.message
    named = Settings.of({"SVC_DATA_DIR": str(tmp_path), "SVC_PULL_HOSTS": "127.0.0.1:9"})
    with pytest.raises(SourceProblem) as problem:
        source_readers(named, {}).fetch("https://127.0.0.1:9/x", "", 1, 1000)
    assert problem.value.message.startswith("https://127.0.0.1:9/x does not answer: ")


def test_files_of_pulls_name_their_organization():
    settings = Settings.of({"SVC_PULLS": "acme=/etc/a.toml, /etc/b.toml", "SVC_PULL_COMMANDS": "cat,restic"})
    assert [(org, str(path)) for org, path in scheduled_files(settings)] == [
        ("acme", "/etc/a.toml"),
        (None, "/etc/b.toml"),
    ]
    assert settings.pull_commands == ("cat", "restic")


@pytest.mark.real
@pytest.mark.postgresql
def test_postgresql_is_read_by_a_cursor_and_never_written(postgresql_url, tmp_path):
    reach = readers(DIRECTORY_URL=postgresql_url)
    rows = "select * from (values ('bob', date '2026-11-20', 2), ('ann', null, 1)) as v(login, left_on, n)"
    content = read(tmp_path, "postgresql", reach=reach, url_env="DIRECTORY_URL", query=rows)
    assert content.tables["data"].lines.decode().splitlines() == [
        '{"login":"ann","left_on":null,"n":1}',
        '{"login":"bob","left_on":"2026-11-20","n":2}',
    ]
    assert content.tables["data"].columns == (("login", "VARCHAR"), ("left_on", "DATE"), ("n", "BIGINT"))
    assert "which is a superuser" in content.warnings[0]
    lists = "select 1 as n, '{1.5,2}'::numeric[] as nums, '{a,b}'::text[] as tags, 'a%b' as share"
    content = read(tmp_path, "postgresql", reach=reach, url_env="DIRECTORY_URL", query=lists)
    assert content.tables["data"].lines == b'{"n":1,"nums":["1.5","2"],"tags":["a","b"],"share":"a%b"}\n'
    one = "cannot insert multiple commands into a prepared statement"
    wrong = {
        "copy (select 1) to program 'true'": 'syntax error at or near "select"',
        "select 1) as q; copy (select 1) to program 'true'; select * from (select 1": one,
        "select 1) as q; create table x(); select * from (select 1": one,
        "with gone as (delete from pg_class returning *) select * from gone": "must be at the top level",
        "update pg_class set relname = 'x'": "syntax error",
        "select 1 as n, 2 as N": "has two columns 'n'",
    }
    for query, reason in wrong.items():
        with pytest.raises(SourceProblem, match=reason):
            read(tmp_path, "postgresql", reach=reach, url_env="DIRECTORY_URL", query=query)


@pytest.mark.real
def test_a_repository_gives_merges_tags_and_paths_and_runs_nothing_of_its_own(tmp_path):
    folder = tmp_path / "code"
    folder.mkdir()

    def git(*arguments, who="ann"):
        names = {f"GIT_{role}_{part}": who for role in ("AUTHOR", "COMMITTER") for part in ("NAME",)}
        mails = {f"GIT_{role}_EMAIL": f"{who}@acme.example" for role in ("AUTHOR", "COMMITTER")}
        subprocess.run(
            ["git", *arguments],
            cwd=folder,
            check=True,
            capture_output=True,
            env={"PATH": "/usr/bin:/bin", **names, **mails},
        )

    git("init", "-q", "-b", "main", ".")
    (folder / "a").write_text("1")
    git("add", ".")
    git("commit", "-q", "-m", "pushed")
    git("checkout", "-q", "-b", "work")
    (folder / "b").write_text("2")
    git("add", ".", who="bob")
    git("commit", "-q", "-m", "work", who="bob")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "work", "-m", "Merge work\n\nReviewed-by: Eve <eve@acme.example>")
    git("tag", "-a", "v1", "-m", "one")
    git("config", "core.fsmonitor", f"touch {tmp_path}/ran")
    git("config", "gpg.program", f"touch {tmp_path}/ran")
    tables = read(tmp_path, "git", path="code").tables
    assert {name: table.rows for name, table in tables.items()} == {"data_merges": 2, "data_tags": 1, "data_paths": 2}
    merges = tables["data_merges"].lines.decode()
    assert '"merge":true,"author":"bob@acme.example"' in merges
    assert '"reviewers":"eve@acme.example"' in merges
    assert not (tmp_path / "ran").exists()
    with pytest.raises(SourceProblem, match="is no repository that can be read"):
        (tmp_path / "empty").mkdir()
        read(tmp_path, "git", path="empty")
