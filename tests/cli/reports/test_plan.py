"""`hq plan`: the answer in every format, what import takes back, and questions that have no answer."""

import csv
import io
import json
import sys
from types import SimpleNamespace

import pytest

SCOPE = "framework,in_scope,adopted_on,target_on\nsoc2,true,2025-01-01,2027-03-01\n"
OWNERS = "framework,control_id,email,raci\nsoc2,CC1.1,ann@acme.example,R\nsoc2,CC1.1,ann@acme.example,A\n"
HOURS = "email,week,hours,absence_hours\nann@acme.example,default,8,0\n"
USERS = "email,name,active\nann@acme.example,Ann,true\n"
ASKED = ("plan", "--framework", "soc2", "--by", "2027-03-01", "--target", 1)


@pytest.fixture
def ready(acme, cli, tmp_path):
    files = {"organization_frameworks": SCOPE, "control_owners": OWNERS, "owner_capacity": HOURS, "users": USERS}
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    code, _, err = cli("import", *(tmp_path / f"{name}.csv" for name in files), "--org", "acme")
    assert code == 0, err
    return cli


def plan_json(ready, *arguments):
    code, out, err = ready(*arguments)
    assert code == 0, err
    return json.loads(out)


def test_the_plan_is_accepted_in_one_step_and_followed(ready, monkeypatch):
    before = plan_json(ready, *ASKED, "--format", "json")
    assert before["summary"]["by"] == "2027-03-01"
    (planned,) = [row["control_id"] for row in before["actions"]]
    assert before["accepted"] == []
    code, text, err = ready(*ASKED, "--format", "csv")
    assert (code, text.split(",")[0]) == (0, "table"), err
    for created in (True, False):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        code, out, err = ready("import", "-", "--org", "acme")
        assert (code, "remediations: 1 new" in out) == (0, created), err
    after = plan_json(ready, *ASKED, "--format", "json")
    assert [(row["control_id"], row["standing"]) for row in after["accepted"]] == [(planned, "as_planned")]
    assert after["actions"] == before["actions"]
    assert ready(*ASKED, "--format", "csv")[1] == text, "accepting a plan does not change it"


@pytest.mark.parametrize("form", ["html", "md", "ics"])
def test_every_format_has_it(ready, form):
    code, _, err = ready(*ASKED, "--format", form)
    assert code == 0, err


def test_the_framework_says_its_own_day(ready):
    assert plan_json(ready, "plan", "--framework", "soc2", "--format", "json")["summary"]["by"] == "2027-03-01"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--framework", "soc2", "--by", "2020-01-01"), "by must be a day from"),
        (("--framework", "soc2", "--by", "soon"), "--by must be a day as YYYY-MM-DD"),
        (("--framework", "soc2", "--type2-from", "2027-03-01"), "from must be a day before 2027-03-01"),
        (("--framework", "soc2", "--format", "csv", "--as-of", "2026-01-01"), "leave out --as-of"),
        (("--framework", "soc2", "--back-test", "--target", 80), "leave out --target"),
    ],
)
def test_a_question_without_an_answer_is_refused(ready, arguments, expected):
    code, _, err = ready("plan", *arguments)
    assert code == 2
    assert expected in err


def test_standard_input_is_read_once(acme, cli):
    code, _, err = cli("import", "-", "-", "--org", "acme")
    assert (code, "read once" in err) == (2, True)


def test_what_is_not_in_scope_has_no_plan(ready):
    answer = plan_json(ready, "plan", "--framework", "hipaa", "--by", "2027-03-01", "--format", "json")
    assert "is not in scope" in answer["headline"]
    assert answer["actions"] == []


def test_a_projection_is_held_against_history(ready):
    answer = plan_json(ready, "plan", "--framework", "soc2", "--back-test", "--format", "json")
    assert "There is no projection of SOC 2" in answer["headline"]
    assert (answer["report"], answer["title"], answer["parameters"]) == (
        "readiness-plan",
        "Projections of SOC 2 against history",
        {"framework": "soc2"},
    )


def test_an_empty_plan_is_accepted_too(acme, cli, monkeypatch):
    code, text, err = cli("plan", "--framework", "hipaa", "--by", "2027-03-01", "--format", "csv")
    assert (code, text.count("\n")) == (0, 1), err
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    code, out, err = cli("import", "-", "--org", "acme")
    assert (code, "nothing was new" in out) == (0, True), err
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    assert cli("import", "-", "--org", "acme")[0] == 2


def test_what_was_promised_for_earlier_or_closed_stays_so(ready, tmp_path, monkeypatch):
    (control,) = [row["control_id"] for row in plan_json(ready, *ASKED, "--format", "json")["actions"]]
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


def test_each_step_is_an_entry_of_its_own_in_a_calendar(ready):
    code, text, err = ready(*ASKED[:5], "--type2-from", "2026-12-01", "--format", "ics")
    uids = [line for line in text.splitlines() if line.startswith("UID:")]
    assert (code, len(set(uids))) == (0, len(uids)), err
