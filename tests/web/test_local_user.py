"""Session-mode for one local user: which organization it is."""

REPORT = "/api/governance/compliance/summary"


def test_the_organization_of_the_local_user_must_exist(environment, request):
    environment |= {"SVC_SESSION_AUTH": "off", "SVC_LOCAL_ORG": "nobody"}
    answer = request.getfixturevalue("sign_in")(None).get(REPORT)
    assert (answer.status, answer.json) == (
        404,
        {"error": "unknown_organization", "message": "SVC_LOCAL_ORG names 'nobody', which does not exist."},
    )


def test_the_local_user_works_in_the_organization_that_is_set(environment, request):
    environment |= {"SVC_SESSION_AUTH": "off", "SVC_LOCAL_ORG": "other"}
    assert request.getfixturevalue("sign_in")(None).get(REPORT).json["organization"]["id"] == "other"
