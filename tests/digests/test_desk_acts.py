"""What a mail's reader can do: a link to the act that signs in, or the record that does the same."""

import csv
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import polars as pl

from engine.accounts.sign_in_links import SignInLinks
from engine.digests.desk_acts import MOST_ACTS, DeskActs
from engine.runtime.settings import Settings
from tests.conftest import NOW

ANN = "ann@acme.example"
ROWS = [pl.DataFrame({"attestation_id": ["a,1", "a2"], "control_title": ["Backups", "Keys"]})]


def desk_acts(tmp_path, **settings):
    values = {"SVC_DATA_DIR": str(tmp_path), "SVC_SESSION_SECRET": "s" * 32, **settings}
    return DeskActs(Settings.of(values), "acme", NOW)


def test_each_row_has_a_link_to_its_act_that_signs_its_reader_in_for_a_day(tmp_path):
    found = desk_acts(tmp_path, SVC_DESK_URL="https://desk.example/")
    acts = found.acts("attestation-renewal", ROWS, ANN)
    assert [act.title for act in acts] == ["Attest: Backups", "Attest: Keys"]
    address = urlsplit(acts[0].link)
    assert (address.netloc, address.path) == ("desk.example", "/sign-in")
    (token,) = parse_qs(address.query)["link"]
    link = SignInLinks(found.settings).read(token, now=NOW + timedelta(hours=23))
    assert (link.email, link.org_id) == (ANN, "acme")
    assert link.to == "/tables/attestations/act/attest?key.id=a%2C1&back=%2F"
    assert found.record("attestation-renewal", ROWS, ANN) == ""
    assert found.acts("attestation-renewal", ROWS, ANN) == acts


def test_without_a_desk_a_mail_has_the_record_of_its_first_row(tmp_path):
    acts = desk_acts(tmp_path)
    assert (acts.front_page(ANN), acts.acts("attestation-renewal", ROWS, ANN)) == ("", [])
    assert list(csv.reader(acts.record("attestation-renewal", ROWS, ANN).splitlines())) == [
        ["table", "id", "outcome", "attestor", "attested_at"],
        ["attestations", "a,1", "attested", ANN, "2026-11-20T08:30:00Z"],
    ]


def test_what_has_no_act_has_neither_and_many_rows_have_a_few(tmp_path):
    acts = desk_acts(tmp_path, SVC_DESK_URL="https://desk.example")
    assert (acts.acts("compliance-digest", ROWS, ANN), acts.record("compliance-digest", ROWS, ANN)) == ([], "")
    many = [pl.DataFrame({"attestation_id": [f"a{number}" for number in range(40)]})]
    assert len(acts.acts("attestation-renewal", many, ANN)) == MOST_ACTS
