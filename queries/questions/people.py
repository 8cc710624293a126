"""The people that a question names, by a name, by a part of one, or as the one who asks it; and their point of view.

"What did Ann research?" becomes "What did I research?": people speak of themselves as "I", and a small embedder gives a name
in the question more weight than what is asked. On LoCoMo (development conversations) the cosine of the facts alone finds 48 %
of the evidence in the first ten messages with the question as it is, and 66 % from the speaker's viewpoint. Who is asked
about is told by other means (``Question.names``).
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.ids import folded
from mneme.languages import foreign_language
from mneme.text import STOP_WORDS, has_cjk

_CHINESE_NAME = 3  # characters of most Chinese names: the surname has one
_SHORTEST_PART = 3  # letters: "Al" or "Is" in a question is more often a word than a person
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# Names that are words too: they count with a capital inside the sentence only ("What did Mark say?", not "mark it").
_ALSO_WORDS = STOP_WORDS | frozenset(
    """angel april art august autumn baker bill bishop brook brown chance chase christian clay cliff cook crystal daisy dawn
    dean drew eve faith forest frank gene glen grace grant gray green guy harmony hope hunter iris ivy jack jasmine jean jewel
    joy june king lance lily long mark may melody miles nick olive page pat patience pearl penny pierce ray reed rich rob robin
    rock rose ruby sage sandy sky star stone storm sue summer sunny taylor trip victor violet ward white winter wood
    young""".split()
)
_MONTHS = frozenset(("april", "may", "june", "august"))
_NO_MONTH = "".join(  # "in May" is no person
    rf"(?<!{before} )"
    for before in (*"in by since until during before after last next this early late around".split(), r"\d", r"\d\w\w")
)
_AFTER_MONTH = r"(?!,? \d)"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_BEGINS, _ENDS = rf"(?:(?<!\w)|(?<=[{_CJK}]))", rf"(?:(?!\w)|(?=[{_CJK}]))"  # Anna喜欢什么 names Anna
_INSIDE = r"(?<![.!?:\"“(] )(?<!^)"  # not where every word has a capital
_VOWELS = "aeiouyаеёийоуыьюя"  # that a case may change at the end of a name
# The endings of names by their cases, of languages that have some.
_CASES = (
    {"de": "s"}
    | dict.fromkeys(("ru", "uk", "bg"), "(?:[аяыиеёуюо]|[оеё][йюм])")
    | dict.fromkeys(("pl", "cs", "sk", "sl", "hr", "sr"), "(?:[aeiouyęąůíéá]|[oe][jmu]|ou|ie|ową|owi)")
)
_TITLE = "(?:先生|女士|小姐|太太|老师|医生|教授|经理|总|阿姨|叔叔|さん|くん|君|ちゃん|様|씨|님)"
_REQUEST = re.compile(  # "can you tell me" is about nobody
    r"(?:^\W*|\b(?:you|please|and)\s+)(?:tell|remind|show|give|help|let|explain\s+to)\s+me\b|(?:^|[，。请能你]|可以)(?:告诉|提醒|帮|给)我",
    re.IGNORECASE,
)
_I = re.compile(
    r"(?<!\w)(?:i|me|my|mine|myself|ich|mich|mir|mein(?:e[mnrs]?)?)(?!\w)|我(?!们)|私|僕|俺|(?<!\w)(?:나|내|저|제)(?:가|는|의|를|도)?(?!\w)",
    re.IGNORECASE,
)
_WHO_ASKS = frozenset(("user", "human", "me", "i", "myself", "我", "用户", "私", "나"))  # names that chats give to the user
_WHO_ANSWERS = frozenset(("assistant", "ai", "agent", "bot", "chatbot", "助手", "アシスタント"))

_OWNS = re.compile(r"['’]s\b|的")
_TOGETHER = re.compile(r"\bI (?:and|or|&) I\b|我[和跟与]我")
_NAME = r"[A-Z][a-z]+(?:[-'’][A-Z][a-z]+){0,3}(?: [A-Z][a-z]+){0,5}"  # limits: an endless list costs no square
_AUXILIARY = "am|is|are|was|were|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would"
_SUBJECT = re.compile(  # "did Ann and Bob go", "Ann's": who is asked about, and not "Paris" or "Flask"
    rf"(?<![\w'’-])(?i:{_AUXILIARY}) (?P<first>{_NAME})(?: (?:and|or|&) (?P<second>{_NAME}))?(?![\w-])"
    rf"|(?<![\w'’-])(?P<owner>{_NAME})(?=['’]s\b)"
)
_NO_NAMES = frozenset(
    (*(month.lower() for month in MONTHS), *WEEKDAYS, *"christmas easter i what who when where why how which".split())
)


def names_person(text: str, person: str) -> bool:
    """True if a text names a person, in full or by a part of the name.

    Whole words only, in their cases where a language has some. A part that is a word as well must have a capital where not
    every word has one, and be no month.

    >>> names_person("What did Mei-Lin decide?", "Mei-Lin Chen"), names_person("Was it in May?", "May Chen")
    (True, False)
    >>> names_person("Wie hoch ist Ankes Miete?", "Anke"), names_person("Как зовут кошку Веры?", "Вера")
    (True, True)
    """
    pattern = _pattern_in(text, person)
    return pattern is not None and bool(pattern.search(text))


def occurrences(text: str, person: str) -> list[tuple[int, int]]:
    """The spans of a text that name a person, as ``names_person`` finds them.

    >>> occurrences("Ann and Ann Lee", "Ann Lee")
    [(0, 3), (8, 15)]
    """
    pattern = _pattern_in(text, person)
    return [found.span() for found in pattern.finditer(text)] if pattern else []


@lru_cache(256)  # asked of everybody who said something that was found
def names_asker(text: str) -> bool:
    """True if a question is about who asks it: "I", "my", 我; not "tell me" or 我们.

    >>> names_asker("Where do I work?"), names_asker("Tell me about Ann."), names_asker("我们去哪里？")
    (True, False, False)
    """
    return bool(_I.search(_REQUEST.sub(" ", text)))


def is_asker(person: str, owner: str | None) -> bool:
    """True if a person is the owner of the memory that is asked, by the words of the id and the name, or is called "User".

    >>> is_asker("Maya Chen", "maya"), is_asker("Ann Smith", "maya.smith"), is_asker("User", None)
    (True, False, True)
    """
    name = _words(person)
    mine = _words(owner or "")
    return folded(person) in _WHO_ASKS or bool(name and mine and (name <= mine or mine <= name))


def asker_among(speakers: Iterable[str], senders: Iterable[tuple[str, str]], owner: str | None) -> str | None:
    """The name of who asks, by which ``is_asker`` knows them: an owner's id is often no name.

    It is the name under which the owner sends, else that of the only one who speaks. Assistants do not count, nor does the
    owner's id where messages without a name have it too. Where no name is known it is the owner's id.

    >>> asker_among(["Maya", "Jonas"], [("6f1e77c0", "Maya")], "6f1e77c0"), asker_among(["Maya", "Assistant"], [], "6f1e77c0")
    ('Maya', 'Maya')
    >>> asker_among(["Sam", "sam", "Priti"], [("sam", "Sam"), ("sam", "sam")], "sam")
    'Sam'

    Args:
        speakers: the names of those who speak in what was found.
        senders: ids and names of those who sent the messages among it.
        owner: of the memory that is asked; None where it is no single person's.
    """
    if owner is None:
        return None
    named = {name for identity, name in senders if identity == owner} or {each for each in speakers if not is_assistant(each)}
    named.discard(owner)
    return named.pop() if len(named) == 1 else owner


@lru_cache(4096)  # people of all searches
def is_assistant(person: str) -> bool:
    """True if a name is one that chats give to the assistant."""
    return folded(person) in _WHO_ANSWERS


def _pattern_in(text: str, person: str) -> re.Pattern[str] | None:
    """The pattern of a person's names in the language of a text; None if the text cannot name the person."""
    return _pattern(person, _CASES.get(foreign_language(text), "")) if _may_name(text, person) else None


