"""Files of pulls: everything wrong is a sentence before anything is read."""

import os
from datetime import date

import pytest

from engine.evidence.pulls.pull import check_request
from engine.evidence.pulls.pull_file import read_pull_file
from engine.model.errors import Usage

SOURCE = '[source.people]\nkind = "files"\npaths = ["people.csv"]\n'
CHECK = """
[[check]]
id = "leavers"
title = "Leavers"
controls = ["soc2:CC6.2", "iso27001:A.5.18"]
cadence = "weekly"
population = "select login from people where left_on >= date '{since}'"
exceptions = "select login from population where false"
"""
PROGRAM = '[source.people]\nkind = "command"\nformat = "csv"\n'
WRONG = {
    "[source.people\n": "pulls.toml is not TOML: expected ']' at the end of a table declaration (at line 1, column 15)",
    "[source.people]\nkind = ": "pulls.toml is not TOML: invalid value (at line 2, column 8, the end of the document)",
    SOURCE: "pulls.toml must have a table [[check]] or more; it has none",
    CHECK: "must have a table [source.NAME] or more",
    SOURCE.replace("files", "filez")
    + CHECK: "must have a kind: files, postgresql, sqlite, command, https, ldap, git; got",
    SOURCE.replace("people.csv", "../people.csv") + CHECK: "paths must be a path below the folder of this file",
    SOURCE.replace("people.csv", "/etc/passwd") + CHECK: "paths must be a path below the folder of this file",
    SOURCE.replace("people.csv", ".") + CHECK: "paths must be a path to a file; got",
    SOURCE + "rowz = 1\n" + CHECK: "has 'rowz', which is not read",
    SOURCE + 'token = "abc"\n' + CHECK: "source.people.token is a key for a secret",
    SOURCE + CHECK.replace("Leavers", "ghp_0123456789abcdefghij"): "looks like a key or token",
    SOURCE + CHECK + 'owner = "postgresql://u:secret@host/db"\n': "has a password in its address",
    PROGRAM + 'argv = ["mysql", "--password", "hunter2"]\n' + CHECK: "source.people.argv[3] is what --password sets",
    PROGRAM + 'argv = ["curl", "-H", "Authorization: Bearer hunter22"]\n' + CHECK: "argv[3] sets a password or token",
    "# ghp_0123456789abcdefghij\n" + SOURCE + CHECK: "pulls.toml: line 1 looks like a key or token",
    PROGRAM
    + 'argv = ["id"]\nenv = ["hunter2!"]\n'
    + CHECK: "env must be the name of an environment variable; what came is not shown",
    SOURCE
    + CHECK.replace("select login from pop", "select 'host=a password=hunter2', login from pop"): "sets a password",
    SOURCE + CHECK.replace("soc2:CC6.2", "soc2:CC99"): "names the control 'soc2:CC99', which no catalogue has",
    SOURCE
    + CHECK.replace("{since}", "{day}"): "may have {since} and {until} in braces and nothing else; it has '{day}'",
    SOURCE
    + CHECK.replace("from people", "from peple"): "asks 'peple', which is no source; there is people. Did you mean",
    SOURCE + CHECK.replace("select login from pop", "copy x to 'y'; select login from pop"): "must be one SELECT",
    SOURCE + CHECK.replace("from people", "from read_csv('x')"): "it calls read_csv()",
    SOURCE + CHECK.replace("select login from people", "select read_text('x') from people"): "it calls read_text()",
    SOURCE
    + CHECK.replace(
        "select login from people", "with x as (delete from people returning *) select login from x"
    ): "must be one SELECT; DELETE inside it is not allowed",
    SOURCE + CHECK.replace("from people", "from 'people.csv'"): "asks 'people.csv', which is no source",
    SOURCE + CHECK.replace("where false", "where now() > date '2026-01-01'"): "must answer the same tomorrow",
    SOURCE + CHECK + "least_population = 0\n": "least_population must be a whole number from 1",
    SOURCE + CHECK + CHECK: ["check 'leavers'", "check 'leavers' is there twice"][0] + " is there twice",
    SOURCE + CHECK.replace("weekly", "hourly"): "cadence must be one of continuous, daily, weekly",
}


def file_of(tmp_path, text):
    path = tmp_path / "pulls.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(tmp_path, text):
    with pytest.raises(Usage) as problem:
        read_pull_file(file_of(tmp_path, text))
    assert WRONG[text] in problem.value.message
    assert "secret@" not in problem.value.message
    assert "hunter2" not in problem.value.message


def test_a_check_is_about_controls_of_ones_own_too(tmp_path):
    path = file_of(tmp_path, SOURCE + CHECK.replace("soc2:CC6.2", "annex:A.1"))
    (check,) = read_pull_file(path, {("annex", "A.1")}).checks
    assert ("annex", "A.1") in check.controls
    with pytest.raises(Usage, match="names the control 'annex:A.1', which no catalogue has"):
        read_pull_file(path)


