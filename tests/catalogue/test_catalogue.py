"""The catalogue says what the frameworks say, and refuses to load when it contradicts itself."""

import shutil
from collections import Counter

import polars as pl
import pytest

from engine.catalogue import CADENCES, DATA, FRAMEWORKS, catalogue, load
from engine.facts.expressions import SUPPORTING
from engine.model.errors import InvalidData
from engine.model.vocabulary import VENDOR_TIERS
from engine.replica.scans.audit import RECORDING

is_assessable = pl.col("assessable")


@pytest.fixture(scope="module")
def full_catalogue():
    return catalogue()


def count_rows(frame, *columns):
    return dict(Counter(frame.select(columns).iter_rows() if len(columns) > 1 else frame[columns[0]]))


def assessable_rows(loaded, framework):
    return loaded.details(framework).filter("assessable")


# what the frameworks say


def test_every_framework_has_its_number_of_assessable_controls(full_catalogue):
    assert count_rows(full_catalogue.controls.filter("assessable"), "framework") == {
        "soc2": 61,
        "iso27001": 123,
        "pci-dss": 250,
        "hipaa": 55,
        "nist-csf": 106,
        "cis-v8": 153,
        "cmmc-l2": 110,
        "gdpr-art32": 8,
    }
    assert full_catalogue.frameworks["framework"].to_list() == list(FRAMEWORKS)


def test_soc2_has_33_common_criteria_and_28_of_the_other_categories(full_catalogue):
    assert count_rows(full_catalogue.details("soc2"), "trust_services_category") == {
        "Security": 33,
        "Availability": 3,
        "Confidentiality": 2,
        "Processing Integrity": 5,
        "Privacy": 18,
    }


def test_iso_has_93_annex_a_controls_in_four_themes_and_30_clauses(full_catalogue):
    iso = assessable_rows(full_catalogue, "iso27001")
    annex_a = iso.filter(part="annex_a")
    assert count_rows(iso, "part") == {"clause": 30, "annex_a": 93}
    assert count_rows(annex_a, "theme") == {"Organizational": 37, "People": 8, "Physical": 14, "Technological": 34}
    assert count_rows(annex_a, "group_id") == {"A.5": 37, "A.6": 8, "A.7": 14, "A.8": 34}
    assert annex_a["new_in_2022"].sum() == 11


def test_iso_clauses_run_from_4_1_to_10_2_in_the_order_of_the_standard(full_catalogue):
    clauses = assessable_rows(full_catalogue, "iso27001").filter(part="clause").sort("position")["control_id"].to_list()
    assert clauses[0] == "4.1"
    assert clauses[-1] == "10.2"
    assert clauses == sorted(clauses, key=lambda clause: [int(number) for number in clause.split(".")])


def test_pci_has_12_principals_63_sections_and_250_requirements(full_catalogue):
    pci = full_catalogue.details("pci-dss")
    assert count_rows(pci, "level") == {"principal": 12, "section": 63, "requirement": 250}
    assert pci.filter(is_assessable != (pl.col("level") == "requirement")).is_empty()
    assert pci["group_id"].unique(maintain_order=True).to_list() == [str(number) for number in range(1, 13)]
    assert pci.filter("service_provider_only", level="requirement").height == 16


def test_pci_keeps_its_own_periods(full_catalogue):
    cadence = dict(full_catalogue.details("pci-dss").select("control_id", "cadence").iter_rows())
    own = {
        "1.2.7": "semi-annual",
        "3.2.1": "quarterly",
        "6.2.2": "annual",
        "7.2.4": "semi-annual",
        "9.4.5.1": "annual",
        "10.4.1": "daily",
        "11.2.1": "quarterly",
        "11.3.1": "quarterly",
        "11.3.2": "quarterly",
        "11.4.2": "annual",
        "11.4.3": "annual",
        "11.4.5": "annual",
        "11.4.6": "semi-annual",
        "11.6.1": "weekly",
        "12.4.2": "quarterly",
        "12.5.2": "annual",
        "12.5.2.1": "semi-annual",
        "12.8.4": "annual",
        "12.10.2": "annual",
    }
    assert {control: cadence[control] for control in own} == own


