"""Sessions of the console: nobody makes one with another's key, and each ends with its key, its time and its logout."""

import hmac
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.requests import Request

from mneme.errors import SettingsError
from mneme.settings import Settings, load_settings
from serving.console.mount import mount
from serving.rest import sessions
from serving.rest.app import create_app
from serving.rest.keys import Keys, digest_of
from serving.rest.sessions import COOKIE, LASTS, Sessions, console_secret
from serving.service.service import Service

OWN, OTHER = "a-key-of-a-tenant-0001", "a-key-of-the-operator-02"
KEYS = {OWN: "acme", OTHER: "*"}
Tried = Callable[[Sequence[str]], Sequence[str]]


def settings_of(folder: Path, keys: dict[str, str] = KEYS, **service: object) -> Settings:
    asked = {"keys": keys, "intake": "none", "requests_per_minute": 0, **service}
    return load_settings({}, data=folder, embedder={"provider": "hash"}, service=asked)


def sessions_of(settings: Settings) -> Sessions:
    begun = Sessions(settings, Keys(settings.service.keys))
    begun.begin()
    return begun


def asked(cookie: str) -> Request:
    headers = [(b"host", b"mneme.example"), (b"cookie", f"{COOKIE}={cookie}".encode("latin-1", "replace"))]
    return Request({"type": "http", "method": "GET", "path": "/console/", "headers": headers})


def cookie_of(begun: Sessions, key: str = OWN) -> str:
    cookie = begun.cookie(key)
    assert cookie is not None
    return cookie


def tenant_of(begun: Sessions, cookie: str) -> str | None:
    session = begun.of(asked(cookie))
    return session.caller.tenant if session is not None else None


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A browser before the console of a service with keys."""
    settings = settings_of(tmp_path / "data")
    with Service(settings) as service:
        app = create_app(service)
        mount(app, service)
        yield TestClient(app, base_url="http://mneme.example", follow_redirects=False)


def log_in(client: TestClient, key: str = OWN) -> str:
    answer = client.post("/console/login", data={"key": key})
    assert answer.headers["location"] == "conversations"
    return client.cookies[COOKIE]


def looks(client: TestClient, cookie: str | None = None) -> bool:
    """Whether a client with a cookie, or its own, gets further than the door."""
    answer = client.get("/console/", headers={"cookie": f"{COOKIE}={cookie}"} if cookie is not None else {})
    assert answer.headers["location"] in ("conversations", "login")
    return answer.headers["location"] == "conversations"


def guessed_secrets(own: str) -> Iterator[bytes]:
    """What an attacker may know who holds a key, its tenant, this source code and the digest of the operator's key."""
    known = [
        b"",
        own.encode(),
        digest_of(own),
        digest_of(own).hex().encode(),
        digest_of(OTHER),
        digest_of(OTHER).hex().encode(),
    ]
    known += [
        f"{own}\tacme".encode(),
        f"sha256:{digest_of(own).hex()}\tacme".encode(),
        b"mneme",
        b"console",
        b"secret",
        b"None",
    ]
    known += [Path(module.__file__ or "").read_bytes() for module in (sessions,)]
    for each in known:
        yield from (each, sha256(each).digest(), sha256(each).hexdigest().encode())


def forged(secret: bytes, own: str) -> Iterator[str]:
    """Cookies of now and of before, signed with a guess, for the operator."""

    def signed(purpose: bytes, said: bytes) -> str:
        return hmac.new(secret, b"mneme console 2 %b\n%b" % (purpose, said), "sha256").hexdigest()

    for name in (signed(b"key", digest_of(OTHER)), digest_of(OTHER).hex(), signed(b"key", digest_of(own))):
        said = f"{'x' * 22}.{time.time_ns() // 1_000_000}.{name}"
        yield f"{said}.{signed(b'session', said.encode())}"
    before = f"{digest_of(OTHER).hex()[:16]}\n*\n{int(time.time()) + LASTS}".encode().hex()
    yield f"{before}.{hmac.new(secret, b'mneme console' + bytes([10]) + before.encode(), 'sha256').hexdigest()}"


