"""A server that speaks S3."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from tests.connectors.documents.s3_help import BUCKET, told


@pytest.fixture(scope="package")
def s3() -> Iterator[Any]:
    """A client of a server that speaks S3, with one bucket."""
    pytest.importorskip("s3fs", reason="needs the package s3fs")
    moto = pytest.importorskip("moto.server", reason="needs the packages moto and flask")
    import boto3

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    monkeypatch = pytest.MonkeyPatch()
    told(monkeypatch, address)
    client = boto3.client("s3")
    monkeypatch.undo()
    client.create_bucket(Bucket=BUCKET)
    yield client
    client.close()
    server.stop()


@pytest.fixture
def environment(s3: Any, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    told(monkeypatch, s3.meta.endpoint_url)
    return monkeypatch
