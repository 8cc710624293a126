"""Tokens: what both indices search for."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.text import cjk_languages, cjk_share, estimate_tokens, has_cjk, index_tokens, tokenise

CHINESE = st.text(st.sampled_from("乾隆坤淨瞭解藉口著名於夫羅臺灣"), max_size=8)  # some change with their neighbours, elsewhere


@given(text=st.text(max_size=200))
def test_tokens_are_words_without_blanks_for_any_text(text: str) -> None:
    assert all(token and not any(character.isspace() for character in token) for token in tokenise(text))


@given(text=st.text(st.sampled_from("abS'19 -.,"), max_size=30))
def test_the_tokens_of_a_plain_text_are_those_of_any_text(text: str) -> None:
    assert tokenise(f"{text} é") == [*tokenise(text), "é"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("running dogs", "The dog runs"),
        ("Caroline's birthday", "Caroline has her birthday"),
        ("CAFÉ", "café"),
        ("2023", "in 2023."),
        ("ｆｕｌｌ width", "full width"),
        ("don’t forget adopting", "Adopted"),
        ("咖啡", "我喜欢喝咖啡"),
        ("東京", "東京に住んでいます"),
        ("서울", "서울에 살아요"),
        ("GPT-4 模型", "训练模型"),
        ("İSTANBUL", "in Istanbul"),
        ("हिन्दी", "मुझे हिन्दी पसंद है।"),
        ("क्षमा", "क्\u200dषमा"),
        ("தமிழ்", "நான் தமிழ் பேசுகிறேன்"),
        ("שלום", "שָׁלוֹם"),
        ("محمد", "مُحَمَّد"),
        ("Donaudampf", "Donau\u00addampf"),
        ("กาแฟ", "ฉันชอบดื่มกาแฟทุกเช้า"),
        ("ကော်ဖီ", "ကျွန်တော်ကော်ဖီကြိုက်တယ်"),
    ],
)
def test_a_question_shares_a_token_with_what_was_said(asked: str, said: str) -> None:
    assert set(tokenise(asked)) & set(tokenise(said))


@pytest.mark.parametrize(
    ("traditional", "simple"),
    [
        ("我在臺北買了一把結他", "我在台北买了一把结他"),
        ("慶祝，聽說妳瞭解頭髮", "庆祝，听说你了解头发"),
        ("乾隆看著乾淨的名著", "乾隆看着干净的名著"),
        ("衞生署附近的餐枱", "卫生署附近的餐台"),
    ],
)
def test_traditional_and_simplified_chinese_have_the_same_tokens(traditional: str, simple: str) -> None:
    assert tokenise(traditional) == tokenise(simple)


@given(before=CHINESE, asked=CHINESE, after=CHINESE)
def test_the_tokens_of_a_part_of_chinese_are_tokens_of_the_whole(before: str, asked: str, after: str) -> None:
    assert set(tokenise(asked)) <= set(tokenise(before + asked + after))


def test_words_that_say_nothing_are_left_out() -> None:
    assert tokenise("What is it that you have been doing to the of and") == []
    assert tokenise("我的是了吗") == ["我", "我的", "的是", "是了", "了吗"]


@pytest.mark.parametrize(
    "word", ["हिन्दी", "हिन्दू", "বাংলা", "தமிழ்", "മലയാളം", "ಕನ್ನಡ", "ދިވެހި", "n̄di", normalize("NFD", "Việt"), "istanbul"]
)
def test_a_word_with_marks_is_one_token(word: str) -> None:
    assert tokenise(f"{word}, {word}!") == [normalize("NFKC", word).lower()] * 2


def test_thai_is_cut_into_characters_with_their_marks_and_pairs() -> None:
    assert tokenise("น้ำชา 25") == ["น้ํ", "า", "ช", "า", "น้ํา", "าช", "ชา", "25"]


def test_a_weight_repeats_the_text() -> None:
    assert index_tokens([("Paris trip", 3), ("", 2), ("rain", 1)]) == "pari trip pari trip pari trip rain"


@pytest.mark.parametrize(("text", "share"), [("hello", 0.0), ("你好", 1.0), ("你好ab", 0.5), ("123", 0.0), ("ﾗｰﾒﾝ", 1.0)])
def test_how_much_of_a_text_is_chinese_japanese_or_korean(text: str, share: float) -> None:
    assert cjk_share(text) == share
    assert has_cjk(text) == (share > 0)


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("我喜欢咖啡", {"zh", "ja"}),
        ("寿司が好き", {"ja"}),
        ("ﾗｰﾒﾝ", {"ja"}),
        ("서울에 살아요", {"ko"}),
        (normalize("NFD", "서울"), {"ko"}),
        ("김치 泡菜", {"ko"}),
        ("hello", set()),
        ("café", set()),
    ],
)
def test_scripts_tell_which_languages_a_text_may_be_in(text: str, languages: set[str]) -> None:
    assert cjk_languages(text) == languages


@given(text=st.text(max_size=300))
def test_an_estimate_of_tokens_never_shrinks_when_text_is_added(text: str) -> None:
    assert 0 <= estimate_tokens(text) <= estimate_tokens(text + "\nand some more words")


def test_long_texts_are_not_remembered() -> None:
    """A thousand messages of one long word each leave nothing in memory."""
    from mneme import text as module

    caches = (module._cached_tokens_of_line, module._token, module._weight)
    for letter in "абв" + "abc":
        long = letter * (module.LONGEST_REMEMBERED + 1)
        held = [cache.cache_info().currsize for cache in caches]
        assert module.index_tokens([(long, 1)])
        assert module.estimate_tokens(long) > 100
        assert [cache.cache_info().currsize for cache in caches] == held
