"""Columns about people, their roles and committees."""

from collections.abc import Mapping

from engine.model.columns.column import Column

PEOPLE: Mapping[str, Column] = {
    "accountable": Column(
        "Accountable",
        "",
        "Who answers for it; in counts of people, how many controls somebody answers for.",
        cells="text",
    ),
    "accountable_without_authority": Column(
        "Accountable without authority", "count", "Controls whose accountable person is no active user."
    ),
    "active": Column(
        "Active", "flag", "Whether it still stands: a hold that is not released, a person who has not left."
    ),
    "actor": Column("Actor", "text", "Who or what did it."),
    "alone": Column(
        "R and A alone", "count", "Controls for which the person is both the only responsible and the accountable one."
    ),
    "backup": Column("Backup", "text", "Who stands in for the owner."),
    "chair": Column("Chair", "text", "Who leads the committee."),
    "committee": Column("Committee", "text", "Committee of the owner."),
    "committee_id": Column("Committee ID", "text", "Identifier of the committee."),
    "committees": Column("Committees", "texts", "Committees that meet or that somebody sits in."),
    "consulted": Column(
        "Consulted", "", "Who is asked before; in counts of people, for how many controls somebody is asked."
    ),
    "email": Column("Person", "text", "E-mail address of the person."),
    "escalate_to": Column("Also to", "text", "Who is told as well about what is overdue."),
    "headcount": Column("Headcount", "count", "People of the organization."),
    "informed": Column(
        "Informed", "", "Who is told after; in counts of people, for how many controls somebody is told."
    ),
    "key_person": Column("Key person", "flag", "Whether the person answers for more controls than one should."),
    "meets_on": Column("Next meeting", "date", "Day of the committee's next meeting."),
    "members": Column("Members", "", "People who belong to it.", cells="texts"),
    "no_accountable": Column("No accountable", "count", "Controls for which nobody is accountable."),
    "no_responsible": Column("No responsible", "count", "Controls for which nobody is responsible."),
    "owner": Column("Owner", "text", "Who is in charge of it; empty is nobody."),
    "owner_left": Column("Owner has left", "flag", "Whether the owner has left."),
    "owners": Column("Owners", "", "Owners that are concerned."),
    "ownership_complete": Column(
        "Ownership complete", "flag", "Whether somebody is responsible and exactly one active person accountable."
    ),
    "people": Column("People", "texts", "People that the finding is about."),
    "responsible": Column("Responsible", "", "Who does the work; in counts of people, for how many controls."),
    "responsible_left": Column("Responsible left", "count", "Controls for which somebody is responsible who has left."),
    "role": Column("Role", "word", "Role of the person."),
    "same_person": Column(
        "Same person", "count", "Controls whose only responsible and only accountable person are the same."
    ),
    "several_accountable": Column(
        "Several accountable", "count", "Controls for which more than one person is accountable."
    ),
    "too_many_consulted": Column(
        "Too many consulted", "count", "Controls for which more than five people are asked before."
    ),
}
