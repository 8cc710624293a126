import socket

import pytest
from opensearchpy.exceptions import ConnectionTimeout, SerializationError, SSLError

from connectors.clients import without_credentials
from connectors.opensearch.client import may_pass, open_client, store_error
from connectors.opensearch.index import OpenSearchIndex
from mneme.errors import SettingsError, StoreRejected, StoreUnavailable
from mneme.settings import OpenSearch
from tests.cases.groups import group_of
from tests.contracts.rows import EMBEDDER


@pytest.fixture
def nobody():
    """A port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_an_unreachable_server_is_named_without_its_password(nobody):
    index = OpenSearchIndex(OpenSearch(url=f"http://admin:secret@127.0.0.1:{nobody}"))
    with pytest.raises(
        StoreUnavailable, match=rf"http://127\.0\.0\.1:{nobody} cannot be reached.*MNEME_OPENSEARCH__URL"
    ) as refusal:
        index.prepare(EMBEDDER)
    assert "secret" not in str(refusal.value)
    index.close()


def test_no_answer_in_time_names_the_remedy():
    error = store_error(ConnectionTimeout("TIMEOUT", "slow", OSError("slow")), "http://127.0.0.1:9200")
    assert isinstance(error, StoreUnavailable)
    assert "look at its load" in str(error)


def test_an_untrusted_certificate_names_the_setting():
    error = store_error(SSLError("N/A", "CERTIFICATE_VERIFY_FAILED", OSError("CERTIFICATE_VERIFY_FAILED")), "https://x")
    assert isinstance(error, StoreRejected)
    assert "MNEME_OPENSEARCH__CA_CERTS" in str(error)


def test_something_that_is_no_opensearch_is_said_to_be_none():
    error = store_error(SerializationError("<html>"), "http://127.0.0.1:9200")
    assert isinstance(error, StoreRejected)
    assert "MNEME_OPENSEARCH__URL" in str(error)


@pytest.mark.parametrize("url", ["127.0.0.1:9200", "ftp://127.0.0.1", ""])
def test_a_url_without_http_is_refused(url):
    with pytest.raises(SettingsError, match=r"MNEME_OPENSEARCH__URL"):
        open_client(OpenSearch(url=url))


def test_a_missing_file_of_authorities_is_a_wrong_setting(tmp_path):
    with pytest.raises(SettingsError, match=r"MNEME_OPENSEARCH__CA_CERTS"):
        open_client(OpenSearch(url="https://127.0.0.1:9200", ca_certs=str(tmp_path / "absent.pem")))


def headers_of(**settings):
    client = open_client(group_of(OpenSearch, **settings))
    headers = client.transport.get_connection().headers
    client.close()
    return headers


def test_name_and_password_are_sent_as_basic_authorization():
    assert headers_of(username="admin", password="secret")["authorization"] == "Basic YWRtaW46c2VjcmV0"


def test_an_api_key_is_sent_as_authorization():
    assert headers_of(api_key="abc")["authorization"] == "ApiKey abc"


@pytest.mark.parametrize("verify", [True, False])
def test_certificates_are_checked_unless_told(verify):
    client = open_client(OpenSearch(url="https://search.example.org:9200", verify_certs=verify))
    pool = client.transport.get_connection().pool
    assert pool.cert_reqs == ("CERT_REQUIRED" if verify else "CERT_NONE")
    assert (pool.host, pool.port) == ("search.example.org", 9200)
    client.close()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:9200", "http://127.0.0.1:9200"),
        ("https://user:p%40ss@search.example.org/path", "https://search.example.org/path"),
    ],
)
def test_a_url_is_shown_without_credentials(url, expected):
    assert without_credentials(url) == expected


def test_an_index_whose_shards_have_not_started_yet_may_be_read_later() -> None:
    assert may_pass(404, "no_shard_available_action_exception", "No shard available for [mneme-facts-1]")
