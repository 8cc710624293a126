"""What goes before a fact so that it can be understood: the question that it answers, or the remark that it goes on from."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from flows.extraction.facts.definite_nouns import mentions, unexplained_noun
from flows.extraction.facts.leaning import explains
from flows.extraction.facts.memorable import speaks_of_self
from flows.extraction.facts.selection import Reader, presents
from flows.extraction.wording.reports import quoted, reported
from flows.extraction.wording.retelling import Kind, Retelling, Said
from flows.extraction.wording.substance import weight
from mneme.caseless import Caseless
from mneme.text import has_cjk

_SHORT_ANSWER = 4.0  # weight under which an answer that tells nothing itself is joined with its question
_YES_OR_NO = Caseless(
    r"\s*(?:yes|yeah|yep|yup|no|nope|nah|never|not yet|sure|of course|definitely|maybe)\b|\s*(?:是|对|不|没|有|会|可以)"
)
_SMALL_TALK = Caseless(
    r"\b(?:up (?:to|with)|how (?:are|have|about)|how['’]s (?:it|every|life|your|the)|how['’]ve|what['’]?s (?:new|up)|"
    r"what about you|going on|anything (?:new|fun|else|cool|exciting)|"
    r"what (?:else )?(?:is|has been|['’]s been) (?:new|happening))\b",
)
_SOMEONE = Caseless(r"\b(?:he|she|him|her|his|hers)\b")
_QUESTION_ASKS = 0.5  # substance under which nobody knows what a question is about
_SAYS_MUCH, _STANDS_ALONE = 2.5, 5.0  # substance of its first sentence and of all from which an answer needs no question


@dataclass(frozen=True, slots=True)
class Context:
    """What stands before the fact, and the places of the messages that say it."""

    opening: str
    sources: tuple[int, ...]

    def before(self, opening: str, source: int) -> "Context":
        """This context with another, of the message ``source``, behind it."""
        return Context(self.opening + opening, (source, *self.sources))


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that the next message may answer."""

    said: Said
    context: Context


def open_question(retelling: Retelling, earlier: Sequence[Retelling], read: Reader) -> OpenQuestion | None:
    """The question that the message before leaves open; None where there is none, or nobody could tell what it is about.

    A question that leans, or says nothing by itself, has before it the sentence that it is about.
    """
    before = _other(retelling, earlier)
    if before is None:
        return None
    spoken = [one for one in before.said if one.kind is not Kind.ATTACHMENT][-2:]
    question = next((one for one in reversed(spoken) if one.kind is Kind.QUESTION and one.informative), None)
    if question is None or (_SMALL_TALK.search(question.text) and read.substance(question) < _QUESTION_ASKS):
        return None
    leaning = read.leans(question, before) or read.substance(question) < _QUESTION_ASKS
    if before.message.role == "assistant" or not leaning:
        return OpenQuestion(question, Context(_asked([question]), (before.index,)))
    asking = [one for one in takewhile(lambda one: one is not question, before.said) if one.informative][-1:]
    if unexplained_noun(question.told):
        return None
    if any(speaks_of_self(one.text) and _explains(one, before, read) for one in asking):
        return OpenQuestion(question, Context(f"{reported(before, asking)} {_asked([question])}", (before.index,)))
    topic = _topic(earlier[:-1], read, question) if _SOMEONE.search(question.text) else None
    if topic:
        return OpenQuestion(question, topic.before(_asked([question]), before.index))
    if any(read.substance(one) >= _SAYS_MUCH and not read.leans(one, before) for one in asking):
        return OpenQuestion(question, Context(_asked([*asking, question]), (before.index,)))
    return None


def asks_in_vain(retelling: Retelling, earlier: Sequence[Retelling]) -> bool:
    """Whether the message before ends in a question that says something; without a context nobody knows what is answered."""
    before = _other(retelling, earlier)
    spoken = [one for one in before.said if one.kind is not Kind.ATTACHMENT][-1:] if before else []
    return any(one.kind is Kind.QUESTION and one.informative and not _SMALL_TALK.search(one.text) for one in spoken)


def short_answer(retelling: Retelling, question: OpenQuestion, read: Reader) -> list[Said]:
    """What answers a question in few words; empty when neither has anything to remember."""
    answer = list(takewhile(lambda one: one.kind is not Kind.QUESTION, retelling.said))
    spoken = [one for one in answer if one.kind is Kind.STATEMENT]
    tells = any(one.informative for one in answer) or _YES_OR_NO.match(retelling.message.text)
    if not spoken or not tells or sum(weight(one.text) for one in spoken) >= _SHORT_ANSWER:
        return []
    return answer if max(map(read.substance, (question.said, *spoken))) >= _QUESTION_ASKS else []


def context_of(
    words: Sequence[Said], retelling: Retelling, earlier: Sequence[Retelling], question: OpenQuestion | None, read: Reader
) -> Context | None:
    """What the sentences of a fact need before them; None for nothing, or where nothing explains them."""
    if retelling.message.role == "assistant":
        return None
    first = words[0]
    leaning = read.leans(first, retelling)
    asks = any(one.kind is Kind.QUESTION for one in takewhile(lambda one: one is not first, retelling.said))
    noun = unexplained_noun(first.told)
    if leaning and any(one.informative for one in takewhile(lambda one: one is not first, retelling.said)):
        return None  # it goes on from what is left out
    if question and not asks:
        light = read.substance(first) < _SAYS_MUCH or sum(map(read.substance, words)) < _STANDS_ALONE
        needed = leaning or light or not read.remembers(first, retelling)
        explained = mentions(question.context.opening, noun) if noun else explains(question.context.opening, first.told, False)
        return question.context if needed and explained else None
    if not leaning or not speaks_of_self(first.text):
        return None
    if noun is not None:
        return _topic(earlier, read, first, noun)
    return _topic(earlier, read, first) if _other(retelling, earlier) else None


def _other(retelling: Retelling, earlier: Sequence[Retelling]) -> Retelling | None:
    """The message before, when somebody else said it."""
    return earlier[-1] if earlier and earlier[-1].speaker != retelling.speaker else None


def _asked(said: Sequence[Said]) -> str:
    text = quoted(said)
    return f"被问到{text}，" if has_cjk(text) else f"Asked {text}, "


def _topic(sources: Sequence[Retelling], read: Reader, leaning: Said, noun: str | None = None) -> Context | None:
    """The statement that says what a leaning sentence is about; None where it may be another.

    A noun is looked for in all the messages, from the last; a pronoun means the last thing said in the last message.
    """
    for source in reversed(sources if noun else sources[-1:]):
        for one in reversed([one for one in source.said if one.kind is not Kind.ATTACHMENT and one.informative]):
            if _explains(one, source, read) and (mentions(one.told, noun) if noun else explains(one.told, leaning.told)):
                return Context(f"{reported(source, [one])} ", (source.index,))
            if noun is None:
                return None
    return None


def _explains(one: Said, source: Retelling, read: Reader) -> bool:
    return (
        one.kind is Kind.STATEMENT and read.remembers(one, source) and not read.leans(one, source) and not presents(one, source)
    )
