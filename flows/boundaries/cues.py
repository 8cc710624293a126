"""Cues in the wording of one message for its place in a conversation: openings, closings, links.

Words and patterns of English and Chinese. A language that is not listed simply shows no cues; similarity and time
speak for it.
"""

import math
import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from flows.cuts import Utterance
from mneme.text import cjk_share, index_tokens

_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_READ_CHARACTERS = 2000  # of a long message, its beginning says what it is about; bounds the work and what is kept

CUES = (
    "greets", "takes_leave", "thanks", "changes_subject", "offers_more", "refers_back", "asks", "ends_with_question"
)  # fmt: skip


class Reading(NamedTuple):
    """One message, read. ``microseconds`` since 1970 tell when it was sent, ``log_words`` is log(1 + its words), ``opening``
    is the place in ``OPENINGS`` of how it begins, from 1 on; 0 for none.

    It is kept with every message that is open: ``tokens``, each once, are no set, which would take five times the memory.
    """

    microseconds: int
    tokens: tuple[str, ...]
    log_words: float
    opening: int
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

    @property
    def opens(self) -> tuple[float, ...]:
        """1 for the opening that it has, 0 for all others of ``OPENINGS``."""
        return _ONE_OF[self.opening]

    @property
    def cues(self) -> tuple[float, ...]:
        """Its ``CUES`` as numbers."""
        found = self.greets, self.takes_leave, self.thanks, self.changes_subject, self.offers_more, self.refers_back
        return tuple(map(float, (*found, self.asks, self.ends_with_question)))


def _pattern(english: str, chinese: str, at_start: bool = False) -> re.Pattern[str]:
    """English words, whole ones, or Chinese ones, of a text in lower case.

    The lists are regular expressions that may be broken into lines.
    """
    before = r"^\W*" if at_start else ""
    return re.compile(f"{before}(?:{_whole(english)}|{''.join(chinese.split())})")


def _whole(english: str) -> str:
    """Whole words as a regular expression that stands on one line."""
    one_line = " ".join(english.split()).replace(" | ", "|")
    return rf"(?<!\w)(?:{one_line})(?!\w)"


_GREETS = _pattern(
    "hi+ | hey+ | hello+ | howdy | greetings | good (?:morning|afternoon|evening|day) | yo | what's up",
    "(?:大家|各位|诸位)?(?:你好|您好|好[，,！!]|嗨|哈喽|早上好|早安|上午好|下午好|晚上好|早啊|好久不见)|大家好|各位",
    at_start=True,
)
_MEETS_AGAIN = _pattern(
    "long time no (?:see|talk|chat) | good to (?:see|hear from) you | how(?:'s it going| have you been| are you)",
    "好久不见",
)
_TAKES_LEAVE = _pattern(
    r"""good ?bye | bye+ | see (?:you|ya|u) | talk (?:to you )?(?:soon|later) | catch (?:you|up) (?:later|soon) | take care
    | good ?night | have a (?:\w+ ){0,2}(?:day|night|evening|weekend|trip|stay|time|one)
    | (?:gotta|got to|have to|must) (?:go|run) | until next time | ttyl
    | that(?:'s| is| will be| would be) (?:all|it|everything) | signing off | heading (?:out|off|to bed)""",
    "再见|拜拜|回头见|回头聊|晚安|下次聊|下次再聊|明天见|先这样|我先走|就到这里|散会|辛苦了",
)
_THANKS = _pattern("thanks? | thx | cheers | appreciate", "谢谢|多谢|感谢")
_CHANGES_SUBJECT = _pattern(
    """by the way | btw | anyways? | speaking of | on another note | on a (?:different|side) note | changing (?:the )?subject
    | (?:another|one more|different|new) (?:thing|question|topic|subject) | something else | moving on
    | (?:i )?also (?:need|want|wonder) | i(?:'d| would)? (?:also|like to also) | what about you | next (?:topic|up|item)
    | let's (?:talk|turn|move) | guess what""",
    "顺便|对了|另外|换个话题|话说|说到|还有一件事|还有个|下一个|接下来|说正事|言归正传",
)
_OFFERS_MORE = _pattern(
    """(?:anything|something|what) else | any other questions? | help you with | more (?:information|questions)
    | you(?:'re| are) welcome | no problem | my pleasure | glad (?:to|i could) help | enjoy
    | (?:successful|booked|confirmed|reserved|all set)""",
    "还有什么|其他问题|不客气|别客气|随时",
)
_REFERS_BACK = _pattern(
    """it | its | that | this | those | these | they | them | their | he | him | his | she | her | there | such | same | ones?
    | instead | else | too""",
    "这个|那个|这些|那些|它|他们|她|他|这样|那样|那么|刚才|上面",
)
_SELF = _pattern("i | my | me | mine | we | our | us", "我|咱")  # of "i'm" the "i" is a word
_OTHER = _pattern("you | your | yours | u", "你|您")
_QUESTION = re.compile(r"[?？]|[吗呢么](?:[。！!.]|$)")
_OPENINGS = {  # English words, Chinese ones; the first that fits names the opening
    "answer": (
        r"""yes | yeah | yep | yup | no | nope | nah | not | sure | ok | okay | o\.k | correct | exactly | right | absolutely
        | definitely | of course | true | agreed | i do | i am | i did | i don't | i do not | me (?:too|neither) | maybe
        | probably | both | none | neither""",
        "好的|好|行|可以|是的|是|对|对的|嗯|没有|没|不|收到|明白|同意|没问题|当然|确实",
    ),
    "reaction": (
        r"""wow+ | oh+ | ah+ | aw+ | cool | nice | great | awesome | lol | haha\w* | sounds? | that(?:'s| is) | interesting
        | amazing | perfect | wonderful | thanks? | thank you | glad | sorry | congrat\w* | i see | good | excellent
        | fantastic | alright | understood | hm+""",
        "哇|哈哈|太好了|不错|真的|厉害|谢谢|原来|哦|噢|赞",
    ),
    "link": (
        """and | but | so | because | or | then | well | also | if | in that case | which | since | plus | however | besides
        | actually | you (?:can|should|may|will|could|need|must) | it | they | he | she | this | these | those""",
        "而且|但是|但|所以|因为|或者|然后|那|不过|其实|如果|并且|它|他|她|这",
    ),
    "wh_question": (
        "what(?:'s)? | how | where(?:'s)? | when | who(?:'s)? | which | why | whose",
        "什么|怎么|怎样|如何|哪|谁|为什么|多少|几",
    ),
    "yes_no_question": (
        """do | does | did | is | are | was | were | have | has | can | could | will | would | should | may | shall | any""",
        "是否|能否|可否|有没有|是不是|能不能|要不要",
    ),
    "request": (
        """i (?:need|want|wish|would like|'d like|am looking|have (?:a |some |another )?questions?|was wondering|wonder)
        | i'd like | i'm (?:looking|interested|wondering|trying) | i am (?:interested|wondering|trying|planning) | please
        | find | give | tell | show | get | set | remind | check | schedule | book | let me know | help | looking for
        | navigate | make | need""",
        "请|帮我|帮忙|我想|我要|我需要|麻烦|能帮|给我",
    ),
    "self": ("i | i'm | i've | my | we | our", "我|我们|咱们"),
}
OPENINGS = tuple(_OPENINGS)
_OPENING = re.compile(rf"\W*(?:{'|'.join(f'({_whole(english)}|{chinese})' for english, chinese in _OPENINGS.values())})")
_ONE_OF = [tuple(float(number == each) for each in range(1, len(OPENINGS) + 1)) for number in range(len(OPENINGS) + 1)]