def test_hipaa_has_22_standards_46_specifications_and_6_paragraphs(full_catalogue):
    assert count_rows(full_catalogue.details("hipaa"), "level") == {"standard": 22, "specification": 46, "paragraph": 6}


def test_the_hipaa_matrix_has_18_standards_and_36_specifications_of_which_14_are_required(full_catalogue):
    matrix = full_catalogue.details("hipaa").filter(pl.col("control_id").str.contains(r"^164\.3(08|10|12)"))
    specifications = matrix.filter(level="specification")
    assert matrix.filter(level="standard").height == 18
    assert count_rows(specifications, "required_or_addressable") == {"required": 14, "addressable": 22}


def test_a_hipaa_standard_is_assessed_exactly_when_it_has_no_specifications(full_catalogue):
    hipaa = full_catalogue.details("hipaa")
    parents = hipaa.filter(level="specification")["parent_id"].unique().to_list()
    standards = hipaa.filter(level="standard")
    assert standards.filter(is_assessable == pl.col("control_id").is_in(parents)).is_empty()
    assert hipaa.filter(~is_assessable, level="specification").is_empty()


def test_csf_has_106_subcategories_in_22_categories_of_6_functions(full_catalogue):
    csf = full_catalogue.details("nist-csf")
    assert count_rows(csf, "function_id") == {"GV": 31, "ID": 21, "PR": 22, "DE": 11, "RS": 13, "RC": 8}
    assert csf["category_id"].n_unique() == 22
    assert csf.filter(pl.col("group_id") != pl.col("category_id")).is_empty()


def test_cis_implementation_groups_are_cumulative(full_catalogue):
    cis = full_catalogue.details("cis-v8")
    assert [cis[group].sum() for group in ("ig1", "ig2", "ig3")] == [56, 130, 153]
    assert cis.filter((pl.col("ig1") & ~pl.col("ig2")) | (pl.col("ig2") & ~pl.col("ig3"))).is_empty()
    assert cis["group_id"].n_unique() == 18


def test_cmmc_points_add_up_to_313_so_the_lowest_score_is_minus_203(full_catalogue):
    points = full_catalogue.details("cmmc-l2")["sprs_points"]
    assert count_rows(points.drop_nulls().to_frame(), "sprs_points") == {5: 44, 3: 14, 1: 51}
    assert points.sum() == 313
    assert 110 - points.sum() == -203


def test_cmmc_system_security_plan_has_no_points(full_catalogue):
    without = full_catalogue.details("cmmc-l2").filter(pl.col("sprs_points").is_null())
    assert without["nist_800_171_id"].to_list() == ["3.12.4"]


def test_cmmc_partial_credit_exists_for_two_requirements(full_catalogue):
    partial = full_catalogue.details("cmmc-l2").drop_nulls("sprs_points_partial")
    assert partial.select("nist_800_171_id", "sprs_points_partial").rows() == [("3.5.3", 3), ("3.13.11", 3)]


def test_cmmc_plan_of_action_takes_one_pointers_but_for_six_and_encryption_in_use(full_catalogue):
    cmmc = full_catalogue.details("cmmc-l2")
    never = ["3.1.20", "3.1.22", "3.10.3", "3.10.4", "3.10.5", "3.12.4"]
    eligible = (pl.col("sprs_points") == 1).fill_null(False) & ~pl.col("nist_800_171_id").is_in(never)
    assert cmmc.filter((pl.col("poam_eligible") == "yes") != eligible).is_empty()
    assert cmmc.filter(poam_eligible="conditional")["nist_800_171_id"].to_list() == ["3.13.11"]


def test_gdpr_assesses_the_eight_provisions_of_article_32(full_catalogue):
    assert assessable_rows(full_catalogue, "gdpr-art32")["control_id"].to_list() == [
        "Art.32(1)",
        "Art.32(1)(a)",
        "Art.32(1)(b)",
        "Art.32(1)(c)",
        "Art.32(1)(d)",
        "Art.32(2)",
        "Art.32(3)",
        "Art.32(4)",
    ]
    assert full_catalogue.details("gdpr-art32").filter(~is_assessable).height == 46


