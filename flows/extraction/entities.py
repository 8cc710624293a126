"""The entities that sentences name for certain: persons, organisations, places, titles, things. Pure.

A name is taken where something besides its capital says so: a list of given names and places, a title of address, a word
within it ("University", "Festival"), the word before it that says what it is ("my sister Eva", "the app Headspace"), a verb
that wants a place ("moved to Lübeck"), or an edge that a claim states. A capital at the beginning of a sentence is none, and
a name in capitals ("SSS") is not taken. A name within a sentence that nothing explains is an ``object``, unless the same
word stands somewhere in small letters.

Measured against spaCy's named entities (en_core_web_sm 3.8) on chats: right name and type in 45 % of 82 against these rules'
shares in docs/extraction.md, at 4 ms a message against 0.1.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files

from flows.cuts import ExtractedEntity
from flows.extraction.spoken import Sentence
from mneme.guarded import Guarded
from mneme.relations import relation_of
from mneme.text import STOP_WORDS

PERSON, ORGANISATION, LOCATION, OBJECT = "person", "organisation", "location", "object"

_MOST = 300  # entities of an episode
_LONGEST_SUMMARY = 200  # characters; an entity's summary is joined from several episodes
_LONGEST_LINE = 400  # characters of a sentence; what is longer is a text without marks
_TYPE_OF_TARGET = {
    **dict.fromkeys("works_at studies_at member_of volunteers_at owns founded".split(), ORGANISATION),
    **dict.fromkeys("lives_in from born_in located_in visited".split(), LOCATION),
    **dict.fromkeys(
        """married_to partner_of engaged_to sibling_of parent_of child_of friend_of colleague_of treated_by relative_of
        neighbour_of boss_of reports_to""".split(),
        PERSON,
    ),
    "has_pet": "pet",
}

_UPPER = "A-ZÀ-ÖØ-Þ"
_RUN = re.compile(
    rf"(?:(?:Dr|Mr|Mrs|Ms|Prof|Professor|Coach|Aunt|Auntie|Uncle)\.? )?[{_UPPER}][\w'’&-]*"
    rf"(?: (?:(?:of|the|de|da|del|van|von|&) ){{0,2}}[{_UPPER}0-9][\w'’&-]*)*"
)
_TITLE = re.compile(rf"[\"“]([{_UPPER}][^\"”]{{1,60}})[\"”]")
_HONORIFIC = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof|Professor|Coach|Aunt|Auntie|Uncle)\.? (?=\w)")
_OPENING = re.compile(r"(?:^|[.:;!?…(\[\n/→+]|\d\)|\s[-–•*]|[\"“'‘])[\s\"'“‘]*$")
_REACH = 60  # characters around a name that tell what it is
_ENDING = re.compile(r"['’]s?$|-(?:based|related|like|style|born|themed)$")
_SMALL = frozenset("a an the of and or in on at to for with from by de la & da del van von".split())
_TYPED_WORDS = (
    (ORGANISATION,
     "inc corp ltd llc gmbh company university college school academy institute hospital clinic bank club association"
     " foundation studio studios agency council church museum society league bakery café cafe restaurant center centre"
     " airlines airways logistics technologies labs ministry department shelter library orchestra kindergarten"),
    (LOCATION,
     "street avenue road park beach lake mountain mountains mount island islands river city bay valley canyon tower falls coast"
     " hills county village square bridge castle palace desert forest harbor harbour station airport peninsula ocean sea"
     " region province trail temple gardens hutong wall northwest northeast midwest"),
    ("event",
     "fest festival parade conference summit marathon olympics championship championships expo gala"),
)  # fmt: skip
_TYPE_OF_WORD = {word: kind for kind, words in _TYPED_WORDS for word in words.split()}
_KIN = (
    r"(?:friend|sister|brother|son|daughter|wife|husband|cousin|aunt|uncle|boss|manager|supervisor|colleague|coworker|co-worker|"
    r"partner|girlfriend|boyfriend|fianc[eé]e?|neighbou?r|niece|nephew|mother|father|mom|mum|dad|teacher|doctor|therapist|"
    r"roommate|flatmate|mentor|landlord|landlady|grandma|grandpa|grandmother|grandfather|stepson|stepdaughter|twin|baby)"
)
_PERSON_BEFORE = Guarded(
    rf"\b{_KIN}s?,? (?:is |was )?(?:called |named )?$|\b(?:actors?|actress|singers?|authors?|writers?|artists?|painter) $|"
    r"\b(?:told|asked|thanked|hugged|texted|phoned|dating|married) $",
    re.I,
)
_PERSON_AFTER = re.compile(
    r"^(?:,? (?:and|&) [A-Z]\w+)? (?:said|says|told|asks|asked|thinks|thought|wants|wanted|called|calls|cried|laughed|smiled|"
    r"cooks|agreed|agrees|texted|texts|cooked|(?:and|&) I)\b|^, (?:who['’ ]|s?he['’ ]|an? \d+-year-old\b)"
)
_PLACE_BEFORE = Guarded(
    r"\b(?:(?:live|lives|living|lived|stay|stays|staying|stayed|born|raised|based|arrived?|located|grew up) in|"
    r"(?:mov(?:e|es|ed|ing)|fly|flies|flew|flying|travel(?:s|l?ed|l?ing)?|trips?|drove|driving|train|flight|flights|"
    r"relocat(?:e|ed|ing)|move|go|goes|going|went|been|back|back home) to|visit(?:s|ed|ing)?|(?:hik|climb)(?:e|ed|ing)?|near|"
    r"(?:back|flew|come|comes|came|am|are|were|['’]m|['’]re) from)\s+(?:the )?$",
    re.I,
)
_ORGANISATION_BEFORE = Guarded(
    r"\b(?:work(?:s|ed|ing)? (?:at|for)|(?:job|internship|position|interview|offer|contract) (?:at|with|from)|"
    r"employed (?:at|by)|hired by|stud(?:y|ies|ied|ying) at|graduated from|compan(?:y|ies)|start-?up|firm|bank|airline)"
    r"(?: called| named)?\s+(?:the )?$",
    re.I,
)
_KINDS = {
    **dict.fromkeys("book books novel novels trilogy memoir".split(), "book"),
    **dict.fromkeys("movie movies film films show series documentary sitcom".split(), "film"),
    **dict.fromkeys("song songs album albums single track".split(), "song"),
    **dict.fromkeys("game games videogame boardgame".split(), "game"),
    **dict.fromkeys("app apps tool software platform library framework website site".split(), "product"),
    **dict.fromkeys("dog dogs puppy cat cats kitten rabbit hamster parrot horse pony pet pets turtle".split(), "pet"),
    **dict.fromkeys("band project team club restaurant café cafe bar pub bakery shop store".split(), ORGANISATION),
    **dict.fromkeys("city town village island country neighbourhood neighborhood suburb".split(), LOCATION),
}
_KIND_BEFORE = re.compile(
    rf"\b(?:the|an?|my|our|your|his|her|their|this|that|another|new|old|local|of) (?:[\w-]+ ){{0,2}}"
    rf"({'|'.join(sorted(_KINDS, key=len, reverse=True))}),? (?:(?:is |was )?(?:called|named|titled) )?[\"“]?$"
)
_MEDIA = re.compile(
    r"\b(?:(?P<book>books?|novels?|reading|read|author)|(?P<film>movies?|films?|watch(?:ed|ing)?|cinema)|"
    r"(?P<song>songs?|listen(?:ed|ing)?|albums?|sang|sing(?:ing)?)|(?P<game>games?|played|playing))\b"
)
_PETS = Guarded(
    r"\b(?:dogs?|pupp(?:y|ies)|pups?|cats?|kittens?|kitty|pets?|parrots?|hamsters?|rabbits?|bunn(?:y|ies)|horses?|turtles?|snakes?|"
    r"guinea pigs?|furry|fur)\b",
    re.I,
)
_ONLY_NAMED = re.compile(r"\bname(?:s|['’]s)?(?: is| was| are| will be|d (?:her|him|it|them))? $")
_THING_BEFORE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|with|on|via|for|from|to|of|at|in|by|like|and|or|the|into|about|through|than|my|our|some[a-z]+|called|"
    r"play|played|playing|watch|watched|watching|read|reading|bought|try|tried|love|loved|is|was) (?:the )?$"
)
_LISTED = re.compile(r"[:→]|\d\)")  # before what may be headings, or values of a field
_NO_PERSON = frozenset("everyone everybody someone somebody anyone anybody nobody okay people dad mom mum".split())
_NOBODY = frozenset("all everyone here channel team".split())  # after "@"
_WORD = re.compile(r"[a-zß-öø-ÿ]+(?:['’-][a-z]+)*")
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays spring summer autumn fall
    winter""".split()
)
_MONTH_AFTER_SPEECH = re.compile(r"^ (?:said|told|asked|called|texted|laughed|and I)\b")
_OFFICE = re.compile(
    r"\b(?:Producer|Manager|Engineer|Director|Assistant|Officer|Developer|Designer|Analyst|Theorem|Formula|Policy|Report|Plan|"
    r"Phase|Step|Part|Section|Chapter|Level|Version|Option|Table|Figure|Team|Panel|Page|Button|Model|Management|Review|Meeting)\b"
)
_AT = re.compile(r"(?<![\w@./])@([^\W\d_][\w-]{1,30})")
_CHINESE_BEFORE = "(?:^|(?<=[，。、；：！？\\s“”和跟与给找叫问让帮陪接等请约同见]))"


