"""The regulatory scenarios say what their sources say, and refuse to load when they contradict the catalogue."""

import shutil
from collections import Counter
from datetime import date

import pytest

from engine.catalogue import DATA, catalogue
from engine.catalogue.scenarios import load_scenarios, scenarios
from engine.model.errors import InvalidData


@pytest.fixture(scope="module")
def shipped_scenarios():
    return scenarios()


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(DATA / "scenarios", tmp_path / "scenarios")


def named_requirements(shipped, scenario, change):
    return shipped.requirements.filter(scenario=scenario, change=change)


def test_the_scenarios_that_have_to_ship_do(shipped_scenarios):
    known = ("scenario", "framework", "status", "effective_on")
    assert shipped_scenarios.scenarios.select(known).rows() == [
        ("hipaa-security-nprm", "hipaa", "proposed", None),
        ("fedramp-vdr-ver", "fedramp-poam", "final", date(2026, 12, 7)),
        ("nist-800-171-r3", "cmmc-l2", "final", None),
        ("iso-27001-amd-1", "iso27001", "final", date(2024, 2, 23)),
        ("pci-dss-future-dated", "pci-dss", "final", date(2025, 3, 31)),
    ]
    assert all(address.startswith("https://") for address in shipped_scenarios.scenarios["source"])


def test_changes_are_as_many_as_the_sources_have(shipped_scenarios):
    assert dict(Counter(shipped_scenarios.requirements.select("scenario", "change").iter_rows())) == {
        ("hipaa-security-nprm", "mandatory"): 22,
        ("hipaa-security-nprm", "extended"): 4,
        ("hipaa-security-nprm", "new"): 14,
        ("fedramp-vdr-ver", "new"): 15,
        ("nist-800-171-r3", "merged"): 22,
        ("nist-800-171-r3", "withdrawn"): 11,
        ("nist-800-171-r3", "new"): 20,
        ("iso-27001-amd-1", "extended"): 1,
        ("iso-27001-amd-1", "clarified"): 1,
        ("pci-dss-future-dated", "in_force"): 47,
    }


def test_every_addressable_specification_becomes_mandatory(shipped_scenarios):
    addressable = catalogue().details("hipaa").filter("assessable", required_or_addressable="addressable")
    assert named_requirements(shipped_scenarios, "hipaa-security-nprm", "mandatory")["control_id"].equals(
        addressable["control_id"]
    )


def test_revision_3_has_97_requirements(shipped_scenarios):
    gone = sum(
        named_requirements(shipped_scenarios, "nist-800-171-r3", change).height for change in ("merged", "withdrawn")
    )
    kept = catalogue().controls.filter("assessable", framework="cmmc-l2").height - gone
    assert (gone, kept, kept + named_requirements(shipped_scenarios, "nist-800-171-r3", "new").height) == (33, 77, 97)


def test_a_withdrawn_requirement_has_the_number_of_its_control(shipped_scenarios):
    numbers = dict(catalogue().details("cmmc-l2").select("control_id", "nist_800_171_id").iter_rows())
    for change in ("merged", "withdrawn"):
        for requirement, control in (
            named_requirements(shipped_scenarios, "nist-800-171-r3", change)
            .select("requirement", "control_id")
            .iter_rows()
        ):
            assert ".".join(str(int(part)) for part in requirement.split(".")) == numbers[control]


def test_every_future_dated_requirement_is_in_force(shipped_scenarios):
    assessable = catalogue().details("pci-dss").filter("assessable")
    dated = assessable.filter(assessable["future_dated"] != "no")
    assert named_requirements(shipped_scenarios, "pci-dss-future-dated", "in_force")["control_id"].equals(
        dated["control_id"]
    )


@pytest.mark.parametrize(
    ("file", "line", "column"),
    [
        ("requirements.csv", "nowhere,X,X,new,,,3,1", "scenario"),
        ("requirements.csv", "hipaa-security-nprm,X,X,mandatory,164.999,,,1", "control_id"),
        ("requirements.csv", "hipaa-security-nprm,X,X,mandatory,,,,1", "control_id"),
        ("requirements.csv", "hipaa-security-nprm,X,X,new,,,,1", "weight"),
        ("requirements.csv", "hipaa-security-nprm,X,X,new,,,3,", "effort_hours"),
        ("requirements.csv", "nist-800-171-r3,X,X,merged,AC.L2-3.1.1,,,", "into"),
        ("requirements.csv", "nist-800-171-r3,X,X,merged,AC.L2-3.1.1,99.99.99,,", "into"),
        ("requirements.csv", "hipaa-security-nprm,X,X,somehow,164.308(a)(8),,,", "change"),
        ("answers.csv", "hipaa-security-nprm,nothing,soc2,CC6.1,full", "requirement"),
        ("answers.csv", "hipaa-security-nprm,multi-factor,soc2,CC99,full", "control_id"),
        ("scenarios.csv", "x,X,X,soc2,rumoured,2026-01-01,,2026-01-01,t,s,https://x", "status"),
    ],
)
def test_a_cell_that_does_not_hold_is_named(copy, file, line, column):
    with (copy / file).open("a", encoding="utf-8") as opened:
        opened.write(line + "\n")
    with pytest.raises(InvalidData) as refused:
        load_scenarios(copy)
    assert (refused.value.details[0]["file"], refused.value.details[0]["column"]) == (f"scenarios/{file}", column)
