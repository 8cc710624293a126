"""The judge that asks a model: few calls, each verdict kept on its own, against a scripted chat and a real cache."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from connectors.endpoints.answer_cache import CachedChat, erase_answers
from connectors.endpoints.openai_chat import OpenAiChat
from connectors.models import open_chat_model
from flows.consistency.judge import PAIRS_OF_A_CALL, ModelJudge, Relation, judge_prompt, open_judge
from mneme.errors import ModelMalformed, SettingsError
from mneme.ports import Role
from mneme.records import AtomicFact, Statement
from mneme.settings import Models, Reconcile, Settings
from mneme.text import estimate_tokens
from tests.connectors.model_help import Clock
from tests.contracts.rows import fact
from tests.servers.models import ModelServer

SAME, REPLACES, NEITHER = Relation.SAME, Relation.REPLACES, Relation.NEITHER
SCOPE = "acme/user/ann"
BY_MODEL = Settings(_env_file=None).model_copy(update={"reconcile": Reconcile(judge="model")})


def said(text: str, day: str = "2026-03-02", event: str | None = None, identity: str = "") -> Statement:
    at = datetime.fromisoformat(day).replace(tzinfo=UTC)
    event_at = datetime.fromisoformat(event).replace(tzinfo=UTC) if event else None
    record = fact(identity or f"id of {text}", text, said_at=at, event_at=event_at).record()
    assert isinstance(record, AtomicFact)
    return record


GOOGLE = said("Ann works at Google.", "2026-01-05")
META = said("Ann has left Google and works at Meta.", "2026-03-02")
ALSO_GOOGLE = said("Google is where Ann works.", "2026-02-01")
OSLO = said("Ann went to Oslo.", "2026-02-02", "2026-02-01")


class Scripted:
    """Verdicts of the model server by the texts of a pair; neither for all others."""

    def __init__(self, server: ModelServer, verdicts: dict[tuple[str, str], str]) -> None:
        self.server, self.verdicts = server, verdicts
        server.answer = lambda _, user: self.fill(user)

    def fill(self, user: str) -> dict[str, list[int]]:
        answer: dict[str, list[int]] = {"same": [], "replaces": []}
        texts: dict[str, str] = {}
        for line in user.splitlines():
            head, _, rest = line.partition(" ")
            if head.startswith("S"):
                texts[head] = rest.partition(": ")[2]
            else:
                older, newer = rest.split()
                verdict = self.verdicts.get((texts[older], texts[newer]), "neither")
                answer.get(verdict, []).append(int(head.rstrip(".")))
        return answer


@pytest.fixture
def scripted(model_server: ModelServer) -> Scripted:
    return Scripted(model_server, {(GOOGLE.text, ALSO_GOOGLE.text): "same", (GOOGLE.text, META.text): "replaces"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def chat(scripted: Scripted, path: Path) -> Iterator[CachedChat]:
    chat = open_chat(scripted.server, path)
    yield chat
    chat.close()


def open_chat(server: ModelServer, path: Path, model: str = "small") -> CachedChat:
    return CachedChat(OpenAiChat(Models(provider="openai", base_url=server.url, default=model), Clock().retries()), path)


def test_one_call_decides_many_pairs(chat: CachedChat, model_server: ModelServer) -> None:
    pairs = [(GOOGLE, META), (GOOGLE, OSLO), (GOOGLE, ALSO_GOOGLE)]
    assert ModelJudge(chat).judge(pairs, SCOPE) == [REPLACES, NEITHER, SAME]
    assert model_server.calls() == 1


def test_no_pairs_are_no_call(chat: CachedChat, model_server: ModelServer) -> None:
    assert ModelJudge(chat).judge([], SCOPE) == []
    assert model_server.calls() == 0


@pytest.mark.parametrize("repeated", ["ann  works at GOOGLE", "Ann works at Google.", "Ann works at\nGoogle!"])
def test_what_reads_the_same_is_the_same_without_a_call(chat: CachedChat, model_server: ModelServer, repeated: str) -> None:
    assert ModelJudge(chat).judge([(GOOGLE, said(repeated, "2026-05-05"))], SCOPE) == [SAME]
    assert model_server.calls() == 0


def test_the_same_words_about_another_day_are_asked_about(chat: CachedChat, model_server: ModelServer) -> None:
    again = said("Ann went to Oslo.", "2026-04-02", "2026-04-01")
    assert ModelJudge(chat).judge([(OSLO, again)], SCOPE) == [NEITHER]
    assert model_server.calls() == 1


def test_a_pair_is_not_asked_again_in_other_company(chat: CachedChat, model_server: ModelServer) -> None:
    judge = ModelJudge(chat)
    judge.judge([(GOOGLE, META), (GOOGLE, OSLO)], SCOPE)
    assert judge.judge([(ALSO_GOOGLE, META), (GOOGLE, META), (GOOGLE, OSLO)], SCOPE) == [NEITHER, REPLACES, NEITHER]
    assert model_server.calls() == 2
    asked = model_server.requests[-1].body["messages"][1]["content"]
    assert "Oslo" not in asked


def test_a_replay_pays_nothing_and_hears_the_same(scripted: Scripted, chat: CachedChat, path: Path) -> None:
    pairs = [(GOOGLE, META), (GOOGLE, ALSO_GOOGLE)]
    before = ModelJudge(chat).judge(pairs, SCOPE)
    scripted.verdicts.clear()
    again = open_chat(scripted.server, path)
    for pair, verdict in zip(pairs, before, strict=True):
        assert ModelJudge(again).judge([pair], SCOPE) == [verdict]
    assert scripted.server.calls() == 1
    again.close()


def test_a_verdict_hangs_on_texts_and_days_and_on_no_id(chat: CachedChat, model_server: ModelServer) -> None:
    judge = ModelJudge(chat)
    judge.judge([(GOOGLE, META)], SCOPE)
    judge.judge([(said(GOOGLE.text, "2026-01-05", identity="another"), META)], SCOPE)
    assert model_server.calls() == 1
    judge.judge([(said(GOOGLE.text, "2026-01-06"), META)], SCOPE)
    judge.judge([(GOOGLE, said(META.text, "2026-03-02", "2026-03-01"))], SCOPE)
    assert model_server.calls() == 3


def test_the_same_pairs_are_the_same_calls_in_any_order(chat: CachedChat, model_server: ModelServer) -> None:
    pairs = [(GOOGLE, META), (GOOGLE, ALSO_GOOGLE), (OSLO, META)]
    ModelJudge(chat).judge(pairs, SCOPE)
    ModelJudge(chat).judge(pairs[::-1], "acme/user/ben")
    first, second = (request.body["messages"] for request in model_server.requests)
    assert first == second


def test_another_owner_or_model_is_asked_anew(scripted: Scripted, chat: CachedChat, path: Path) -> None:
    ModelJudge(chat).judge([(GOOGLE, META)], SCOPE)
    ModelJudge(chat).judge([(GOOGLE, META)], "acme/user/ben")
    other = open_chat(scripted.server, path, "large")
    ModelJudge(other).judge([(GOOGLE, META)], SCOPE)
    other.close()
    assert scripted.server.calls() == 3


def test_an_erase_of_the_owner_erases_the_verdicts(chat: CachedChat, path: Path, model_server: ModelServer) -> None:
    ModelJudge(chat).judge([(GOOGLE, META)], f"{SCOPE}/reconcile")
    assert erase_answers(path, SCOPE) == 2
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    connection.close()
    ModelJudge(chat).judge([(GOOGLE, META)], f"{SCOPE}/reconcile")
    assert model_server.calls() == 2


def test_many_pairs_are_several_calls_at_a_time(chat: CachedChat, model_server: ModelServer) -> None:
    model_server.latency = 0.2
    pairs = [(GOOGLE, said(f"Ann bought {number} apples.")) for number in range(2 * PAIRS_OF_A_CALL + 1)]
    assert ModelJudge(chat).judge(pairs, SCOPE) == [NEITHER] * len(pairs)
    assert model_server.calls() == 3
    assert model_server.most_in_flight == 3


def test_a_call_that_fails_loses_only_its_own_verdicts(scripted: Scripted, chat: CachedChat) -> None:
    pairs = [(GOOGLE, said(f"Ann bought {number} apples.")) for number in range(2 * PAIRS_OF_A_CALL + 1)]
    scripted.server.answer = lambda _, user: {"weather": "fine"} if "bought 50 apples" in user else scripted.fill(user)
    with pytest.raises(ModelMalformed):
        ModelJudge(chat).judge(pairs, SCOPE)
    assert scripted.server.calls() == 2 + 2, "the second call was repaired once, in vain"
    scripted.server.answer = lambda _, user: scripted.fill(user)
    assert ModelJudge(chat).judge(pairs, SCOPE) == [NEITHER] * len(pairs)
    assert scripted.server.calls() == 2 + 2 + 1


@pytest.mark.parametrize(
    ("answer", "relation"),
    [
        ({"same": [1], "replaces": []}, SAME),
        ({"same": [], "replaces": [1, 1]}, REPLACES),
        ({"same": [1], "replaces": [1]}, NEITHER),
        ({"same": [0, 2], "replaces": [-1]}, NEITHER),
    ],
)
def test_any_answer_becomes_a_relation(
    chat: CachedChat, model_server: ModelServer, answer: dict[str, list[int]], relation: Relation
) -> None:
    model_server.answer = lambda *_: answer
    assert ModelJudge(chat).judge([(GOOGLE, META)], SCOPE) == [relation]


def test_of_two_verdicts_on_a_pair_the_one_kept_first_holds(scripted: Scripted, chat: CachedChat) -> None:
    judge = ModelJudge(chat)

    def meanwhile(_: object, user: str) -> object:
        answer = scripted.fill(user)
        scripted.server.answer = lambda *_: {"same": [1, 2], "replaces": []}
        judge.judge([(OSLO, META), (GOOGLE, META)], SCOPE)
        return answer

    scripted.server.answer = meanwhile
    assert judge.judge([(GOOGLE, META), (OSLO, ALSO_GOOGLE)], SCOPE) == [SAME, NEITHER]


def test_the_prompt_names_each_statement_once(snapshot: SnapshotAssertion) -> None:
    prompt = judge_prompt([(GOOGLE, META), (ALSO_GOOGLE, META), (OSLO, META), (OSLO, said("Two\nlines"))], SCOPE)
    assert (prompt.role, prompt.scope) == (Role.RECONCILE, SCOPE)
    assert f"{prompt.system}\n---\n{prompt.user}" == snapshot


def test_the_rules_cost_little() -> None:
    assert estimate_tokens(judge_prompt([(GOOGLE, META)], SCOPE).system) < 260
    assert len(json.dumps(judge_prompt([(GOOGLE, META)] * 3, SCOPE).user)) < 200


# --- the settings choose the judge -----------------------------------------------------------------------------------


def test_by_default_claims_alone_decide() -> None:
    assert open_judge(Settings(_env_file=None), None) is None


def test_a_model_judges_where_it_is_asked_for(model_server: ModelServer, tmp_path: Path) -> None:
    settings = BY_MODEL.model_copy(update={"data": tmp_path, "models": Models(provider="openai", base_url=model_server.url)})
    chat = open_chat_model(settings)
    assert chat is not None
    judge = open_judge(settings, chat)
    assert isinstance(judge, ModelJudge)
    chat.close()


def test_a_model_that_is_not_set_stops_the_program() -> None:
    with pytest.raises(SettingsError, match="MNEME_RECONCILE__JUDGE"):
        open_judge(BY_MODEL, None)