def test_a_check_knows_its_tables_controls_and_limits(tmp_path):
    (check,) = read_pull_file(file_of(tmp_path, SOURCE + CHECK)).checks
    assert (check.id, check.tables, check.controls) == (
        "leavers",
        ("people",),
        (("soc2", "CC6.2"), ("iso27001", "A.5.18")),
    )
    assert (check.most, check.least_population, check.cadence) == (0, 1, "weekly")


def test_the_hash_of_a_query_moves_with_all_that_decides_an_answer(tmp_path):
    texts = [CHECK, CHECK.replace("where false", "where true"), CHECK + "most = 1\n", CHECK.replace("Leavers", "Other")]
    hashes = [read_pull_file(file_of(tmp_path, SOURCE + text)).checks[0].query_sha256 for text in texts]
    assert (len(set(hashes)), hashes[0]) == (3, hashes[3])  # a title decides nothing


@pytest.fixture
def exports(tmp_path):
    """A folder with what no pull reads."""
    (tmp_path / "exports" / "folder.csv").mkdir(parents=True)
    (tmp_path / "exports" / "a.csv").write_text("login\nann\n")
    (tmp_path / "exports" / "link.csv").symlink_to("a.csv")
    (tmp_path / "exports" / "dangling.csv").symlink_to("none.csv")
    (tmp_path / "through").symlink_to("exports")
    os.mkfifo(tmp_path / "exports" / "pipe.csv")
    with (tmp_path / "exports" / "large.csv").open("wb") as file:
        file.truncate(3 << 30)  # nothing of it is on the disk
    for repository in ("worktree", "linked/.git", "borrows/.git/objects/info", "bare"):
        (tmp_path / repository).mkdir(parents=True)
    (tmp_path / "worktree/.git").write_text("gitdir: /elsewhere/.git/worktrees/code\n")
    (tmp_path / "linked/.git/objects").symlink_to("/elsewhere/.git/objects")
    (tmp_path / "borrows/.git/objects/info/alternates").write_text("/elsewhere/.git/objects\n")
    (tmp_path / "bare/commondir").write_text("/elsewhere/.git\n")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('kind = "files"\npaths = ["exports/link.csv"]', "exports/link.csv is a symbolic link"),
        ('kind = "files"\npaths = ["exports/dangling.csv"]', "exports/dangling.csv is a symbolic link"),
        ('kind = "files"\npaths = ["through/a.csv"]', "through is a symbolic link"),
        ('kind = "files"\npaths = ["*/a.csv", "t*/a.csv"]', "through/a.csv is a symbolic link"),
        ('kind = "files"\npaths = ["exports/*.csv"]', "exports/dangling.csv is a symbolic link"),
        ('kind = "files"\npaths = ["exports/pipe.csv"]', "is a device, a pipe or a socket; expected a regular file"),
        ('kind = "files"\npaths = ["exports/folder.csv"]', "is a folder; expected a regular file"),
        ('kind = "files"\npaths = ["exports/large.csv"]', "has more than 268,435,456 bytes"),
        ('kind = "files"\npaths = ["a**b"]', "'a**b' is no path that can be looked up"),
        ('kind = "sqlite"\npath = "exports/link.csv"\nquery = "select 1"', "is or passes a symbolic link"),
        ('kind = "sqlite"\npath = "exports/pipe.csv"\nquery = "select 1"', "must be a regular file; it is a device"),
        ('kind = "git"\npath = "through"', "is or passes a symbolic link"),
        ('kind = "git"\npath = "exports/a.csv"', "must be a folder; it is a file"),
        ('kind = "git"\npath = "worktree"', "worktree/.git leads to a repository elsewhere"),
        ('kind = "git"\npath = "linked"', "linked has objects behind a symbolic link"),
        ('kind = "git"\npath = "borrows"', "takes objects from another repository by objects/info/alternates"),
        ('kind = "git"\npath = "bare"', "takes objects from another repository by commondir"),
    ],
)
def test_what_cannot_be_a_source_is_found_before_anything_is_read(exports, options, expected):
    text = f"[source.people]\n{options}\n" + CHECK
    if "git" in options:
        text = text.replace("from people", "from people_merges")
    file = read_pull_file(file_of(exports, text))
    with pytest.raises(Usage) as problem:
        check_request(file, file.checks, date(2026, 11, 24))
    assert problem.value.message.startswith("pulls.toml: [source.people]: ")
    assert expected in problem.value.message


def test_a_source_that_is_not_there_is_no_fault_of_the_file(tmp_path):
    file = read_pull_file(file_of(tmp_path, SOURCE + CHECK))
    check_request(file, file.checks, date(2026, 11, 24))


def test_a_file_of_pulls_is_a_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(Usage, match="must be a file of pulls; it is a folder, a device or a pipe"):
        read_pull_file(tmp_path / "pipe.toml")
