"""The systems behind the services as somebody declared them, and the data that moves between them."""

from data.demo.cast import people
from data.demo.cast.vendor_names import NAMES as NAMES_OF_VENDORS
from data.demo.history.story import Story
from data.demo.operations.services import NAMES, service_id
from data.demo.programme import vendors


def fill(story: Story) -> None:
    """A system for each service but the last, which runs undocumented, and two that are out of scope."""
    profile, rng, owners = story.profile, story.rng("systems"), people.active(story)
    named = NAMES[profile.org]
    frameworks = list(profile.frameworks)
    for name, criticality, internet, customer in named[:-1]:
        classes = {"aurora": "health records; contact data", "brightline": "card data; contact data"}
        pci = (
            "cde"
            if name in ("card-vault", "billing", "checkout")
            else "connected_to"
            if internet
            else "security_impacting"
        )
        story.add(
            "systems",
            id=f"sys-{name}",
            name=f"{name} production",
            owner=rng.choice(owners),
            service_id=service_id(name),
            data_classes=classes.get(profile.org, "customer content; contact data") if customer else None,
            region=profile.region,
            boundary="inside",
            environment="production",
            frameworks="; ".join(frameworks if criticality > 2 else frameworks[:2]),
            pci_class=pci if "pci-dss" in profile.frameworks else None,
            last_reviewed_on=story.day(rng.randint(20, 390)),
        )
    for name, why in (("marketing-site", "static pages without personal data"), ("sandbox", None)):
        story.add(
            "systems",
            id=f"sys-{name}",
            name=name,
            owner=rng.choice(owners),
            region=profile.region,
            boundary="outside",
            environment="development" if name == "sandbox" else "production",
            pci_class="out" if "pci-dss" in profile.frameworks else None,
            justification=why,
            last_reviewed_on=story.day(rng.randint(60, 300)) if why else None,
        )
    documented = {row["service_id"]: row for row in story.tables["systems"] if "service_id" in row}
    for number, edge in enumerate(story.tables["service_dependencies"]):
        source, target = documented.get(edge["service_id"]), documented.get(edge["depends_on_id"])
        if source and target and source["data_classes"] and number % 2 == 0:
            story.add(
                "data_flows",
                id=story.number("FLOW"),
                from_system=source["id"],
                to_system=target["id"],
                data_class=source["data_classes"].split("; ")[0],
                protocol="http" if number % 38 == 4 else "https" if number % 3 else "tls",
                encrypted=number % 38 != 4,
            )
    data_class = story.tables["data_flows"][0]["data_class"]
    story.add(
        "data_flows",
        id=story.number("FLOW"),
        from_system=f"sys-{named[0][0]}",
        to_system="sys-sandbox",
        data_class=data_class,
        protocol="sftp",
        encrypted=True,
    )
    for position in (5, 7, 8):
        name = NAMES_OF_VENDORS[position][0]
        system = f"sys-{vendors.identifier(name)}"
        story.add(
            "systems", id=system, name=name, region=profile.region, boundary="outside", justification="run by a vendor"
        )
        story.add(
            "data_flows",
            id=story.number("FLOW"),
            from_system=f"sys-{named[0][0]}",
            to_system=system,
            data_class=data_class,
            protocol="https",
            encrypted=True,
            vendor_id=vendors.identifier(name),
            agreement_ref=f"processing agreement with {name}",
        )
