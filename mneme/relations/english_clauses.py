"""Clauses of an English sentence, made ready for the table, and of whom and of what they speak.

What claims nothing is taken away, denial and contrast are written one way. People go by their names and kin, things by their
noun phrases.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mneme.languages import is_doubted
from mneme.pattern_index import Cue, words_of
from mneme.relations.table import Table

_LONGEST = 800  # characters that are read
_QUOTES = str.maketrans("’‘“”‑–", "''\"\"--")
_BLANKS = re.compile(r"\s+")
_ASKS = re.compile(r"\?[\s\"')!]*(?:[^\w\s]|:\w+:|\s)*$")
# What makes nothing in its sentence certain: conditions, reports, dreams, jokes.
_NOT_CERTAIN = frozenset(
    """if unless whether imagine pretend pretending dreamt dreamed hypothetically suppose supposing wish wishes wished
    apparently kidding joke sarcasm said says
    saying told tells telling heard hears reckons claims claimed according asked asks wondering wonder ask novel movie
    film story character lyrics song example hypothetical fictional template placeholder quote yesterday's once
    sims fifa minecraft monopoly fortnite gta
    originally formerly previously fake believe suspect unlikely likely assuming assume scenario
    role-play roleplay act""".split()
)
_MADE_UP = frozenset(
    """novel movie film story character lyrics song fictional template placeholder scenario roleplay dreamt dreamed dream
    pretend write draft example fake""".split()
)
_UNCERTAIN_PHRASE = re.compile(
    r"\b(?:as if|not really|what if|back (?:in|then|when)|when (?:i|we|he|she|"
    r"they) (?:was|were)|"
    r"as a (?:kid|child|teen\w*|boy|girl|student)|growing up|at the time|in those days|years? ago(?=.* then\b)|"
    r"(?:moved|relocated|started|joined|lived|worked)\b[^,.]{0,40}\bin (?:19|20)\d\d|had been|even though|"
    r"would have|could have|should have|nearly|almost|not that|e\.g|for instance|"
    r"in the (?:book|game|show|movie|dream|play|panto)|in football manager|"
    r"(?:i|we) (?:was|were) (?:like|thinking)|sort of like|feels? like|felt like|seems?|looks like|sounds like|until (?:i|we)|"
    r"my first (?:boyfriend|girlfriend|husband|wife)|"
    r"not sure|no idea|how do i|how can i|help me|can you|could you|please|too good|write|draft)\b|/s(?=$|\s)|🙄|😜|😉"
)
_AGREED = Cue(
    r"\bsa(?:id|ys) yes\b|\bwrite (?:this|that|it) down\b|\btold you (?:wrong|the wrong)\b|\bcan you (?:imagine|believe it)\b|"
    r"\bwho would have (?:thought|guessed)\b|"
    r"\boriginally from\b|(?<=from )[\w-]+ originally\b|so no [\w ]{1,20} (?:for me|thanks),? please\b|"
    r"(?<=hives )if\b|(?<=rash )if\b|(?<=swell up )if\b|(?<=swells up )if\b|(?<=blows up )if\b|(?<=balloon )if\b"
)  # no report, no doubt
# What is added to a statement and takes nothing of it back.
_ASIDE = Cue(
    r",? (?:and |but )?(?:the|my|our) \w+ (?:says|said|reckons) \w+ \w.*$|,? (?:if|in case) you (?:fancy|like|want|wonder|"
    r"must know|are free|need|feel like|have time)\b[^,.;!]*",
    re.IGNORECASE,
)
_ASKS_OF_OTHERS = re.compile(
    r"(?:(?:and|so|but|then|or) )?(?:please|tell|ask|let|can you|could you|do you|not sure (?:how|what|when|where)|"
    r"no idea (?:how|what|where)|how (?:do|can) i|help|write|draft|give|send|come|call|ring|text|bring|remind|"
    r"(?:he|she|they|mum|dad|you|(?:the|my|our) \w+) (?!said|says|told|tells|heard|thinks?|reckons|claims)\w+ )"
)
_ONLY_UNCERTAIN = frozenset(
    """moved relocated started joined lived worked as back when growing at in years had even would could
    should nearly almost not e for was were sort feels felt feel seems seem looks sounds until no how help can please
    too write draft s first""".split()
)
_CONTRACTIONS = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "ain't": "is not", "i'm": "I am",
    "im": "I am", "ive": "I have", "dont": "do not", "doesnt": "does not", "isnt": "is not", "didnt": "did not",
    "wasnt": "was not", "cant": "can not",
    "thats": "that is", "hes": "he is", "shes": "she is", "theyre": "they are", "havent": "have not", "hasnt": "has not",
    "arent": "are not", "n": "and", "wont": "will not",
    "cannae": "can not", "dinnae": "do not", "isnae": "is not",
    "gonna": "going to", "let's": "let us", "i'd": "I would", "where's": "where is", "u": "you",
}  # fmt: skip
_CONTRACTION = Cue(
    r"\b(?:can't|cannot|won't|shan't|ain't|i'm|im|ive|dont|doesnt|isnt|didnt|wasnt|cant|thats|hes|shes|theyre|havent|hasnt|arent|wont|n|cannae|dinnae|isnae|gonna|let's|i'd|where's|u)\b|"
    r"n't\b|'(?:ve|re|ll)\b",
    re.IGNORECASE,
)
_ENDINGS = {"n't": " not", "'ve": " have", "'re": " are", "'ll": " will"}
_SHORT_IS = Cue(
    r"(?<=\w)'s(?= (?:a|an|the|in|at|on|off|all|not|no|now|been|got|called|named|moved|allergic|pregnant|vegan|"
    r"vegetarian|veggie|pescatarian|gluten-free|coeliac|celiac|lactose|diabetic|asthmatic|teetotal|back|going|"
    r"single|married|engaged|divorced|dating|cancelled|canceled|done|fixed|finished|live|blocked|down|up|still|just|"
    r"also|finally|"
    r"actually|officially|working|living|learning|due|set|scheduled|tomorrow|today|tonight|next|from|my|our|happening|"
    r"ready|over|"
    r"postponed|pushed|started|joined|left|quit|bumped|changed|with|out|only|already|gone|turned|noon|midnight|this|\d+|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:putting|raising|upping|hiking|charging|asking|selling|moving|leaving)|"
    r"(?:january|february|march|april|june|july|august|september|october|november|december) \d)\b)|"
    r"(?:(?<=\bit)|(?<=\bhe)|(?<=\bshe)|(?<=\bthat)|(?<=\bhere)|(?<=\bwhat)|(?<=\bthere))'s\b",
    re.IGNORECASE,
)
_OF_A_NAME, _NAME_REACH = re.compile(r" (?:at|for|near|from) [A-Z][\w-]*$"), 40  # characters
_ADVERBS = re.compile(
    r",? ?(?<![\w'-])(?:from now on|from next week on|now|currently|still(?! (?:(?:out|over|up|down|here|back|stuck|holed up|"
    r"living) )?(?:in|at|on|with|out)\b| [a-z]{2,12}ing\b)|just|really|recently|finally|actually|"
    r"already|basically|officially|nowadays|honestly|"
    r"totally|definitely|simply|these days|at the moment|right now|at last|for now|anyway|absolutely|so far|once and for all|"
    r"after all|as well|also|too|even|lately|mostly|mainly|happily|truly|kind of|kinda|sort of|completely|fully|"
    r"entirely|permanently|temporarily|"
    r"for good|newly|proudly|literally|freshly|obviously|clearly|luckily|fortunately|sadly|unfortunately|legit|lowkey|ofc|"
    r"of course|by now|to be honest|tbh|btw|by the way|fyi|all of a sudden|suddenly|as of (?:now|today|this week|"
    r"last week|monday))(?![\w'-])"
)
_LEADING = re.compile(
    r"^(?:(?:and|but|so|then|well|oh|ok|okay|yes|yeah|yep|nope|also|plus|update|heads up|quick update|small update|life update|"
    r"(?:big|great|good|bad|sad|some|more|exciting|other) (?:personal )?news(?: is)?(?: that)?|news|guess what|"
    r"turns out(?: that)?|change of plans?|fun fact|by the way|btw|fyi|anyway|in fact|as of (?:today|now)|"
    r"starting (?:today|tomorrow|"
    r"monday|next week|this week)|today|yesterday|(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter|"
    r"weekend|morning|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)|"
    r"(?:please )?(?:remember|do not forget|note|keep in mind)(?: that)?|"
    r"reminder|ps|p\.s\.?|correction|sorry|wait|hey(?: \w+)?|hi(?: \w+)?|"
    r"hello(?: \w+)?|hmm|omg|wow|lol|haha|ugh|yay|meanwhile|for the record|good morning|as you know|because|since|"
    r"(?:in|since|from) (?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{4})?|"
    r"(?:(?:a (?:few|couple of)|two|three|\d+) )(?:days|weeks|months) ago)(?![\w'])[,:!]? ?)+"
)
_UNSURE = frozenset(
    """might could would should maybe perhaps probably possibly hopefully hope hopes hoping thinking thought think guess
    considering consider considers considered dream dreams wanna wondering someday promise promised tempted trying try
    tried planning supposed ought must never hardly fancy mean means meant hasten without nobody forgot forget""".split()
)
_AHEAD = re.compile(r"\b(?:will|going to|gonna|shall)\b")
_MAY = Cue(r"(?<!\bin )(?<!\bof )(?<!\bby )(?<!\bon )(?<!until )(?<!since )(?<!last )(?<!next )(?<!this )(?<!\d )\bmay (?!\d)")
_CAN = re.compile(r"\bcan (?!speak\b|not (?:stand|go|make|get|fly|have|eat|drink|do|touch|stomach)\b)")
_WANT = Cue(
    r"\b(?:love|like|hate|want|wants|wanted|need|needs|needed|plan|plans|expect|hope|about|afford|offered?|looking|"
    r"ready|prefer|apply|"
    r"applied) (?:to|for|at)\b|\b(?:want|wants|wanted|offered?) (?:an?|the|me) |\blooking (?:at|for|into)\b|"
    r"^let\b|\blet (?![^,]{1,20} go(?: |$))"
)
_INTENDS = Cue(
    r"\b(?:plan|plans|planning|planned|intend|intends) to (?=\w)|\b(?:the |our |my |that )?(?:plans?|idea) to (?=\w)"
)
_PARTS = re.compile(
    r"\s*(?:[,](?!\d)|;|[()]|(?<!address)(?<!number)(?<!mail)(?<!phone):(?! ?\+?\d)|\s[-—]+(?=\s)|\.\.\.?|…|"
    r"(?<!\b[DM]r)(?<!\bMs)(?<!\bMrs)(?<!\bProf)[!.?](?=\s))\s*"
)
_JOINTS = re.compile(r" (?:and|but|so|then|because|since|plus|&|cause|cuz|bc|yet|while|as) ")
_CONTRAST = re.compile(
    r"\b(?P<be>is|are|am) not (?P<old>(?:(?! but ).){1,50}?),? but (?:rather |actually )?(?P<new>[^,.;]{1,50})"
)
_LATER = re.compile(r"\b(?P<be>is|are|am) not (?P<old>[^,;.]{1,40})[,;.] ?(?:it|they) (?:is|are) (?P<new>[^,;.]{1,40})")
_OVER = re.compile(r"\b(?:any ?more|any longer)\b")
_DO_NOT = re.compile(r"\b(?:do|does|can) not ")
_BE_NOT = re.compile(r"(?:(?<=am )|(?<=is )|(?<=are )|(?<=have )|(?<=has ))not ")
_USED_TO = Cue(r"(?<!is )(?<!am )(?<!are )(?<!was )(?<!were )(?<!get )(?<!got )(?<!getting )(?<!be )\bused to (?=\w)")
_STOPPED = Cue(
    r"\b(?:have |has )?(?:stopped|quit|gave up|given up) (?=(?:working|driving|living|dating|seeing|renting|using|"
    r"eating|drinking)\b)"
)
_ALSO = re.compile(r"\b(?:also|too)\b")
_SEVERAL = Cue(
    r"\b(?:another|second|part-time|on the side|besides|temporarily|for now|for the (?:summer|weekend|week|night|day))\b"
)
_CORRECTED = Cue(
    r"\b(?:told you (?:wrong|the wrong \w+)|got (?:it|that|the \w+) wrong|mixed (?:it|that|them) up|my mistake|silly me|"
    r"scratch that|"
    r"no wait|correction)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend|month)|for now|for the moment|yet)\b|"
    r"\b(?:quit|quitting|stopp(?:ed|ing)|g[ai]v(?:e|en|ing) up|off|on)\b[^,.;]{0,40} (?:until|till|while|"
    r"for (?:(?:about|only|just|like) )?"
    r"(?:lent|advent|ramadan|dry january|january|(?:an?|one|two|three|four|six|a few|\d+|the) "
    r"(?:bit|while|moment|time being|rest|whole|night|days?|weeks?|weekend|months?|summer|holidays)))\b"
)
_CHANGED = Cue(r"\b(?:now|from now on|from (?:next|this) (?:week|month|term)(?: on)?|instead|as of)\b(?! of\b)")
_QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Part:
    """The words between two marks of a sentence, as said, and in lower case (equally long).

    ``over``: it is told as no longer so. ``ahead``: as to come. ``several``: beside another of its kind. ``changed``: as new.
    ``intended``: only as planned. ``numbers``: of the patterns that may fit.
    """

    text: str
    low: str
    over: bool = False
    ahead: bool = False
    several: bool = False
    changed: bool = False
    numbers: tuple[int, ...] = ()
    intended: bool = False


def written_out(sentence: str) -> str | None:
    """A sentence with contractions written out; None for one that asks or quotes.

    >>> written_out("I'm in Rome, and Ann's not.")
    'I am in Rome, and Ann is not'
    """
    text = _BLANKS.sub(" ", sentence[:_LONGEST].translate(_QUOTES)).strip()
    if _ASKS.search(text):
        return None
    text = text.rstrip(" .!…~")
    if '"' in text:
        if any(len(quoted.split()) > 5 or quoted[:2] in ("I ", "I'") for quoted in _QUOTED.findall(text)):
            return None
        text = text.replace('"', "")
    return _SHORT_IS.sub(_is_or_own, _CONTRACTION.sub(_written_out, text))


def _is_or_own(short: re.Match[str]) -> str:
    """Write out " is"; after "at" and the like it is of a name: "works at Sainsbury's in Reading"."""
    return short[0] if _OF_A_NAME.search(short.string[max(0, short.start() - _NAME_REACH) : short.start()]) else " is"


def is_made_up(low: str) -> bool:
    """Tell whether a sentence in lower case is of a story or asks for a text, so that nobody in it need exist."""
    return not words_of(low).isdisjoint(_MADE_UP)


def asserted(text: str) -> str | None:
    """The part of a sentence, written out, that claims for certain; None where that is nothing.

    >>> asserted("I am in Rome"), asserted("If I am in Rome")
    ('I am in Rome', None)
    """
    text = _ASIDE.sub("", text)
    low = _AGREED.sub("agreed", text.lower())
    if _is_uncertain(low):
        text = _before_doubt(text)
    return _contrasted(text) if text else None


def _is_uncertain(low: str) -> bool:
    words = words_of(low)
    phrase = not words.isdisjoint(_ONLY_UNCERTAIN) and _UNCERTAIN_PHRASE.search(low)
    return not words.isdisjoint(_NOT_CERTAIN) or bool(phrase) or is_doubted(low)


def _before_doubt(text: str) -> str:
    """The words asserted before a part that asks or tells of others: "I'm in Leeds, tell me if you need a lift"."""
    starts = [0, *(mark.end() for mark in _PARTS.finditer(text))]
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part = lowered(text[begin:end])
        if _is_uncertain(_AGREED.sub("agreed", part)):
            return text[:begin].rstrip(" ,;:-") if _ASKS_OF_OTHERS.match(part) else ""
    return ""


def _written_out(short: re.Match[str]) -> str:
    low = short[0].lower()
    return _ENDINGS.get(low) or _CONTRACTIONS[low]


def lowered(text: str) -> str:
    """In lower case, as long as it was."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def without_adverbs(text: str) -> str:
    """Text without words that change nothing: "now" stays where it makes a time ("is now on Friday")."""
    return _ADVERBS.sub("", text)


