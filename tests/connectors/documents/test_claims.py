"""How an event carries a document, and that what is left by claim check is what the reader finds."""

import errno
import os
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.documents.claims import Carrier, text_of
from connectors.documents.references import DocumentReferences
from mneme.errors import DiskFull, InputError, SettingsError, StoreRejected, StoreUnavailable
from mneme.ids import content_hash
from mneme.records import Owner
from mneme.settings import Documents

LARGE = b"\x89large" * 20
LIMITS = {"inline_bytes": 100, "largest_bytes": 1_000}


def owner(tenant: str, identity: str = "ann") -> Owner:
    return Owner(tenant_id=tenant, type="user", id=identity)


ANN = owner("acme")


@pytest.fixture(params=["folder", "folder of each tenant", "store", "store of each tenant"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place for claim checks that the reader may read."""
    from fsspec.implementations.memory import MemoryFileSystem

    own = "/{tenant}" if "each" in request.param else ""
    yield (f"file://{tmp_path}" if "folder" in request.param else "memory://bucket/claims") + own
    MemoryFileSystem.store.clear()


def test_a_text_goes_as_it_is_and_other_bytes_as_base64():
    carrier = Carrier(Documents(**LIMITS))
    for content in ("Tea – 茶\r\n".encode(), b"", "\ufeffwith a mark".encode()):
        carried = carrier.carry(content, ANN, "paper")
        assert (carried.content or "").encode() == content
        assert carried.data is carried.uri is carried.sha256 is None
    for content in (b"\x89PNG\r\n", b"caf\xe9", b"a\0b", "Tea".encode("utf-16")):
        carried = carrier.carry(content, ANN, "paper")
        assert b64decode(carried.data or "") == content
        assert carried.content is carried.uri is carried.sha256 is None


def test_what_is_too_large_for_an_event_is_read_back_from_where_it_was_left(place: str):
    settings = Documents(store=place, roots=(place,), **LIMITS)
    assert Carrier(settings).carry(LARGE[:100], ANN, "paper").uri is None
    carried = Carrier(settings).carry(LARGE, ANN, "paper")
    assert carried.content is carried.data is None
    assert carried.sha256 == content_hash(LARGE)
    assert DocumentReferences(settings).read(carried.uri or "", "acme", carried.sha256) == LARGE


def test_what_is_left_again_lies_where_it_lay(place: str):
    carrier = Carrier(Documents(store=place, **LIMITS))
    assert carrier.carry(LARGE, ANN, "paper") == carrier.carry(LARGE, ANN, "paper")
    assert carrier.carry(LARGE, ANN, "paper") != carrier.carry(LARGE + b".", ANN, "paper")


def test_what_is_left_lies_apart_for_each_document_of_each_owner(place: str):
    carrier = Carrier(Documents(store=place, **LIMITS))
    left = [carrier.carry(LARGE, whose, of).uri or "" for whose in (ANN, owner("acme", "eve")) for of in ("paper", "../paper")]
    folders = {uri.rpartition("/")[0] for uri in left}
    assert len(folders) == 4
    assert len({folder.rpartition("/")[0] for folder in folders}) == 2, "what is of one owner lies together"
    assert not [uri for uri in left if "ann" in uri.removeprefix(place) or "paper" in uri.removeprefix(place)]


def test_a_folder_that_an_erasure_takes_away_meanwhile_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    replace, times = Path.replace, iter([True, True])

    def taken_away(written: Path, target: Path) -> Path:
        if next(times, False):
            written.unlink()
            written.parent.rmdir()
        return replace(written, target)

    monkeypatch.setattr(Path, "replace", taken_away)
    settings = Documents(store=str(tmp_path), roots=(str(tmp_path),), **LIMITS)
    carried = Carrier(settings).carry(LARGE, ANN, "paper")
    assert DocumentReferences(settings).read(carried.uri or "", "acme") == LARGE


def test_tenants_do_not_find_what_others_left(place: str):
    settings = Documents(store=place, roots=(f"{place.removesuffix('/{tenant}')}/{{tenant}}",), **LIMITS)
    for tenant in ("acme", "..", "a/b", "ACME"):
        carried = Carrier(settings).carry(LARGE, owner(tenant), "paper")
        assert DocumentReferences(settings).read(carried.uri or "", tenant) == LARGE
        with pytest.raises(InputError, match=r"^uri: "):
            DocumentReferences(settings).read(carried.uri or "", "other")


def test_without_a_place_the_settings_are_named():
    with pytest.raises(InputError, match=r"120 bytes.*MNEME_DOCUMENTS__INLINE_BYTES.*MNEME_DOCUMENTS__STORE.*_ROOTS"):
        Carrier(Documents(**LIMITS)).carry(LARGE, ANN, "paper")


def test_what_no_reader_would_take_is_refused_at_once(place: str, tmp_path: Path):
    carrier = Carrier(Documents(store=place, **LIMITS))
    (tmp_path / "large.bin").write_bytes(b"x" * 5_000)
    for content in (b"x" * 1_001, carrier.read(tmp_path / "large.bin")):
        with pytest.raises(InputError, match=r"over 1000 bytes.*MNEME_DOCUMENTS__LARGEST_BYTES"):
            carrier.carry(content, ANN, "paper")
    with pytest.raises(InputError, match=r"absent\.pdf: no such file"):
        carrier.read(tmp_path / "absent.pdf")


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    carrier = Carrier(Documents(store=str(tmp_path), **LIMITS))
    seen: list[list[str]] = []

    def full(descriptor: int) -> None:
        seen.append([path.parent.name for path in tmp_path.rglob("*") if path.is_file()])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match=r"^MNEME_DOCUMENTS__STORE: no space left"):
        carrier.carry(LARGE, ANN, "paper")
    assert [folder.startswith(".") for [folder] in seen] == [True], "in its own place it would be found unfinished"
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_others_may_read_what_is_left(tmp_path: Path):
    uri = Carrier(Documents(store=f"file://{tmp_path}", **LIMITS)).carry(LARGE, ANN, "paper").uri
    mode = Path((uri or "").removeprefix("file://")).stat().st_mode
    mask = os.umask(0)
    os.umask(mask)
    assert mode & 0o777 == 0o666 & ~mask


def test_a_share_that_is_not_mounted_is_not_made(tmp_path: Path):
    for store in (tmp_path / "share", tmp_path / "share" / "{tenant}"):
        with pytest.raises(StoreUnavailable, match=r"^MNEME_DOCUMENTS__STORE: the folder is not there"):
            Carrier(Documents(store=str(store), **LIMITS)).carry(LARGE, ANN, "paper")
    assert not (tmp_path / "share").exists()


def test_a_store_that_refuses_is_named_by_its_setting(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(StoreRejected, match=r"^MNEME_DOCUMENTS__STORE: gs:// needs the package gcsfs"):
        Carrier(Documents(store="gs://bucket/claims", **LIMITS)).carry(LARGE, ANN, "paper")
    with pytest.raises(SettingsError, match=r"^MNEME_DOCUMENTS__STORE: http"):
        Carrier(Documents(store="http://example.org", **LIMITS))


def test_only_what_comes_back_exactly_is_text():
    assert text_of("é\r\n".encode()) == "é\r\n"
    assert text_of(b"\xff") is text_of(b"\0") is None
