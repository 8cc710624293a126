"""That nothing of a document stays in the store of claim checks, and nothing else goes: folders, and the protocol of S3."""

import errno
import logging
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from connectors.documents.claims import Carrier, ErasedClaims, erase_claims
from connectors.documents.references import DocumentReferences
from connectors.documents.stores import Refused, Store
from mneme.errors import InputError, StoreUnavailable
from mneme.records import Owner
from mneme.settings import Documents
from tests.connectors.documents.s3_help import BUCKET, told

ANN, EVE = (Owner(tenant_id="acme", type="user", id=each) for each in ("ann", "eve"))
LATER = timedelta(seconds=5)  # more than any store is behind
LONG_AGO = timedelta(hours=-1)
NOTHING = ErasedClaims()


class Claims:
    """A store with a publisher and a reader."""

    def __init__(self, store: str) -> None:
        self.settings = Documents(store=store, roots=(store,), inline_bytes=1)
        self._carrier, self._references = Carrier(self.settings), DocumentReferences(self.settings)

    def leave(self, content: bytes, owner: Owner = ANN, document_id: str = "paper") -> str:
        uri = self._carrier.carry(content, owner, document_id).uri
        assert uri is not None
        return uri

    def is_there(self, uri: str, owner: Owner = ANN) -> bool:
        try:
            return bool(self._references.read(uri, owner.tenant_id))
        except InputError:
            return False

    def erase(self, document_id: str | None = None, after: timedelta = LATER) -> ErasedClaims:
        return erase_claims(self.settings, ANN, document_id, datetime.now(UTC) + after)


@pytest.fixture(params=["folder", "folder of each tenant", "memory", "s3"])
def claims(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Claims]:
    if request.param == "s3":
        request.getfixturevalue("environment")
        yield Claims(f"s3://{BUCKET}/{tmp_path.name}/{{tenant}}")
    elif request.param == "memory":
        from fsspec.implementations.memory import MemoryFileSystem

        yield Claims("memory://bucket/claims")
        MemoryFileSystem.store.clear()
    else:
        yield Claims(str(tmp_path / "{tenant}" if "each" in request.param else tmp_path))


def test_of_a_document_all_that_was_left_is_erased_and_nothing_of_others(claims: Claims):
    gone = [claims.leave(b"one edition"), claims.leave(b"another edition")]
    kept = [claims.leave(b"one edition", document_id="paper2"), claims.leave(b"one edition", EVE)]
    assert claims.erase("paper") == ErasedClaims(erased=2)
    assert [claims.is_there(uri) for uri in gone] == [False, False]
    assert [claims.is_there(uri) for uri in kept] == [True, True]
    assert claims.erase("paper") == NOTHING


def test_of_an_owner_all_documents_are_erased_and_nothing_of_others(claims: Claims):
    other = Owner(tenant_id="other", type="user", id="ann")
    gone = [claims.leave(b"content", document_id=each) for each in ("paper", "letter", "../x")]
    kept = [(claims.leave(b"content", owner), owner) for owner in (EVE, other)]
    assert claims.erase() == ErasedClaims(erased=3)
    assert not [uri for uri in gone if claims.is_there(uri)]
    assert all(claims.is_there(uri, owner) for uri, owner in kept)


def test_where_nothing_was_left_nothing_is_raised(claims: Claims):
    assert claims.erase("paper") == claims.erase() == NOTHING
    claims.leave(b"content", EVE)
    assert claims.erase("paper") == claims.erase() == NOTHING
    assert erase_claims(Documents(), ANN, None, datetime.now(UTC)) == NOTHING


def test_what_is_left_after_the_erasure_stays(claims: Claims):
    uri = claims.leave(b"content")
    assert claims.erase("paper", LONG_AGO) == claims.erase(after=LONG_AGO) == NOTHING
    assert claims.is_there(uri)


def test_what_is_left_again_counts_as_new(tmp_path: Path):
    claims = Claims(str(tmp_path))
    old = claims.leave(b"old")
    kept = Path(claims.leave(b"content").removeprefix("file://"))
    for each in (kept, Path(old.removeprefix("file://"))):
        os.utime(each, (time.time() - 60, time.time() - 60))
    before = timedelta(seconds=-30)
    assert claims.leave(b"content") == kept.as_uri()
    assert claims.erase("paper", before) == ErasedClaims(erased=1)
    assert [claims.is_there(uri) for uri in (old, kept.as_uri())] == [False, True]