def parts(text: str, table: Table) -> Iterator[Part]:
    """The parts of a prepared sentence that assert something, each with the patterns of the table that may fit it."""
    of_today = _PASSING.search(lowered(text)) is not None
    unsure_before = False
    corrected = _CORRECTED.search(text) is not None
    for piece in _PARTS.split(text):
        if not piece:
            continue
        low = lowered(piece)
        intended = _INTENDS.search(low) is not None
        asserted = _INTENDS.sub("", low) if intended else low
        words = words_of(asserted)
        unsure = not words.isdisjoint(_UNSURE) or _MAY.search(asserted) is not None or _CAN.search(asserted) is not None
        unsure = unsure or _WANT.search(asserted) is not None
        if unsure and not low.startswith(("i ", "we ", "the ", "my ")):
            unsure_before = True
        elif low.startswith(("i ", "we ", "my ", "our ")):
            unsure_before = unsure
        if unsure or unsure_before:
            unsure_before = True
            continue
        numbers = table.said_index.candidates(low)
        if of_today:  # what is said of today alone does not last
            numbers = [number for number in numbers if "lasting" not in table.said[number].flags]
        if not numbers:
            if low.startswith(("i ", "we ")):
                yield Part(piece, low)
            continue
        several = _SEVERAL.search(low) is not None or (_ALSO.search(low) is not None and "work" in low)
        ahead = _AHEAD.search(low) is not None
        bare = _ADVERBS.sub("", " " + _lower_first(piece)).strip()
        bare, over = _without_denial(bare)
        lead = _LEADING.match(lowered(bare))
        bare = bare[lead.end() :] if lead else bare
        if bare := bare.strip():
            yield Part(
                bare,
                lowered(bare),
                over,
                ahead,
                several,
                corrected or _CHANGED.search(low) is not None,
                tuple(numbers),
                intended,
            )


