"""Logging in to a real OpenSearch through TLS."""

import base64
import logging

import pytest
from pydantic import SecretStr

from connectors.opensearch.index import OpenSearchIndex
from mneme.errors import StoreRejected
from mneme.ports import Put
from mneme.settings import OpenSearch
from tests.contracts.rows import EMBEDDER, fact
from tests.servers.certificates import make_certificate
from tests.servers.https_front import HttpsFront

pytestmark = pytest.mark.opensearch

PASSWORD, KEY = "canary-password", "canary-api-key"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    return make_certificate(folder, "trusted"), make_certificate(folder, "stranger")


@pytest.fixture
def front(opensearch_settings, certificates):
    """Lets in mneme with the password or the key."""
    basic = base64.b64encode(f"mneme:{PASSWORD}".encode()).decode()
    with HttpsFront(opensearch_settings.url, certificates[0], frozenset({f"Basic {basic}", f"ApiKey {KEY}"})) as front:
        yield front


@pytest.fixture
def secure(front, opensearch_settings, certificates) -> OpenSearch:
    """Settings that get through, and indices that are removed at the end."""
    login = {
        "username": "mneme",
        "password": SecretStr(PASSWORD),
        "ca_certs": str(certificates[0].certificate),
        "url": front.url,
    }
    yield opensearch_settings.model_copy(update=login)
    plain = OpenSearchIndex(opensearch_settings)
    if there := plain._indices():
        plain._client.indices.delete(index=",".join(name for name, _ in there.values()))
    plain.close()


def prepared(settings: OpenSearch) -> None:
    index = OpenSearchIndex(settings)
    try:
        index.prepare(EMBEDDER)
    finally:
        index.close()


def test_rows_go_in_and_out_with_name_and_password(secure):
    index = OpenSearchIndex(secure)
    index.prepare(EMBEDDER)
    row = fact("f", "green tea")
    index.write([Put(row)])
    assert row.key in index.get([row.key])
    index.close()


def test_an_api_key_opens_as_well(secure):
    prepared(secure.model_copy(update={"username": None, "password": None, "api_key": SecretStr(KEY)}))


@pytest.mark.parametrize(
    ("changes", "setting"),
    [
        ({"password": SecretStr("canary-wrong")}, "MNEME_OPENSEARCH__PASSWORD"),
        ({"username": None, "password": None}, "MNEME_OPENSEARCH__USERNAME"),
        ({"username": None, "password": None, "api_key": SecretStr("canary-wrong")}, "MNEME_OPENSEARCH__API_KEY"),
        ({"ca_certs": None}, "MNEME_OPENSEARCH__CA_CERTS"),
    ],
)
def test_who_is_not_let_in_is_told_the_setting_and_no_secret_is_shown(secure, changes, setting, caplog):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(StoreRejected, match=setting) as refused:
        prepared(secure.model_copy(update=changes))
    shown = f"{refused.value} {refused.value!r} {caplog.text} {secure!r} {secure}"
    for secret in ("canary", base64.b64encode(b"mneme:canary")[:14].decode()):
        assert secret not in shown


def test_a_server_with_the_certificate_of_another_is_not_trusted(secure, certificates):
    prepared(secure)
    with pytest.raises(StoreRejected, match=r"not trusted.*MNEME_OPENSEARCH__CA_CERTS"):
        prepared(secure.model_copy(update={"ca_certs": str(certificates[1].certificate)}))
