"""What a shell completes, and what is said to a name that does not exist."""

import os
import subprocess
import sys

import pytest

from engine.cli import commands
from engine.model.suggestions import suggestion
from tests.cli.conftest import HEAVY, PROBE


def complete_words(words, *, shell="bash", home):
    """What the shell is offered for the last of the words, and which heavy packages that took."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment |= {"SVC_DATA_DIR": str(home / "var"), "_HQ_COMPLETE": f"{shell}_complete"}
    environment |= {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env=environment, capture_output=True, text=True, check=True, cwd=home
    )
    *offered, loaded = done.stdout.splitlines()
    return [line.partition(",")[2] for line in offered if line], set(loaded.split('"')) & HEAVY


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["hq", "rep"], ["report", "reports"]),
        (["hq", "report", "post"], ["posture-score"]),
        (["hq", "open", "executive"], ["executive-summary"]),
        (["hq", "report", "obligation-ics", "--format", ""], ["ics", "json", "csv", "html", "md", "xlsx"]),
        (["hq", "report", "control-graph", "--param", ""], ["view="]),
        (["hq", "explain", "program", "gaps_open"], ["gaps_open"]),
        (["hq", "report", "summary", "--org", "a"], ["acme"]),
    ],
)
def test_a_shell_completes_names_without_loading_much(acme, words, offered):
    found, heavy = complete_words(words, home=acme)
    assert (found, heavy) == (offered, set())


def test_where_there_is_no_store_no_organization_is_offered_and_none_is_made(tmp_path):
    found, _ = complete_words(["hq", "report", "summary", "--org", ""], home=tmp_path)
    assert (found, (tmp_path / "var").exists()) == ([], False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(cli, shell):
    code, out, _ = cli("completion", shell)
    assert (code, "_HQ_COMPLETE" in out, "hq" in out) == (0, True, True)


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["repotr"], "report"),
        (["report", "postur-score"], "Did you mean posture-score"),
        (["open", "posture"], "Did you mean posture-score"),
        (["report", "summary", "--org", "acmee"], "Did you mean acme?"),
        (["report", "summary", "--fromat", "csv"], "--format"),
        (["import", "sheets/risks.csv", "--org", "amce"], "Did you mean acme?"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_one_that_was_meant(acme, cli, monkeypatch, arguments, near):
    monkeypatch.chdir(acme)
    (acme / "sheets" / "risks.csv").write_text("id,title\nR-1,Fire\n")
    code, out, err = cli(*arguments)
    assert (code, out, near in err) == (2, "", True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("posture_score", "Did you mean posture-score?"),
        ("Posture", "Did you mean posture-score?"),
        ("xyz", ""),
        ("", ""),
    ],
)
def test_only_what_is_near_is_suggested(text, said):
    assert suggestion(text, ["posture-score", "program"]) == said


def test_every_command_is_under_a_task_with_a_whole_sentence(cli):
    _, out, _ = cli("--help")
    listed = out.partition("Look:")[2]
    assert {name for name in commands.commands if f"\n  {name} " not in listed} == set()
    assert "..." not in listed