def _lower_first(text: str) -> str:
    """Adverbs are looked for in lower case; one that begins a sentence has a capital."""
    first, blank, rest = text.partition(" ")
    return f"{first.lower()}{blank}{rest}" if blank and _ADVERBS.fullmatch(first.lower()) else text


def _contrasted(text: str) -> str:
    """ "Not X but Y" and "not X, it is Y" as "Y not X"."""
    if " not " not in text and " instead of " not in text and " rather than " not in text:
        return text
    text = _CONTRAST.sub(r"\g<be> \g<new> not \g<old>", text)
    text = _LATER.sub(r"\g<be> \g<new> not \g<old>", text)
    return re.sub(r"(?:,| -) (?=(?:not|instead of|rather than) )", " ", text)


def _without_denial(text: str) -> tuple[str, bool]:
    """A clause without its "no longer", and whether it had one."""
    low = lowered(text)
    if "no longer " in low:
        return re.sub(r"\bno longer ", "", text, count=1), " not " not in low
    if _OVER.search(low):
        if " not " not in low:
            return text, False
        text = _OVER.sub("", text)
        return _BE_NOT.sub("", _DO_NOT.sub("", text, count=1), count=1).replace("  ", " ").strip(), True
    if _USED_TO.search(low):
        return _USED_TO.sub("", text, count=1), True
    if _STOPPED.search(low):
        return _STOPPED.sub("am ", text, count=1), True
    return text, False


