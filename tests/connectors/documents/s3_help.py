"""What the clients of a server that speaks S3 are told."""

import pytest

BUCKET = "letters"


def told(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    for name, value in {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "canary",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
