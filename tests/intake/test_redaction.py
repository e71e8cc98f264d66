"""Secrets in texts that people type."""

import pytest

from engine.intake.redaction import redact_own_keys


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password=hunter2 fails", "password=[redacted] fails"),
        ("my key is svc_sk_abc-DEF_1 ok", "my key is [redacted] ok"),
        ("Which keys are old?", "Which keys are old?"),
    ],
)
def test_secrets_that_somebody_pasted_stay_here(text, kept):
    assert redact_own_keys(text) == kept
