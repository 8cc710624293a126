"""Reported speech: sentences of one message as one statement about its speaker."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from flows.extraction.wording.attachments import after
from flows.extraction.wording.persons import capitalised
from flows.extraction.wording.retelling import Kind, Retelling, Said
from mneme.caseless import Caseless
from mneme.text import has_cjk

_ADVICE = Caseless(
    r"\b(?:recommend|suggest|advise|you (?:should|could|can|might want to|may want to)|consider|try(?:ing)? to|make sure|"
    r"here are)\b|建议|推荐|可以试试|最好",
)


def reported(retelling: Retelling, said: Sequence[Said]) -> str:
    """What the speaker said, asked and showed, in order, as sentences that name the speaker.

    A statement that already begins with its speaker stands as it is; another is introduced: ``Caroline said: ...``.
    """
    pieces: list[str] = []
    reads = False
    for kind, group in groupby(said, key=lambda one: one.kind):
        sentences = list(group)
        read_before, reads = reads, any(one.reads for one in sentences)
        if pieces and (reads or read_before):  # what was read mostly has no mark at its end
            pieces[-1] = _ended(pieces[-1])
        match kind:
            case Kind.STATEMENT:
                pieces.append(_stated(retelling, sentences))
            case Kind.QUESTION:
                pieces.append(_asked(retelling, sentences))
            case Kind.ATTACHMENT:
                pieces.append("".join(_shown(sentences)))
    return "".join(_joined(pieces))


def _ended(text: str) -> str:
    """A text with a mark at its end."""
    if not text[-1:].isalnum() and text[-1:] not in ")）":
        return text
    return f"{text}。" if has_cjk(text) else f"{text}."


def _shown(attachments: Sequence[Said]) -> Iterator[str]:
    """What was shown; what goes on with the text of an attachment has no introduction of its own."""
    before = ""
    for one in attachments:
        if before and one.goes_on:
            yield after(before, one.reads)
        else:
            yield f" {one.told}" if before else one.told
        before = one.told


def quoted(said: Sequence[Said]) -> str:
    """Sentences in quotation marks, word for word, with their dates in full."""
    text = "".join(_joined([one.dated for one in said]))
    return f"“{text}”" if has_cjk(text) else f'"{text}"'


def _joined(pieces: Sequence[str]) -> list[str]:
    """Sentences with a blank before each that does not follow a Chinese one."""
    texts = [capitalised(piece) for piece in pieces]
    return [text if at == 0 or has_cjk(texts[at - 1][-4:]) else f" {text}" for at, text in enumerate(texts)]


def _asked(retelling: Retelling, questions: Sequence[Said]) -> str:
    text = quoted(questions)
    if has_cjk(text):
        return f"{retelling.speaker}问{retelling.listener or ''}：{text}"
    whom = f" {retelling.listener}" if retelling.listener else ""
    return f"{retelling.speaker} asked{whom}: {text}"


def _stated(retelling: Retelling, statements: Sequence[Said]) -> str:
    text = "".join(_joined([one.told for one in statements]))
    if text.lower().startswith(retelling.speaker.lower()):
        return text
    advises = retelling.message.role == "assistant" and any(_ADVICE.search(one.text) for one in statements)
    if has_cjk(text):
        return f"{retelling.speaker}{'建议' if advises else '说'}：{text}"
    return f"{retelling.speaker} {'recommended' if advises else 'said'}: {text}"