def _may_name(text: str, person: str) -> bool:
    """False for most of whom a text does not name: to compile a pattern takes 2 to 8 ms, and an owner knows many people.

    Of ASCII alone, for there "in any case" is what lower case compares. By the stems, which stay in every case of a name.
    """
    if not (text.isascii() and person.isascii()):
        return True
    lowered = text.lower()
    for stem in _lower_stems(person):  # noqa: SIM110  # a generator takes twice as long, for everybody
        if stem in lowered:
            return True
    return False


@lru_cache(4096)  # people of all searches
def _lower_stems(person: str) -> tuple[str, ...]:
    return tuple(_stem(word) for word in _WORD.findall(person.lower()))


@lru_cache(4096)  # people of all searches
def _pattern(person: str, case: str) -> re.Pattern[str] | None:
    if has_cjk(person):
        alternatives = _cjk_names(person)
    else:
        words = list(dict.fromkeys(_WORD.findall(person)))
        whole = [rf"{_BEGINS}(?i:{re.escape(person)}){_ENDS}"] if len(words) > 1 else []
        alternatives = whole + [_name_part(word) for word in words if len(word) > 1]
        alternatives += [_in_case(word, case) for word in words if case and len(word) >= _SHORTEST_PART]
    return re.compile("|".join(alternatives)) if alternatives else None