def joints(low: str) -> list[int]:
    """The places at which a part of a sentence goes on with another clause."""
    return [joint.end() for joint in _JOINTS.finditer(low)]


SELF = frozenset({"i", "me", "we", "us", "my", "our"})
_BOTH = re.compile(r"^(?:me and |i and )?my (?P<kin>\w+)(?: and i| and me)?$")
_OF = re.compile(r"^(?P<head>[^\s]+(?: [^\s]+)?) (?:for|of|to|with|in|at) (?:the |our |my |an? )?(?P<rest>.+)$")
_TAIL = re.compile(r" (?:appointment|appt|date|time|day|itself)$")
_LEAD = re.compile(r"^(?:the|an?|my|our|this|that|his|her|their|new|current|upcoming|next|final|monthly|weekly|total) ")
_NO_THING = re.compile(
    r"\b(?:i|you|he|she|it|we|they|there|what|which|who|how|that|this|is|are|was|were|be|been|has|have|had|do|does|did|and|or|but|if|to|"
    r"in|on|at|from|by|with|about|than|as|before|after|not|all|one|ones|both|each|my|your|his|her|its|their|will|would|so|too|very|here|them)\b"
)
_NAME_WORD = re.compile(r"^[^\W\d_][^\W\d_'.-]*(?:[-'.][^\W\d_]+)*\.?$")


