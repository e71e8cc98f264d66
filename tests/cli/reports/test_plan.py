"""`hq plan`: the answer in every format, what import takes back, and questions that have no answer."""

import csv
import io
import json
import shutil
import sys
from types import SimpleNamespace

import pytest

SCOPE = "framework,in_scope,adopted_on,target_on\nsoc2,true,2025-01-01,2027-03-01\n"
OWNERS = "framework,control_id,email,raci\nsoc2,CC1.1,ann@acme.example,R\nsoc2,CC1.1,ann@acme.example,A\n"
HOURS = "email,week,hours,absence_hours\nann@acme.example,default,8,0\n"
USERS = "email,name,active\nann@acme.example,Ann,true\n"
ASKED = ("plan", "--framework", "soc2", "--by", "2027-03-01", "--target", 1)


@pytest.fixture(scope="module")
def ready_data(tmp_path_factory):
    """Where the first test that wants the organization with owners and hours leaves its data folder for the others."""
    return tmp_path_factory.mktemp("ready") / "var"


@pytest.fixture
def ready(acme, cli, tmp_path, ready_data):
    if ready_data.exists():
        shutil.rmtree(acme / "var")
        shutil.copytree(ready_data, acme / "var")
        return cli
    files = {"organization_frameworks": SCOPE, "control_owners": OWNERS, "owner_capacity": HOURS, "users": USERS}
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    code, _, err = cli("import", *(tmp_path / f"{name}.csv" for name in files), "--org", "acme")
    assert code == 0, err
    shutil.copytree(acme / "var", ready_data)
    return cli


def plan_json(ready, *arguments):
    code, out, err = ready(*arguments)
    assert code == 0, err
    return json.loads(out)


@pytest.mark.real
def test_the_plan_is_accepted_in_one_step_and_followed(ready, monkeypatch):
    before = plan_json(ready, *ASKED, "--format", "json")
    assert before["summary"]["by"] == "2027-03-01"
    (planned,) = {row["control_id"] for row in before["actions"]}
    assert before["accepted"] == []
    code, text, err = ready(*ASKED, "--format", "csv")
    assert (code, text.split(",")[0]) == (0, "table"), err
    for created in (True, False):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        code, out, err = ready("import", "-", "--org", "acme")
        assert (code, "remediations: 1 new" in out) == (0, created), err
    after = plan_json(ready, *ASKED, "--format", "json")
    assert [(row["control_id"], row["standing"]) for row in after["accepted"]] == [(planned, "as_planned")]
    assert {row["due_on"] for row in before["actions"]} == {None}, "its days are on record from then on"
    assert [row | {"due_on": None} for row in after["actions"]] == before["actions"]
    assert {row["due_on"] for row in after["actions"]} <= {row["done_by"] for row in after["actions"]}
    assert ready(*ASKED, "--format", "csv")[1] == text, "accepting a plan does not change it"


@pytest.mark.real
@pytest.mark.parametrize("form", ["html", "md", "ics"])
def test_every_format_has_it(ready, form):
    code, _, err = ready(*ASKED, "--format", form)
    assert code == 0, err


@pytest.mark.real
def test_the_framework_says_its_own_day(ready):
    assert plan_json(ready, "plan", "--framework", "soc2", "--format", "json")["summary"]["by"] == "2027-03-01"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--framework", "soc2", "--by", "2020-01-01"), "by must be a day from"),
        (("--framework", "soc2", "--by", "soon"), "--by must be a day as YYYY-MM-DD"),
        (("--framework", "soc2", "--type2-from", "2027-03-01"), "from must be a day before 2027-03-01"),
        (("--framework", "soc2", "--format", "csv", "--as-of", "2026-01-01"), "leave out --as-of"),
        (("--framework", "soc2", "--back-test", "--target", 80), "leave out what else a plan is asked"),
    ],
)
def test_a_question_without_an_answer_is_refused(ready, arguments, expected):
    code, _, err = ready("plan", *arguments)
    assert code == 2
    assert expected in err


def test_standard_input_is_read_once(acme, cli):
    code, _, err = cli("import", "-", "-", "--org", "acme")
    assert (code, "read once" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--framework", "hipaa", "--by", "2027-03-01"), "hipaa is not in scope of acme; in scope: soc2."),
        (("--framework", "hipaa", "--back-test"), "hipaa is not in scope of acme; in scope: soc2."),
        (("--framework", "socks", "--by", "2027-03-01"), "socks is not in scope of acme; in scope: soc2."),
        (("--all", "--framework", "hipaa"), "hipaa is in scope of no organization."),
        (("--all", "--framework", "soc2", "--by", "2020-01-01"), "by must be a day from"),
    ],
)
def test_what_is_not_in_scope_has_no_plan(ready, arguments, expected):
    code, out, err = ready("plan", *arguments, "--format", "json")
    assert (code, out) == (2, "")
    assert expected in err