# what holds for every control


def test_an_assessable_control_has_weight_cadence_and_evidence_that_ends_in_an_attestation(full_catalogue):
    controls = full_catalogue.controls.filter("assessable")
    assert controls["weight"].is_between(1, 5).all()
    assert controls["cadence"].is_in(CADENCES).all()
    assert (controls["evidence_kinds"].list.last() == "attestation").all()
    assert (controls["evidence_kinds"].list.len() >= 2).all()


def test_a_heading_has_neither_weight_nor_cadence_nor_evidence(full_catalogue):
    headings = full_catalogue.controls.filter(~is_assessable)
    assert headings.select(pl.col("weight", "cadence", "evidence_kinds").is_null().all()).row(0) == (True, True, True)


def test_a_group_has_one_title(full_catalogue):
    titles = full_catalogue.controls.group_by("framework", "group_id").agg(pl.col("group_title").n_unique())
    assert titles["group_title"].to_list() == [1] * titles.height


def test_has_control_knows_every_row_and_nothing_else(full_catalogue):
    assert full_catalogue.has_control("soc2", "CC6.1")
    assert full_catalogue.has_control("hipaa", "164.312(a)(1)")
    assert not full_catalogue.has_control("soc2", "A.5.1")
    assert not full_catalogue.has_control("soc1", "CC6.1")


# crosswalk


def edges(loaded, *frameworks):
    """Pairs of the two frameworks, in this order, whichever side of the file they stand on."""
    ends = ["source_framework", "source_id", "target_framework", "target_id"]
    rows = loaded.crosswalk.select(ends).rows()
    pairs = {row[1::2] for row in rows if row[::2] == frameworks}
    return pairs | {row[:0:-2] for row in rows if row[::2] == frameworks[::-1]}


def test_no_pair_comes_from_an_identifier_that_lost_its_last_zero(full_catalogue):
    soc2 = {
        ("CC6.6", "A.8.2"),
        ("CC6.7", "A.7.1"),
        ("CC7.5", "A.5.3"),
        ("CC8.1", "A.8.3"),
        ("A1.3", "A.5.3"),
        ("C1.1", "A.5.2"),
    }
    assert edges(full_catalogue, "soc2", "iso27001").isdisjoint(soc2)
    assert ("GV.OC-05", "A.5.3") not in edges(full_catalogue, "nist-csf", "iso27001")


def test_every_annex_a_control_has_an_edge_or_a_stated_reason(full_catalogue):
    annex_a = set(full_catalogue.details("iso27001").filter(part="annex_a")["control_id"])
    reasoned = set(full_catalogue.unmapped.filter(framework="iso27001")["control_id"])
    paired = {iso for _, iso in edges(full_catalogue, "soc2", "iso27001")}
    assert annex_a - paired - reasoned == set()
    assert paired


def test_a_criterion_without_an_edge_has_a_stated_reason_and_no_other(full_catalogue):
    criteria = set(full_catalogue.details("soc2")["control_id"])
    paired = {criterion for criterion, _ in edges(full_catalogue, "soc2", "iso27001")}
    assert criteria - paired == set(full_catalogue.unmapped.filter(framework="soc2", against="iso27001")["control_id"])


def test_pairs_with_nist_800_53_have_the_counts_of_their_sources(full_catalogue):
    pairs = full_catalogue.nist_pairs
    assert count_rows(pairs, "source_framework") == {
        "nist-csf": 731,
        "iso27001": 642,
        "cmmc-l2": 183,
        "cis-v8": 306,
        "pci-dss": 760,
    }
    keys = full_catalogue.controls.filter("assessable").select("framework", "control_id")
    ends = pairs.select(framework="source_framework", control_id="source_id").unique()
    assert count_rows(keys.join(ends, on=["framework", "control_id"]), "framework") == {
        "nist-csf": 106,
        "iso27001": 120,
        "cmmc-l2": 109,
        "cis-v8": 140,
        "pci-dss": 181,
    }