def person(words: str, speaker: str, table: Table, asked: bool = False) -> str | None:
    """Resolve a person: the speaker, somebody by name, or somebody's relative ("Mira's sister"); None if it is not certain.

    ``asked``: in a question, where the speaker has no name yet: "my sister" is "'s sister".
    """
    words = words.strip(" ,").removesuffix(" and others")
    low = words.lower()
    if low in SELF:
        return speaker if speaker or asked else None
    if " and " in low and (both := _BOTH.match(low)) and both["kin"] in table.words["kin"]:
        return speaker if speaker or asked else None
    if low in table.words["bare_kin"]:
        return f"{speaker}'s {low}" if speaker or asked else None
    if low.endswith("'s") or low.endswith("s'"):
        return person(words[:-2] if low.endswith("'s") else words[:-1], speaker, table, asked)
    if low.startswith(("my ", "our ")):
        return _kin(speaker, words.split()[1:], table) if speaker or asked else None
    owner, mark, rest = words.partition("'s ")
    if mark:
        named = person(owner, speaker, table, asked)
        return _kin(named, rest.split(), table) if named is not None else None
    return words if low not in table.words["kin"] and _is_name(words, table) else None


def _kin(owner: str, words: list[str], table: Table) -> str | None:
    while words and words[0].lower() in table.words["kin_adjective"]:
        words = words[1:]
    if not words or words[0].lower().removesuffix("'s") not in table.words["kin"]:
        return None
    if len(words) == 1:
        return f"{owner}'s {words[0].lower()}"
    if words[0].endswith("'s"):
        return _kin(f"{owner}'s {words[0].lower().removesuffix(chr(39) + 's')}", words[1:], table)
    name = " ".join(words[1:])
    return name if _is_name(name, table) else None


