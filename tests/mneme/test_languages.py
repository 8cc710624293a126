import pytest

from mneme.languages import foreign_language, languages_of

TEXTS = {
    "en": "I moved to Lisbon last week and started a new job there.",
    "de": "Ich bin im Garten und gieße die Tomaten, das dauert noch.",
    "es": "Ayer me apunté al gimnasio que está cerca de mi casa.",
    "fr": "Je suis chez moi avec les enfants pour tout le week-end.",
    "ru": "Вчера я переехал в новую квартиру в центре Москвы.",
    "ja": "明日は東京に行きますので、よろしくお願いします。",
    "zh": "我上个星期搬到上海了，新工作还不错。",
    "ko": "저는 지난주에 서울로 이사했습니다.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_tells_its_language(language):
    assert languages_of([TEXTS[language]]) == [language]


def test_a_short_message_is_in_the_language_of_its_conversation():
    assert languages_of([TEXTS["de"], "im", "ok"]) == ["de", "de", "de"]
    assert languages_of([TEXTS["ja"], "了解"]) == ["ja", "ja"]


def test_a_message_in_another_language_is_told_from_its_conversation():
    assert languages_of([TEXTS["de"], TEXTS["en"], TEXTS["zh"]])[1:] == ["en", "zh"]


def test_a_text_without_letters_has_no_language():
    assert languages_of(["123 :-)"]) == [""]


def test_casual_english_is_no_seldom_language():
    said = "Dr. Petersen says no distance above ten kilometres for two weeks."
    assert languages_of([said, "im gonna b there at 5 lol"]) == ["en", "en"]


@pytest.mark.parametrize("language", [each for each in TEXTS if each != "en"])
def test_a_sentence_that_is_not_english_is_foreign(language):
    assert foreign_language(TEXTS[language]) == language


@pytest.mark.parametrize(
    "question", ["Wo arbeitet Anke?", "¿Quién es Manolo?", "Où habite Claire ?", "思雨的狗叫什么名字？", "Где живёт Вера?"]
)
def test_a_short_question_is_foreign(question):
    assert foreign_language(question)


@pytest.mark.parametrize(
    "text", [TEXTS["en"], "Hawaiian", "ok", "Ann: José said hola!", "Where does Ann live?", "Kenji: sushi", "42", ""]
)
def test_what_may_be_english_is_not_foreign(text):
    assert foreign_language(text) == ""
