"""OSCAL: catalogs in three notations, profiles resolved as NIST specifies it (expectations worked by hand from it)."""

import json

import pytest

from engine.model.errors import Usage

VERSION = {"oscal-version": "1.1.2"}


def control(name, **more):
    return {"id": name, "title": f"Title of {name}", **more}


def catalog(*controls, **more):
    return {
        "catalog": {
            "uuid": "1",
            "metadata": {"title": "Base", "version": "1", **VERSION},
            "controls": list(controls),
            **more,
        }
    }


def profile(*imports, **more):
    return {
        "profile": {
            "uuid": "2",
            "metadata": {"title": "Mine", "version": "2", **VERSION},
            "imports": list(imports),
            **more,
        }
    }


ENHANCED = control(
    "ac-2",
    params=[{"id": "ac-2_prm_1", "label": "period"}],
    parts=[
        {"id": "ac-2_smt", "name": "statement", "prose": "Review every {{ insert: param, ac-2_prm_1 }}."},
        {"id": "ac-2_gdn", "name": "guidance", "prose": "Talk to owners."},
    ],
    controls=[control("ac-2.1"), control("ac-2.2")],
)
BASE = catalog(
    groups=[
        {"id": "ac", "title": "Access", "controls": [control("ac-1"), ENHANCED]},
        {"id": "au", "title": "Audit", "controls": [control("au-1")]},
    ]
)
XML = """<catalog xmlns="http://csrc.nist.gov/ns/oscal/1.0" uuid="1"><metadata><title>Base</title><version>1</version>
<oscal-version>1.1.2</oscal-version></metadata><group id="ac"><title>Access</title><control id="ac-1"><title>Policy</title>
<param id="p1"><label>period</label><constraint><description><p>at least monthly</p></description></constraint></param>
<part id="s" name="statement"><p>Every <insert type="param" id-ref="p1"/>:</p><part id="a" name="item">
<prop name="label" value="a."/><p>one <em>thing</em></p></part></part></control></group></catalog>"""


def resolve(door, one, base=BASE, **more):
    """Identifier and parent of every row that a profile over a catalog comes to."""
    door.file("set/base.json", json.dumps(base))
    for name, document in more.items():
        door.file(f"set/{name}.json", json.dumps(document))
    door.file("set/profile.json", json.dumps(one))
    door.take(door.folder / "set", name="mine")
    return door.controls("mine", "id", "parent")


def refusal_of(door, one, base=BASE):
    door.file("set/base.json", json.dumps(base))
    return door.refusal("set/profile.json", json.dumps(one))


def select(*names, **more):
    return {"href": "base.json", "include-controls": [{"with-ids": list(names), **more}]}


EVERYTHING = {"href": "base.json", "include-all": {}}


def test_a_catalog_in_xml_is_that_of_json(door):
    door.text("base.xml", XML)
    text = "Every [period: at least monthly]:\n  a. one *thing*"
    assert door.controls("base", "id", "parent", "kind", "text") == [
        ("ac", None, "group", None),
        ("ac-1", "ac", "control", text),
    ]
    (_, (parameters,)) = door.controls("base", "parameters")
    assert parameters == [{"id": "p1", "label": "period", "constraints": [{"description": "at least monthly"}]}]


def test_a_catalog_in_yaml_is_that_of_json(door):
    text = "catalog:\n  uuid: '1'\n  metadata: {title: Base, oscal-version: 1.1.2}\n  controls:\n  - {id: a-1, title: One}\n"
    door.text("base.yaml", text)
    assert door.controls("base", "id", "title") == [("a-1", "One")]


def test_a_withdrawn_control_is_not_assessable(door):
    withdrawn = control("ac-9", props=[{"name": "status", "value": "withdrawn"}])
    door.text("base.json", json.dumps(catalog(withdrawn, control("ac-1"))))
    assert door.controls("base", "id", "assessable") == [("ac-9", False), ("ac-1", True)]


