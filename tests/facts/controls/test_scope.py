import polars as pl

from engine.catalogue import FRAMEWORKS, catalogue
from engine.facts.controls.scope import PACKS, crosswalk, requirements
from tests.factories import rows
from tests.facts.conftest import on, only


def test_an_organization_follows_the_frameworks_in_scope_in_the_order_of_the_catalogue(facts_with):
    given = [
        {"framework": name, "in_scope": name != "hipaa"}
        for name in ("fedramp-poam", "hipaa", "iso27001", "soc2", "made-up")
    ]
    assert only(facts_with(organization_frameworks=given)["organization"], "frameworks") == [
        "soc2",
        "iso27001",
        "fedramp-poam",
    ]
    assert only(facts_with()["organization"], "frameworks") == []


def test_controls_are_those_of_the_frameworks_in_scope_with_the_organizations_own_cadence(facts_with):
    facts = facts_with(
        organization_frameworks=[{"framework": "soc2", "in_scope": True}],
        control_profiles=[{**on("CC6.1"), "applicable": True, "cadence": "daily"}],
    )
    usual = catalogue().controls.filter(framework="soc2")
    controls = facts["controls"]
    assert controls["control_id"].to_list() == usual["control_id"].to_list()
    differing = controls.filter(pl.col("cadence").ne_missing(usual["cadence"])).select("control_id", "cadence").rows()
    assert differing == [("CC6.1", "daily")]


def test_every_row_of_a_framework_is_a_requirement_with_its_marks():
    scope = rows("organization", {"frameworks": list(PACKS)})
    frame = requirements(scope, rows("own_controls"))
    assert frame.height == catalogue().controls.height
    assert set(frame["framework"].unique()) == set(FRAMEWORKS)
    flags = {name: set(group["flags"].explode(empty_as_null=False)) for (name,), group in frame.group_by("framework")}
    assert {"required", "addressable"} <= flags["hipaa"]
    assert {"clause", "annex_a"} <= flags["iso27001"]
    assert {"ig1", "ig2", "ig3"} <= flags["cis-v8"]
    assert "future_dated" in flags["pci-dss"]


def test_an_edge_is_full_if_it_covers_its_target_with_strength():
    frame = crosswalk(rows("own_pairs"))
    assert frame.height == catalogue().crosswalk.height
    kinds = frame.group_by("full").agg(pl.col("relation").unique().sort(), pl.col("strength").min()).sort("full")
    (_, partial, _), (_, full, least) = kinds.rows()
    assert set(full) <= {"equal", "superset"}
    assert {"subset", "intersects"} <= set(partial)
    assert least >= 0.8


def mapping(source, target, **differing):
    """A pair that the organization brought along; ends as framework:control."""
    ends = dict(zip(("source_framework", "source_id"), source.split(":"), strict=True))
    ends |= dict(zip(("target_framework", "target_id"), target.split(":"), strict=True))
    return {**ends, "relation": "intersects", "strength": 0.5, "reviewer": "ann@acme.example", **differing}


def test_pairs_with_nist_800_53_are_the_programs_in_the_order_of_that_publication(facts_with):
    frame = facts_with()["nist_pairs"]
    assert (frame.height, frame["org_id"].null_count()) == (catalogue().nist_pairs.height, frame.height)
    chosen = frame.filter(framework="cmmc-l2", control_id="AC.L2-3.1.7").select("nist_control")
    assert chosen.to_series().to_list() == ["AC-6(9)", "AC-6(10)"]


def test_a_pair_of_ones_own_with_nist_800_53_counts_either_way_once_somebody_signed_it_off(facts_with):
    own = [
        mapping("annex:1", "nist-800-53:ac-2.1"),
        mapping("nist-800-53:ac-10", "annex:1"),
        mapping("annex:1", "nist-800-53:ac-3", reviewer=None),
        mapping("annex:1", "soc2:CC6.1"),
        mapping("nist-800-53:ac-4", "nist-800-53:sc-7"),
    ]
    catalog = {"framework": "nist-800-53", "id": "sc-7.3", "title": "Access points", "kind": "control"}
    frame = facts_with(framework_mappings=own, framework_controls=[{**catalog, "position": 0}])["nist_pairs"]
    assert frame.filter(pl.col("org_id").is_not_null()).drop("org_id", "nist_position").rows() == [
        ("annex", "1", "AC-2(1)"),
        ("annex", "1", "AC-10"),
        ("nist-800-53", "sc-7.3", "SC-7(3)"),
    ]


def test_a_policy_has_a_row_for_each_control_and_one_without_any(facts_with):
    active = {"version": 1, "state": "active", "accepted_at": "2026-11-20 23:59"}
    facts = facts_with(
        policies=[
            {"id": "p1", "policy": "p", **active},
            {"id": "p2", "policy": "q", **active},
            {"id": "p3", "policy": "r", **active, "accepted_at": "2026-11-21"},
            {"id": "p4", "policy": "s", **active, "state": "retired"},
        ],
        policy_controls=[{"policy_id": "p1", **on("X2")}, {"policy_id": "p1", **on("X1")}],
    )
    assert facts["unaccepted_policies"]["policy_id"].to_list() == ["p3"]
    assert facts["policies"].select("policy_id", "control_id").rows() == [("p1", "X1"), ("p1", "X2"), ("p2", None)]


def test_profiles_are_what_the_organization_says(facts_with):
    given = [{**on("CC6.1"), "implementation": "runbook 7", "policy_pct": 80}]
    assert only(facts_with(control_profiles=given)["control_profiles"], "implementation", "policy_pct") == (
        "runbook 7",
        80,
    )