def test_work_that_nobody_owns_is_nobodys_and_the_first_step_is_to_say_whose(acme, cli, tmp_path):
    (tmp_path / "organization_frameworks.csv").write_text(SCOPE)
    assert cli("import", tmp_path / "organization_frameworks.csv", "--org", "acme")[0] == 0
    answer = plan_json(cli, *ASKED, "--format", "json")
    assert answer["headline"] == (
        "1 % of SOC 2 will not be ready on 1 Mar 2027: at best 0.0 % of controls are effective; "
        f"all 61 gaps take {answer['summary']['needed_hours']:g} hours that nobody owns."
    )
    assert answer["next_step"] == (
        "Say who owns CC1.1 Integrity and ethical values and 60 more controls (control_owners), and what hours they have "
        "(owner_capacity)."
    )


def test_a_projection_is_held_against_history(ready):
    answer = plan_json(ready, "plan", "--framework", "soc2", "--back-test", "--format", "json")
    assert "There is no projection of SOC 2" in answer["headline"]
    assert (answer["report"], answer["title"], answer["parameters"]) == (
        "readiness-plan",
        "Projections of SOC 2 against history",
        {"framework": "soc2"},
    )


def test_rows_of_a_framework_out_of_scope_are_refused_and_an_empty_file_is_one(acme, cli, monkeypatch):
    code, text, err = cli("plan", "--framework", "hipaa", "--by", "2027-03-01", "--format", "csv")
    assert (code, text) == (2, "")
    assert "hipaa is not in scope of acme; in scope: soc2." in err
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    assert cli("import", "-", "--org", "acme")[0] == 2


@pytest.mark.real
def test_what_was_promised_for_earlier_or_closed_stays_so(ready, tmp_path, monkeypatch):
    (control,) = {row["control_id"] for row in plan_json(ready, *ASKED, "--format", "json")["actions"]}
    work = tmp_path / "remediations.csv"
    head = "id,framework,control_id,title,owner,opened_on,due_on,closed_on,status,blocked_by\n"
    work.write_text(f"{head}R1,soc2,{control},Mend,ann@acme.example,2026-01-01,2026-02-01,,blocked,a vendor\n")
    assert ready("import", work, "--org", "acme")[0] == 0
    _, text, _ = ready(*ASKED, "--format", "csv")
    row = next(csv.DictReader(io.StringIO(text)))
    assert (row["id"], row["due_on"]) == ("R1", "2026-02-01")
    work.write_text(f"{head}R1,soc2,{control},Mend,ann@acme.example,2026-01-01,2026-02-01,2026-11-01,closed,\n")
    assert ready("import", work, "--org", "acme")[0] == 0
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert ready("import", "-", "--org", "acme")[0] == 0
    after = plan_json(ready, *ASKED, "--format", "json")["accepted"]
    assert [(row["id"] if "id" in row else row["control_id"], row["standing"]) for row in after] == [(control, "done")]


@pytest.mark.real
def test_each_step_is_an_entry_of_its_own_in_a_calendar(ready):
    code, text, err = ready(*ASKED[:5], "--type2-from", "2026-12-01", "--format", "ics")
    uids = [line for line in text.splitlines() if line.startswith("UID:")]
    assert (code, len(set(uids))) == (0, len(uids)), err


BOTH = "framework,in_scope,adopted_on,target_on\nsoc2,true,2025-01-01,2027-03-01\niso27001,true,2025-01-01,2027-06-30\n"


@pytest.fixture
def both(ready, tmp_path):
    scope = tmp_path / "organization_frameworks.csv"
    scope.write_text(BOTH)
    assert ready("import", scope, "--org", "acme")[0] == 0
    return ready


@pytest.mark.real
def test_one_plan_has_several_frameworks_with_days_and_targets_of_their_own(both, tmp_path):
    asked = ("--framework", "soc2", "--by", "2027-03-01", "--framework", "iso27001", "--by", "2027-06-30")
    answer = plan_json(both, "plan", *asked, "--target", "iso27001=1", "--target", "soc2=2", "--format", "json")
    assert [(row["framework"], row["by_on"], row["target_pct"]) for row in answer["goals"]] == [
        ("soc2", "2027-03-01", 2),
        ("iso27001", "2027-06-30", 1),
    ]
    written = tmp_path / "plan.toml"
    written.write_text(
        '[[goal]]\nframework = "soc2"\nby = 2027-03-01\ntarget = 2\n'
        '[[goal]]\nframework = "iso27001"\nby = 2027-06-30\ntarget = 1\n'
    )
    assert plan_json(both, "plan", written, "--format", "json")["goals"] == answer["goals"]


def test_a_target_of_a_file_that_is_no_percentage_is_refused_by_the_name_of_the_file(ready, tmp_path):
    written = tmp_path / "plan.toml"
    written.write_text('[[goal]]\nframework = "soc2"\ntarget = 90.5\n')
    code, out, err = ready("plan", str(written))
    assert (code, out) == (2, "")
    assert f"{written}: target must be a percentage from 1 to 100, or framework=percentage; got '90.5'." in err