def _is_name(words: str, table: Table) -> bool:
    parts = words.split()
    return 0 < len(parts) <= 3 and all(
        part[0].isupper()
        and _NAME_WORD.match(part) is not None
        and part.lower().strip(".") not in table.words["not_a_subject"]
        and (len(part) == 1 or not part.isupper() or len(part) > 4)
        for part in parts
    )


def thing(words: str, table: Table, determined: bool, event: bool) -> tuple[str, bool] | None:
    """A thing by its noun phrase: "the budget for the kitchen" is "kitchen budget"; and whether it is a person's own.

    Args:
        determined: an article or owner stands before it; without one it must be a kind of event that is known.
        event: it must be one in any case ("the trip is off", not "the light is off").
    """
    low = words.lower().replace("'s ", " ").strip(" ,'")
    while lead := _LEAD.match(low):
        low = low[lead.end() :]
    if joined := _OF.match(low):
        low = f"{joined['rest']} {joined['head']}"
    if " " in low:
        low = _TAIL.sub("", low)
    if not low or len(low.split()) > 4 or _NO_THING.search(low) or not low[0].isalnum() or not any(map(str.isalpha, low)):
        return None
    head = low.split()[-1]
    singular = head.removesuffix("s")
    known = any(
        each in table.words[name]
        for each in (head, singular, low.replace(" ", "-"))
        for name in ("events", "one_of_a_kind", "amounts")
    )
    if (
        head in table.words["vague"]
        or singular in table.words["vague"]
        or ((event or not determined) and not known and not (not event and any(map(str.isdigit, head))))
    ):
        return None
    if low in table.words["not_things"]:
        return None
    own = any(word in table.words["own"] for word in (low.replace(" ", "-"), *low.split()))
    return low, own
