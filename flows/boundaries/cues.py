"""What the wording of one message says about where it stands in a conversation: openings, closings, links.

Words and patterns of English and Chinese. A language that is not listed simply shows no cues; similarity and time
speak for it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from mneme.text import cjk_share, tokenise

_READ_CHARACTERS = 2000  # of a long message, its beginning says what it is about; bounds the work and the cache


@dataclass(frozen=True, slots=True)
class Reading:
    """One message, read. ``opening`` names how it begins; see ``_OPENINGS``."""

    tokens: frozenset[str]
    words: int
    opening: str
    greets: bool
    takes_leave: bool
    thanks: bool
    changes_subject: bool
    offers_more: bool
    refers_back: bool
    asks: bool
    ends_with_question: bool
    speaks_of_self: bool
    addresses_other: bool
    lower_case: bool
    chinese: bool


def _words(*alternatives: str) -> str:
    return rf"(?:{'|'.join(alternatives)})\b"


_GREETS = re.compile(
    r"^\W*" + _words("hi+", "hey+", "hello+", "howdy", "greetings", "good (?:morning|afternoon|evening|day)", "yo", "what's up")
    + r"|^\W*(?:大家|各位|诸位)?(?:你好|您好|好[，,！!]|嗨|哈喽|早上好|早安|上午好|下午好|晚上好|早啊|好久不见)|^\W*(?:大家好|各位)"
    + r"|\b(?:long time no (?:see|talk|chat)|good to (?:see|hear from) you|how(?:'s it going| have you been| are you))\b",
    re.IGNORECASE,
)  # fmt: skip
_TAKES_LEAVE = re.compile(
    r"\b(?:good ?bye|bye+|see (?:you|ya|u)|talk (?:to you )?(?:soon|later)|catch (?:you|up) (?:later|soon)|take care|good ?night"
    r"|have a (?:\w+ ){0,2}(?:day|night|evening|weekend|trip|stay|time|one)|(?:gotta|got to|have to|must) (?:go|run)"
    r"|until next time|ttyl|that(?:'s| is| will be| would be) (?:all|it|everything)|signing off|heading (?:out|off|to bed))\b"
    r"|再见|拜拜|回头见|回头聊|晚安|下次聊|下次再聊|明天见|先这样|我先走|就到这里|散会|辛苦了",
    re.IGNORECASE,
)
_THANKS = re.compile(r"\b(?:thanks?|thank you|thx|cheers|appreciate)\b|谢谢|多谢|感谢", re.IGNORECASE)
_CHANGES_SUBJECT = re.compile(
    r"\b(?:by the way|btw|anyway|anyways|speaking of|on another note|on a (?:different|side) note|changing (?:the )?subject"
    r"|(?:another|one more|different|new) (?:thing|question|topic|subject)|something else|moving on|(?:i )?also (?:need|want|wonder)"
    r"|i(?:'d| would)? (?:also|like to also)|what about you|next (?:topic|up|item)|let's (?:talk|turn|move)|guess what)\b"
    r"|顺便|对了|另外|换个话题|话说|说到|还有一件事|还有个|下一个|接下来|说正事|言归正传",
    re.IGNORECASE,
)
_OFFERS_MORE = re.compile(
    r"\b(?:(?:anything|something|what) else|any other questions?|help you with|more (?:information|questions)|you(?:'re| are) welcome"
    r"|no problem|my pleasure|glad (?:to|i could) help|enjoy|(?:successful|booked|confirmed|reserved|all set))\b"
    r"|还有什么|其他问题|不客气|别客气|随时",
    re.IGNORECASE,
)
_REFERS_BACK = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|their|he|him|his|she|her|there|such|same|one|ones|instead|else|too)\b"
    r"|这个|那个|这些|那些|它|他们|她|他|这样|那样|那么|刚才|上面",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|we|our|us)\b|我|咱", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:you|your|yours|u)\b|你|您", re.IGNORECASE)
_QUESTION = re.compile(r"[?？]|[吗呢么](?:[。！!.]|$)")
_OPENINGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"^\W*(?:{pattern})", re.IGNORECASE))
    for name, pattern in (
        ("answer", _words("yes", "yeah", "yep", "yup", "no", "nope", "nah", "not", "sure", "ok", "okay", "o\\.k", "correct", "exactly",
                          "right", "absolutely", "definitely", "of course", "true", "agreed", "i do", "i am", "i did", "i don't",
                          "i do not", "me (?:too|neither)", "maybe", "probably", "both", "none", "neither")
         + "|好的|好|行|可以|是的|是|对|对的|嗯|没有|没|不|收到|明白|同意|没问题|当然|确实"),
        ("reaction", _words("wow+", "oh+", "ah+", "aw+", "cool", "nice", "great", "awesome", "lol", "haha\\w*", "sounds?", "that(?:'s| is)",
                            "interesting", "amazing", "perfect", "wonderful", "thanks?", "thank you", "glad", "sorry", "congrat\\w*",
                            "i see", "good", "excellent", "fantastic", "alright", "understood", "hm+")
         + "|哇|哈哈|太好了|不错|真的|厉害|谢谢|原来|哦|噢|赞"),
        ("link", _words("and", "but", "so", "because", "or", "then", "well", "also", "if", "in that case", "which", "since", "plus",
                        "however", "besides", "actually", "you (?:can|should|may|will|could|need|must)", "it", "they", "he", "she",
                        "this", "these", "those")
         + "|而且|但是|但|所以|因为|或者|然后|那|不过|其实|如果|并且|它|他|她|这"),
        ("wh_question", _words("what(?:'s)?", "how", "where(?:'s)?", "when", "who(?:'s)?", "which", "why", "whose")
         + "|什么|怎么|怎样|如何|哪|谁|为什么|多少|几"),
        ("yes_no_question", _words("do", "does", "did", "is", "are", "was", "were", "have", "has", "can", "could", "will", "would",
                                   "should", "may", "shall", "any")
         + "|是否|能否|可否|有没有|是不是|能不能|要不要"),
        ("request", _words("i (?:need|want|wish|would like|'d like|am looking|have (?:a |some |another )?questions?|was wondering|wonder)",
                           "i'd like", "i'm (?:looking|interested|wondering|trying)", "i am (?:interested|wondering|trying|planning)",
                           "please", "find", "give", "tell", "show", "get", "set", "remind", "check", "schedule", "book", "let me know",
                           "help", "looking for", "navigate", "make", "need")
         + "|请|帮我|帮忙|我想|我要|我需要|麻烦|能帮|给我"),
        ("self", _words("i", "i'm", "i've", "my", "we", "our") + "|我|我们|咱们"),
    )
)  # fmt: skip
OPENINGS = tuple(name for name, _ in _OPENINGS)


def read(text: str) -> Reading:
    """Reads the beginning (2,000 characters) of a message."""
    return _read(text[:_READ_CHARACTERS])


@lru_cache(maxsize=4096)
def _read(text: str) -> Reading:
    chinese = cjk_share(text) > 0.5
    words = len(text.split()) if not chinese else sum(character.isalpha() for character in text) // 2 + 1
    end = text.rstrip()[-2:]
    return Reading(
        tokens=frozenset(tokenise(text)),
        words=words,
        opening=next((name for name, pattern in _OPENINGS if pattern.search(text)), ""),
        greets=bool(_GREETS.search(text)),
        takes_leave=bool(_TAKES_LEAVE.search(text)),
        thanks=bool(_THANKS.search(text)),
        changes_subject=bool(_CHANGES_SUBJECT.search(text)),
        offers_more=bool(_OFFERS_MORE.search(text)),
        refers_back=bool(_REFERS_BACK.search(text)),
        asks=bool(_QUESTION.search(text)),
        ends_with_question=bool(_QUESTION.search(end)),
        speaks_of_self=bool(_SELF.search(text)),
        addresses_other=bool(_OTHER.search(text)),
        lower_case=text == text.lower() and not chinese,
        chinese=chinese,
    )