def entities_of(sentences: Sequence[Sentence]) -> tuple[ExtractedEntity, ...]:
    """Who and what an episode names, in the order met, at most 300; each with a quoted sentence about it.

    Everybody with a name who takes part as a user is one; of what an assistant says, and of artifacts and questions, nothing
    is. The summary is the sentence that names it, with its speaker in front; of somebody who takes part, what they claim of
    themselves.
    """
    speakers = dict.fromkeys(one.speaker for one in sentences if one.role == "user" and one.speaker)
    present = {part.casefold() for one in sentences for part in (one.speaker, *one.speaker.split())}
    with_pets = {one.index + step for one in sentences if _PETS.search(one.text) for step in (0, 1)}
    said = [one for one in sentences if not (one.artifact or one.is_question) and len(one.text) <= _LONGEST_LINE]
    small = {word for one in said if one.language == "en" for word in _WORD.findall(one.text)}
    met = _Met()
    for speaker in speakers:
        own = [one for one in said if one.speaker == speaker]
        telling = [one for one in own if any(claim.subject == speaker for claim in one.claims)]
        for one in (telling or own)[:1]:
            met.add(speaker, PERSON, one, sure=True)
    for one in said:
        for name, kind in _claimed(one):
            met.add(name, kind, one, sure=True)
        if one.role == "user":
            for name, kind in _named(one, small):
                if not _is_present(name, present) and not (kind == PERSON and one.index in with_pets and " " not in name):
                    met.add(name, kind, one)
    return met.all()


