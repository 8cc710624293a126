"""Documents by reference: what may be read, what may not, and that nothing ever reaches a network."""

import os
import re
import socket
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.documents.references import DocumentReferences
from mneme.errors import InputError
from mneme.settings import Documents
from tests.contracts.references import LARGEST, ReferencesContract


class TestFiles(ReferencesContract):
    @pytest.fixture
    def root(self, tmp_path: Path) -> str:
        (tmp_path / "in").mkdir()
        return f"file://{tmp_path}/in"

    def put(self, uri: str, content: bytes) -> None:
        path = Path(uri.removeprefix("file://"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a document, beside a secret."""
    folder = tmp_path / "documents"
    (folder / "inner").mkdir(parents=True)
    (folder / "a note.txt").write_text("a note")
    (folder / "inner" / "deep.txt").write_text("deep")
    (tmp_path / "secret.txt").write_text("canary")
    (tmp_path / "documents-too").mkdir()
    (tmp_path / "documents-too" / "secret.txt").write_text("canary")
    return folder


@pytest.fixture
def references(root: Path) -> DocumentReferences:
    return DocumentReferences(Documents(roots=(str(root),), largest_bytes=LARGEST))


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a socket, or asks for an address, fails the test."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)


def test_a_file_under_a_root_is_read(references: DocumentReferences, root: Path):
    assert references.read((root / "a note.txt").as_uri(), "acme") == b"a note"
    assert references.read(f"file://{root}/inner/../a%20note.txt", "acme") == b"a note"
    assert references.read(f"file:{root}/inner/deep.txt", "acme") == b"deep"


@pytest.mark.parametrize(
    "uri",
    [
        "http://169.254.169.254/latest/meta-data/",
        "https://169.254.169.254/latest/meta-data/",
        "http://localhost:9200/_search",
        "http://127.0.0.1/",
        "http://[::1]/",
        "HTTP://LOCALHOST/",
        "gopher://localhost:25/_HELO",
        "ftp://localhost/a",
        "s3://bucket/a.txt",
        "jar:file:///a!/b",
        "data:text/plain,hello",
        "dict://localhost:11211/",
        "file://remote.example.org/share/a.txt",
        "file://127.0.0.1/etc/passwd",
        "file://localhost/etc/passwd",
        "file:////remote/share/a.txt",
        r"file://\\remote\share\a.txt",
        "//remote.example.org/a.txt",
        "/etc/passwd",
        "a note.txt",
        "",
        "file:",
        "file://",
        "file://[",
        "file:///%ff",
        "file:///a%00b",
        "file:///a?b",
        "file:///a#b",
        "file:///a\nb",
        "https://user:canary@localhost/",
        "file://localhost@169.254.169.254/x",
        "\\\\169.254.169.254\\share\\x",
        "file:///proc/self/environ",
        "file:///dev/zero",
        "\0",
        "x" * 100_000,
    ],
)
def test_nothing_but_a_file_of_this_machine_is_read_and_no_socket_is_opened(references, no_sockets, uri):
    with pytest.raises(InputError, match=r"^uri: ") as refused:
        references.read(uri, "acme")
    assert not re.search("169.254|canary", str(refused.value)), "a URI may hold a password"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/inner/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/inner/%2e%2e/%2E%2E/secret.txt",
        "/..%2fsecret.txt",
        "/%252e%252e/secret.txt",
        "/..\\secret.txt",
        "/....//secret.txt",
        "-too/secret.txt",
        "/../documents-too/secret.txt",
        "/../absent.txt",
        "",
        "/",
        "/.",
        "/inner/..",
        "/../../../../../../etc/passwd",
        "/" + "a" * 300,
        "/" + "a/" * 1000,
        "/absent.txt",
        "/inner",
    ],
)
def test_no_path_leads_out_of_a_root_and_none_is_told(references, root, path):
    with pytest.raises(InputError, match=r"^uri: ") as refused:
        references.read(f"file://{root}{path}", "acme")
    assert "secret" not in str(refused.value)
    assert str(root) not in str(refused.value)


def test_what_lies_outside_is_refused_the_same_whether_it_exists_or_not(references, root):
    reasons = set()
    for name in ("secret.txt", "absent.txt", "absent/absent.txt"):
        with pytest.raises(InputError) as refused:
            references.read(f"file://{root.parent}/{name}", "acme")
        reasons.add(str(refused.value))
    assert len(reasons) == 1


def test_links_are_followed_before_it_is_judged_where_a_file_lies(references, root, tmp_path):
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    (root / "within.txt").symlink_to(root / "inner" / "deep.txt")
    for path in ("out.txt", "out/secret.txt", "loop", "inner/../out/secret.txt"):
        with pytest.raises(InputError, match=r"^uri: "):
            references.read(f"file://{root}/{path}", "acme")
    assert references.read(f"file://{root}/within.txt", "acme") == b"deep"


def test_a_folder_that_becomes_a_link_after_it_was_judged_is_not_followed(references, root, tmp_path, monkeypatch):
    judged = DocumentReferences._beneath

    def judge_then_exchange(self: DocumentReferences, path: Path, tenant_id: str) -> object:
        found = judged(self, path, tenant_id)
        (root / "inner").rename(root / "moved")
        (root / "inner").symlink_to(tmp_path / "documents-too")
        return found

    (tmp_path / "documents-too" / "deep.txt").write_text("canary")
    monkeypatch.setattr(DocumentReferences, "_beneath", judge_then_exchange)
    with pytest.raises(InputError, match=r"^uri: "):
        references.read(f"file://{root}/inner/deep.txt", "acme")


def test_only_regular_files_are_read_and_a_pipe_holds_nobody_up(references, root):
    os.mkfifo(root / "pipe")
    began = time.monotonic()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / "s"))
        for name in ("pipe", "inner", "s"):
            with pytest.raises(InputError, match=r"no regular file|in none of the folders"):
                references.read(f"file://{root}/{name}", "acme")
    with pytest.raises(InputError, match="no regular file"):
        DocumentReferences(Documents(roots=("/dev",), largest_bytes=LARGEST)).read("file:///dev/zero", "acme")
    assert time.monotonic() - began < 60


def test_a_file_that_claims_to_be_empty_is_read_no_further_than_the_limit():
    with pytest.raises(InputError, match=r"more than 10 bytes|no regular file"):
        DocumentReferences(Documents(roots=("/proc",), largest_bytes=10)).read("file:///proc/self/environ", "acme")


def test_a_file_that_was_named_is_read_wherever_it_lies_and_no_other(root, tmp_path):
    (tmp_path / "named.txt").symlink_to(root / "a note.txt")
    read = DocumentReferences(Documents(), also=[tmp_path / "named.txt"]).read
    assert read((root / "a note.txt").as_uri(), "acme") == b"a note"
    assert read((tmp_path / "named.txt").as_uri(), "acme") == b"a note"
    for beside in (root / "inner" / "deep.txt", tmp_path / "secret.txt"):
        with pytest.raises(InputError, match="none of the folders"):
            read(beside.as_uri(), "acme")


def test_a_named_file_that_became_a_link_is_not_followed(root, tmp_path):
    named = root / "a note.txt"
    read = DocumentReferences(Documents(), also=[named]).read
    named.unlink()
    named.symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InputError, match=r"^uri: "):
        read(named.as_uri(), "acme")


def test_without_roots_nothing_is_read(root):
    with pytest.raises(InputError, match="MNEME_DOCUMENTS__ROOTS"):
        DocumentReferences(Documents()).read((root / "a note.txt").as_uri(), "acme")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.lists(st.sampled_from(["..", ".", "inner", "secret.txt", "%2e%2e", "", "deep.txt", "out", "%2f", "\\"]), max_size=8)
)
def test_no_walk_through_folders_and_links_finds_the_secret(references, root, tmp_path, path):
    if not (root / "out").is_symlink():
        (root / "out").symlink_to(tmp_path)
    try:
        content = references.read(f"file://{root}/{'/'.join(path)}", "acme")
    except InputError:
        return
    assert content in (b"a note", b"deep")
