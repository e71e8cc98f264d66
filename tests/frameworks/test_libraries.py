"""Libraries of CISO Assistant, and FedRAMP's consolidated rules."""

import json

LIBRARY = """urn: urn:x:library:demo
ref_id: demo-fw
name: Demo
version: 3
provider: Somebody
objects:
  framework:
    ref_id: demo-fw
    name: Demo framework
    implementation_groups_definition: [{ref_id: basic, name: Basic}]
    requirement_nodes:
    - {urn: "urn:x:1", assessable: false, ref_id: '1', name: Govern}
    - {urn: "urn:x:1.1", parent_urn: "urn:x:1", assessable: true, ref_id: '1.1', description: Do this well., implementation_groups: [basic]}
    - {urn: "urn:x:1.2", parent_urn: "urn:x:1", assessable: true, description: And this.}
  requirement_mapping_sets:
  - source_framework_urn: urn:x:framework:demo-fw
    target_framework_urn: urn:x:framework:soc2
    requirement_mappings:
    - {source_requirement_urn: "urn:x:1.1", target_requirement_urn: "urn:y:cc6.1", relationship: subset, rationale: Alike}
"""
RULES = {
    "info": {"title": "Rules", "version": "1"},
    "KSI": {
        "IAM": {
            "id": "KSI-IAM",
            "name": "Identity",
            "indicators": {
                "KSI-IAM-AAM": {
                    "name": "Accounts",
                    "statement": "Accounts are managed.",
                    "controls": ["ac-2", "ac-2.2"],
                },
                "KSI-IAM-APM": {
                    "name": "Passwords",
                    "varies_by_class": {"b": {"statement": "Maybe."}},
                    "controls": ["ac-2"],
                },
            },
        }
    },
}


def test_nodes_of_a_library_become_groups_and_controls(door):
    door.text("demo.yaml", LIBRARY)
    assert door.controls("demo-fw", "id", "parent", "kind", "title", "weight") == [
        ("1", None, "group", "Govern", None),
        ("1.1", "1", "control", "Do this well.", 3),
        ("1.2", "1", "control", "And this.", 3),
    ]
    about = door.content("demo-fw").tables["own_frameworks"][0]
    assert (about["title"], about["version"], about["publisher"]) == ("Demo framework", "3", "Somebody")
    assert about["assessable_levels"] == "basic: Basic"


def test_a_node_without_a_name_is_titled_by_whole_words_of_what_it_says(door):
    said = {"Do this well.": "set out the purpose;", "And this.": f"Keep {'order ' * 50}always"}
    text = LIBRARY
    for before, after in said.items():
        text = text.replace(before, f"'{after}'")
    door.text("demo.yaml", text)
    purpose, order = (title for (title,) in door.controls("demo-fw", "title")[1:])
    assert (purpose, order) == ("set out the purpose", f"Keep {'order ' * 32}…")


def test_mappings_of_a_library_are_proposed_pairs(door):
    door.text("demo.yaml", LIBRARY)
    pairs = door.content("demo-fw").tables["framework_mappings"]
    assert [
        (row["source_id"], row["target_framework"], row["target_id"], row["relation"], row["reviewer"]) for row in pairs
    ] == [("1.1", "soc2", "CC6.1", "subset", None)]


PAIRS = """urn: urn:x:library:pairs
ref_id: pairs
objects:
  requirement_mapping_sets:
  - source_framework_urn: urn:x:framework:demo_of_another_name
    target_framework_urn: urn:x:framework:iso27001-2022
    requirement_mappings:
"""


def pair(source, target, relation):
    ends = f'source_requirement_urn: "{source}", target_requirement_urn: "{target}"'
    return f"    - {{{ends}, relationship: {relation}}}\n"


def stored_pairs(door):
    columns = ("source_framework", "source_id", "target_framework", "target_id", "relation", "strength")
    rows = door.content("demo-fw").tables["framework_mappings"]
    return [tuple(row[name] for name in columns) for row in rows if row["target_framework"] == "iso27001"]


def test_an_end_of_a_pair_is_the_control_that_came_with_its_urn(door):
    door.text("demo.yaml", LIBRARY.replace("ref_id: '1.1'", "ref_id: Section A"))
    door.text("pairs.yaml", PAIRS + pair("urn:x:1.1", "urn:iso27001-2022:a.5.1", "equal"))
    assert stored_pairs(door) == [("demo-fw", "Section-A", "iso27001", "A.5.1", "equal", 1.0)]


def test_a_pair_that_stands_there_twice_is_kept_once_and_said(door):
    door.text("demo.yaml", LIBRARY)
    twice = [pair("urn:x:1.1", "urn:i:a.5.1", "subset")] * 2
    differing = [pair("urn:x:1.2", "urn:i:a.5.2", one) for one in ("equal", "subset")]
    done = door.text("pairs.yaml", PAIRS + "".join([*twice, *differing]))
    assert stored_pairs(door) == [
        ("demo-fw", "1.1", "iso27001", "A.5.1", "subset", 0.5),
        ("demo-fw", "1.2", "iso27001", "A.5.2", "intersects", 0.5),
    ]
    assert done.lines[0] == (
        "2 pairs stand there twice and are kept once, 1 of them as intersects, since their relations differ."
    )


def test_a_pair_to_nothing_is_refused(door):
    door.text("demo.yaml", LIBRARY)
    assert door.refusal("pairs.yaml", PAIRS + pair("urn:x:1.1", "urn:i:a.99", "equal")) == (
        "pairs.yaml, mapping 1, target_id: expected a control of iso27001, got 'A.99'."
    )


def test_a_node_below_nothing_is_refused(door):
    text = LIBRARY.replace(
        'parent_urn: "urn:x:1", assessable: true, description', 'parent_urn: "urn:x:9", assessable: true, description'
    )
    assert door.refusal("demo.yaml", text) == (
        "demo.yaml, requirement node 3, parent_urn: expected the urn of another node, got 'urn:x:9'."
    )


def test_indicators_are_assessable_and_one_control_stands_under_several(door):
    door.text("fedramp.json", json.dumps(RULES), name="ksi")
    assert door.controls("ksi", "id", "parent", "assessable", "text") == [
        ("KSI-IAM", None, False, None),
        ("KSI-IAM-AAM", "KSI-IAM", True, "Accounts are managed."),
        ("KSI-IAM-APM", "KSI-IAM", True, "Class B: Maybe."),
    ]
    pairs = [
        (row["source_id"], row["target_framework"], row["target_id"])
        for row in door.content("ksi").tables["framework_mappings"]
    ]
    assert sorted(pairs) == [
        ("KSI-IAM-AAM", "nist-800-53", "ac-2"),
        ("KSI-IAM-AAM", "nist-800-53", "ac-2.2"),
        ("KSI-IAM-APM", "nist-800-53", "ac-2"),
    ]


def test_a_pair_to_no_control_of_sp_800_53_is_refused(door):
    rules = json.loads(json.dumps(RULES).replace("ac-2.2", "access"))
    assert "expected a framework of the program or of your own, got 'nist-800-53'." in door.refusal(
        "f.json", json.dumps(rules)
    )