def _is_present(name: str, present: Collection[str]) -> bool:
    """Whether a name is that of somebody who takes part, or the beginning of it ("Mel", "Dear Melanie")."""
    parts = [part.casefold() for part in name.split()]
    if any(part in present for part in parts):
        return True
    beginning = parts[0][:-1] if len(name) > 3 else parts[0]
    return len(parts) == 1 and any(each.startswith(beginning) for each in present)


class _Met:
    """What was met, under the name it was first called by; a type that is known stands before ``object``."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[str, bool]] = {}
        self._where: dict[str, list[Sentence]] = {}
        self._names: dict[str, str] = {}

    def add(self, name: str, kind: str, one: Sentence, sure: bool = False) -> None:
        key = name.casefold().removeprefix("the ")
        if key not in self._names and len(self._names) >= _MOST:
            return
        self._names.setdefault(key, name)
        known, settled = self._kinds.get(key, (OBJECT, False))
        if not settled and (sure or known == OBJECT):
            self._kinds[key] = (kind, sure)
        self._where.setdefault(key, []).append(one)

    def all(self) -> tuple[ExtractedEntity, ...]:
        return tuple(
            ExtractedEntity(name, self._kinds[key][0], _told(self._where[key][0]), _sources(self._where[key]))
            for key, name in self._names.items()
        )


def _told(one: Sentence) -> str:
    told = f"{one.speaker}: {one.text}" if one.speaker else one.text
    return told if len(told) <= _LONGEST_SUMMARY else f"{told[: _LONGEST_SUMMARY - 1].rstrip()}…"


def _sources(where: Sequence[Sentence]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one.index for one in where))


def _claimed(one: Sentence) -> Iterator[tuple[str, str]]:
    """Both ends of the edges that the claims of a sentence state."""
    for claim in one.claims:
        try:
            edge = relation_of(claim.attribute).edge
        except KeyError:
            continue
        if edge and claim.value:
            yield claim.subject, PERSON
            yield claim.value, _TYPE_OF_TARGET.get(edge, OBJECT)


def _named(one: Sentence, small: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names and what they name, in one sentence."""
    if one.language == "en":
        yield from _english(one, small)
    elif one.language == "zh":
        yield from _chinese(one.text)
    yield from ((at[1].rstrip("-"), PERSON) for at in _AT.finditer(one.text) if at[1].casefold() not in _NOBODY)


