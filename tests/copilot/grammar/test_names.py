"""Names of an organization's own frameworks and controls are names in a question."""

import polars as pl

from engine.copilot.grammar.names import Names, OwnName
from engine.copilot.grammar.text import stems
from engine.facts.schemas import SCHEMAS
from tests.factories import rows


class OwnRecords:
    """Records of an organization with an annex, and nothing else."""

    def __init__(self, **facts):
        self._facts = facts

    def fact(self, name):
        return self._facts.get(name, rows(name) if name in SCHEMAS else pl.DataFrame())

    def table(self, name):
        return pl.DataFrame(schema=dict.fromkeys(("id", "name", "email", "title", "token", "source"), pl.String))


def control(control_id, title, **more):
    return {"framework": "acme-annex", "control_id": control_id, "title": title, "assessable": True, **more}


def annex_names(*controls):
    own = rows("own_frameworks", {"framework": "acme-annex", "name": "Security annex of Acme"})
    records = OwnRecords(own_frameworks=own, own_controls=rows("own_controls", *controls))
    every = Names(records).by_phrase
    return {phrase: name for phrase, name in every.items() if name.keys[0].startswith("acme-annex")}


def test_a_framework_of_ones_own_is_called_by_its_identifier_and_title():
    framework = OwnName("framework", ("acme-annex",), "Security annex of Acme")
    assert annex_names() == {stems("acme annex"): framework, stems("security annex of acme"): framework}


def test_a_control_of_ones_own_is_called_by_its_identifier_and_a_title_of_three_words():
    names = annex_names(
        control("KSI-IAM-AAM", "Leavers lose their access"),
        control("MFA", "Second factor"),
        control("G-1", "A group of controls", assessable=False),
    )
    assert {phrase: name.keys for phrase, name in names.items() if name.kind == "control"} == {
        stems("acme-annex:ksi-iam-aam"): ("acme-annex:KSI-IAM-AAM",),
        stems("ksi-iam-aam"): ("acme-annex:KSI-IAM-AAM",),
        stems("leavers lose their access"): ("acme-annex:KSI-IAM-AAM",),
        stems("acme-annex:mfa"): ("acme-annex:MFA",),
    }


def test_the_beginning_of_a_number_names_all_controls_that_begin_so():
    numbers = {"soc2": ("CC6.1", "CC6.2", "P1.1"), "hipaa": ("164.312(a)(2)(i)",), "cis-v8": ("6.1",)}
    status = [{"framework": one, "control_id": number} for one, every in numbers.items() for number in every]
    names = Names(OwnRecords(control_status=rows("control_status", *status))).by_phrase
    family = {phrase: name.keys for phrase, name in names.items() if name.kind == "control"}
    assert family[stems("cc6")] == ("soc2:CC6.1", "soc2:CC6.2")
    assert family[stems("164.312(a)(1)")] == family[stems("164.312")] == ("hipaa:164.312(a)(2)(i)",)
    assert {stems("p1"), stems("6")}.isdisjoint(family)