@pytest.mark.parametrize(
    ("one", "rows"),
    [
        (profile(EVERYTHING), ["ac-1", "ac-2", "ac-2.1", "ac-2.2", "au-1"]),
        (profile(select("ac-2")), ["ac-2"]),
        (profile(select("ac-2", **{"with-child-controls": "yes"})), ["ac-2", "ac-2.1", "ac-2.2"]),
        (profile({"href": "base.json", "include-controls": [{"matching": [{"pattern": "a?-1"}]}]}), ["ac-1", "au-1"]),
        (profile({**EVERYTHING, "exclude-controls": [{"matching": [{"pattern": "ac-*"}]}]}), ["au-1"]),
        (profile({**EVERYTHING, "exclude-controls": [{"with-ids": ["ac-2"]}]}), ["ac-1", "ac-2.1", "ac-2.2", "au-1"]),
    ],
)
def test_controls_are_selected_into_a_flat_list(door, one, rows):
    assert resolve(door, one) == [(name, None) for name in rows]


def test_as_is_keeps_groups_and_what_is_below_a_control(door):
    one = profile(select("ac-2", "ac-2.1"), select("au-1"), merge={"as-is": True})
    assert resolve(door, one) == [("ac", None), ("ac-2", "ac"), ("ac-2.1", "ac-2"), ("au", None), ("au-1", "au")]


def test_a_child_without_its_parent_takes_its_place(door):
    one = profile(select("ac-2.1"), merge={"as-is": True})
    assert resolve(door, one) == [("ac", None), ("ac-2.1", "ac")]


def test_custom_groups_take_controls_in_order(door):
    groups = [
        {
            "id": "late",
            "title": "Late",
            "insert-controls": [{"order": "descending", "include-controls": [{"with-ids": ["ac-1", "au-1"]}]}],
        },
        {"id": "rest", "title": "Rest", "insert-controls": [{"include-all": {}}]},
    ]
    one = profile(EVERYTHING, merge={"combine": {"method": "keep"}, "custom": {"groups": groups}})
    assert resolve(door, one) == [
        *(("late", None), ("au-1", "late"), ("ac-1", "late")),
        *(("rest", None), ("ac-2", "rest"), ("ac-2.1", "rest"), ("ac-2.2", "rest")),
    ]


@pytest.mark.parametrize("combine", [{"merge": {"combine": {"method": "use-first"}}}, {"combine": "use-first"}])
def test_the_first_of_two_different_controls_is_used(door, combine):
    other = catalog({**control("ac-1"), "title": "Another"})
    one = profile(select("ac-1"), {"href": "other.json", "include-all": {}}, **combine)
    assert resolve(door, one, other=other) == [("ac-1", None)]
    assert door.controls("mine", "title") == [("Title of ac-1",)]


def test_parts_are_removed_before_others_are_added(door):
    alters = [
        {
            "control-id": "ac-2",
            "removes": [{"by-name": "guidance"}],
            "adds": [
                {
                    "by-id": "ac-2_smt",
                    "position": "after",
                    "parts": [{"id": "ac-2_fr", "name": "statement", "prose": "And more."}],
                }
            ],
        }
    ]
    settings = [{"param-id": "ac-2_prm_1", "values": ["30 days"]}]
    one = profile(select("ac-2"), modify={"set-parameters": settings, "alters": alters})
    resolve(door, one)
    assert door.controls("mine", "text") == [("Review every 30 days.\nAnd more.",)]
    ((details,),) = door.controls("mine", "details")
    assert [part["id"] for part in details["oscal"]["parts"]] == ["ac-2_smt", "ac-2_fr"]


def test_what_has_no_effect_by_the_specification_is_said_and_the_rest_is_done(door):
    settings = [
        {"param-id": "ac-2_prm_1", "constraints": [{"description": description}]} for description in ("first", "second")
    ]
    alters = [
        {
            "control-id": "ac-2",
            "removes": [{"by-id": "x"}],
            "adds": [
                {"by-id": "y", "parts": [{"name": "z"}]},
                {"by-id": "ac-2", "props": [{"name": "c", "value": "d"}]},
            ],
        }
    ]
    one = profile(select("ac-2"), modify={"set-parameters": [{"param-id": "x"}, *settings], "alters": alters})
    door.file("set/base.json", json.dumps(BASE))
    door.file("set/profile.json", json.dumps(one))
    assert door.take(door.folder / "set", name="mine").lines[:3] == [
        "profile.json, set-parameter 1: no selected control has the parameter x; left out.",
        "profile.json, alter ac-2, remove 1: the control has nothing by-id x; left out.",
        "profile.json, alter ac-2, add 1: the control has nothing of the id y; left out.",
    ]
    ((parameters, details),) = door.controls("mine", "parameters", "details")
    assert [one["description"] for one in parameters[0]["constraints"]] == ["first", "second"]
    assert {"name": "c", "value": "d"} in details["oscal"]["props"]


