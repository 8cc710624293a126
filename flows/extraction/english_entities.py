"""Names in English sentences, and what they name. One is taken only where something besides its capital says so. Pure.

A name that "I" use or bought, that is a known tool or has an article is a product ("nobody uses Shona": she may cook). One
behind "in", "at" or "with" is nothing: it may be a place or a person. A given name where no person stands ("on nights at
Fiona Stanley", "Roy Hill have changed") is nothing. Nor is a brand that stands for a thing ("the old Sony"), or a part of a
name that goes on in small letters ("Patrick street"). Of one that may be a place, a firm or a person ("she is going to
Maersk") the type is ``PERHAPS``: another mention may tell it.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache

from flows.extraction.sentences import Sentence
from mneme.relations.english import is_of_work
from mneme.text import STOP_WORDS
from mneme.word_lists import (
    CALENDAR,
    GIVEN,
    LOCATION,
    NO_NAMES,
    ORGANISATION,
    ORGANISATIONS,
    PERSON,
    PET,
    PLACES,
    PLAIN_WORDS,
    PRODUCT,
    TYPES_BEFORE,
    TYPES_WITHIN,
    WORK,
    word_list,
)

PERHAPS = "perhaps"
"""The type of a name of which only another mention can tell what it names."""

_NOBODY, _ROLES = word_list("nobody"), word_list("roles")
_REACH = 60  # characters around a name that tell what it is
_UPPER = "A-ZÀ-ÖØ-Þ"
_TITLED = "(?:Dr|Mr|Mrs|Ms|Prof|Professor|Coach|Aunt|Auntie|Uncle)"
_RUN = re.compile(
    rf"(?:{_TITLED}\.? )?[{_UPPER}][\w'’&-]*(?: (?:(?:of|the|de|da|del|van|von|&) ){{0,2}}[{_UPPER}0-9][\w'’&-]*)*"
)
_HONORIFIC = re.compile(rf"{_TITLED}\.? (?=\w)")
_TITLE = re.compile(rf"[\"“]([{_UPPER}][^\"”]{{1,60}})[\"”]")
_OPENING = re.compile(r"(?:^|[.:;!?…(\[\n/→+]|\d\)|\s[-–•*]|[\"“'‘])[\s\"'“‘]*$")
_INITIAL_AFTER, _INITIAL_BEFORE = re.compile(rf" [{_UPPER}]\."), re.compile(rf"\b[{_UPPER}]\. $")
_ENDING = re.compile(r"['’]s?$|-(?:based|related|like|style|born|themed)$")
_SMALL = frozenset("a an the of and or in on at to for with from by de la & da del van von".split())
_KIN = (
    r"(?:friend|sister|brother|son|daughter|wife|husband|cousin|aunt|uncle|boss|manager|supervisor|colleague|co-?worker|partner|"
    r"girlfriend|boyfriend|fianc[eé]e?|neighbou?r|niece|nephew|mother|father|mom|mum|dad|teacher|doctor|therapist|roommate|"
    r"flatmate|mentor|landlord|landlady|grandma|grandpa|grandmother|grandfather|stepson|stepdaughter|twin|baby)"
)
_PERSON_BEFORE = re.compile(
    rf"\b{_KIN}s?,? (?:is |was )?(?:called |named )?$|"
    rf"\b{_KIN}['’]s name (?:is|was) $|"
    r"\b(?:m[ae]n|wom[ae]n|girls?|guys?|boys?|lad(?:y|ies)|bloke|kid|someone|somebody|person) (?:called|named) $|"
    r"\b(?:actors?|actress|singers?|authors?|writers?|artists?|painter) $|"
    r"\b(?:asked|thanked|hugged|texted|phoned|dating|married) $",
    re.I,
)
_PERSON_AFTER = re.compile(
    r"^(?:,? (?:and|&) [A-Z]\w+)? (?:said|says|told|asks|asked|thinks|thought|wants|wanted|called|calls|cried|laughed|"
    r"smiled|cooks|agreed|agrees|texted|texts|cooked|loves|hopes|feels|knows|invited)\b|"
    r"^, (?:who['’ ]|an? \d+-year-old\b)"
)
_HUMAN_AFTER = re.compile(  # what no company does
    r"^(?:,? (?:and|&) [A-Z]\w+)? (?:laughed|smiled|cooks|cooked|cried|texted|texts|hugged|thinks)\b|"
    r"^, (?:who['’ ]|an? \d+-year-old\b)"
)
_WORD_AFTER = re.compile(r"^ ([a-z]+)\b")  # may be a part of the name: "Patrick street", "at Wellington hospital"
_KNOWN_AFTER = re.compile(  # a work or a brand that is called by a name: "a Harry Potter conference"
    r"^ (?:fans?|conferences?|themes?|themed|books?|movies?|films?|series|party|project|world|universe|characters?|trivia|"
    r"quotes?|concerts?|songs?|albums?|exhibitions?|museum|marathon|award|prize|foundation|collection)\b"
)
_APPOSED_AFTER = re.compile(r"^(?:$|[,.!?;)])")  # "our dog, Rex, is old", but "he is the dog, Rex is the eggs"
_ANIMAL_AFTER = re.compile(r"^ the (\w+)")  # "Max the dog"
_JOB_AFTER = re.compile(
    r"^ (?:\w+ )?(?:accounts?|army|build|club|contract|cup|deal|estate|family|files?|final|group|house|jobs?|order|party|place|"
    r"project|team)\b"
)
_NUMBER_AFTER = re.compile(r"^ \d")  # "moved to Ward 7"
_AT_MOST = re.compile(r"Max\.? [£$€]?\d")  # "Max 2 million"
_PART_AFTER = re.compile(
    r"^ (?:branch|campus|airport|terminal|junction|roundabout|exit|flyover|ferry|depot|estate|postcode|area|side)\b"
)
_OF_SOMEBODY_AFTER = re.compile(  # who has a child or a house may be called like a city: "Denver's boy"
    r"^['’]s (?:aunt|baby|boyfriend|boys?|brother|cousin|dad|daughter|family|father|girlfriend|girls?|gran|house|husband|kids?|"
    r"mom|mother|mum|place|sister|sons?|uncle|wife)\b"
)
_SAINT_BEFORE = re.compile(r"\b(?:St|Saint)\.? $", re.I)  # a church, a school, a town
_THE_BEFORE = re.compile(r"\bthe $", re.I)
_WITHIN_BEFORE = re.compile(r"\b(?<!believe )(?<!confided )(?<!faith )(?<!interested )(?<!trust )in $")
_AT_BEFORE = re.compile(r"\b(?:at|in|near) $")
_AND_I_AFTER = re.compile(r"^ (?:and|&) I\b(?!['’])")  # at the beginning of a clause, somebody and I
_SPEAKS_AFTER = re.compile(r"^ (?:said|told|asked|called|texted|laughed|and I(?!['’]))\b")
_PLACE_BEFORE = re.compile(
    r"\b(?:(?:live|lives|living|lived|stay|stays|staying|stayed|born|raised|based|arrived?|located|grew up) in|"
    r"(?:mov(?:e|es|ed|ing)|fly|flies|flew|flying|travel(?:s|l?ed|l?ing)?|trips?|drove|driving|train|flights?|relocat(?:e|ed|ing)|"
    r"been|went|off|back|back home) to|(?:hik|climb)(?:e|ed|ing)?|near|around|"
    r"(?:back|flew|come|comes|came|am|are|were|['’]m|['’]re) from|"
    r"(?:house|home|flat|apartment|garden|cottage|clinic|office|hotel|school|restaurant|wedding|conference|concert|weekend|"
    r"holiday|parents|family) in|(?:dinner|lunch|breakfast|brunch|drinks|table|tent|room) at|"
    r"(?:i|we|he|she|they)(?:['’](?:m|re|s)| am| are| is| was| were)(?: back| still| now| currently)? in)\s+(?:the )?$",
    re.I,
)
# One goes to a place, a firm or a person; to a place at a time ("to Hampi over the weekend"), and to a shop ("Whistler's").
_GOES_BEFORE = re.compile(r"\b(?:(?:go|goes|going) to|visit(?:s|ed|ing)?)\s+(?:the )?$", re.I)
_ON_A_DAY_AFTER = re.compile(
    r"^(?:['’]s)? (?:again|by|every|for (?:an?|the)|last|next|on|over|this|today|tomorrow|tonight|with)\b"
)
_AT_WORK_BEFORE = re.compile(r"\w(?:er|or|ian|ist|ing) at $")  # "she is a baker at Leeds Street"
_ORGANISATION_BEFORE = re.compile(
    r"\b(?:work(?:s|ed|ing)? (?:at|for)|(?:job|internship|position|interview|offer|contract) (?:at|with|from)|"
    r"employed (?:at|by)|hired by|stud(?:y|ies|ied|ying) at|graduated from|compan(?:y|ies)|start-?up|firm|bank|airline)"
    r"(?: called| named)?\s+(?:the )?$",
    re.I,
)
_PRODUCT_BEFORE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|bought|send it with|"
    r"(?P<sure>(?:us(?:e|es|ed|ing)|bought) the|(?:[Ii]|[Ww]e)\b[^,.;]{0,24} (?:us(?:e|ed|ing)|bought)|"
    r"(?:build|built|deploy|deployed|run|write|wrote|host|test|tested|code|coded) it (?:with|in|on)(?: the)?)) $"
)
_AT_SOMEBODY = r"(?<!aim )(?<!angry )(?<!glare )(?<!mad )(?<!look )(?<!looks )(?<!looked )(?<!looking )(?<!ing )(?<!ed )"
# Where a given name is hardly a person's: "at Fiona Stanley", "went to Roy Hill", "the Thomas Green".
_NOBODY_BEFORE = re.compile(
    rf"\b(?:{_AT_SOMEBODY}at|an?|the|behind|inside|opposite|outside|past|through|towards|via|(?:mov(?:e|ed|ing)|fly|flew|flying|travel(?:l?ed|l?ing)?|drove|driving|relocat(?:ed|ing)|go|goes|"
    r"going|went|admitted|taken|transferred|rushed) to) $",
    re.I,
)
_MANY_AFTER = re.compile(r"^ (?:have|are|were|aren['’]t|haven['’]t|weren['’]t)\b")  # "Roy Hill have changed the swing"
_ONE_OF_MANY_BEFORE = re.compile(
    r"(?:\b(?:and|or|nor|do|does|did|can|could|will|would|should|may|might|must|let|made|make|how|where|when|why|what|who|you|"
    r"if|than)|n['’]t|[,&/]) $",
    re.I,
)
# Where a known organisation is one, and neither what it makes nor its site.
_KNOWN_BEFORE = re.compile(rf"\b(?:{_AT_SOMEBODY}at|by|for|from|in) (?:the )?$", re.I)
_A_KIND_BEFORE = re.compile(r"\b(?:that|this|an?|some|my|our|your|his|her|their) $", re.I)  # "that Malta advert"
_OF_A_PLACE_AFTER = re.compile(
    r"^ (?:airport|apartment|area|branch|flat|flight|holiday|home|hotel|house|office|place|plant|team|trip|wedding)\b"
)
_ONE_AFTER = re.compile(r"^ ones?\b")  # "the big Kathmandu one" is a tent
# What one watches or reads may be a film of any name, its author or a team: "we're doing Rebecca", "watched Happy Valley".
_WATCHED_BEFORE = re.compile(
    r"\b(?:bing(?:ed|ing)|doing|finish(?:ed|ing)|play(?:ed|ing)|read|reading|watch(?:ed|ing)?) (?:the )?$", re.I
)
_DAY_AFTER = re.compile(r"['’]s? (?:Day|Eve)\b")  # "Stephen's Day"
_DATE_BEFORE = re.compile(r"(?:\d(?:st|nd|rd|th)?(?: of)?|\b(?:Christmas|New Years?(?:['’]s?)?)) $")  # "5 Jan", "Christmas Eve"
_NAMED_IT = re.compile(
    r"\b(?:name|names|named|call|calls|called|calling|christened|nicknamed) (?:it|this|that|the \w+|my \w+) $", re.I
)
_JOURNEY_BEFORE = re.compile(  # "lands Shannon 10.50", "flights to Shannon", "collect you from Shannon"
    r"\b(?:(?:lands?|landed|landing)(?: in| at)?|(?:flights?|fl(?:y|ies|ew|ying)|ferry|train|bus|coach) (?:\w+ )?"
    r"(?:in|to|from|via)|(?:collect|fetch|pick)(?:s|ed|ing)? (?:you|me|him|her|us|them)(?: up)? (?:from|at)) $"
)
_FROM_A_PLACE_BEFORE = re.compile(rf"\b([{_UPPER}]\w+) to $")  # "Leeds to Shannon"
_TEAM_BEFORE = re.compile(r"\b(?:support(?:s|ed|ing)?|(?:gone|went) off|fans? of|beat|versus|against|lost to) $")
_TEAM_AFTER = re.compile(
    r"^ (?:fans?|shirts?|jerseys?|kit|match|matches|scarf|supporters?|striker|keeper|manager|season ticket)\b"
)
_GREETED_BEFORE = re.compile(
    r"(?:^|[.!?…] )(?:dear|hello|hey|hi|sorry|thanks|thank you|welcome|congrats|happy birthday),? $", re.I
)
_FROM_OR_IN = re.compile(  # a place even where it could be a given name: "she is from Kochi", "the new flat in Austin"
    r"(?:\b(?:is|am|are|was|were|comes?|coming|came|back|flight|train|bus|drove|flew|moved)|['’](?:s|m|re)) "
    r"(?:originally |over |down |up )?from $|"
    r"\b(?:house|flat|apartment|place|room|home|folks|parents|family|friends|relatives|cousins?|aunt|uncle|sister|brother|"
    r"office|hotel|hospital|airport|station|job|live[sd]?|living|based|stay(?:s|ed|ing)?|"
    r"born|arrived|landed|work(?:s|ed|ing)?) (?:\w+ )?in $"
)
_POSSESSIVE_ALONE = re.compile(  # "we ate at Whelan's"
    r"['’]s(?=\W*$|[.,!?;:)…]| (?:on|at|in|for|with|from|to|then|and|or|but|is|was|has|had|today|tomorrow|tonight|this|next|"
    r"last|yesterday|again|now|since|until|till|after|before|when|while|if|because|so)\b)"
)
_MEDIA = re.compile(
    r"\b(?:(?P<book>books?|novels?|reading|read|author)|(?P<film>movies?|films?|(?<!her )(?<!his )(?<!my )watch(?:ed|ing)?|"
    r"cinema)|(?P<song>songs?|listen(?:ed|ing)?|albums?|sang|sing(?:ing)?)|(?P<game>games?|played|playing))\b"
)
_SPOKEN_BEFORE = re.compile(
    r"\b(?:said|says?|saying|shouted|shouts|replied|answered|asked|texted|went|goes|(?:told|tells) \w+)[,:]? $"
)
_TOLD_BEFORE = (
    (PERSON, _PERSON_BEFORE),
    (ORGANISATION, _ORGANISATION_BEFORE),
    (LOCATION, _PLACE_BEFORE),
    (LOCATION, _GOES_BEFORE),
)


def english_entities(one: Sentence, small: Collection[str]) -> Iterator[tuple[str, str]]:
    """The names of one sentence, each with its type; ``small`` are the words of the talk that stand in small letters."""
    text = one.text
    if text.isupper() or _is_heading(text):
        return
    taken = [(each.start_index, each.end_index) for each in one.dates]
    for title in _TITLE.finditer(text):
        kind = _kind_of_title(title[1], text[max(0, title.start() - _REACH) : title.start()], text[title.end() :][:_REACH])
        taken.append(title.span())
        if kind:
            yield title[1].strip(" .,!?"), kind
    for run in _RUN.finditer(text):
        opens = _OPENING.search(text, max(0, run.start() - 8), run.start()) is not None
        at = run.start()
        for name, dropped in _split(run[0]):
            at = text.find(name, at)
            end = at + len(name)
            if not any(start < end and at < stop for start, stop in taken):
                before, after = text[max(0, at - _REACH) : at], text[end : end + _REACH]
                begins = opens and at == run.start()
                kind = (
                    ""
                    if _DAY_AFTER.match(after) or _DATE_BEFORE.search(before)
                    else _kind(name, before, after, begins, dropped, small)
                )
                if kind in (LOCATION, ORGANISATION) and (ending := _POSSESSIVE_ALONE.match(after)):
                    is_known = name.casefold() in PLACES or name.casefold() in ORGANISATIONS
                    name += "" if is_known else ending[0]  # "London's in my plans"
                if kind and (kind != PRODUCT or _is_a_thing(name, after, small)):
                    yield name, kind
            at = end


def _is_heading(text: str) -> bool:
    """Tell whether most words have a capital: a heading, where it tells no name."""
    words = [word for word in text.split() if word[:1].isalpha()]
    return len(words) > 3 and len([word for word in words if word[0].isupper()]) > 0.6 * len(words)


def _split(run: str) -> Iterator[tuple[str, bool]]:
    """The names in a run of words with capitals, parted where a word can belong to none; each with whether one did before."""
    if _HONORIFIC.match(run):
        words = run.split()[:3]
        owner = next((at for at, word in enumerate(words) if _ENDING.search(word)), 2)  # "Mrs Brown's Boys"
        yield _ENDING.sub("", " ".join(words[: owner + 1])).removesuffix(" I"), False
        return
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
        stopped |= lowered.endswith("days") and lowered[:-1] in CALENDAR  # "at the Pine Grill Wednesdays"
        a_day = names[-1] and names[-1][-1] in _SMALL and lowered in CALENDAR  # "to Erie the Tuesday before"
        if stopped or a_day or lowered in NO_NAMES or "'" in plain or "’" in plain or len(plain) < 2:
            dropped = True
            names.append([])
            continue
        names[-1].append(plain)
        if plain != word:  # a possessive ends a name
            names.append([])
    for words in names:
        while words and (words[-1] in _SMALL or (words[-1].isdigit() and words[0].casefold() in GIVEN)):  # "Owen 11"
            words.pop()
        if len(set(words)) == 1:  # "Nadine Nadine Nadine"
            words = words[:1]
        if words and not words[0].isdigit():
            yield " ".join(words), dropped


def _kind(name: str, before: str, after: str, opens: bool, dropped: bool, small: Collection[str]) -> str:
    """The type of a name; empty where nothing tells it, and where its capital is that of a sentence."""
    words = name.casefold().split()
    first, last = words[0], next((word for word in reversed(words) if not word.isdigit()), "")
    given = first in GIVEN and name.split()[0].istitle()  # "LoRa" is nobody
    place, calendar = name.casefold() in PLACES, first in CALENDAR
    if _HONORIFIC.match(name):
        return "" if _MANY_AFTER.match(after) and not _ONE_OF_MANY_BEFORE.search(before) else PERSON
    if _SAINT_BEFORE.search(before) or _WATCHED_BEFORE.search(before) or _AT_MOST.match(name + after):
        return ""
    if place and (_TEAM_BEFORE.search(before) or _TEAM_AFTER.match(after)):
        return ""
    if _INITIAL_AFTER.match(after) or _INITIAL_BEFORE.search(before):
        return ""  # a part of "George R. R. Martin"
    if (animal := _ANIMAL_AFTER.match(after)) and TYPES_BEFORE.get(animal[1]) == PET and (given or not opens):
        return PET
    goes_on = (word := _WORD_AFTER.match(after)) and TYPES_WITHIN.get(word[1])
    if goes_on == ORGANISATION or ((goes_on == LOCATION or _PART_AFTER.match(after)) and not place):
        return ""
    if name.casefold() in ORGANISATIONS:
        return ORGANISATION if _ORGANISATION_BEFORE.search(before) or _KNOWN_BEFORE.search(before) else ""
    if (name.isupper() and not given and not place) or first in _NOBODY:
        return ""
    if (cue := _kind_before().search(before)) and not opens:
        kind = TYPES_BEFORE[cue[1]]  # of "the girl from the bakery, Linh" none
        return kind if "," not in cue[0] or (kind != ORGANISATION and _APPOSED_AFTER.match(after)) else ""
    if len(words) > 1 and (within := TYPES_WITHIN.get(last)):
        if opens and not given and not place and len(words) == 2:
            return ""
        return PERHAPS if within == LOCATION and _AT_WORK_BEFORE.search(before) else within
    if given and ((calendar and len(words) == 1) or (opens and first in PLAIN_WORDS)):  # "May" and "Will"
        return PERSON if _SPEAKS_AFTER.match(after) or (not opens and _PERSON_BEFORE.search(before)) else ""
    if calendar:
        return ""
    if given and place:
        someone = _PERSON_BEFORE.search(before) or _PERSON_AFTER.match(after) or _AND_I_AFTER.match(after)
        someone = someone or _GREETED_BEFORE.search(before) or _OF_SOMEBODY_AFTER.match(after)
        somewhere = _PLACE_BEFORE.search(before) or (_WITHIN_BEFORE.search(before) and after[:1] not in ("'", "’"))
        return PERSON if someone else LOCATION if somewhere or _is_reached(before, after) else ""
    if given and _NAMED_IT.search(before):
        return ""
    if given and _is_reached(before, after):
        return LOCATION
    known = given and 1 < len(words) <= 3 and _KNOWN_AFTER.match(after)
    if (
        given
        and not known
        and (
            (_WITHIN_BEFORE.search(before) and after[:1] not in ("'", "’"))
            or (_NOBODY_BEFORE.search(before) and after[:1] not in ("'", "’"))
            or (_MANY_AFTER.match(after) and not _ONE_OF_MANY_BEFORE.search(before))
        )
    ):
        return PERHAPS if len(words) > 1 else ""
    if given and len(words) <= 3:
        return WORK if known else PERSON
    if place:
        if _ONE_AFTER.match(after):
            return ""
        is_a_kind = _A_KIND_BEFORE.search(before) and not _OF_A_PLACE_AFTER.match(after)
        is_of_another = is_a_kind or _OF_SOMEBODY_AFTER.match(after)
        return PERSON if _PERSON_BEFORE.search(before) else "" if is_of_another else LOCATION
    if opens:
        cue = _HUMAN_AFTER.match(after) or _AND_I_AFTER.match(after)
        acts = cue and after[:1] == " " and not dropped and first[-1] != "s"
        return PERSON if acts and first not in small and first not in _ROLES else ""
    for kind, told_before in _TOLD_BEFORE:
        if cue := told_before.search(before):
            if kind == PERSON and "," in cue[0] and not _APPOSED_AFTER.match(after):
                return ""
            if kind == LOCATION and after[:1] in ("'", "’") and not _POSSESSIVE_ALONE.match(after):  # "near Nikau's nets"
                return ""
            if kind == LOCATION and ((_THE_BEFORE.search(before) and _JOB_AFTER.match(after)) or _NUMBER_AFTER.match(after)):
                return ""
            if kind == LOCATION and (last.endswith("ists") or is_of_work(name)):
                return ""
            certain = told_before is not _GOES_BEFORE or cue[0].lower().endswith("the ") or _ON_A_DAY_AFTER.match(after)
            return kind if certain else PERHAPS
    if _HUMAN_AFTER.match(after) and not _AT_BEFORE.search(before):
        return PERSON
    used = None if dropped else _PRODUCT_BEFORE.search(before)
    return PRODUCT if used and (used["sure"] or is_of_work(name)) else ""


def _is_reached(before: str, after: str) -> bool:
    """Tell whether one comes from a name, or travels there, which may be a given name too."""
    leg = None if after[:1] in ("'", "’") else _FROM_A_PLACE_BEFORE.search(before)
    journey = after[:1] not in ("'", "’") and _JOURNEY_BEFORE.search(before)
    return bool(journey or _FROM_OR_IN.search(before) or (leg and leg[1].casefold() in PLACES))


def _is_a_thing(name: str, after: str, small: Collection[str]) -> bool:
    """Tell whether a name that nothing explains is one: it goes on in no mark, and no word of it stands in small letters."""
    words = [word.casefold() for word in name.split() if word not in _SMALL]
    return after[:1] not in tuple(":/(=_'’") and not any(word in small or word.removesuffix("s") in small for word in words)


def _kind_of_title(title: str, before: str, after: str) -> str:
    """The type of a title in quotation marks: by the word before it, else those around it; empty where they do not agree."""
    plain = title.split()
    written = sum(word[:1].isupper() or word[:1].isdigit() or word.casefold() in _SMALL for word in plain)
    if len(plain) > 8 or written < len(plain) or title.endswith(("!", "?")) or _SPOKEN_BEFORE.search(before):
        return ""
    if cue := _kind_before().search(before):
        return TYPES_BEFORE[cue[1]]
    kinds = {match.lastgroup or "" for match in _MEDIA.finditer(f"{before} {after}")}
    return kinds.pop() if len(kinds) == 1 else ""


@cache
def _kind_before() -> re.Pattern[str]:
    """ "the meditation app", "a novel called" before a name."""
    return re.compile(
        r"\b(?:the|an?|my|our|your|his|her|their|this|that|another|new|old|local|of) (?:[\w-]+ ){0,2}"
        rf"({'|'.join(sorted(TYPES_BEFORE, key=len, reverse=True))}),? "
        r"(?:(?:is |was )?(?:called|named|titled) )?(?:The )?[\"“]?$"
    )
