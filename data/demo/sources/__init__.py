"""What the demo collects from: an export of people, a directory, a repository, a scan, a firewall, a backup tool.

``write_sources`` writes them as they stand on a day. Four checks of ``pulls.toml`` fail, each for a row that shows why:
somebody who left is not disabled, an administrator has no second factor, a change was pushed without a merge, and a
rule of the firewall was not reviewed for a year.
"""

import csv
import json
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from engine.evidence.pulls.sources.commands import run_program
from engine.evidence.pulls.sources.reading import SourceProblem

PULLS = Path(__file__).with_name("pulls.toml")
COMMANDS = ("cat",)  # that its checks run
PEOPLE = (
    *("amara.diallo", "bruno.costa", "chloe.martin", "dmitri.volkov", "elena.rossi"),
    *("farid.haddad", "grace.kim", "hugo.jensen", "ines.moreau", "jonas.weber"),
    *("karin.lind", "leo.tanaka", "maya.okafor", "nils.berg", "olga.petrova"),
    *("pavel.novak", "quentin.roux", "rosa.santos", "samir.nasser", "tara.walsh"),
    *("uwe.brandt", "vera.marin", "wei.zhang", "yusuf.demir"),
)
LEAVERS = {"maya.okafor": 9, "quentin.roux": 16, "uwe.brandt": 24}  # days since they left
ADMINISTRATORS = ("amara.diallo", "jonas.weber", "wei.zhang")
DISABLED_LATE = "maya.okafor"
WITHOUT_MFA = "jonas.weber"


def write_sources(folder: Path, today: date) -> Path:
    """Write everything below a folder, in place of what is there; returns the file of pulls.

    SourceProblem where git is not there: the checks of its repository cannot run then.
    """
    exports = folder / "exports"
    shutil.rmtree(folder, ignore_errors=True)
    exports.mkdir(parents=True)
    _write_people(exports / "people.csv", today)
    _write_directory(folder / "directory.db", today)
    (exports / "checkov.json").write_text(json.dumps(_checkov(), indent=1) + "\n")
    rules = "".join(json.dumps(rule) + "\n" for rule in _firewall(today))
    (exports / "firewall.jsonl").write_text(rules)
    _write_backups(exports / "backups.csv", today)
    shutil.copyfile(PULLS, folder / PULLS.name)
    _make_repository(folder / "repository", today)
    return folder / PULLS.name


def _day(today: date, days: int) -> str:
    return (today - timedelta(days=days)).isoformat()


def _write_people(path: Path, today: date) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["login", "department", "joined_on", "left_on"])
        for number, login in enumerate(PEOPLE):
            left = _day(today, LEAVERS[login]) if login in LEAVERS else ""
            writer.writerow(
                [login, ("Engineering", "Care", "Finance")[number % 3], _day(today, 900 - 30 * number), left]
            )


def _write_directory(path: Path, today: date) -> None:
    rows = []
    for number, login in enumerate(PEOPLE):
        left = LEAVERS.get(login)
        disabled = None if left is None or login == DISABLED_LATE else f"{_day(today, left)} 18:00:00"
        mfa, admin = login != WITHOUT_MFA, login in ADMINISTRATORS
        rows.append((login, disabled is None, disabled, mfa, admin, False, _day(today, (left or 0) + number % 6)))
    rows += [(name, True, None, False, False, True, _day(today, 0)) for name in ("svc-backup", "svc-deploy")]
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE accounts (login, enabled, disabled_at, mfa, admin, service, last_login_on)")
        database.executemany("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _checkov() -> dict[str, object]:
    """A result as Checkov writes it, without what it says of code."""
    rules = {"CKV_AWS_18": "Access is logged", "CKV_AWS_19": "Stored data is encrypted", "CKV_AWS_24": "No open SSH"}
    resources = [f"aws_s3_bucket.{name}" for name in ("records", "images", "exports", "logs")]
    failed = {("CKV_AWS_18", "aws_s3_bucket.logs"), ("CKV_AWS_18", "aws_s3_bucket.exports")}
    found: dict[bool, list[Mapping[str, str]]] = {True: [], False: []}
    for rule, name in rules.items():
        for resource in resources:
            one = {"check_id": rule, "check_name": name, "resource": resource, "file_path": "/main.tf"}
            found[(rule, resource) not in failed].append(one)
    results = {"passed_checks": found[True], "failed_checks": found[False], "skipped_checks": []}
    return {"check_type": "terraform", "results": results}


def _firewall(today: date) -> Sequence[Mapping[str, object]]:
    rules = (
        ("web", "in", "0.0.0.0/0", 443, "allow", 40),
        ("web-redirect", "in", "0.0.0.0/0", 80, "allow", 40),
        ("administration", "in", "10.20.0.0/16", 22, "allow", 60),
        ("reporting", "in", "10.30.4.0/24", 5432, "allow", 371),
        ("everything-else", "in", "0.0.0.0/0", 0, "deny", 40),
        ("updates", "out", "10.0.0.0/8", 443, "allow", 90),
    )
    names = ("name", "direction", "origin", "port", "action")
    return [{**dict(zip(names, rule[:-1], strict=True)), "reviewed_on": _day(today, rule[-1])} for rule in rules]


def _write_backups(path: Path, today: date) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["job", "kind", "ran_on", "status"])
        for job, restored in (("records", 20), ("images", 33), ("billing", 61)):
            for days in range(35):
                writer.writerow([job, "backup", _day(today, days), "succeeded"])
            writer.writerow([job, "restore", _day(today, restored), "succeeded"])


def _make_repository(path: Path, today: date) -> None:
    """A main line of reviewed merges, and one commit that was pushed without."""
    path.mkdir()
    environment = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(path), "LC_ALL": "C.UTF-8"}
    git = shutil.which("git")
    if git is None:
        raise SourceProblem("The demo's repository needs the program git, which is not there.")

    def run(who: str, days: int, *arguments: str) -> None:
        at = datetime.combine(today - timedelta(days=days), time(10), UTC).isoformat()
        people = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in _person(who, at)}
        done = run_program(
            [git, *arguments], path, {**environment, **people}, seconds=30, most_bytes=1 << 20, place="The repository"
        )
        if done.code:
            raise SourceProblem(f"The demo's repository cannot be made: {done.errors}.")

    run("amara.diallo", 200, "init", "-q", "-b", "main", ".")
    run("amara.diallo", 200, "commit", "-q", "--allow-empty", "-m", "Begin")
    for number, days in enumerate((70, 44, 26, 19, 12, 5)):
        author, reviewer = PEOPLE[3 + number], PEOPLE[4 + number]
        (path / f"part-{number}.txt").write_text(f"{number}\n")
        run(author, days, "checkout", "-q", "-b", f"part-{number}")
        run(author, days, "add", ".")
        run(author, days, "commit", "-q", "-m", f"Add part {number}")
        run("amara.diallo", days, "checkout", "-q", "main")
        message = f"Merge part {number}\n\nReviewed-by: {reviewer} <{reviewer}@aurora.example>"
        run("amara.diallo", days, "merge", "-q", "--no-ff", f"part-{number}", "-m", message)
    (path / "hotfix.txt").write_text("quick\n")
    run("leo.tanaka", 3, "add", ".")
    run("leo.tanaka", 3, "commit", "-q", "-m", "Quick fix of the export")
    for number, days in ((1, 44), (2, 12)):
        run("grace.kim", days, "tag", "-a", f"v{number}", "-m", f"Release {number}")


def _person(login: str, at: str) -> Sequence[tuple[str, str]]:
    return (("NAME", login), ("EMAIL", f"{login}@aurora.example"), ("DATE", at))