# --- English ---------------------------------------------------------------------------------------------------------


def _english(one: Sentence, small: Collection[str]) -> Iterator[tuple[str, str]]:
    text = one.text
    if text.isupper() or _is_heading(text):
        return
    dated = [(each.start_index, each.end_index) for each in one.dates]
    taken = []
    for title in _TITLE.finditer(text):
        kind = _kind_of_title(title[1], text[max(0, title.start() - _REACH) : title.start()], text[title.end() :][:_REACH])
        taken.append(title.span())
        if kind:
            yield title[1].strip(" .,!?"), kind
    for run in _RUN.finditer(text):
        if any(start < run.end() and run.start() < end for start, end in taken):
            continue
        opens = _OPENING.search(text, max(0, run.start() - 8), run.start()) is not None
        at = run.start()
        for number, (name, skipped) in enumerate(_split(run[0])):
            at = text.find(name, at)
            end = at + len(name)
            if any(start < end and at < stop for start, stop in dated):
                continue
            kind = _kind(name, text[max(0, at - _REACH) : at], text[end : end + _REACH], opens and not number, bool(skipped))
            if kind == OBJECT and not _is_a_thing(name, text, at, end, small):
                kind = ""
            if kind:
                yield name, kind
            at = end


def _is_heading(text: str) -> bool:
    """Whether most words have a capital: a heading, where it tells no name."""
    words = [word for word in text.split() if word[:1].isalpha()]
    return len(words) > 3 and sum(word[0].isupper() for word in words) > 0.6 * len(words)


def _split(run: str) -> Iterator[tuple[str, bool]]:
    """The names in a run of words with capitals, parted where one can belong to none; each with whether words were dropped
    before it ("Woah Joanna")."""
    if _HONORIFIC.match(run):
        yield _ENDING.sub("", " ".join(run.split()[:3])), False
        return
    none = _lists()["none"]
    names: list[list[str]] = [[]]
    dropped = False
    for word in run.split(" "):
        plain = _ENDING.sub("", word)
        lowered = plain.casefold()
        if word in _SMALL:
            if names[-1]:
                names[-1].append(word)
            continue
        stopped = lowered != "will" and not {lowered, word.casefold().replace("’", "'")}.isdisjoint(STOP_WORDS)
        if stopped or lowered in none or "'" in plain or "’" in plain or len(plain) < 2:
            dropped = True
            names.append([])
            continue
        names[-1].append(plain)
        if plain != word:
            names.append([])
    for words in names:
        while words and words[-1] in _SMALL:
            words.pop()
        if words and not words[0].isdigit():
            yield " ".join(words), dropped


