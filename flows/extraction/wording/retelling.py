"""The messages of an episode as told by someone who was there: third person, dates in full, small talk marked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum
from typing import NamedTuple

from flows.cuts import Utterance
from flows.extraction.wording.antecedents import with_antecedent
from flows.extraction.wording.attachments import Attachment, attachment_of
from flows.extraction.wording.persons import Voice, spoken_name, third_person
from flows.extraction.wording.sentences import is_question, split_sentences
from flows.extraction.wording.substance import is_informative, weight, without_opening
from mneme.caseless import Caseless
from mneme.dates import DateMention, resolve_dates
from mneme.errors import InputError
from mneme.records import StoredMessage
from mneme.text import has_cjk
from mneme.times import zone

_GESTURE = Caseless(r"^[\[*(](?P<what>[a-z]+s [^\])*]+)[\])*]$")  # "[shares a photo]", "*waves at Bo*"
_SHARED = Caseless(r"^\[shared? an? (?P<what>\w+: .+)\]$")
_CAPTION_OPENING = Caseless(r"(?<=: )(?:an? |the )?(?:photo|photography|picture|image|close up|screenshot)s? of ")
_FIGURATIVE = Caseless(r"\b(?:feels?|felt|seems?|seemed) like (?:it was )?(?:just |only )?$")  # "like yesterday"
_NAMED_BY_QUARTER = Caseless(r"\b(?:the|our|my|their|an?) q[1-4] [a-z]$")
_QUARTER_REACH = 12  # characters: "their Q2 d"
_SHOWN = ("[", "*", "(", "```")  # what begins with none of these is in words
_MOST_DATES = 16  # of one form in a sentence
_LONGEST_CODE = 200  # characters of a block of code that a fact shows
_HEAVY_QUESTION = 4.0  # a question of this weight tells something itself: "Are you still teaching piano at the school?"
_RECALLED = Caseless(
    r"\b(?:i (?:remember|recall)|as i recall|"
    r"you (?:\w+ )?(?:mentioned|told me|said|shared) (?:\w+ ){0,3}(?:earlier|before|previously|last|that)|"
    r"(?:based on|according to|from) (?:my memor(?:y|ies)|our (?:previous|earlier|past|last) |"
    r"what you(?:['’]ve)? (?:told|said|mentioned|shared)))"
    r"|我记得|根据(?:我的)?(?:记忆|之前|以前)|你(?:之前|以前|曾经?|上次)(?:提到|说|告诉)",
)
_VOCATIVE = Caseless(r"^(?:(?:hey|hi|hello|thanks|so|and|well|ok|okay|yes|no|sure|great),?\s+)?@?([^\W\d_]+)\s*[,，:：!！]")
_MENTION = re.compile(r"@([^\W_]+)")


class Kind(StrEnum):
    """What a sentence does."""

    STATEMENT = "statement"
    QUESTION = "question"
    ATTACHMENT = "attachment"


class Said(NamedTuple):
    """One sentence of a message: as written, with its dates in full (``dated``), and in the third person as well (``told``).

    ``informative`` is False for small talk, and for what an assistant only repeats from memory. ``reads`` is what was read
    in an attachment, or a piece of it; one that ``goes_on`` is of the same attachment as the sentence before.
    """

    kind: Kind
    text: str
    dated: str
    told: str
    informative: bool
    dates: tuple[DateMention, ...] = ()
    reads: str = ""
    goes_on: bool = False

    @property
    def worth_keeping(self) -> bool:
        """Whether a fact should contain it: a light question is left to its answer."""
        if self.kind is Kind.QUESTION:
            return self.informative and (bool(self.dates) or weight(self.text) >= _HEAVY_QUESTION)
        return self.informative


@dataclass(frozen=True, slots=True)
class Retelling:
    """One message, sentence by sentence; ``index`` is its place in the cut; ``shows`` that there is more in it than words."""

    index: int
    message: StoredMessage
    speaker: str
    listener: str | None
    said: tuple[Said, ...]
    shows: bool

    @property
    def statements(self) -> list[Said]:
        """The sentences that say something in words."""
        return [one for one in self.said if one.informative and one.kind is Kind.STATEMENT]

    @property
    def voice(self) -> Voice:
        """Who speaks to whom."""
        return Voice(self.speaker, self.listener)


def retell(utterances: Sequence[Utterance]) -> list[Retelling]:
    """All messages of a cut that somebody said; those of tools and systems are left out."""
    spoken = [(index, one.message) for index, one in enumerate(utterances) if one.message.role in ("user", "assistant")]
    cast = list(dict.fromkeys(spoken_name(message.sender_name, message.role) for _, message in spoken))
    names = _parts(cast)
    retellings: list[Retelling] = []
    for index, message in spoken:
        retellings.append(_retell(index, message, cast, names, retellings[-1] if retellings else None))
    return retellings


def participants(retellings: Sequence[Retelling]) -> frozenset[str]:
    """The names of those who speak, word by word, in lower case."""
    return _parts(list(dict.fromkeys(retelling.speaker for retelling in retellings)))


def _parts(cast: Sequence[str]) -> frozenset[str]:
    return frozenset(part.lower() for name in cast for part in re.split(r"\W+", name) if part)


def zone_of(message: StoredMessage) -> tzinfo:
    """The zone that a message was said in; UTC where its name is not known here."""
    try:
        return zone(message.timezone)
    except InputError:
        return zone("UTC")


def with_dates(sentence: str, mentions: Sequence[DateMention]) -> str:
    """The sentence with its relative dates in full: ``14 May 2023`` for ``14 May``, ``yesterday (7 May 2023)``.

    "The Q2 deadline" is the name of a thing, and stays.
    """
    for mention in reversed(mentions):
        if _NAMED_BY_QUARTER.search(sentence[: mention.end_index + 2][-_QUARTER_REACH:]):
            continue
        start, end, completed = mention.start_index, mention.end_index, mention.completed
        if completed:
            sentence = sentence[:start] + completed + sentence[end:]
        elif mention.relative and mention.written != mention.text:
            bracketed = f"（{mention.written}）" if has_cjk(mention.text) else f" ({mention.written})"
            end += 2 if sentence[end:].startswith(("'s", "’s")) else 0
            sentence = sentence[:end] + bracketed + sentence[end:]
    return sentence


def _retell(index: int, message: StoredMessage, cast: list[str], names: frozenset[str], before: Retelling | None) -> Retelling:
    speaker = spoken_name(message.sender_name, message.role)
    voice = Voice(speaker, _listener(message.text, speaker, cast))
    asked = before is not None and before.speaker != speaker and before.said and before.said[-1].kind is Kind.QUESTION
    context = before.said[-1].text if before is not None and asked else ""
    said: list[Said] = []
    for sentence in split_sentences(message.text):
        shown = list(_shown(sentence, voice, names)) if sentence.startswith(_SHOWN) else []
        said += shown or [_said(sentence, context, message, voice, names)]
        context = sentence
    shows = any(one.kind is Kind.ATTACHMENT for one in said)
    return Retelling(index, message, speaker, voice.listener, tuple(said), shows)


def _shown(sentence: str, voice: Voice, names: frozenset[str]) -> Iterator[Said]:
    """What a sentence only shows: an attachment, a picture by its caption, code, a gesture; nothing for one in words."""
    if (attachment := attachment_of(sentence)) is not None:
        yield from _attached(attachment, sentence, voice, names)
    elif (shared := _SHARED.match(sentence)) is not None:
        what = _CAPTION_OPENING.sub("", shared["what"])
        yield Said(Kind.ATTACHMENT, sentence, sentence, f"{voice.speaker} shared a {what}.", is_informative(what, names))
    elif sentence.startswith("```"):
        lines = " ".join(sentence.strip("`").split())
        told = f"{voice.speaker} shared code: {lines[:_LONGEST_CODE]}{'…' if len(lines) > _LONGEST_CODE else ''}"
        yield Said(Kind.ATTACHMENT, sentence, sentence, told, len(lines) > 1)
    elif (gesture := _GESTURE.match(sentence)) is not None:
        told = f"{voice.speaker} {gesture['what'][0].lower()}{gesture['what'][1:]}."
        yield Said(Kind.ATTACHMENT, sentence, sentence, told, is_informative(gesture["what"], names))


def _attached(attachment: Attachment, sentence: str, voice: Voice, names: frozenset[str]) -> Iterator[Said]:
    """An attachment, with each piece of what was read in it."""
    if not attachment.pieces:
        told = attachment.told_by(voice.speaker)
        yield Said(Kind.ATTACHMENT, sentence, sentence, told, is_informative(attachment.name, names))
    for number, piece in enumerate(attachment.pieces):
        told = attachment.told_by(voice.speaker, piece)
        goes_on = number > 0
        yield Said(Kind.ATTACHMENT, sentence, sentence, told, is_informative(piece, names), reads=piece, goes_on=goes_on)


def _said(sentence: str, context: str, message: StoredMessage, voice: Voice, names: frozenset[str]) -> Said:
    mentions = resolve_dates(sentence, message.sent_at, zone_of(message), _MOST_DATES)
    dates = tuple(one for one in mentions if not _FIGURATIVE.search(sentence, 0, one.start_index))
    dated = with_dates(sentence, dates)
    told = third_person(with_antecedent(without_opening(dated, names), context, names), voice)
    informative = bool(dates) or is_informative(sentence, names)
    if message.role == "assistant" and _RECALLED.search(sentence):
        informative = False
    kind = Kind.QUESTION if is_question(sentence) else Kind.STATEMENT
    return Said(kind, sentence, dated, told, informative, dates)


def _listener(text: str, speaker: str, cast: list[str]) -> str | None:
    """The other of two; among several the one who is called by name at the start, or by @."""
    others = [name for name in cast if name != speaker]
    if len(others) == 1:
        return others[0]
    called = _VOCATIVE.match(text) or _MENTION.search(text)
    if not called:
        return None
    name = called[1].lower()
    return next((other for other in others if name in re.split(r"\W+", other.lower())), None)