def test_no_pair_leads_to_what_revision_5_of_nist_800_53_has_withdrawn(full_catalogue):
    withdrawn = ["au-2.3", "au-8.1", "ia-2.3", "ia-2.9", "mp-5.4", "mp-7.1", "ra-4", "sc-19"]
    assert full_catalogue.nist_pairs.filter(pl.col("target_id").is_in(withdrawn)).is_empty()
    named = {"AU.L2-3.3.3": "au-2", "MP.L2-3.8.6": "sc-28.1", "MP.L2-3.8.8": "mp-7", "SC.L2-3.13.14": None}
    paired = dict(full_catalogue.nist_pairs.filter(source_framework="cmmc-l2").select("source_id", "target_id").rows())
    assert {control: paired.get(control) for control in named} == named


def test_pairs_with_nist_800_53_are_no_pairs_of_the_programs_frameworks(full_catalogue):
    assert full_catalogue.crosswalk.filter(pl.col("target_framework") == "nist-800-53").is_empty()
    assert not full_catalogue.has_control("nist-800-53", "ac-2")


# actions


def evidencing(loaded, kind):
    """Controls that need this kind of evidence."""
    needing = loaded.controls.filter("assessable", pl.col("evidence_kinds").list.contains(kind))
    return needing.select("framework", "control_id")


def mapped_actions(loaded, *, effect, **having):
    chosen = loaded.actions.filter(pl.col("effect").is_in(effect), **having)
    return loaded.action_controls.join(chosen, on="action")


def test_a_control_that_needs_operation_has_an_action_that_supports_it(full_catalogue):
    supported = mapped_actions(full_catalogue, effect=SUPPORTING)
    assert (
        evidencing(full_catalogue, "operation").join(supported, on=["framework", "control_id"], how="anti").rows() == []
    )


def test_a_control_that_needs_a_test_has_an_action_that_is_one(full_catalogue):
    tests = mapped_actions(full_catalogue, effect=SUPPORTING, kind="test")
    assert evidencing(full_catalogue, "test").join(tests, on=["framework", "control_id"], how="anti").rows() == []


def test_what_contradicts_a_control_can_be_outweighed_by_the_same_family(full_catalogue):
    cures = mapped_actions(full_catalogue, effect=SUPPORTING)
    incurable = mapped_actions(full_catalogue, effect=["contradicts"]).join(
        cures, on=["framework", "control_id", "family"], how="anti"
    )
    assert incurable.rows() == []


def test_the_scans_know_which_actions_record(full_catalogue):
    assert sorted(full_catalogue.actions.filter(effect="records")["action"]) == sorted(RECORDING)


def test_each_action_has_a_reason_of_its_own(full_catalogue):
    reasons = full_catalogue.actions["reason"]
    assert (reasons.n_unique(), reasons.str.ends_with(".").all()) == (full_catalogue.actions.height, True)


def test_a_neutral_action_is_evidence_for_nothing(full_catalogue):
    assert set(full_catalogue.actions.filter(effect="neutral")["controls_from"]) == {"none"}


# vendors


def test_a_vendor_inherits_a_control_once_whatever_its_tier(full_catalogue):
    rules = full_catalogue.vendor_inheritance
    of_a_tier = rules.filter(pl.col("tier") != "*")
    assert of_a_tier.join(rules.filter(tier="*"), on=["category", "framework", "control_id"], how="semi").rows() == []
    assert set(of_a_tier["tier"]) <= set(VENDOR_TIERS)


def test_cloud_and_infrastructure_inherit_physical_security(full_catalogue):
    inherited = full_catalogue.vendor_inheritance.select("category", "control_id").rows()
    assert {("cloud", "A.7.1"), ("cloud", "CC6.4"), ("infrastructure", "A.7.1"), ("data-centre", "CC6.4")} <= {
        *inherited
    }


def test_critical_vendors_add_continuity_subcontractors_and_the_right_to_audit(full_catalogue):
    critical = full_catalogue.vendor_inheritance.filter(tier="critical", category="saas")["control_id"].to_list()
    assert {"A.5.30", "A.5.21", "A.5.20"} <= set(critical)


# runbooks


