"""The tier of a vendor and what follows from it."""

import pytest

from engine.model.errors import BadRequest
from engine.programme.vendors import QUESTIONS, NewVendor, categories, handles_phi, inherited_by, tier_of


def vendor(stores=None, privileged=None, outage=None, **given):
    answers = dict(zip(QUESTIONS, (stores, privileged, outage), strict=True))
    return NewVendor(**{"name": "Ample", "category": "saas", "answers": answers, **given})


@pytest.mark.parametrize(
    ("given", "tier", "reasons"),
    [
        (vendor(True, True, True), "critical", list(QUESTIONS.values())),
        (vendor(True, False, True), "critical", ["it stores customer data", "its outage stops our service"]),
        (vendor(False, False, True), "high", ["its outage stops our service"]),
        (vendor(False, True, False), "high", ["it has privileged access"]),
        (vendor(False, False, False), "low", ["nothing that would harm us"]),
        (vendor(False, False, False, data_classes=("billing", "names")), "medium", ["it handles billing, names"]),
        (vendor(False, False, False, handles_phi=True), "high", ["it handles health data"]),
        (vendor(False, False, False, data_classes=("patient files",)), "high", ["it handles health data"]),
        (vendor(False, False, None), "high", ["not known whether its outage stops our service, which counts as yes"]),
        (vendor(tier="low"), "low", ["as given"]),
        (vendor(tier="high"), "high", ["as given"]),
        (vendor(False, False, False, tier="high"), "high", ["as given"]),
        (vendor(True, tier="low"), "high", ["it stores customer data", "which is higher than low, as given"]),
        (
            vendor(True, True, tier="critical"),
            "critical",
            ["it stores customer data", "it has privileged access", "as given"],
        ),
    ],
)
def test_the_tier_follows_from_the_answers_and_is_never_lowered(given, tier, reasons):
    assert tier_of(given) == (tier, reasons)


def test_without_a_tier_or_an_answer_nothing_is_derived():
    with pytest.raises(BadRequest, match="Send a tier"):
        tier_of(vendor())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (vendor(), None),
        (vendor(data_classes=("PHI",)), True),
        (vendor(data_classes=("Health",), handles_phi=False), False),
    ],
)
def test_health_data_is_told_by_its_class_unless_said_otherwise(given, expected):
    assert handles_phi(given) is expected


def row(**given):
    return {"tier": "low", "category": "saas", "handles_phi": None, "data_classes": None, **given}


def test_rules_of_the_tier_come_on_top_of_those_for_every_tier():
    low, critical = (inherited_by(row(tier=tier), ["soc2"]) for tier in ("low", "critical"))
    ids = [{control["control_id"] for control in controls} for controls in (low, critical)]
    assert ids[0] < ids[1]
    assert {"CC9.2", "P6.4"} <= ids[1] - ids[0]


def test_health_and_card_rules_need_health_and_card_data():
    frameworks = ["hipaa", "pci-dss"]
    assert inherited_by(row(), frameworks) == []
    assert {control["framework"] for control in inherited_by(row(handles_phi=True), frameworks)} == {"hipaa"}
    assert {found["framework"] for found in inherited_by(row(data_classes="card numbers"), frameworks)} == {"pci-dss"}


def test_rules_of_ones_own_say_themselves_of_which_data_they_are():
    told = {"reason": "", "expected_evidence": "baa", "model": "carve-out", "customer_side": "", "rule_version": "1"}
    rules = [
        {
            **told,
            **{"tier": "*", "category": "saas", "framework": "annex", "control_id": name, "vendor_data": data},
            **{"title": f"Title of {name}", "position": place},
        }
        for place, (name, data) in enumerate([("A.1", None), ("A.2", "health"), ("A.3", "cards")])
    ]

    def carries(**given):
        return [(one["control_id"], one["title"]) for one in inherited_by(row(**given), ["annex"], rules)]

    assert carries() == [("A.1", "Title of A.1")]
    assert carries(handles_phi=True) == [("A.1", "Title of A.1"), ("A.2", "Title of A.2")]
    assert carries(data_classes="card numbers") == [("A.1", "Title of A.1"), ("A.3", "Title of A.3")]


@pytest.mark.parametrize("category", categories())
def test_every_category_inherits_something_once_and_in_scope(category):
    controls = inherited_by(row(tier="critical", category=category), ["soc2", "iso27001"])
    keys = [(control["framework"], control["control_id"]) for control in controls]
    assert keys
    assert len(set(keys)) == len(keys)
    assert inherited_by(row(tier="critical", category=category), []) == []
