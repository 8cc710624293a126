"""What every ``References`` promises. A subclass supplies a root with documents in it, as a setting names it."""

import hashlib
from abc import ABC, abstractmethod

import pytest

from connectors.documents.references import DocumentReferences
from mneme.errors import InputError
from mneme.ports import References
from mneme.settings import Documents

LARGEST = 1_000


class ReferencesContract(ABC):
    """The promises, one test each."""

    @pytest.fixture
    @abstractmethod
    def root(self) -> str:
        """A root, empty, beside which other documents may lie."""

    @abstractmethod
    def put(self, uri: str, content: bytes) -> None:
        """Let a document lie at a URI."""

    def opened(self, *roots: str) -> References:
        return DocumentReferences(Documents(roots=roots, largest_bytes=LARGEST))

    def test_what_lies_under_a_root_is_read(self, root: str):
        read = self.opened(root).read
        for name in ("note.txt", "inner/deep.txt", "names/v1..2/.hidden", "names/ü-茶.txt"):
            self.put(f"{root}/{name}", name.encode())
            assert read(f"{root}/{name}", "acme") == name.encode()

    def test_nothing_is_read_without_a_root(self, root: str):
        self.put(f"{root}/note.txt", b"a note")
        with pytest.raises(InputError, match=r"^uri: .*MNEME_DOCUMENTS__ROOTS"):
            self.opened().read(f"{root}/note.txt", "acme")

    def test_what_lies_beside_a_root_is_refused_the_same_whether_it_is_there_or_not(self, root: str):
        self.put(f"{root}-too/secret.txt", b"canary")
        reasons = set()
        for beside in ("-too/secret.txt", "-too/absent.txt", "-three/absent.txt"):
            with pytest.raises(InputError, match=r"^uri: ") as refused:
                self.opened(root).read(f"{root}{beside}", "acme")
            reasons.add(str(refused.value))
        assert len(reasons) == 1
        assert "secret" not in reasons.pop()

    @pytest.mark.parametrize("way", ["/../{0}-too/secret.txt", "/inner/../../{0}-too/secret.txt", "", "/", "/.", "/.."])
    def test_no_way_leads_out_of_a_root(self, root: str, way: str):
        self.put(f"{root}-too/secret.txt", b"canary")
        self.put(f"{root}/inner/deep.txt", b"deep")
        with pytest.raises(InputError, match=r"^uri: "):
            self.opened(root).read(root + way.format(root.rpartition("/")[2]), "acme")

    def test_what_is_not_there_is_refused_and_not_tried_again(self, root: str):
        self.put(f"{root}/note.txt", b"a note")
        read = self.opened(root).read
        for name in ("absent.txt", "note.txt/inside", "absent/absent.txt"):
            with pytest.raises(InputError, match=r"^uri: "):
                read(f"{root}/{name}", "acme")

    def test_a_document_of_the_largest_size_is_read_and_a_larger_one_is_not(self, root: str):
        self.put(f"{root}/full", b"x" * LARGEST)
        self.put(f"{root}/over", b"x" * (LARGEST + 1))
        read = self.opened(root).read
        assert len(read(f"{root}/full", "acme")) == LARGEST
        with pytest.raises(InputError, match=rf"^uri: .*more than {LARGEST} bytes.*MNEME_DOCUMENTS__LARGEST_BYTES"):
            read(f"{root}/over", "acme")

    def test_an_empty_document_is_read_as_such(self, root: str):
        self.put(f"{root}/empty", b"")
        assert self.opened(root).read(f"{root}/empty", "acme") == b""

    def test_the_content_must_have_the_hash_that_was_promised(self, root: str):
        self.put(f"{root}/note.txt", b"a note")
        read = self.opened(root).read
        assert read(f"{root}/note.txt", "acme", hashlib.sha256(b"a note").hexdigest()) == b"a note"
        with pytest.raises(InputError, match=r"^sha256: .*another content"):
            read(f"{root}/note.txt", "acme", hashlib.sha256(b"another").hexdigest())

    def test_a_root_for_each_tenant_keeps_tenants_apart(self, root: str):
        self.put(f"{root}/acme/a.txt", b"acme's")
        read = self.opened(f"{root}/{{tenant}}").read
        assert read(f"{root}/acme/a.txt", "acme") == b"acme's"
        for stranger in ("other", "..", ".", "acme/", "acme/../acme", "ACME", "*", "{tenant}", "acme%2f.."):
            with pytest.raises(InputError, match=r"^uri: "):
                read(f"{root}/acme/a.txt", stranger)

    @pytest.mark.parametrize("scheme", ["http", "https", "HTTP", "ftp", "sftp", "s3a", "zip", "simplecache", "S3", "x"])
    def test_no_other_scheme_is_read(self, root: str, scheme: str):
        self.put(f"{root}/note.txt", b"a note")
        for uri in (f"{scheme}://{root.partition('://')[2]}/note.txt", f"{scheme}::{root}/note.txt"):
            with pytest.raises(InputError, match=r"^uri: ") as refused:
                self.opened(root).read(uri, "acme")
            assert "note" not in str(refused.value), "a URI may hold a password"