def test_a_control_has_at_most_one_runbook_and_fewer_than_a_tenth_have_none(full_catalogue):
    with_one = full_catalogue.runbook_controls
    total = full_catalogue.controls["assessable"].sum()
    assert with_one.select("framework", "control_id").is_unique().all()
    assert 0 < total - with_one.height < total / 10


def test_every_runbook_is_used_and_has_three_to_six_steps(full_catalogue):
    assert set(full_catalogue.runbooks["runbook"]) == set(full_catalogue.runbook_controls["runbook"])
    assert full_catalogue.runbooks["steps"].list.len().is_between(3, 6).all()


# loading


def test_loading_twice_gives_the_same_version_and_a_changed_byte_another(copy):
    before = load(copy).version
    assert before == load(copy).version == catalogue().version
    with (copy / "rules/runbooks.csv").open("a", encoding="utf-8") as file:
        file.write("spare,Spare,,1,one;two;three\n")
    assert load(copy).version != before


def test_no_crosswalk_is_an_empty_crosswalk(copy):
    shutil.rmtree(copy / "crosswalks")
    loaded = load(copy)
    assert (loaded.crosswalk.height, loaded.nist_pairs.height, loaded.unmapped.height) == (0, 0, 0)


def test_the_closest_runbook_pattern_wins(copy):
    add(copy, "rules/runbooks.csv", "spare,Spare,,1,one;two;three")
    add(copy, "rules/runbook_controls.csv", "spare,soc2,CC*")
    runbooks = load(copy).runbook_controls.filter(framework="soc2")
    chosen = dict(runbooks.select("control_id", "runbook").iter_rows())
    assert (chosen["CC1.1"], chosen["CC6.4"]) == ("spare", "physical-access")


@pytest.fixture
def copy(tmp_path):
    for part in ("frameworks", "crosswalks", "rules"):
        shutil.copytree(DATA / part, tmp_path / part)
    return tmp_path


def add(copy, file, line):
    with (copy / file).open("a", encoding="utf-8") as opened:
        opened.write(line + "\n")
    return len((copy / file).read_text(encoding="utf-8").splitlines())


EDGE = ",intersects,0.5,why,own judgement,0,catalogue,2026-01-01"