def _name_part(word: str) -> str:
    folded = word.lower()
    if len(word) >= _SHORTEST_PART and folded not in _ALSO_WORDS:
        return rf"{_BEGINS}(?i:{re.escape(word)}){_ENDS}"
    capital = re.escape(word[0].upper() + word[1:])
    if folded in _MONTHS:
        capital = _NO_MONTH + capital + _AFTER_MONTH
    return rf"(?:{_INSIDE}{_BEGINS}{capital}{_ENDS}|{_BEGINS}{capital}(?=['’]s\b))"


def _in_case(word: str, case: str) -> str:
    stem = word if case == _CASES["de"] else _stem(word)
    return rf"{_BEGINS}{re.escape(stem[0].upper() + stem[1:])}{case}{_ENDS}"


def _stem(word: str) -> str:
    return word.rstrip(_VOWELS) or word


def _cjk_names(person: str) -> list[str]:
    """The name, the given name of three characters (小明 of 王小明), and a name with a title (王老师, 田中さん, 綾さん)."""
    names = [re.escape(person)] if len(person) > 1 else [rf"{re.escape(person)}{_TITLE}"]
    if len(person) > 2 and all(has_cjk(character) for character in person):
        names += [re.escape(person[1:])] if len(person) == _CHINESE_NAME else []
        names += [rf"{re.escape(person[:1])}{_TITLE}", rf"{re.escape(person[:2])}{_TITLE}"]
    return names


@lru_cache(4096)  # people of all searches
def _words(name: str) -> frozenset[str]:
    """The words by which names are compared: those of two letters or more, else the name as it is."""
    words = frozenset(word.lower() for word in _WORD.findall(name) if len(word) > 1)
    return words or frozenset(filter(None, [folded(name)]))


def likely_people(text: str) -> tuple[str, ...]:
    """The names where a person would stand: behind the verb that begins a question, or before an "'s"; no months and days.

    >>> likely_people("When did Mei Lin paint Jo's house in Paris?")
    ('Mei Lin', 'Jo')
    """
    found = (name for match in _SUBJECT.finditer(text) for name in match.groups() if name)
    return tuple(dict.fromkeys(name for name in found if name.split()[0].lower() not in _NO_NAMES))


def from_viewpoint(text: str, people: Iterable[str]) -> str:
    """The question as these people would ask it about themselves; the same text if it names none of them.

    >>> from_viewpoint("What did Ann's sister and Bob plan?", ["Ann Lee", "Bob"])
    'What did my sister and I plan?'
    """

    def speaker(name: str, owns: bool) -> str:
        if has_cjk(name):
            return "我的" if owns else "我"
        return "my" if owns else "I"

    spoken = _replaced(text, people, speaker)
    return _TOGETHER.sub(lambda both: "我们" if has_cjk(both[0]) else "we", spoken)


def without_names(text: str, people: Iterable[str]) -> str:
    """The question without the names of these people; the same text if nothing else is in it.

    >>> without_names("What did Ann's sister say?", ["Ann Lee"]), without_names("Ann?", ["Ann"])
    ('What did sister say?', 'Ann?')
    """
    left = _replaced(text, people, lambda name, owns: "")
    return left if any(character.isalnum() for character in left) else text


def _replaced(text: str, people: Iterable[str], with_: Callable[[str, bool], str]) -> str:
    """With every name of these people replaced, an "'s" or 的 behind it too; ``with_`` gets the name and whether it owns."""
    spans = sorted({span for person in people for span in occurrences(text, person)})
    parts, end = [], 0
    for begins, ends in spans:
        if begins < end:
            continue
        owns = _OWNS.match(text, ends)
        parts += [text[end:begins], with_(text[begins:ends], owns is not None)]
        end = owns.end() if owns else ends
    return " ".join("".join([*parts, text[end:]]).split()) if parts else text
