"""What pages call people."""

from tests.factories import ORG

ANN, BOB, CY, DEE = (f"{name}@acme.example" for name in ("ann", "bob", "cy", "dee"))


def names_by_email(known, users=(), members=()):
    facts = known(users=list(users), memberships=[{"role": "member", **row} for row in members])
    return dict(facts.of(ORG, "names").select("email", "name").iter_rows())


def test_the_name_of_the_membership_comes_before_that_of_the_profile(facts_with):
    users = [{"email": ANN, "name": "A. Nguyen"}, {"email": BOB, "name": "Bob Ito"}]
    members = [{"email": ANN, "display_name": "Ann Nguyen"}, {"email": BOB}, {"email": CY, "display_name": "Cy Roth"}]
    assert names_by_email(facts_with, users, members) == {ANN: "Ann Nguyen", BOB: "Bob Ito", CY: "Cy Roth"}


def test_two_people_of_one_name_are_told_apart_by_their_addresses(facts_with):
    members = [{"email": email, "display_name": " Ann Nguyen "} for email in (ANN, BOB)]
    assert names_by_email(facts_with, members=members) == {ANN: f"Ann Nguyen ({ANN})", BOB: f"Ann Nguyen ({BOB})"}


def test_who_has_no_name_is_not_called_by_one(facts_with):
    assert (
        names_by_email(facts_with, [{"email": ANN}, {"email": DEE, "name": "  "}], [{"email": BOB, "display_name": ""}])
        == {}
    )
    assert names_by_email(facts_with) == {}