@pytest.mark.parametrize(
    ("file", "line", "column", "found"),
    [
        (
            "frameworks/soc2.csv",
            "CC1.1,,CC1,Control Environment,Again,true,2,annual,policy,Security,",
            "control_id",
            "'CC1.1'",
        ),
        ("frameworks/soc2.csv", "CC0,,CC1,Control Environment,New,true,6,annual,policy,Security,", "weight", "'6'"),
        ("frameworks/soc2.csv", "CC0,,CC1,Control Environment,New,true,,annual,policy,Security,", "weight", "nothing"),
        ("frameworks/soc2.csv", "CC0,,CC1,Control Environment,New,true,2,often,policy,Security,", "cadence", "'often'"),
        (
            "frameworks/soc2.csv",
            "CC0,,CC1,Control Environment,New,yes,2,annual,policy,Security,",
            "assessable",
            "'yes'",
        ),
        ("frameworks/soc2.csv", "CC0,,CC1,Control Environment,,true,2,annual,policy,Security,", "title", "nothing"),
        (
            "frameworks/soc2.csv",
            "CC0,CC9,CC1,Control Environment,New,true,2,annual,policy,Security,",
            "parent_id",
            "'CC9'",
        ),
        (
            "frameworks/soc2.csv",
            "CC0,,CC1,Control Environment,New,true,2,annual,policy;paper,Security,",
            "evidence_kinds",
            "'policy;paper'",
        ),
        ("crosswalks/nist-800-53/cis-v8-nist-800-53.csv", "cis-v8,0.1,nist-800-53,ac-2" + EDGE, "source_id", "'0.1'"),
        (
            "crosswalks/nist-800-53/cis-v8-nist-800-53.csv",
            "cis-v8,1.1,nist-800-53,AC-2(1)" + EDGE,
            "target_id",
            "'AC-2(1)'",
        ),
        (
            "crosswalks/nist-800-53/cis-v8-nist-800-53.csv",
            "cis-v8,1.1,iso27001,A.5.1" + EDGE,
            "target_framework",
            "'iso27001'",
        ),
        ("crosswalks/soc2-iso27001.csv", "soc2,CC0,iso27001,A.5.1" + EDGE, "source_id", "'CC0'"),
        ("crosswalks/soc2-iso27001.csv", "soc2,CC1.1,iso27001,A.5.99" + EDGE, "target_id", "'A.5.99'"),
        ("crosswalks/soc2-iso27001.csv", "soc2,CC1.1,nist-csf,GV.PO-01" + EDGE, "target_framework", "'nist-csf'"),
        (
            "crosswalks/soc2-iso27001.csv",
            "soc2,CC1.1,iso27001,A.8.34,close,0.5,why,own,0,us,2026-01-01",
            "relation",
            "'close'",
        ),
        (
            "crosswalks/soc2-iso27001.csv",
            "soc2,CC1.1,iso27001,A.8.34,equal,1.5,why,own,0,us,2026-01-01",
            "strength",
            "'1.5'",
        ),
        (
            "crosswalks/soc2-iso27001.csv",
            "soc2,CC1.1,iso27001,A.8.34,equal,0.5,why,own,0,us,yesterday",
            "reviewed_on",
            "'yesterday'",
        ),
        ("crosswalks/unmapped.csv", "soc2,CC0,iso27001,why", "control_id", "'CC0'"),
        ("rules/actions.csv", "a.b,New,operation,helps,a,map,Why", "effect", "'helps'"),
        ("rules/actions.csv", "a.b,New,operation,supports,a,map,Why", "action", "'a.b'"),
        ("rules/action_controls.csv", "a.b,soc2,CC6.1", "action", "'a.b'"),
        ("rules/action_controls.csv", "access.granted,pci-dss,7", "control_id", "'7'"),
        ("rules/vendor_inheritance.csv", "1,tiny,saas,soc2,CC6.1,why,nda,carve-out,rest", "tier", "'tiny'"),
        ("rules/vendor_inheritance.csv", "1,low,saas,soc2,CC0,why,nda,carve-out,rest", "control_id", "'CC0'"),
        ("rules/runbooks.csv", "spare,Spare,,soon,one;two;three", "effort_hours", "'soon'"),
        ("rules/runbook_controls.csv", "spare,soc2,CC1.1", "runbook", "'spare'"),
        ("rules/runbook_controls.csv", "access-review,soc2,ZZ*", "control_pattern", "'ZZ*'"),
    ],
)
def test_a_cell_that_does_not_hold_is_named(copy, file, line, column, found):
    row = add(copy, file, line)
    with pytest.raises(InvalidData) as refused:
        load(copy)
    (cell,) = refused.value.details
    assert (cell["file"], cell["row"], cell["column"], cell["found"]) == (file, row, column, found)
    assert refused.value.message == f"{file} row {row}, column {column}: expected {cell['expected']}, found {found}"


def test_a_count_that_the_file_does_not_have_is_named(copy):
    add(copy, "frameworks/soc2.csv", "CC0,,CC1,Control Environment,New,true,2,annual,policy;attestation,Security,")
    with pytest.raises(InvalidData, match=r"frameworks/frameworks.csv row 2, column assessable_count: .* found 61$"):
        load(copy)


def test_a_framework_that_is_not_listed_is_named(copy):
    path = copy / "frameworks/frameworks.csv"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(
        InvalidData, match=r"frameworks.csv row 9, column framework: expected gdpr-art32, found nothing"
    ):
        load(copy)


def test_another_header_is_refused(copy):
    path = copy / "rules/runbooks.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("title,", "name,", 1), encoding="utf-8")
    with pytest.raises(InvalidData, match=r"rules/runbooks.csv row 1, column \(header\): expected runbook, title"):
        load(copy)


def test_a_missing_file_is_named(copy):
    (copy / "rules/actions.csv").unlink()
    with pytest.raises(InvalidData, match=r"rules/actions.csv: expected a CSV file"):
        load(copy)
