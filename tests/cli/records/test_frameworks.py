"""hq import --framework, hq export --framework and hq crosswalk suggest."""

import pytest

ANNEX = "id,title\nA.1,Risk analysis\nA.2,Backups\n"


def annex(home, cli):
    cli("import", home / "sheets", "--org", "acme")
    (home / "annex.csv").write_text(ANNEX)
    return cli("import", "--framework", home / "annex.csv", "--org", "acme")


@pytest.mark.real
def test_a_framework_comes_in_is_reported_on_and_goes_out(home, cli):
    code, out, _ = annex(home, cli)
    assert (code, out.splitlines()[0]) == (0, "annex: annex, 2 rows, 2 of them assessable; it is in scope from now on")
    code, out, _ = cli("report", "baseline-comparison", "--param", "framework=annex", "--format", "md", "--org", "acme")
    assert code == 0
    assert "| A.1 | Risk analysis |  | no data | missing |" in out
    code, first, _ = cli("export", "--framework", "annex", "--as", "csv", "--org", "acme")
    assert (code, first.splitlines()[1].split(",")[0]) == (0, "own_frameworks")
    (home / "again.csv").write_text(first)
    code, out, _ = cli("import", "--framework", home / "again.csv", "--org", "acme")
    assert out.splitlines()[0] == "annex: as it was"
    code, out, _ = cli("export", home / "out", "--framework", "annex", "--as", "oscal", "--org", "acme")
    assert (code, out.strip()) == (0, str(home / "out/annex.json"))
    code, out, _ = cli("verify", "--org", "acme")
    assert code == 0


@pytest.mark.real
def test_records_may_name_a_framework_of_ones_own(home, cli):
    annex(home, cli)
    (home / "control_owners.csv").write_text("framework,control_id,email,raci\nannex,a 1,ann@acme.example,R\n")
    code, _, _ = cli("import", home / "control_owners.csv", "--org", "acme")
    assert code == 0
    (home / "control_owners.csv").write_text("framework,control_id,email,raci\nannex,A.9,ann@acme.example,R\n")
    code, _, error = cli("import", home / "control_owners.csv", "--org", "acme")
    assert code == 1
    assert "a control of annex" in error


@pytest.mark.real
def test_wrong_usage_is_a_sentence(home, cli):
    annex(home, cli)
    asked = {
        ("import", "--framework", home / "annex.csv", home / "sheets"): "--framework imports one file or folder",
        ("import", "--accept", home / "sheets"): "--id and --accept are for a framework",
        ("import", "--org", "acme"): "There is nothing to import",
        ("import", "--framework", home / "nothing.csv", "--org", "acme"): "nothing.csv does not exist.",
        ("export", "--framework", "annex", "--org", "acme"): "Say as what the framework is to be written",
        ("export", "--as", "csv", "--org", "acme"): "--as is for a framework",
        ("export", "--org", "acme"): "Name the folder to write to",
        ("export", "--framework", "nothing", "--as", "csv", "--org", "acme"): "There is no framework 'nothing'",
        ("crosswalk", "suggest", "annex", "annex", "--org", "acme"): "Expected two frameworks, got annex twice.",
        ("gate", "--framework", "nothing", "--min-strict", "1", "--org", "acme"): "nothing is not in scope of acme",
    }
    for arguments, sentence in asked.items():
        code, _, error = cli(*arguments)
        assert (code, sentence in error) == (2, True), (arguments, error)


@pytest.mark.real
def test_suggested_pairs_are_csv_that_the_import_takes(home, cli):
    annex(home, cli)
    code, out, error = cli("crosswalk", "suggest", "annex", "hipaa", "--least", "90", "--org", "acme")
    assert (code, error.strip()) == (0, "1 pairs are proposed; none has a reviewer")
    (home / "pairs.csv").write_text(out)
    code, out, _ = cli("import", "--framework", home / "pairs.csv", "--org", "acme")
    assert (code, out.splitlines()[0]) == (0, "framework_mappings: 1 new, 0 changed, 0 as they were")


@pytest.mark.real
def test_evidence_is_held_for_a_control_of_ones_own(home, cli):
    annex(home, cli)
    (home / "plan.txt").write_text("backed up")
    code, _, _ = cli("evidence", "add", home / "plan.txt", "--control", "annex:a 2", "--org", "acme")
    assert code == 0
    code, out, _ = cli("evidence", "list", "--control", "annex:A.2", "--org", "acme")
    assert (code, out.split("\t")[3]) == (0, "annex:A.2")
    code, _, error = cli("evidence", "add", home / "plan.txt", "--control", "annex:A.9", "--org", "acme")
    assert (code, "a control of annex" in error) == (2, True)


@pytest.mark.real
def test_a_plan_is_for_frameworks_of_ones_own_too(home, cli):
    annex(home, cli)
    code, out, error = cli("plan", "--framework", "annex", "--by", "2027-03-01", "--org", "acme", "--format", "md")
    assert (code, error) == (0, "")
    assert "annex will not be ready on 1 Mar 2027: " in out
    goals = ("--framework", "annex", "--framework", "soc2", "--by", "2027-03-01")
    code, out, error = cli("plan", *goals, "--org", "acme", "--format", "md")
    assert (code, error) == (0, "")
    (home / "plan.toml").write_text('[[goal]]\nframework = "annex"\nby = 2027-03-01\n')
    code, out, error = cli("plan", home / "plan.toml", "--org", "acme", "--format", "md")
    assert (code, "annex will not be ready on 1 Mar 2027: " in out) == (0, True)
    code, _, error = cli("plan", "--framework", "nothing", "--by", "2027-03-01", "--org", "acme")
    assert (code, "nothing" in error) == (2, True)