def test_loose_parameters_are_kept_where_something_names_them(door):
    loose = [{"id": name, "label": name} for name in ("used", "used-by-used", "set", "idle", "used-not")]
    loose[0]["label"] = "{{ insert: param, used-by-used }}"
    loose.append({"id": "always", "props": [{"name": "keep", "value": "always"}]})
    named = {**control("ac-1"), "parts": [{"name": "statement", "prose": "As {{ insert: param, used }} says."}]}
    base = catalog(named, params=loose)
    one = profile(EVERYTHING, modify={"set-parameters": [{"param-id": "set", "values": ["1"]}]})
    door.file("set/base.json", json.dumps(base))
    door.file("set/profile.json", json.dumps(one))
    door.take(door.folder / "set", name="mine")
    (framework,) = door.content("mine").tables["own_frameworks"]
    kept = [param["id"] for param in framework["details"]["params"]]
    assert kept == ["used", "used-by-used", "set", "always"]


def test_an_import_is_found_through_the_back_matter(door):
    resources = [{"uuid": "77", "rlinks": [{"href": "https://nowhere.example/base.json"}]}]
    one = profile({"href": "#77", "include-all": {}}, **{"back-matter": {"resources": resources}})
    assert len(resolve(door, one)) == 5


def test_an_import_of_an_import_is_resolved_first(door):
    middle = profile(select("ac-1", "au-1"))
    one = profile({"href": "middle.json", "include-controls": [{"with-ids": ["au-1"]}]})
    assert resolve(door, one, middle=middle) == [("au-1", None)]


def test_of_a_profile_alone_only_what_it_imports_is_read_beside_it(door):
    middle = profile(select("ac-1", "au-1"))
    resources = [{"uuid": "77", "rlinks": [{"href": "middle.json"}]}]
    one = profile({"href": "#77", "include-all": {}}, **{"back-matter": {"resources": resources}})
    documents = {"base": BASE, "middle": middle, "profile": one}
    for name, document in documents.items():
        door.file(f"set/{name}.json", json.dumps(document))
    door.file("set/other.yaml", "a: &a [x]\nb: !!python/object/apply:os.system [id]\n")
    door.file("set/old.json", json.dumps({"catalog": {"metadata": {"oscal-version": "9"}}}))
    door.take(door.folder / "set" / "profile.json", name="mine")
    assert door.controls("mine", "id") == [("ac-1",), ("au-1",)]
    door.file("set/base.json", "{")
    with pytest.raises(Usage, match="base.json, line 1: expected JSON"):
        door.take(door.folder / "set" / "profile.json", name="mine")