def reading_of(utterance: Utterance) -> Reading:
    """A message, read once: a conversation asks for the same messages again with every one that follows."""
    kept = utterance.reading
    if isinstance(kept, Reading):
        return kept
    reading = read(utterance.message.text, (utterance.message.sent_at - _EPOCH) // _MICROSECOND)
    object.__setattr__(utterance, "reading", reading)
    return reading


def turning_words(text: str) -> str:
    """The words with which the beginning of a message turns to another subject ("by the way"); "" if there are none."""
    found = _CHANGES_SUBJECT.search(text[:_READ_CHARACTERS].lower())
    return " ".join(found.group().split()) if found else ""


def read(text: str, microseconds: int = 0) -> Reading:
    """Reads the beginning (2,000 characters) of a message, which was sent so many microseconds after 1970 began."""
    text = text[:_READ_CHARACTERS]
    lower = text.lower()
    chinese = cjk_share(text) > 0.5
    count = len(text.split()) if not chinese else sum(character.isalpha() for character in text) // 2 + 1
    opening = _OPENING.match(lower)
    end = lower.rstrip()[-2:]
    return Reading(
        microseconds=microseconds,
        tokens=tuple(dict.fromkeys(index_tokens([(text, 1)]).split())),  # its row was made of the same a moment ago
        log_words=math.log1p(count),
        opening=(opening and opening.lastindex) or 0,
        greets=_has(_GREETS, lower) or _has(_MEETS_AGAIN, lower),
        takes_leave=_has(_TAKES_LEAVE, lower),
        thanks=_has(_THANKS, lower),
        changes_subject=_has(_CHANGES_SUBJECT, lower),
        offers_more=_has(_OFFERS_MORE, lower),
        refers_back=_has(_REFERS_BACK, lower),
        asks=_asks(lower),
        ends_with_question=_asks(end),
        speaks_of_self=_has(_SELF, lower),
        addresses_other=_has(_OTHER, lower),
        lower_case=text == lower and not chinese,
        chinese=chinese,
    )


def _has(cue: re.Pattern[str], text: str) -> bool:
    return cue.search(text) is not None


def _asks(text: str) -> bool:
    return "?" in text or (not text.isascii() and _QUESTION.search(text) is not None)