@pytest.mark.real
def test_prices_and_more_hours_are_answered_where_they_are_asked(ready):
    answer = plan_json(ready, *ASKED, "--prices", "--with-hours", "8/week@owner", "--format", "json")
    assert [(row["framework"], row["change"]) for row in answer["prices"]] == [("soc2", "its day a week later")]
    hours = [(row["people"], row["lapsed_days"]) for row in answer["more_hours"]]
    assert hours == [("the people there are", 0), ("8 more hours a week of owner", 0)]


@pytest.mark.real
def test_work_that_is_refused_is_not_planned(ready):
    (control,) = {row["control_id"] for row in plan_json(ready, *ASKED, "--format", "json")["actions"]}
    without = plan_json(ready, *ASKED, "--without", f"soc2:{control}", "--format", "json")
    assert control not in {row["control_id"] for row in without["actions"]}
    assert {row["why"] for row in without["open"] if row["control_id"] == control} == {"left out, as was asked"}


@pytest.mark.real
def test_work_goes_out_to_the_tools_where_tickets_live(ready):
    head = {form: ready(*ASKED, "--format", form)[1].splitlines()[0] for form in ("jira", "linear", "gh")}
    assert head["jira"].startswith("Summary,Description,Issue Type,Assignee,Due Date,Original Estimate")
    assert head["linear"].startswith("Title,Description,Status,Assignee,Due Date,Estimate")
    assert head["gh"].startswith("gh issue create --title 'CC1.")


@pytest.mark.real
def test_every_organization_is_a_row(ready, tmp_path):
    rows = plan_json(ready, "plan", "--all", "--format", "json")
    assert [(row["organization"], row["framework"], row["by"]) for row in rows] == [("acme", "soc2", "2027-03-01")]
    scope = tmp_path / "organization_frameworks.csv"
    scope.write_text("framework,in_scope,adopted_on\nhipaa,true,2025-01-01\n")
    (tmp_path / "organizations.csv").write_text("name,time_zone\nOther,UTC\n")
    code, _, err = ready("import", tmp_path / "organizations.csv", scope, "--org", "other")
    assert code == 0, err
    code, out, _ = ready("gate", "--all", "--framework", "soc2", "--framework", "hipaa", "--min-strict", "0")
    lines = [line.split() for line in out.splitlines()]
    assert code == 0, out
    assert lines[0] == ["organization", "framework", "condition", "holds", "found"]
    named = [(line[0], line[1], " ".join(line[-3:])) for line in lines[1:]]
    assert [name[:2] for name in named if name[2] == "not in scope"] == [("acme", "hipaa"), ("other", "soc2")]
    assert [name[:2] for name in named if name[2] != "not in scope"] == [("acme", "soc2"), ("other", "hipaa")]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "Name a --framework"),
        (("--framework", "soc2", "--framework", "soc2"), "--framework soc2 is given twice"),
        (("--framework", "soc2", "--framework", "iso27001"), "iso27001 is not in scope of acme"),
        (("--framework", "soc2", "--target", "hipaa=80"), "names no framework of the plan"),
        (("--framework", "soc2", "--target", "soc2=80", "--target", "soc2=90"), "--target soc2=… is given twice"),
        (("--framework", "soc2", "--target", "101"), "--target must be a percentage from 1 to 100"),
        (("--framework", "soc2", "--by", "2027-03-01", "--by", "2027-04-01"), "--by must be given once for all"),
        (("--framework", "fedramp-poam"), "FedRAMP POA&M has no controls of its own"),
        (("--framework", "soc2", "--without", "soc2:none"), "without must be a control or remediation"),
        (("--framework", "soc2", "--with-hours", "8@owner"), "hours must be hours a week"),
        (("--framework", "soc2", "--with-hours", "8/week@nobody"), "hours must be a role"),
        (("--framework", "soc2", "--with-hours", "8/week@owner", "--format", "csv"), "--with-hours is a question"),
        (("--all", "--org", "acme"), "--all is one table of every organization"),
        (("--all", "--prices"), "--all takes frameworks, targets and days alone"),
        (("--all", "--keep"), "--all takes frameworks, targets and days alone"),
        (("--back-test", "--framework", "soc2", "--keep"), "--back-test looks back from today at one --framework"),
        (("no.toml",), "Cannot read no.toml"),
    ],
)
def test_what_makes_no_question_is_refused_in_a_sentence(ready, arguments, expected):
    code, out, err = ready("plan", *arguments)
    assert (code, out) == (2, "")
    assert expected in err


def test_a_framework_in_the_place_of_a_file_is_told_how_it_is_named(acme, cli):
    code, out, err = cli("plan", "soc2", "--by", "2027-03-01", "--org", "acme")
    assert (code, out) == (2, "")
    assert "There is no file soc2. A framework is named by --framework: hq plan --framework soc2." in err