def changed(cookie: str, second: str) -> Iterator[str]:
    """A cookie of one's own with one thing changed, or parts of two."""
    for place, letter in enumerate(cookie):
        yield cookie[:place] + ("1" if letter != "1" else "0") + cookie[place + 1 :]
    one, two = cookie.split("."), second.split(".")
    for place in range(3):
        yield ".".join([*one[:place], two[place], *one[place + 1 :]])
    yield from (cookie[:-1], cookie + "0", f"{cookie}.", f".{cookie}", cookie.upper(), cookie.replace(".", ".."), f"{cookie} x")
    yield from (".".join(one[:3]), f"{'.'.join(one[:3])}.", "", ".", "...", "x.y.z.w", f"{'.'.join(one[:3])}.{'0' * 64}")
    yield ".".join([one[0], str(int(one[1]) + 1), *one[2:]])
    yield ".".join([one[0], "".join(chr(0xB2) if digit == "2" else digit for digit in one[1]), *one[2:]])
    yield "A" * 100_000


@pytest.mark.parametrize("form", ["as it is", "by its hash"])
def test_with_one_key_and_the_source_code_nobody_makes_a_session_of_another_tenant(
    tmp_path: Path, tried: Tried, form: str
) -> None:
    """Where one key alone is set, in the form of ``mneme admin init --key``, too"""
    own = OWN if form == "as it is" else f"sha256:{digest_of(OWN).hex()}"
    for number, keys in enumerate(({own: "acme"}, {own: "acme", OTHER: "*"})):
        begun = sessions_of(settings_of(tmp_path / str(number), keys))
        mine, second = cookie_of(begun), cookie_of(begun)
        assert tenant_of(begun, mine) == "acme"
        cookies = [cookie for secret in guessed_secrets(own) for cookie in forged(secret, OWN)]
        cookies += set(changed(mine, second)) - {mine, second}
        for cookie in tried(cookies):
            assert tenant_of(begun, cookie) is None, cookie


def test_a_cookie_tells_nothing_of_its_key(tmp_path: Path) -> None:
    cookie = cookie_of(sessions_of(settings_of(tmp_path)))

    assert OWN not in cookie
    assert digest_of(OWN).hex()[:16] not in cookie


def test_the_secret_is_kept_for_its_owner_alone_and_processes_that_start_at_once_agree(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with ProcessPoolExecutor(4, mp_context=get_context("fork")) as pool:
            made = set(pool.map(console_secret, [settings_of(tmp_path / "data")] * 8))
    finally:
        os.umask(before)

    assert len(made) == 1
    assert len(made.pop()) == 64
    secret = tmp_path / "data" / "console" / "secret"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (secret, secret.parent, tmp_path / "data")] == [0o600, 0o700, 0o700]


def test_services_with_secrets_of_their_own_do_not_know_each_others_sessions_and_replicas_do(tmp_path: Path) -> None:
    one, two = (sessions_of(settings_of(tmp_path / name)) for name in ("one", "two"))
    assert tenant_of(two, cookie_of(one)) is None

    secret = {"console_secret": "0123456789abcdef" * 2}
    one, two = (sessions_of(settings_of(tmp_path / name, **secret)) for name in ("three", "four"))
    assert tenant_of(two, cookie_of(one)) == "acme"
    assert not (tmp_path / "three").exists()


@pytest.mark.parametrize("secret", ["", "x", "s" * 31])
def test_a_secret_that_can_be_guessed_is_refused(tmp_path: Path, secret: str) -> None:
    with pytest.raises(SettingsError, match="MNEME_SERVICE__CONSOLE_SECRET") as error:
        sessions_of(settings_of(tmp_path, console_secret=secret))
    assert not secret or f" {secret} " not in str(error.value)


def test_a_secret_that_was_emptied_is_not_used(tmp_path: Path) -> None:
    sessions_of(settings_of(tmp_path))
    (tmp_path / "console" / "secret").write_text("")
    with pytest.raises(SettingsError, match="secret"):
        sessions_of(settings_of(tmp_path))


