"""Sentences of a text, English and Chinese."""

import re
from collections.abc import Iterator
from functools import lru_cache

from flows.extraction.wording.attachments import IN_PLACE
from mneme.caseless import Caseless
from mneme.tokens import LONGEST_REMEMBERED

_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|approx|Inc|Ltd|Co|a\.m|p\.m)\.$")
_NUMBERED = re.compile(r"\b(?:[Nn]os?|Nr|[Ff]igs?|[Aa]rt|[Ss]ec|[Vv]ol|[Cc]h|pp?|Tel)\.$")  # before a digit: "No. 3"
_INITIAL = re.compile(r"\b[A-Z]\.$")
_LIST_NUMBER = re.compile(r"(?:^|(?<=\n)|(?<!\d)[:：]\s?|(?<=[.!?;:：])\s)\s*\d{1,2}\.$")  # but not "at 19:30."
_NO_SURNAME = re.compile(r"\s+(?:And|But|So|Then|The|This|That|It|We|I|You|They|In|With|For)\b")  # after "plan B."
_STOP_REACH = 12  # characters before a full stop that tell what it is
_LONGEST = 800  # characters; also keeps the patterns that look around them from costing the square of a message
_MOST = 2_000  # sentences of a message; a pasted article has half as many. Each costs the rules up to a millisecond
_WHOLE = re.compile(rf"```.*?(?:```|\Z)|{IN_PLACE.pattern}", re.DOTALL)  # code, and what was attached
_GAP = re.compile(r"[^\S\n]{9,}+")  # blanks that say no more than one; the patterns' time grows with their square
_BULLETS = tuple("-–•*#>")
_BULLET = re.compile(r"^(?:[-–•*#>]+\s+)+")
_STATED_AND_ASKED = Caseless(  # but "Your flight is on Friday, isn't it?" and "If you come, can you ..." only ask
    r"^(?P<stated>(?:(?:and|but|so|well|also),? )?(?:i|i['’]\w+|we|we['’]\w+|my|our|he|she|they|"
    r"(?:s?he|they|it)['’]\w+|the|there(?:['’]s)?|[a-z]\w+)\b [^?,;:\"“]{8,}),\s+"
    r"(?P<asked>(?:(?:where|what|why|how|who|when|which)\b(?: \w+)?|(?:can|could|will|would|do|did|"
    r"are|have|should|shall)) (?:you|we|i)\b[^?,]{4,}\?)$",
)
_NO_STATEMENT = Caseless(
    r"(?:if|when|since|because|as|while|after|before|what|where|who|why|how|which|do|does|did|is|are|can|could|will|would|have|has)\b",
)
_END = re.compile(  # begins with one set of characters, so that the engine passes over all others
    r"[.!?…。！？；\s](?:"
    r"(?<=[.!?…])(?<![.!?…]{2})[.!?…]*+[\"'”’)\]]*(?=\s|$)"
    r"|(?<=[。！？；])[。！？；]*[”’」』）]*"
    r"|(?<=\n)\n*"
    r"|(?<=\s)(?=\[(?:shares?d? |image: |audio: |file: )))"  # something shown is a sentence of its own
)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, in order, stripped, with their end marks; blank ones are left out.

    A line break ends a sentence; "Dr.", "3.5", initials and the number of a list do not. Marks of emphasis and bullets
    fall away; a fenced block of code is one sentence, as it stands, and so is an attachment.

    Whatever the text, the rules that read them have bounded work: a sentence of more than 800 characters is cut, and what
    follows the first 2,000 sentences comes in pieces of as many characters.

    >>> split_sentences("I met Dr. Lee. 我很高兴。Was it 3.5 km?")
    ['I met Dr. Lee.', '我很高兴。', 'Was it 3.5 km?']
    """
    return list(_sentences(text) if len(text) <= LONGEST_REMEMBERED else _sentences.__wrapped__(text))


@lru_cache(maxsize=1_024)  # the corrections of an episode and its retelling split the same messages
def _sentences(text: str) -> tuple[str, ...]:
    if "[" not in text and "```" not in text:
        sentences = _prose(text)
    else:
        sentences, at = [], 0
        for whole in _WHOLE.finditer(text):
            sentences += [*_prose(text[at : whole.start()]), whole[0]]
            at = whole.end()
        sentences += _prose(text[at:])
    return (*sentences[:_MOST], *_bounded(" ".join(sentences[_MOST:]))) if len(sentences) > _MOST else tuple(sentences)


def _prose(text: str) -> list[str]:
    text = _GAP.sub(" ", text.replace("**", ""))
    sentences, start = [], 0
    for end in _END.finditer(text):
        if end[0] == "." and _goes_on(text, start, end.end()):
            continue
        sentences.append(_unmarked(text[start : end.end()]))
        start = end.end()
    sentences.append(_unmarked(text[start:]))
    pieces: list[str] = []
    for sentence in sentences:
        if len(sentence) > _LONGEST:
            pieces += _bounded(sentence)
        else:
            pieces += _asked_apart(sentence) if sentence.endswith("?") else [sentence]
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


def _unmarked(sentence: str) -> str:
    """A sentence without the marks of a list before it."""
    sentence = sentence.strip()
    return _BULLET.sub("", sentence) if sentence.startswith(_BULLETS) else sentence


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether a full stop that ends at ``end`` is part of a sentence that begins at ``start``."""
    start = max(start, end - _STOP_REACH)
    if _ABBREVIATION.search(text, start, end) or _LIST_NUMBER.search(text, start, end):
        return True
    if _NUMBERED.search(text, start, end) and text[end : end + 2].strip()[:1].isdigit():
        return True
    return _INITIAL.search(text, start, end) is not None and not _NO_SURNAME.match(text, end)


def _asked_apart(sentence: str) -> Iterator[str]:
    """A statement and the question after it, which asks something else: "The vet is at 5, can you drive us?"."""
    match = _STATED_AND_ASKED.match(sentence)
    if match is None or _NO_STATEMENT.match(sentence):
        yield sentence
    else:
        yield f"{match['stated']}."
        yield match["asked"][0].upper() + match["asked"][1:]


def _bounded(sentence: str) -> Iterator[str]:
    """A sentence in pieces that end at a blank where there is one: what no reader would take for one sentence is none."""
    while len(sentence) > _LONGEST:
        end = sentence.rfind(" ", _LONGEST // 2, _LONGEST)
        end = end if end > 0 else _LONGEST
        yield sentence[:end].strip()
        sentence = sentence[end:].strip()
    yield sentence


def is_question(sentence: str) -> bool:
    """Whether a sentence asks something."""
    return sentence.rstrip("\"'”’)）」』* ").endswith(("?", "？")) or sentence.rstrip("。").endswith(("吗", "呢"))
