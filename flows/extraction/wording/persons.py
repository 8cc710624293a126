"""From the first and second person to the third: "I am" becomes "Caroline is", "your dog" "Melanie's dog"."""

import re
from dataclasses import dataclass

from flows.extraction.wording.verbs import agree
from mneme.caseless import Caseless
from mneme.guarded import Guarded
from mneme.text import has_cjk

_GENERIC = frozenset("user assistant ai bot system agent human robot tool chatbot".split())


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks and who is spoken to; without a listener "you" stays as it is."""

    speaker: str
    listener: str | None = None


def spoken_name(name: str, role: str) -> str:
    """How a speaker is called in a statement: the name, or "the user" and "the assistant" for a generic one."""
    words = set(re.findall(r"[a-z]+", name.lower()))
    if words and words <= _GENERIC | {"the"}:
        return "the user" if role == "user" else f"the {role}"
    return name


def possessive(name: str) -> str:
    """``Caroline's``, ``Chris'``."""
    return f"{name}'" if name.endswith("s") and name.isascii() else f"{name}'s"


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


_BOTH = Caseless(
    r"\b(?:let['’]?s|you and (?:me|i)|the two of us|both of us|(?:last|since) (?:we )?(?:last )?"
    r"(?:spoke|talked|met|chatted|caught up)|"
    r"we (?:\w+ )?(?:catch up|meet up|hang out|chat|speak|talk)|(?:shall|should|could|can) we|we (?:should|could))\b",
)
_FIRST_OR_SECOND = Caseless(
    r"\b(?=[imouwy])(?:"  # with what they begin, which is seen sooner
    r"(?P<several>you (?:guys|all|two|three|four|five|both|lot)\b(?! (?:of|the|day|night)\b))"
    r"|(?P<self>i)(?P<short>['’](?:m|ve|d|ll|am)\b|m\b|ve\b)?(?![\w'’.])"
    r"|(?P<word>my own|your own|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself|ya|u)"
    r"(?P<shortened>['’](?:re|ve|d|ll))?\b(?!['’]\w)"
    r"|(?P<loose>im|ive|i(?=['’](?:m|ve|d|ll)\b|\s))(?P<looser>['’](?:m|ve|d|ll))?\b)",
)
_OF_US = Caseless(r"\b(all|both|each|some|most|many|none|one) of us\b|\bus (all|both)\b")
_SELF = Caseless(r"\b(?:i|me|my|we|us|our|let|hope|glad|thanks?)\b|^(?:\w+ )?(?:please|do|don['’]t|let)\b")
_TOGETHER = Guarded(
    r"(?:^|[,;] |\b(?:but|so|when|because|that) )(?:[A-Z][\w'-]+|(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]he) \w+(?: [A-Z]?\w+)?|"
    r"[Hh]e|[Ss]he|[Yy]ou) and $"
)
_QUOTED = Guarded(r"(?:(?<=[\s:：(])|^)(?:\"[^\"]+\"|“[^”]+”|「[^」]+」)")  # who speaks there is told beside it
_WHERE_YOU = Caseless(r"\b\w+ where you (?:can )?(?!['’]|were\b|went\b|are\b|\w+ed\b)\w")
_WHEN_YOU = Caseless(
    r"\b(?:when|whenever|once|unless|every \w+|how (?:much|far)) you "
    r"(?!['’]|were\b|went\b|had\b|did\b|\w+ed\b|come\b|get back\b)\w",
)
_YOU = Caseless(r"\byou(?:['’]\w+)?\b|\byour\b")
_IDIOM = Caseless(  # nobody is meant
    r"\b(?:(?:you never know|you name it|mind you|(?:t?here) (?:you|ya) go|you bet|if you (?:ask me|will)|"
    r"as you (?:know|can see))\b|(?:^|[.!?,;:] |\b(?:so|and|now) )let us\b(?! know\b| have\b)"
    r"|(?:^|[,;–—-] ?)you (?:know|see)(?=[,.!?…]|$))",
)
_MODAL_BEFORE = Caseless(
    r"\b(?:can|could|may|might|must|shall|should|will|would|do|did|does|to|let|help|make|makes|made|watch|see)\s+$",
)
_SHORT = {"m": " is", "am": " is", "re": " is", "ve": " has", "ll": " will"}
_HAD = re.compile(
    r"\s+(?:\w+ly\s+|just\s+|always\s+|never\s+|already\s+)?(?:been|had|gone|seen|done|taken|better|met|made|\w{3,}ed)\b"
)
_BEFORE_OBJECT = frozenset(
    """to for with about of from on at by around behind beside near like than see tell show give help let make thank thanks love
    wish support hear ask miss join meet get got call text email send bring teach told gave showed helped let made thanked
    missed met asked called sent brought taught proud behind for join between inspired inspires remind reminds keep kept keeps
    suit suits surprise inspire encourage congratulate believe trust owe appreciate invite visit bless hug drive drives motivate
    against beat fit lend lent hit bug bother nice seeing hearing telling showing giving helping
    letting making thanking supporting having helps lets makes gives shows tells thanks helpin asks needs wants want""".split()
)
_REACH = 12  # characters before a pronoun
_LAST_WORD = re.compile(r"([A-Za-z'’]+)\s*$")


def third_person(sentence: str, voice: Voice) -> str:
    """A sentence as told by someone else.

    "we" is the speaker and the listener where the sentence shows it ("let's", "since we last spoke"), else
    "Caroline and others": who else is meant cannot be known from one sentence.

    >>> third_person("I've lost my keys, you know mine?", Voice("Ann", "Bo"))
    "Ann has lost Ann's keys, Bo knows Ann's?"
    """
    if has_cjk(sentence):
        sentence = _chinese(sentence, voice)
    sentence = _OF_US.sub(lambda match: f"{match[1]} of them" if match[1] else f"them {match[2]}", sentence)
    spoken = list(_FIRST_OR_SECOND.finditer(sentence))
    if not spoken:
        return sentence
    if voice.listener and _means_anyone(sentence):
        voice = Voice(voice.speaker, "one")
    told, at = "", 0
    others = f"{voice.speaker} and others"
    pending_agreement = False
    met_others = False
    idioms = [match.span() for pattern in (_IDIOM, _QUOTED) for match in pattern.finditer(sentence)]

    def add(piece: str) -> None:
        nonlocal told, pending_agreement
        told += agree(piece) if pending_agreement else piece
        pending_agreement = False

    for match in spoken:
        if match.start() < at:
            continue
        if any(begin <= match.start() < end for begin, end in idioms):
            continue
        replacement = _replacement(match, sentence, voice)
        if replacement is None:
            continue
        text, pending = replacement
        if text.startswith(others):  # named once, then "they" and "them"
            text = _again(match["word"], text.removeprefix(others)) if met_others else text
            met_others = True
        elif met_others and match["word"] and match["word"].lower() == "our":
            text = "their"
        add(sentence[at : match.start()])
        told += text
        pending_agreement = pending
        at = match.end()
    add(sentence[at:])
    return told


def _means_anyone(sentence: str) -> bool:
    """Whether "you" is everybody: "It's a game where you build houses"."""
    if "you" not in sentence.lower():
        return False
    place, time = _WHERE_YOU.search(sentence), _WHEN_YOU.search(sentence)
    return not sentence.endswith("?") and (place is not None or (time is not None and not _SELF.search(sentence)))


def _again(word: str, verb: str) -> str:
    pronoun = "them" if word.lower() == "us" else "they"
    return (pronoun.capitalize() if word[0].isupper() else pronoun) + verb


def _replacement(match: re.Match[str], sentence: str, voice: Voice) -> tuple[str, bool] | None:
    """What stands for a pronoun, and whether the verb after it is still to agree; None leaves it."""
    after = sentence[match.end() :]
    if match["several"]:
        return (f"{voice.listener} and others", False) if voice.listener else None
    first = match["self"] or match["loose"]
    if first:
        if match["self"] == "i" and not (match["short"] or after[:1] == " "):
            return None
        short = (match["short"] or match["looser"] or first[1:]).lstrip("'’").lower()
        if not short and _MODAL_BEFORE.search(sentence, max(0, match.start() - _REACH), match.start()):
            return voice.speaker, False  # "how could I forget"
        if not short and _TOGETHER.search(sentence[: match.start()]):
            return voice.speaker, False  # "Kim and I live"
        return _subject(voice.speaker, short, after)
    word, short = match["word"].lower(), (match["shortened"] or "").lstrip("'’").lower()
    if match["word"] in ("US", "U"):
        return None
    listener = voice.listener
    if word in ("me", "myself"):
        return (voice.speaker if word == "me" else "themself"), False
    if word in ("my", "mine", "my own"):
        return possessive(voice.speaker) + (" own" if word == "my own" else ""), False
    if word in ("we", "us", "our", "ours", "ourselves"):
        return _plural(word, short, sentence, voice)
    if listener is None:
        return None
    if word in ("your", "yours", "your own"):
        return possessive(listener) + (" own" if word == "your own" else ""), False
    if word == "yourself":
        return (listener if listener != "one" and _YOU.search(sentence) else "oneself"), False
    before = _LAST_WORD.search(sentence, 0, match.start())
    if not short and before and (before[1].lower() in _BEFORE_OBJECT or _MODAL_BEFORE.search(before[0])):
        return listener, False
    return _subject(listener, short, after)


def _subject(name: str, short: str, after: str) -> tuple[str, bool]:
    if short == "d":
        return name + (" had" if _HAD.match(after) else " would"), False
    return (name + _SHORT[short], False) if short else (name, True)


def _plural(word: str, short: str, sentence: str, voice: Voice) -> tuple[str, bool]:
    both = voice.listener is not None and (voice.speaker == "the assistant" or bool(_BOTH.search(sentence)))
    if word in ("our", "ours"):
        return (possessive(f"{voice.speaker} and {voice.listener}") if both else possessive(voice.speaker)), False
    if word == "ourselves":
        return "themselves", False
    who = f"{voice.speaker} and {voice.listener}" if both else f"{voice.speaker} and others"
    return who + {"re": " are", "ve": " have", "ll": " will", "d": " would"}.get(short, ""), False


# --- Chinese ---------------------------------------------------------------------------------------------------------

_CHINESE = re.compile("我们|咱们|咱俩|我俩|(?<![自忘])我(?!国|行我素)|你们|您|你(?!好)")
_CHINESE_QUOTED = re.compile('(“[^”]+”|「[^」]+」|"[^"]+")')


def _chinese(sentence: str, voice: Voice) -> str:
    both = f"{voice.speaker}和{voice.listener}" if voice.listener else f"{voice.speaker}等人"

    def told(match: re.Match[str]) -> str:
        word = match[0]
        if word in ("咱俩", "我俩"):
            return both
        if word in ("我们", "咱们"):
            return f"{voice.speaker}等人"
        if word == "我":
            return voice.speaker
        return voice.listener if voice.listener and word != "你们" else word

    pieces = _CHINESE_QUOTED.split(sentence)  # what somebody else says of "me" is not of the speaker
    return "".join(piece if at % 2 else _CHINESE.sub(told, piece) for at, piece in enumerate(pieces))
