"""Sources: what they give, in total order with types, and each thing that is wrong as a sentence."""

import hashlib
import os
import sqlite3
import sys
import time
from contextlib import closing
from datetime import date

import polars as pl
import pytest
import xlsxwriter

from engine.evidence.pulls.check_run import CheckQueries, run_check
from engine.evidence.pulls.declarations import DaySpan
from engine.evidence.pulls.sources import databases
from engine.evidence.pulls.sources.reading import SourceProblem
from engine.operations import pulls as operations
from engine.operations.pulls import source_readers
from engine.runtime.settings import Settings
from tests.evidence.pulls.sources import lines_of, read, readers

DAY = date(2026, 11, 24)
CSV = "login,left_on,n\nbob,2026-11-20,2\nann,,1\n"
LINES = ['{"login":"ann","left_on":null,"n":1}', '{"login":"bob","left_on":"2026-11-20","n":2}']


def problem_of(*arguments, **options):
    with pytest.raises(SourceProblem) as problem:
        read(*arguments, **options)
    return problem.value.message


def test_files_of_every_format_give_the_same_rows(tmp_path):
    (tmp_path / "a.csv").write_text(CSV)
    (tmp_path / "a.jsonl").write_text("\n".join(LINES))
    (tmp_path / "a.json").write_text(f"[{','.join(LINES)}]")
    pl.read_csv(tmp_path / "a.csv", try_parse_dates=True).write_parquet(tmp_path / "a.parquet")
    table = [["login", "left_on", "n"], ["bob", "2026-11-20", "2"], ["ann", None, "1"]]
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    reach = readers(workbook=lambda path, sheet: table)
    for ending in ("csv", "jsonl", "json", "parquet", "xlsx"):
        assert lines_of(tmp_path, "files", paths=[f"a.{ending}"], reach=reach) == LINES, ending
    content = read(tmp_path, "files", paths=["a.csv"])
    assert content.tables["data"].columns == (("login", "VARCHAR"), ("left_on", "DATE"), ("n", "BIGINT"))
    assert content.origins == (("a.csv", hashlib.sha256(CSV.encode()).hexdigest()),)


def test_a_header_that_names_a_column_twice_is_refused(tmp_path):
    (tmp_path / "people.csv").write_text("login,Login,left_on\nann,bob,\n")
    assert problem_of(tmp_path, "files", paths=["people.csv"]).endswith("has two columns named 'login' in people.csv.")


