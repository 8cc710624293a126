"""Objects of stores: through fsspec's memory, and through the real protocol of S3."""

import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from connectors.documents import stores
from connectors.documents.references import DocumentReferences
from connectors.documents.stores import Refused, Store, place_of
from mneme.errors import InputError, SettingsError, StoreUnavailable
from mneme.settings import Documents
from tests.connectors.documents.s3_help import BUCKET, told
from tests.contracts.references import LARGEST, ReferencesContract


class TestMemory(ReferencesContract):
    @pytest.fixture
    def root(self) -> Iterator[str]:
        from fsspec.implementations.memory import MemoryFileSystem

        yield f"memory://{BUCKET}/in"
        MemoryFileSystem.store.clear()
        MemoryFileSystem.pseudo_dirs[:] = [""]

    def put(self, uri: str, content: bytes) -> None:
        Store("memory").write(uri.partition("://")[2], content)


class TestS3(ReferencesContract):
    @pytest.fixture
    def root(self, s3: Any, environment: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
        self.client = s3
        return f"s3://{BUCKET}/{abs(hash(request.node.name))}/in"

    def put(self, uri: str, content: bytes) -> None:
        bucket, _, key = uri.partition("://")[2].partition("/")
        self.client.put_object(Bucket=bucket, Key=key, Body=content)

    def test_a_key_is_taken_as_it_is_written(self, root: str):
        read = self.opened(root).read
        for name in ("a b+c?d#e.txt", "%2e%2e/x", "100%.txt", "*", "[a]"):
            self.put(f"{root}/{name}", name.encode())
            assert read(f"{root}/{name}", "acme") == name.encode()

    def test_another_bucket_is_refused_before_it_is_asked(self, root: str, environment: pytest.MonkeyPatch):
        told(environment, "http://127.0.0.1:9")
        with pytest.raises(InputError, match="under no prefix"):
            self.opened(root).read(root.replace(BUCKET, f"{BUCKET}-too") + "/note.txt", "acme")

    @pytest.mark.parametrize("base", ["absent-bucket", "BAD_bucket!!"])
    def test_a_bucket_that_is_not_there_is_refused(self, environment: pytest.MonkeyPatch, base: str):
        with pytest.raises(InputError, match=r"^uri: the store"):
            self.opened(f"s3://{base}").read(f"s3://{base}/note.txt", "acme")

    def test_what_may_not_be_read_is_refused_without_a_word_of_the_credentials(
        self, root: str, monkeypatch: pytest.MonkeyPatch
    ):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_CONFIG_FILE", "/absent")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/absent")
        with pytest.raises(InputError, match="credentials") as refused:
            self.opened(root).read(f"{root}/note.txt", "acme")
        assert "canary" not in str(refused.value)

    def test_a_store_out_of_reach_is_worth_another_try(self, root: str, environment: pytest.MonkeyPatch):
        told(environment, "http://127.0.0.1:9")
        environment.setenv("AWS_MAX_ATTEMPTS", "1")
        with pytest.raises(StoreUnavailable, match=r"^s3://: the store does not answer") as refused:
            self.opened(root).read(f"{root}/note.txt", "acme")
        assert "127.0.0.1" not in str(refused.value)

    def test_a_store_that_never_answers_is_given_up(self, environment: pytest.MonkeyPatch):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            told(environment, f"http://127.0.0.1:{silent.getsockname()[1]}")
            with pytest.raises(StoreUnavailable, match="TimeoutError"):
                Store("s3", seconds=0.5).read(f"{BUCKET}/note.txt", LARGEST)

    def test_many_threads_share_one_client(self, root: str):
        self.put(f"{root}/note.txt", b"a note")
        read, found = self.opened(root).read, []
        threads = [threading.Thread(target=lambda: found.append(read(f"{root}/note.txt", "acme"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [b"a note"] * 8


class _Lying:
    """A store that tells a wrong size, or none."""

    async_impl = False

    def __init__(self, size: int | None) -> None:
        self._size = size
        self.asked: list[int] = []

    def info(self, key: str) -> dict[str, Any]:
        return {"type": "file", "size": self._size}

    def cat_file(self, key: str, start: int, end: int) -> bytes:
        self.asked.append(end)
        return b"x" * end


@pytest.mark.parametrize(("size", "fetched"), [(None, [11]), (5, [11]), (11, [])])
def test_no_more_than_the_limit_is_fetched_and_nothing_of_what_is_told_to_be_larger(
    monkeypatch: pytest.MonkeyPatch, size: int | None, fetched: list[int]
):
    store, lying = Store("memory"), _Lying(size)
    monkeypatch.setattr(store, "_opened", lambda: lying)
    with pytest.raises(Refused, match="more than 10 bytes"):
        store.read("a/b", 10)
    assert lying.asked == fetched


@pytest.mark.parametrize(("scheme", "package"), [("s3", "s3fs"), ("gs", "gcsfs"), ("az", "adlfs")])
def test_a_store_whose_package_is_missing_says_which(monkeypatch: pytest.MonkeyPatch, scheme: str, package: str):
    monkeypatch.setitem(sys.modules, package, None)
    imported_before: dict[str, object] = sys.modules["fsspec.registry"]._registry
    monkeypatch.delitem(imported_before, scheme, raising=False)
    references = DocumentReferences(Documents(roots=(f"{scheme}://bucket",)))
    with pytest.raises(InputError, match=rf"^uri: {scheme}:// needs the package {package}; pip install {package}$"):
        references.read(f"{scheme}://bucket/note.txt", "acme")


def test_a_missing_fsspec_is_named_as_well(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(Refused, match=r"s3:// needs the package s3fs"):
        Store("s3").read("bucket/note.txt", LARGEST)


class _Status(Exception):  # what clients of Google and Azure raise
    def __init__(self, status: int) -> None:
        self.code = self.status_code = status


class DefaultCredentialsError(Exception):
    """As of google.auth."""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FileNotFoundError("canary"), "nothing there"),
        (PermissionError("canary"), "credentials"),
        (DefaultCredentialsError("canary"), "credentials"),
        (_Status(403), "credentials"),
        (_Status(404), "refuses the request"),
        (ValueError("canary"), "refuses the name"),
        (OSError(22, "canary"), "refuses the name"),
        (OSError(36, "canary"), "refuses the name"),
        (OSError(5, "canary"), None),
        (OSError(16, "canary"), None),
        (ConnectionRefusedError("canary"), None),
        (TimeoutError("canary"), None),
        (_Status(429), None),
        (_Status(503), None),
        (RuntimeError("canary"), None),
    ],
)
def test_errors_of_clients_are_told_apart(error: Exception, reason: str | None):
    told = stores._refusal(error)
    assert told is None if reason is None else reason in (told or "")
    assert "canary" not in (told or "")


@pytest.mark.parametrize(
    "root",
    [
        "http://example.org/a",
        "https://example.org/a",
        "ftp://example.org/a",
        "simplecache::s3://bucket/a",
        "s3://",
        "s3:///a",
        "s3://bucket//a",
        "s3://bucket/../a",
        "s3://key:canary@bucket/a",
        "file://host/a",
        "file://a",
        "file:///a?b",
        "",
        " ",
    ],
)
def test_a_root_that_is_no_place_is_refused_at_the_start(root: str):
    with pytest.raises(SettingsError, match=r"^MNEME_DOCUMENTS__ROOTS: ") as refused:
        DocumentReferences(Documents(roots=(root,)))
    assert "canary" not in str(refused.value)


def test_places_are_what_settings_name():
    assert str(place_of("/data/in", "X")) == str(place_of("file:///data/in", "X")) == "/data/in"
    assert str(place_of("file:///data/a%20b/{tenant}", "X")) == "/data/a b/{tenant}"
    assert getattr(place_of("s3://bucket/in/", "X"), "base", None) == "bucket/in"
