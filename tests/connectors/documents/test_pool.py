"""Documents are parsed in processes: whatever a file does to one, the others and this program go on."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from connectors.documents.pool import ParserPool
from mneme.errors import InputError, StoreUnavailable
from mneme.settings import Documents
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

HOSTILE = "tests.connectors.documents.hostile_parser:HostileParser"


def pool_of(processes: int = 1, **settings: object) -> ParserPool:
    return ParserPool(Documents.model_validate(settings).model_copy(update={"processes": processes}), HOSTILE)


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    """One for all that ask nothing of the pool itself: to start a process takes longer than what most of them tell."""
    pool = pool_of()
    yield pool
    pool.close(0)


@pytest.fixture
def own() -> Iterator[ParserPool]:
    """A pool of the test's own."""
    pool = pool_of()
    yield pool
    pool.close(0)


@pytest.fixture
def quick() -> Iterator[ParserPool]:
    """A pool in which a document has a second."""
    pool = pool_of(seconds=1)
    yield pool
    pool.close(0)


def said(pool: ParserPool, content: str, name: str = "notes.txt") -> str:
    return pool.parse(content.encode(), name, None).sections[0].text


def is_running(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_document_comes_back_as_it_was_parsed_and_the_process_is_used_again(pool: ParserPool):
    assert said(pool, "say Grüße 你好 \U0001f600") == "Grüße 你好 \U0001f600"
    first = said(pool, "who")
    assert said(pool, "who") == first != str(os.getpid())


def test_a_large_document_passes_both_ways(pool: ParserPool):
    text = "x" * 3_000_000
    assert said(pool, f"say {text}") == text


def test_what_a_parser_refuses_is_refused_with_its_reason(pool: ParserPool):
    first = said(pool, "who")
    with pytest.raises(InputError, match=r"^it is empty$"):
        said(pool, "refuse it is empty")
    assert said(pool, "who") == first


@pytest.mark.parametrize("deed", ["wait", "spin"])
def test_a_document_that_takes_too_long_is_refused_and_its_process_ended(quick: ParserPool, deed: str):
    first = int(said(quick, "who"))
    with pytest.raises(InputError, match=r"^slow\.pdf: reading it took more than 1 s \(MNEME_DOCUMENTS__SECONDS\)"):
        said(quick, deed, "/folder/slow.pdf")
    wait_until(lambda: not is_running(first))
    assert said(quick, "say on") == "on"


@pytest.mark.parametrize(
    ("deed", "reason"),
    [("eat", ""), ("child_eats", r"more than 256 MB \(MNEME_DOCUMENTS__MEGABYTES\)")],
    ids=["eat", "child_eats"],
)
def test_a_document_that_takes_too_much_memory_is_refused_and_its_process_ended(deed: str, reason: str):
    pool = pool_of(megabytes=256)
    first = int(said(pool, "who"))
    with pytest.raises(InputError, match=rf"^big\.pdf: .*{reason}"):
        said(pool, deed, "big.pdf")
    wait_until(lambda: not is_running(first))
    assert said(pool, "say on") == "on"
    pool.close(0)


@pytest.mark.parametrize("deed", ["crash", "leave", "fail it held a secret"])
def test_a_document_that_breaks_its_process_is_refused_and_another_takes_its_place(pool: ParserPool, deed: str):
    with pytest.raises(InputError, match=r"^bad\.doc: the process that read it") as refusal:
        said(pool, deed, "bad.doc")
    assert "secret" not in str(refusal.value)
    assert said(pool, "say on") == "on"


def test_what_libraries_print_does_no_harm(pool: ParserPool):
    assert said(pool, "print noise") == "noise"
    assert said(pool, "say on") == "on"


def test_what_a_document_left_running_ends_with_it(quick: ParserPool, tmp_path: Path):
    file = tmp_path / "pid"
    said(quick, f"leave_behind {file}")
    wait_until(lambda: not is_running(int(file.read_text())))
    assert said(quick, "say on") == "on"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows subreapers")
def test_grandchildren_in_sessions_of_their_own_are_ended_too(quick: ParserPool, tmp_path: Path):
    file = tmp_path / "pid"
    with pytest.raises(InputError, match="took more than 1 s"):
        said(quick, f"orphan {file}")
    wait_until(lambda: not is_running(int(file.read_text())))


def test_a_parser_opens_no_connections(pool: ParserPool):
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert "opens no connections" in said(pool, f"connect {server.getsockname()[1]}")


def test_a_parser_sees_no_secrets(own: ParserPool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MNEME_MODELS__API_KEY", "sk-1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sk-2")
    names = said(own, "environment").split()
    assert "OMP_NUM_THREADS" in names
    assert not any(name.startswith(("MNEME_", "AWS_")) for name in names)


def test_a_parser_is_told_its_limits_and_no_places():
    pool = pool_of(roots=["/srv"], store="s3://bucket/key", seconds=30)
    assert said(pool, "settings") == "((), '', 30.0)"
    pool.close(0)


@pytest.mark.parametrize("told", ["SIGINT", "SIGTERM"])
def test_what_a_terminal_or_a_service_manager_tells_all_is_for_the_program_alone(pool: ParserPool, told: str):
    assert said(pool, f"told {told}") == "still here"


def test_a_machine_without_room_for_files_is_no_fault_of_a_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    pool = pool_of()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(StoreUnavailable, match="no process to parse documents can be started"):
        said(pool, "say x")
    pool.close()


def test_documents_are_read_at_the_same_time_and_never_more_than_allowed():
    pool = pool_of(processes=2)
    with ThreadPoolExecutor(8) as threads:
        texts = list(threads.map(lambda number: said(pool, f"say {number}"), range(30)))
        pids = set(threads.map(lambda _: said(pool, "who"), range(30)))
    assert texts == [str(number) for number in range(30)]
    assert len(pids) <= 2
    pool.close(0)


def test_one_bad_document_does_not_stop_the_others():
    pool = pool_of(processes=2, seconds=2)
    with ThreadPoolExecutor(8) as threads:
        bad = [threads.submit(said, pool, deed) for deed in ("wait", "crash", "leave")]
        good = [threads.submit(said, pool, f"say {number}") for number in range(20)]
        assert [each.result() for each in good] == [str(number) for number in range(20)]
        assert all(isinstance(each.exception(), InputError) for each in bad)
    pool.close(0)


def test_a_process_that_kept_much_memory_begins_anew():
    pool = pool_of(megabytes=400)
    first = said(pool, "who")
    assert said(pool, "grow 220") == first
    assert said(pool, "who") != first
    pool.close(0)


def test_a_process_that_somebody_ended_is_replaced(pool: ParserPool):
    first = int(said(pool, "who"))
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)  # all its threads: before, it is a zombie that nobody can wait for
    assert said(pool, "who") != str(first)


def test_closing_waits_for_what_is_read_for_the_grace_and_then_blames_no_document(own: ParserPool):
    first = int(said(own, "who"))
    errors: list[Exception] = []

    def read() -> None:
        try:
            said(own, "wait")
        except (InputError, StoreUnavailable) as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    wait_until(lambda: bool(own._busy))
    own.close(0.1)
    thread.join(120)
    assert [type(error) for error in errors] == [StoreUnavailable]
    assert not is_running(first)
    with pytest.raises(StoreUnavailable):
        said(own, "say more")


def test_temporary_files_are_gone_with_the_process(own: ParserPool):
    folder = Path(said(own, "folder"))
    assert folder.is_dir()
    own.close()
    assert not folder.exists()


def test_a_parser_that_cannot_be_made_is_no_fault_of_a_document():
    pool = ParserPool(Documents().model_copy(update={"processes": 1}), HOSTILE.replace("HostileParser", "NoParser"))
    with pytest.raises(StoreUnavailable, match="mneme doctor"):
        said(pool, "say x")
    pool.close()


def test_processes_end_with_their_files_when_the_program_is_killed_whatever_they_do(tmp_path: Path):
    """Also those with a session of their own, as LibreOffice is started with one."""
    file, of_child = tmp_path / "pids", tmp_path / "child"
    code = (
        "import threading, time\n"
        "from tests.connectors.documents.test_pool import pool_of, said\n"
        "pools = [pool_of() for _ in range(3)]\n"
        'told = [f\'{said(pool, "who")} {said(pool, "folder")}\' for pool in pools]\n'
        f"for pool, deed in zip(pools, ('spin', 'orphan {of_child}')):\n"  # and the third is idle
        "    threading.Thread(target=said, args=(pool, deed), daemon=True).start()\n"
        f"open({str(file)!r}, 'w').write('\\n'.join(told))\n"
        "time.sleep(600)\n"
    )
    program = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[3])
    wait_until(lambda: file.exists() and bool(file.read_text()) and of_child.exists() and bool(of_child.read_text()))
    workers = [line.split() for line in file.read_text().splitlines()]
    pids = [*(int(pid) for pid, _ in workers), int(of_child.read_text())]
    assert all(map(is_running, pids))
    program.kill()
    program.wait()
    wait_until(lambda: not any(map(is_running, pids)) and not any(Path(folder).exists() for _, folder in workers))
