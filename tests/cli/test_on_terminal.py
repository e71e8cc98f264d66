"""A report on a terminal: what fits stands in columns, the rest below; nothing steers the terminal."""

import os
import pty
import sys
import threading
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from engine.cli.on_terminal import MOST_ROWS, printable, show_markdown
from engine.cli.reports import differences

TODAY = datetime.now(ZoneInfo("Europe/Berlin")).date()  # of acme, whose records begin then
HEAD = "| Name | Due | Days | What to do |\n| --- | --- | ---: | --- |\n"


def lines(capsys, text, width):
    show_markdown(text, width)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]


def test_columns_that_fit_stand_side_by_side_numbers_to_the_right(capsys):
    rows = "| a\\*b | 2026-11-20 | 5 | Renew &amp; sign |\n| c&#124;d | 2026-11-21 | 12 | |"
    assert lines(capsys, HEAD + rows, 80) == [
        "Name  Due         Days  What to do",
        "────────────────────────────────────",
        "a*b   2026-11-20     5  Renew & sign",
        "c|d   2026-11-21    12",
    ]


def test_what_does_not_fit_stands_below_its_row(capsys):
    assert lines(capsys, HEAD + "| a | 2026-11-20 | 5 | Renew it |", 24) == [
        "Name  Due         Days",
        "──────────────────────",
        "a     2026-11-20     5",
        "  What to do: Renew it",
    ]


def test_a_long_cell_is_broken_and_no_word_is_lost(capsys):
    text = " ".join(f"word{number}" for number in range(30))
    label = " ".join(lines(capsys, f"| Text |\n| --- |\n| {text} |", 60)[2:])
    assert label.split() == text.split()


def test_of_a_long_table_the_first_rows_are_shown_and_the_rest_counted(capsys):
    rows = "\n".join(f"| {number} |" for number in range(MOST_ROWS + 3))
    shown = lines(capsys, f"| No |\n| ---: |\n{rows}", 80)
    assert (len(shown), shown[-1]) == (2 + MOST_ROWS + 1, "and 3 more rows: --format csv has all of them")


def test_an_empty_table_is_its_heading(capsys):
    assert lines(capsys, HEAD.rstrip(), 80)[0] == "Name  Due  Days  What to do"


def test_spaces_of_every_kind_are_spaces():
    assert printable("41.2\u00a0%, 3\u202fh\x85") == "41.2 %, 3 h\\x85"


def test_control_characters_of_records_are_spelled_out(capsys):
    assert lines(capsys, "| N |\n| --- |\n| a\x1b[2Jb |", 80)[2] == "a\\x1b[2Jb"


@pytest.mark.real
@pytest.mark.parametrize(
    ("terminal", "arguments", "begins"),
    [
        (False, (), '{"report":"posture-score"'),
        (True, ("--format", "json"), '{"report":"posture-score"'),
        (False, ("--format", "md"), "# Posture score"),
    ],
)
def test_who_pipes_or_names_a_format_gets_the_bytes_of_it(acme, cli, monkeypatch, terminal, arguments, begins):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    code, out, _ = cli("report", "posture-score", *arguments)
    assert (code, out.startswith(begins)) == (0, True)


@pytest.mark.real
def test_on_a_terminal_a_report_is_laid_out(acme, cli, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    code, out, _ = cli("report", "posture-score")
    assert (code, out.splitlines()[0].strip(), "|" in out) == (0, "Posture score", False)


def test_a_cell_is_no_markup_of_the_terminal(capsys):
    assert lines(capsys, "| N |\n| --- |\n| [red]a[/] :smile: |", 80)[2] == "[red]a[/] :smile:"


def on_terminal(monkeypatch, cli, *arguments):
    """(exit code, what a pseudo-terminal got) of a command."""
    primary, secondary = pty.openpty()
    pieces = []

    def read():
        while True:
            try:
                pieces.append(os.read(primary, 4096))
            except OSError:  # nobody writes any more
                return

    reader = threading.Thread(target=read)
    reader.start()
    monkeypatch.setenv("TERM", "xterm")
    with monkeypatch.context() as patch, os.fdopen(secondary, "w", encoding="utf-8") as terminal:
        patch.setattr(sys, "stdout", terminal)
        code, _, err = cli(*arguments)
    reader.join()
    os.close(primary)
    return code, b"".join(pieces).decode() + err


@pytest.mark.real
@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "posture-score"),
        ("plan", "--framework", "soc2", "--target", 1, "--by", TODAY),
        ("explain", "posture-score", "posture_score"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_on_a_terminal_a_number_and_its_unit_have_a_space_between(acme, cli, monkeypatch, arguments):
    code, out = on_terminal(monkeypatch, cli, *arguments)
    assert (code, "\x1b[1m" in out, "\xa0" in out, "\\xa0" in out) == (0, True, False, False), out


def test_on_a_terminal_a_comparison_has_such_spaces_too(cli, monkeypatch):
    monkeypatch.setattr(
        differences, "report_bytes", lambda *asked: "**Was** 41.2\u00a0%\n\n| Now |\n| --- |\n| 5\u00a0h |\n".encode()
    )
    code, out = on_terminal(monkeypatch, cli, "diff", "posture-score", "--from", "2026-11-01")
    assert (code, "41.2 %" in out, "5 h" in out) == (0, True, True), out


def test_on_a_terminal_a_comparison_is_laid_out(cli, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    asked = []

    def answer(*given):
        asked.append(given)
        return b"# Changes\n\n| Figure | Before |\n| --- | ---: |\n| Open gaps | 2 |\n"

    monkeypatch.setattr(differences, "report_bytes", answer)
    code, out, err = cli("diff", "posture-score", "--from", "2026-11-01", "--to", "2026-11-20")
    assert (code, asked, err) == (0, [("posture-score", None, "md", {"since": "2026-11-01", "asOf": "2026-11-20"})], "")
    assert out.split() == ["Changes", "Figure", "Before", "─────────────────", "Open", "gaps", "2"]
