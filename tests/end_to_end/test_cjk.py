"""Chinese, Japanese and Korean, from a file to the answer, on both indices: by words, and by words and vectors."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from unicodedata import normalize

import pytest

from connectors.embedders.hash_embedder import HashEmbedder
from connectors.indices import open_index
from evaluation.own_index import drop_indices
from flows import ingest
from mneme.ports import EmbedderIdentity
from mneme.settings import Index, Settings
from queries import Memories
from tests.flows.deployment import deployed_in
from tests.servers.isolated import isolated_opensearch

# What each conversation of a language is about, and what is said in it.
TOLD = {
    "zh": {
        "cat": ["我们上周领养了一只橘猫，叫豆包。", "豆包最喜欢睡在窗台上。"],
        "flight": ["我订了五月三号飞成都的机票。", "航班是早上七点四十起飞，别迟到。"],
        "piano": ["女儿开始学钢琴了，老师姓欧阳。", "每周四下午去上课。"],
        "phone": ["我的iPhone 15屏幕摔碎了。", "维修店说换屏幕要一千二百块。"],
        "allergy": ["医生说我对花生过敏。", "以后点菜一定要问清楚有没有花生酱。"],
        "taipei": ["臺北的書店開到半夜，我買了三本詩集。", "下次想去臺南吃牛肉湯。"],
    },
    "ja": {
        "ramen": ["駅前に新しいラーメン屋ができました。", "味噌ラーメンが一番おいしかったです。"],
        "guitar": ["弟がエレキギターを買いました。", "毎晩うるさくて眠れません。"],
        "moving": ["来月、横浜に引っ越すことになりました。", "新しい部屋は八階で、海が見えます。"],
        "dentist": ["歯医者の予約は金曜日の午後三時です。", "親知らずを抜くので少し怖いです。"],
        "cafe": ["ｶﾌｪ･ﾐﾓｻﾞで待ち合わせしましょう。", "日曜日の朝はｺｰﾋｰが半額です。"],
        "work": ["新しいプロジェクトではRustとKubernetesを使います。", "サーバーの移行は九月末までに終わらせます。"],
    },
    "ko": {
        "dog": ["지난주에 강아지를 입양했어요. 이름은 보리예요.", "보리는 산책을 정말 좋아해요."],
        "exam": ["운전면허 시험에 드디어 합격했어요.", "도로 주행이 제일 어려웠어요."],
        "busan": ["여름휴가로 부산에 다녀왔어요.", "해운대에서 먹은 돼지국밥이 최고였어요."],
        "diet": ["의사가 우유를 마시지 말라고 했어요.", "두유로 바꾸니까 배가 편해요."],
        "laptop": ["새 MacBook Pro를 중고로 샀어요.", "배터리가 두 시간밖에 안 가요."],
        "wedding": ["언니 결혼식은 시월 둘째 주 토요일이에요.", "축가는 제가 부르기로 했어요."],
    },
}
ASKED = [
    ("zh", "猫叫什么名字？领养的那只。", "cat"),
    ("zh", "去成都的航班几点起飞？", "flight"),
    ("zh", "谁在教女儿弹钢琴？", "piano"),
    ("zh", "iPhone屏幕维修要多少钱？", "phone"),
    ("zh", "ｉＰｈｏｎｅ　１５怎么了？", "phone"),  # full width
    ("zh", "我对什么东西过敏？", "allergy"),
    ("zh", "臺北的書店", "taipei"),
    ("zh", "买书", "taipei"),  # told in traditional characters
    ("zh", "領養貓", "cat"),  # told in simplified ones
    ("ja", "味噌ラーメンはどこで食べましたか？", "ramen"),
    ("ja", "ﾗｰﾒﾝ屋はどこ？", "ramen"),  # half-width kana
    ("ja", "ギターを買ったのは誰？", "guitar"),
    ("ja", "いつ横浜に引っ越しますか？", "moving"),
    ("ja", "歯医者の予約は何時ですか？", "dentist"),
    ("ja", "カフェ・ミモザでコーヒーが半額なのは何曜日？", "cafe"),  # told in half-width kana
    ("ja", "Kubernetesを使うプロジェクトは？", "work"),
    ("ja", normalize("NFD", "サーバーの移行はいつまで？"), "work"),  # voicing marks as characters of their own
    ("ko", "강아지 이름이 뭐예요?", "dog"),
    ("ko", "운전면허 시험은 어떻게 됐어요?", "exam"),
    ("ko", normalize("NFD", "부산에서 뭐 먹었어요?"), "busan"),  # letters instead of syllables
    ("ko", "우유를 마셔도 되나요?", "diet"),
    ("ko", "MacBook 배터리는 얼마나 가요?", "laptop"),
    ("ko", "언니 결혼식이 언제예요?", "wedding"),
]


class English(HashEmbedder):
    """Made the vectors of the index, and serves no language of these."""

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("hashed-tokens", "tests-and-volume-only", 384, ("en",))


@dataclass(frozen=True)
class Told:
    """An index that was told everything."""

    settings: Settings

    def memories(self, embedder: HashEmbedder) -> Memories:
        return Memories(open_index(self.settings, read_only=True), embedder, self.settings)


@pytest.fixture(scope="module", params=["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("cjk")
    settings = deployed_in(folder / "data", index=Index(backend=request.param))
    if request.param == "opensearch":
        url = request.getfixturevalue("opensearch_server").url
        settings = settings.model_copy(update={"opensearch": isolated_opensearch(url)})
    chat = folder / "chat.jsonl"
    chat.write_text("\n".join(lines()), encoding="utf-8")
    ingest([chat], settings)
    yield Told(settings)
    if request.param == "opensearch":
        drop_indices(settings.opensearch)


def lines() -> Iterator[str]:
    start = datetime(2026, 4, 1, 9, tzinfo=UTC)
    for language, conversations in TOLD.items():
        for day, (name, said) in enumerate(conversations.items()):
            for minute, text in enumerate(said):
                at = start + timedelta(days=day, minutes=minute)
                event = {
                    "conversation_id": f"{language}-{name}",
                    "user_id": language,
                    "message_id": f"{language}-{name}-{minute}",
                    "sent_at": at.isoformat(),
                    "content": text,
                }
                yield json.dumps(event, ensure_ascii=False)


def best(memories: Memories, method: str, language: str, question: str) -> str:
    """The conversation of the memory in the first place."""
    found = memories.search(question, method=method, filters={"user_id": language}, top_k=3)
    first = found.ranked()[0]
    episode = getattr(first, "parent_episode_id", None) or first.id
    return next(each.conversation_id or "" for each in found.episodes if each.id == episode)


@pytest.mark.parametrize("method", ["keyword", "hybrid"])
def test_what_was_said_is_found_in_the_language_in_which_it_was_said(told: Told, method: str) -> None:
    with told.memories(HashEmbedder()) as memories:
        found = {question: best(memories, method, language, question) for language, question, _ in ASKED}
    assert found == {question: f"{language}-{name}" for language, question, name in ASKED}


def test_words_answer_alone_where_the_embedder_does_not_serve_the_language(told: Told) -> None:
    with told.memories(English()) as memories:
        for language, question, name in ASKED:
            found = memories.search(question, filters={"user_id": language}, top_k=3)
            is_latin = question.startswith(("MacBook", "Kubernetes", "iPhone", "ｉＰｈｏｎｅ"))
            if not is_latin:
                assert any("vector leg off" in note for note in found.query.notes), question
            assert best(memories, "hybrid", language, question) == f"{language}-{name}"


def test_nobody_finds_what_was_said_in_another_memory(told: Told) -> None:
    with told.memories(HashEmbedder()) as memories:
        found = memories.search("去成都的航班几点起飞？", filters={"user_id": "ko"}, top_k=20)
    assert not any("成都" in item.text for item in found.ranked())