def _kind(name: str, before: str, after: str, opens: bool, dropped: bool) -> str:
    """What a name stands for; empty where nothing tells, and where its capital is that of a sentence."""
    lists = _lists()
    words = name.split()
    first, last = words[0].casefold(), next(word.casefold() for word in (*reversed(words), "") if not word.isdigit())
    given, place = first in lists["given"], name.casefold() in lists["places"]
    if _HONORIFIC.match(name):
        return PERSON
    if name.casefold() in lists["organisations"]:
        return ORGANISATION
    if (name.isupper() and not given and not place) or first in _NO_PERSON:
        return ""
    if (kind_before := _KIND_BEFORE.search(before)) and not opens:
        return _KINDS[kind_before[1]]
    if len(words) > 1 and last in _TYPE_OF_WORD:
        return "" if opens and not given and not place and len(words) == 2 else _TYPE_OF_WORD[last]
    ordinary = len(words) == 1 and (first in lists["words"] or first in _CALENDAR)
    someone = bool(_PERSON_BEFORE.search(before)) or bool(_PERSON_AFTER.match(after))
    if given and ordinary and (opens or first in _CALENDAR):
        said = _MONTH_AFTER_SPEECH.match(after) if opens else _PERSON_BEFORE.search(before) or _MONTH_AFTER_SPEECH.match(after)
        return PERSON if said else ""
    if first in _CALENDAR:
        return ""
    if given and place:
        return PERSON if someone else LOCATION if _PLACE_BEFORE.search(before) else ""
    if given and (len(words) <= 3):
        return PERSON
    if place:
        return LOCATION
    if opens:
        return PERSON if _PERSON_AFTER.match(after) and after[:1] == " " and not dropped and first[-1] != "s" else ""
    if _PERSON_BEFORE.search(before):
        return PERSON
    if _ORGANISATION_BEFORE.search(before):
        return ORGANISATION
    if _PLACE_BEFORE.search(before):
        return LOCATION
    if _PERSON_AFTER.match(after):
        return PERSON
    return OBJECT if not dropped and _THING_BEFORE.search(before) else ""


def _is_a_thing(name: str, text: str, start: int, end: int, small: Collection[str]) -> bool:
    """Whether a name that nothing explains is one: no word of it stands in small letters, and it heads no list."""
    words = [word.casefold() for word in name.split() if word not in _SMALL]
    plain = sum(word in small or word.removesuffix("s") in small for word in words)
    return (
        text[end : end + 1] not in tuple(":/(=_'’")
        and not _LISTED.search(text, 0, start)
        and not _ONLY_NAMED.search(text[max(0, start - 20) : start])
        and _OFFICE.search(name) is None
        and not plain
        and not (words[-1].endswith(("an", "ese", "ish")) and text[end : end + 2].strip().islower())
        and all(len(word) > 2 and (word.isalpha() or word.isdigit()) for word in words)
    )


def _kind_of_title(title: str, before: str, after: str) -> str:
    """What a title in quotation marks is of: the word before it, else those around it; empty where they do not agree."""
    plain = title.split()
    written = sum(word[:1].isupper() or word[:1].isdigit() or word.casefold() in _SMALL for word in plain)
    if len(plain) > 8 or written < len(plain) or title.endswith(("!", "?")):
        return ""
    if told := _KIND_BEFORE.search(before):
        return _KINDS[told[1]]
    kinds = {match.lastgroup or "" for match in _MEDIA.finditer(f"{before} {after}")}
    return kinds.pop() if len(kinds) == 1 else ""


# --- Chinese ---------------------------------------------------------------------------------------------------------


def _chinese(text: str) -> Iterator[tuple[str, str]]:
    """People by surname with a title or in full, places of the list, and works in 《》."""
    for work in re.finditer("《([^》]{1,30})》", text):
        around = text[max(0, work.start() - 8) : work.start()] + text[work.end() : work.end() + 8]
        kind = "film" if re.search("看|电影|剧|片", around) else "song" if re.search("歌|听|唱", around) else "book"
        yield work[1], kind
    titled, place = _chinese_patterns()
    yield from ((found[1], PERSON) for found in titled.finditer(text))
    yield from ((found[0], LOCATION) for found in place.finditer(text))


@cache
def _chinese_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    surnames = "".join(_lists()["chinese surnames"])
    titles = "医生|大夫|老师|教授|经理|主任|先生|女士|律师|师傅|教练|护士|校长|院长|阿姨|叔叔|总(?![是共算体之会结的监])"
    places = "|".join(sorted(_lists()["chinese places"], key=len, reverse=True))
    return (
        re.compile(rf"(?<!老)([{surnames}](?:{titles}))"),
        re.compile(
            rf"(?:{places})(?!醋鱼|烤鸭|牛肉|龙井|火锅|小吃|料理|拉面|米粉|菜|话|人|语|货|银行|大学|队|车|市场|路|[东西南北]路)"
        ),
    )


@cache
def _lists() -> dict[str, frozenset[str]]:
    """The lists of names.txt, by name."""
    lists: dict[str, list[str]] = {}
    name = ""
    for line in (files("flows.extraction") / "names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            lists[name] = []
        elif name:
            lists[name] += line.split()
    return {name: frozenset(words) for name, words in lists.items()}