def test_a_session_ends_with_its_key_and_shows_the_tenant_that_the_key_has_now(tmp_path: Path) -> None:
    cookie = cookie_of(sessions_of(settings_of(tmp_path)))

    assert tenant_of(sessions_of(settings_of(tmp_path)), cookie) == "acme"
    assert tenant_of(sessions_of(settings_of(tmp_path, {OTHER: "*"})), cookie) is None
    assert tenant_of(sessions_of(settings_of(tmp_path, {OWN: "elsewhere", OTHER: "*"})), cookie) == "elsewhere"
    assert tenant_of(sessions_of(settings_of(tmp_path, {f"sha256:{digest_of(OWN).hex()}": "acme"})), cookie) == "acme"


def test_a_session_ends_after_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = sessions_of(settings_of(tmp_path))
    cookie = cookie_of(begun)
    later = time.time() + LASTS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert tenant_of(begun, cookie) is None


def test_no_cookie_of_a_version_holds_that_kept_logouts_elsewhere(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    begun, secret = sessions_of(settings), console_secret(settings)
    said = cookie_of(begun).rpartition(".")[0]

    def signed(purpose: bytes) -> str:
        return f"{said}.{hmac.new(secret, b'mneme %b session' % purpose + bytes([10]) + said.encode(), 'sha256').hexdigest()}"

    assert tenant_of(begun, signed(b"console 2")) == "acme"
    assert tenant_of(begun, signed(b"console")) is None


def test_a_logout_ends_every_copy_of_the_cookie_here_beside_and_after_a_restart(tmp_path: Path) -> None:
    begun, beside = (sessions_of(settings_of(tmp_path)) for _ in range(2))
    stolen, another = cookie_of(begun), cookie_of(begun)
    session = begun.of(asked(stolen))
    assert session is not None
    begun.end(session)

    for each in (begun, beside, sessions_of(settings_of(tmp_path))):
        assert tenant_of(each, stolen) is None
        assert tenant_of(each, another) == "acme"


def test_many_logouts_take_no_more_room_and_open_no_session_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_MOST_ENDED", 20)
    begun = sessions_of(settings_of(tmp_path))
    operators = cookie_of(begun, OTHER)
    cookies = [cookie_of(begun) for _ in range(50)]
    for cookie in cookies:
        session = begun.of(asked(cookie))
        if session is not None:
            begun.end(session)

    for each in (begun, sessions_of(settings_of(tmp_path))):
        assert not any(tenant_of(each, cookie) for cookie in cookies)
        assert tenant_of(each, operators) == "*"
    assert len([each for each in (tmp_path / "console" / "ended").rglob("*") if each.is_file()]) <= 20
    time.sleep(0.002)
    assert tenant_of(begun, cookie_of(begun)) == "acme"


def test_logging_out_in_the_browser_ends_the_session(client: TestClient) -> None:
    stolen = log_in(client)
    assert looks(client)
    assert client.post("/console/logout", headers={"sec-fetch-site": "same-origin"}).headers["location"] == "login"

    assert client.cookies.get(COOKIE) is None
    assert not looks(client, stolen)


FOREIGN: list[dict[str, str]] = [
    {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
    {"sec-fetch-site": "same-site", "origin": "http://other.mneme.example"},
    {"origin": "https://evil.example"},
    {"origin": "null"},
]


@pytest.mark.parametrize("path", ["logout", "login"])
def test_no_form_of_another_site_logs_anybody_in_or_out(
    client: TestClient, tried: Callable[[Iterable[dict[str, str]]], Iterable[dict[str, str]]], path: str
) -> None:
    log_in(client)
    for headers in tried(FOREIGN):
        answer = client.post(f"/console/{path}", headers=headers, data={"key": OTHER})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers
    assert looks(client)


def test_a_key_in_a_header_is_no_session_and_a_session_is_no_key(client: TestClient) -> None:
    assert client.get("/console/", headers={"authorization": f"Bearer {OTHER}"}).headers["location"] == "login"
    log_in(client, OTHER)
    assert client.get("/api/v1/owners").status_code == 401


def test_nicegui_has_no_session_of_its_own(client: TestClient) -> None:
    """Its storage has no secret, so that there is no second cookie that could be forged"""
    from nicegui.storage import Storage

    log_in(client)
    client.get("/console/")
    assert list(client.cookies) == [COOKIE]
    assert Storage.secret is None