def test_no_folder_and_nothing_unfinished_is_left_on_the_disk(tmp_path: Path):
    claims = Claims(str(tmp_path))
    for document_id in ("paper", "letter"):
        uri = claims.leave(b"content", document_id=document_id)
        Path(uri.removeprefix("file://")).with_name(".unfinished").write_bytes(b"cont")
    assert claims.erase("letter") == ErasedClaims(erased=2)
    assert claims.erase() == ErasedClaims(erased=2)
    assert [each.name for each in tmp_path.rglob("*")] == ["acme"]


def test_a_link_in_place_of_a_folder_leads_nowhere(tmp_path: Path):
    claims = Claims(str(tmp_path))
    hers = Path(claims.leave(b"content", EVE).removeprefix("file://")).parent
    mine = Path(claims.leave(b"content").removeprefix("file://")).parent
    claims.erase()
    mine.parent.symlink_to(hers.parent)
    for document_id in ("paper", None):
        assert claims.erase(document_id) == ErasedClaims(refused=1)
    mine.parent.unlink()
    mine.mkdir(parents=True)
    (mine / "link").symlink_to(next(hers.iterdir()))
    (mine / "folder").symlink_to(hers)
    claims.erase()
    assert [each.is_file() for each in hers.iterdir()] == [True]


def test_a_folder_that_refuses_is_told_once_and_counted(tmp_path: Path, monkeypatch, caplog: pytest.LogCaptureFixture):
    claims = Claims(str(tmp_path))
    uris = [claims.leave(content) for content in (b"one", b"two")]

    def refuse(name: str, **where: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", name)

    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
        patched.setattr(os, "unlink", refuse)
        assert claims.erase("paper") == ErasedClaims(refused=2)
    [told_once] = caplog.messages
    assert "2 claim checks" in told_once
    assert "MNEME_DOCUMENTS__STORE" in told_once
    assert all(claims.is_there(uri) for uri in uris)
    assert claims.erase("paper") == ErasedClaims(erased=2)


def test_a_folder_that_fails_is_worth_another_try(tmp_path: Path, monkeypatch):
    claims = Claims(str(tmp_path))
    claims.leave(b"content")

    def fail(name: str, **where: Any) -> None:
        raise OSError(errno.ESTALE, "Stale file handle", name)

    monkeypatch.setattr(os, "unlink", fail)
    with pytest.raises(StoreUnavailable, match=r"^MNEME_DOCUMENTS__STORE: stale file handle"):
        claims.erase()


def test_a_share_or_a_bucket_that_is_not_there_is_no_erasure(tmp_path: Path, environment: pytest.MonkeyPatch):
    for store in (str(tmp_path / "share" / "{tenant}"), "s3://absent-bucket/claims"):
        assert Claims(store).erase() == ErasedClaims(refused=1)


def test_a_store_that_does_not_answer_is_worth_another_try(environment: pytest.MonkeyPatch):
    told(environment, "http://127.0.0.1:9")
    environment.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(StoreUnavailable, match=r"^s3://: the store does not answer"):
        Claims(f"s3://{BUCKET}/claims").erase()


@pytest.mark.parametrize("request_of_the_store", ["_rm_file", "_find"])
def test_a_store_that_refuses_is_counted(
    environment: pytest.MonkeyPatch, request_of_the_store: str, caplog: pytest.LogCaptureFixture
):
    import s3fs

    claims = Claims(f"s3://{BUCKET}/{request_of_the_store}")
    uri = claims.leave(b"content")

    async def refuse(*asked: Any, **options: Any) -> None:
        raise PermissionError("Access Denied canary")

    with environment.context() as patched, caplog.at_level(logging.WARNING):
        patched.setattr(s3fs.S3FileSystem, request_of_the_store, refuse)
        assert claims.erase("paper") == ErasedClaims(refused=1)
    assert [text for text in caplog.messages if "the store refuses us" in text]
    assert "canary" not in caplog.text
    assert claims.is_there(uri)


def test_an_object_whose_age_is_not_told_stays_and_is_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Store, "list", lambda store, prefix: {f"{prefix}/x": None})
    assert Claims("memory://bucket/claims").erase("paper") == ErasedClaims(refused=1)


def test_a_listing_holds_what_lies_below_and_nothing_beside(environment: pytest.MonkeyPatch):
    store = Store("s3")
    for name in ("list/a/b", "list/c", "listed"):
        store.write(f"{BUCKET}/{name}", b"x")
    assert sorted(store.list(f"{BUCKET}/list")) == [f"{BUCKET}/list/a/b", f"{BUCKET}/list/c"]
    assert store.list(f"{BUCKET}/listed") == {}
    store.remove(f"{BUCKET}/list/c")
    store.remove(f"{BUCKET}/list/c")
    assert sorted(store.list(f"{BUCKET}/list")) == [f"{BUCKET}/list/a/b"]
    with pytest.raises(Refused):
        store.remove("BAD_bucket!!/x")