ALTER = {"control-id": "ac-2"}
HOSTILE = {
    "no imports": (profile(), "profile.json, imports: expected at least one import, got nothing."),
    "another file": (profile({"href": "https://evil.example/c.json", "include-all": {}}), "nothing is fetched."),
    "a path out": (profile({"href": "../../etc/passwd", "include-all": {}}), "nothing is fetched."),
    "no resource": (profile({"href": "#1", "include-all": {}}), "expected the uuid of a resource of its back-matter"),
    "itself": (profile({"href": "profile.json", "include-all": {}}), "the imports go in a circle"),
    "unknown id": (profile(select("ac-99")), "expected the id of a control of the imported catalog, got 'ac-99'."),
    "both": (profile({**select("ac-1"), "include-all": {}}), "expected either include-all or include-controls"),
    "empty pattern": (profile({"href": "base.json", "include-controls": [{"matching": [{}]}]}), "expected a pattern"),
    "two structures": (
        profile(EVERYTHING, merge={"flat": {}, "as-is": True}),
        "expected one of flat, as-is and custom",
    ),
    "method": (profile(EVERYTHING, merge={"combine": {"method": "last"}}), "expected one of keep, use-first, merge"),
    "order": (
        profile(EVERYTHING, merge={"custom": {"insert-controls": [{"order": "random"}]}}),
        "expected one of keep, ascending, descending, got 'random'.",
    ),
    "alter": (profile(EVERYTHING, modify={"alters": [{"control-id": "x"}]}), "expected the id of a selected control"),
    "no list": ({"profile": {"metadata": VERSION, "imports": EVERYTHING}}, "imports: expected a list of objects"),
    "exclude unknown id": (
        profile({**EVERYTHING, "exclude-controls": [{"with-ids": ["ac-99"]}]}),
        "expected the id of a control of the imported catalog, got 'ac-99'.",
    ),
    "insert unknown id": (
        profile(EVERYTHING, merge={"custom": {"insert-controls": [{"include-controls": [{"with-ids": ["ac-99"]}]}]}}),
        "custom, insert-controls 1, selection 1, with-ids: expected the id of a control",
    ),
    "add beside another kind": (
        profile(
            EVERYTHING,
            modify={
                "alters": [{**ALTER, "adds": [{"by-id": "ac-2_smt", "position": "after", "props": [{"name": "x"}]}]}]
            },
        ),
        "add 1: expected parts beside ac-2_smt, got 'props'.",
    ),
    "remove everything": (profile(EVERYTHING, modify={"alters": [{**ALTER, "removes": [{}]}]}), "expected by-name,"),
    "remove and add": (
        profile(
            EVERYTHING,
            modify={
                "alters": [
                    {
                        **ALTER,
                        "removes": [{"by-id": "ac-2_smt"}],
                        "adds": [{"by-id": "ac-2_smt", "parts": [{"name": "x"}]}],
                    }
                ]
            },
        ),
        "ac-2_smt is removed and added to by one alteration.",
    ),
    "position": (
        profile(EVERYTHING, modify={"alters": [{**ALTER, "adds": [{"position": "above"}]}]}),
        "expected one of before, after, starting, ending, got 'above'.",
    ),
    "version": ({"profile": {"metadata": {"oscal-version": "2.0"}}}, "expected a version 1.x.y of OSCAL, got '2.0'."),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_profile_that_does_not_hold_is_refused(door, what):
    one, sentence = HOSTILE[what]
    message = refusal_of(door, one)
    assert message.startswith("profile.json")
    assert sentence in message


def test_two_different_controls_of_one_name_are_refused_under_keep(door):
    door.file("set/other.json", json.dumps(catalog({**control("ac-1"), "title": "Another"})))
    one = profile(select("ac-1"), {"href": "other.json", "include-all": {}})
    assert "two different controls ac-1, and combine says keep" in refusal_of(door, one)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "a.xml",
            '<!DOCTYPE c [<!ENTITY e "x">]><catalog>&e;</catalog>',
            "a.xml, line 1: the XML has a document type or an entity",
        ),
        ("a.xml", "<catalog><b></catalog>", "a.xml, line 1: expected XML"),
        ("a.json", '{"catalog": }', "a.json, line 1: expected JSON"),
        ("a.json", '{"a": 1, "a": 2}', "a.json: the member 'a' is there twice in one object."),
        ("a.json", '{"what": 1}', "a.json: expected an OSCAL catalog or profile, a CISO Assistant library"),
        ("a.yaml", "a: [1\n", "a.yaml, line 2: expected YAML"),
        ("a.yaml", "a: &a [*a]\n", "a.yaml, line 1: an alias leads to what it is part of."),
        ("a.yaml", "a: !!python/object/apply:os.system [ls]\n", "a.yaml, line 1: expected YAML"),
        ("a.json", json.dumps(catalog(control("x"), control("x"))), "a.json, control x: a x is there twice"),
        ("a.json", json.dumps(catalog({"title": ""})), "a.json, control below the catalog: expected an id"),
    ],
)
def test_a_document_that_cannot_be_read_is_refused(door, name, text, sentence):
    assert door.refusal(name, text).startswith(sentence)


def test_aliases_that_explode_are_refused(door):
    lines = ["a0: &a0 [1,2,3,4,5,6,7,8,9,0]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "the aliases would make more than 2,000,000 values." in door.refusal("bomb.yaml", "\n".join(lines))