def test_a_workbook_that_becomes_too_large_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    with xlsxwriter.Workbook(tmp_path / "people.xlsx", {"strings_to_numbers": False, "constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for row in range(3_000):
            sheet.write_string(row, 0, "a" * 500)
    assert (tmp_path / "people.xlsx").stat().st_size < 100_000
    reach = source_readers(Settings.of({}), {})
    monkeypatch.setattr(operations, "_WORKBOOK", operations._WORKBOOK._replace(expanded=1_000_000))
    assert problem_of(tmp_path, "files", paths=["people.xlsx"], reach=reach).endswith(
        "people.xlsx has more than 1,000,000 bytes when unpacked: ask for fewer rows or columns, or for CSV."
    )


def test_rows_of_a_member_of_a_document_are_read(tmp_path):
    (tmp_path / "a.json").write_text('{"results": {"checks": [{"id": "A", "deep": {"x": [1]}}, {"id": "B"}]}}')
    lines = lines_of(tmp_path, "files", paths=["a.json"], rows="results.checks")
    assert lines == ['{"id":"A","deep":{"x":[1]}}', '{"id":"B","deep":null}']
    assert "no rows at 'results.none'" in problem_of(tmp_path, "files", paths=["a.json"], rows="results.none")


def test_links_devices_and_what_is_too_much_are_not_read(tmp_path):
    (tmp_path / "a.csv").write_text(CSV)
    (tmp_path / "link.csv").symlink_to("a.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "empty.csv").write_text("")
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(3 << 30)
    assert "symbolic link" in problem_of(tmp_path, "files", paths=["link.csv"])
    assert "expected a regular file" in problem_of(tmp_path, "files", paths=["pipe.csv"])
    assert "more than 268,435,456 bytes" in problem_of(tmp_path, "files", paths=["large.csv"])
    assert "is empty" in problem_of(tmp_path, "files", paths=["empty.csv"])
    assert "finds no file for 'none-*.csv'" in problem_of(tmp_path, "files", paths=["none-*.csv"])
    assert "more than max_rows = 1 rows" in problem_of(tmp_path, "files", paths=["a.csv"], max_rows=1)


def test_a_column_without_a_value_compares_with_anything(tmp_path):
    (tmp_path / "a.csv").write_text("login,reviewer\nann,\nbob,\n")
    (tmp_path / "a.db").touch()
    data = read(tmp_path, "files", paths=["a.csv"]).tables["data"]
    assert data.columns == (("login", "VARCHAR"), ("reviewer", '"NULL"'))
    rows = read(tmp_path, "sqlite", path="a.db", query="select 'ann' as login, null as reviewer").tables["data"]
    assert rows.columns == data.columns
    for where in ("reviewer = 'eve'", "reviewer < date '2026-01-01'", "reviewer > 3", "reviewer"):
        queries = CheckQueries("from data", f"from population where {where}", 0, 1)
        answer = run_check(queries, {"data": data}, DaySpan(DAY, DAY))
        assert (answer.outcome, answer.population.rows) == ("passed", 2), where


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("roles\nadmin;dev\n", ['{"roles":"admin;dev"}']),
        ("a|b\n=cmd|'x'\n", ['{"a":"=cmd","b":"\'x\'"}']),
        ('"a;b;c",d\n1,2\n', ['{"a;b;c":1,"d":2}']),
        ("login;n\n#ann;1\n", ['{"login":"#ann","n":1}']),
        ("login\tn\nann\t1\n", ['{"login":"ann","n":1}']),
        ("code\n0012\n", ['{"code":"0012"}']),
    ],
)
def test_what_separates_cells_is_what_separates_names(tmp_path, text, lines):
    (tmp_path / "a.csv").write_text(text)
    assert lines_of(tmp_path, "files", paths=["a.csv"]) == lines


def test_a_type_that_is_named_is_that_of_the_cells_as_they_stand(tmp_path):
    (tmp_path / "a.csv").write_text("code,on\n0012,2026-11-20\n,31.12.2026\n")
    rows = lines_of(tmp_path, "files", paths=["a.csv"], types={"code": "text", "on": "text"})
    assert rows == ['{"code":"0012","on":"2026-11-20"}', '{"code":null,"on":"31.12.2026"}']
    (tmp_path / "a.json").write_text('[{"login": "ann"}, {"login": 2}]')
    rows = lines_of(tmp_path, "files", paths=["a.json"], types={"login": "text"})
    assert rows == ['{"login":"2"}', '{"login":"ann"}']


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '[{"login": "ann"},', "a.json is cut off, its list does not end."),
        ("a.jsonl", '{"login": "ann"}\n{"login": "b', 'Malformed JSON in file "a.jsonl", at byte 13 in line 3'),
        ("a.json", '[{"login": "\\ud800"}]', "Malformed JSON"),
        ("a.csv", "login,n\nann\nbob,2,3\n", "a.csv has a line with more or fewer cells than its header"),
        ("a.csv", 'login,n\nann,"1\n', "or a quotation mark that does not end."),
        ("a.csv", "login\nJos\udce9\n", "CSV Error on Line: 2: Invalid unicode"),
        ("a.csv", "login\n" + "x" * 2_100_000, "CSV Error on Line: 2: Maximum line size of 2000000 bytes exceeded"),
        ("a\udcff.csv", "login\nann\n", "matches a file whose name is not UTF-8"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(tmp_path, name, text, expected):
    (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    message = problem_of(tmp_path, "files", paths=["a*"])
    assert expected in message
    assert "/hq-pull-" not in message


def people_database(path, *, mode="delete"):
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA journal_mode={mode}")
    database.executescript("create table people (login); insert into people values ('ann'); ")
    return database


def test_the_hash_of_a_sqlite_file_is_of_the_bytes_that_were_read(tmp_path, monkeypatch):
    people_database(tmp_path / "a.db").close()
    before = hashlib.sha256((tmp_path / "a.db").read_bytes()).hexdigest()
    records_table = databases.records_table

    def table_of_late_hands(*arguments):
        with closing(sqlite3.connect(tmp_path / "a.db")) as database, database:
            database.execute("insert into people values ('eve')")
        return records_table(*arguments)

    monkeypatch.setattr(databases, "records_table", table_of_late_hands)
    content = read(tmp_path, "sqlite", path="a.db", query="select * from people")
    assert (content.origins, content.tables["data"].rows) == ((("a.db", before),), 1)
    assert hashlib.sha256((tmp_path / "a.db").read_bytes()).hexdigest() != before


def test_what_stands_in_the_log_of_a_sqlite_file_is_read_and_hashed(tmp_path):
    with closing(people_database(tmp_path / "a.db", mode="wal")) as database:
        first = read(tmp_path, "sqlite", path="a.db", query="select * from people")
        main = (tmp_path / "a.db").read_bytes()
        with database:
            database.execute("insert into people values ('eve')")
        second = read(tmp_path, "sqlite", path="a.db", query="select * from people")
        assert (tmp_path / "a.db").read_bytes() == main  # it is in the log alone
    assert [one.tables["data"].rows for one in (first, second)] == [1, 2]
    assert first.origins != second.origins


def test_sqlite_is_read_and_never_written(tmp_path):
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("CREATE TABLE people (login, left_on, n)")
        database.executemany("INSERT INTO people VALUES (?, ?, ?)", [("bob", "2026-11-20", 2), ("ann", None, 1)])
    database.close()
    assert lines_of(tmp_path, "sqlite", path="a.db", query="select * from people;") == LINES
    for query in ("delete from people", "select 1) ; attach 'x.db' as x; select (1", "select load_extension('x')"):
        assert "cannot be read" in problem_of(tmp_path, "sqlite", path="a.db", query=query)
    assert "finds no file" in problem_of(tmp_path, "sqlite", path="b.db", query="select 1")


def test_a_command_runs_only_where_it_is_allowed_and_sees_what_is_named(tmp_path):
    code = "import os,sys; print('names'); print(' '.join(sorted(os.environ)))"
    options = {"argv": [sys.executable, "-I", "-c", code], "format": "csv", "env": ["GIVEN"]}
    reach = readers(commands=(sys.executable,), GIVEN="1", OTHER="2")
    (line,) = lines_of(tmp_path, "command", reach=reach, **options)
    assert "GIVEN" in line
    assert "OTHER" not in line
    assert "PATH" not in line
    assert "SVC_PULL_COMMANDS does not allow" in problem_of(tmp_path, "command", **options)


def test_a_command_is_killed_with_all_that_it_started(tmp_path):
    code = "import subprocess,time; subprocess.Popen(['sh','-c','sleep 2; touch late']); time.sleep(9)"
    reach = readers(commands=(sys.executable,))
    options = {"argv": [sys.executable, "-c", code], "format": "csv", "env": ["PATH"], "timeout_seconds": 1}
    start = time.monotonic()
    assert "took more than 1 s" in problem_of(tmp_path, "command", reach=reach, **options)
    assert time.monotonic() - start < 5
    time.sleep(2.2)
    assert not (tmp_path / "late").exists()


test_a_command_is_killed_with_all_that_it_started = pytest.mark.real(test_a_command_is_killed_with_all_that_it_started)


def test_a_command_that_says_too_much_or_fails_is_no_source(tmp_path):
    reach = readers(commands=("sh",))
    loud = {"argv": ["sh", "-c", "while :; do echo aaaaaaaaaaaaaaaaaa; done"], "format": "csv", "max_bytes": 1000}
    assert "answers more than 1,000 bytes" in problem_of(tmp_path, "command", reach=reach, **loud)
    bad = {"argv": ["sh", "-c", "echo no such thing >&2; exit 3"], "format": "csv"}
    assert "sh ended with code 3: no such thing." in problem_of(tmp_path, "command", reach=reach, **bad)


def test_an_address_is_read_with_its_token(tmp_path):
    asked = []

    def fetch(url, token, seconds, most):
        asked.append((url, token))
        return f"[{','.join(LINES)}]".encode()

    options = {"url": "https://api.example.com/people", "format": "json", "token_env": "API_TOKEN"}
    assert lines_of(tmp_path, "https", reach=readers(fetch=fetch, API_TOKEN="t"), **options) == LINES
    assert asked == [("https://api.example.com/people", "t")]
    assert "needs the variable API_TOKEN" in problem_of(tmp_path, "https", **options)


def test_a_missing_variable_of_a_database_is_named(tmp_path):
    said = problem_of(tmp_path, "postgresql", url_env="DIRECTORY_URL", query="select 1")
    assert said == "[source.data] needs the variable DIRECTORY_URL, which is not set."
