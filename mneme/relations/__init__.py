"""The table of relations: which words claim what of whom, in English and in Chinese. Data files, matched once for a sentence.

One table serves claims, graph, profile and validity: a claim names its row, and the row says which edge and which line of a
profile follow, and whether a new value ends the old one. A wrong claim can hide a true memory, a missing one only leaves two
memories with their dates side by side: so only what is certain is claimed, nothing of questions, conditions, wishes and
reports.

- ``english.toml``, ``chinese.toml`` are the tables, ``attributes.toml`` what their attributes mean to others.
- ``english.py`` and ``chinese.py`` match them, over clauses that ``english_clauses.py`` makes ready. ``chinese_subjects.py``
  tells of whom and of what a Chinese clause speaks.
- ``values.py`` says what can be a value, and when two are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mneme.records import Claim
from mneme.relations.chinese import chinese_asked, chinese_claims, is_of_chinese_words
from mneme.relations.english import english_answers, english_asked, english_claims, is_of_words
from mneme.relations.table import row_of
from mneme.relations.values import PLANNED, SAID, UNREAD, same_value, says_more
from mneme.text import has_cjk

__all__ = ["PLANNED", "SAID", "UNREAD", "Relation", "attributes_asked", "claims_in", "relation_of", "same_value", "says_more"]


@dataclass(frozen=True, slots=True)
class Relation:
    """One row: an attribute, and what follows from a claim of it.

    ``single`` says that a subject has one value at a time, so that a new one ends the old. ``edge`` is the relation of the
    graph (``lives_in``), empty where there is none; ``category`` that of the line of a profile, empty where there is none.
    ``goes_on`` says that another begins where one ends, so that what is told soon after a change tells of that change.
    ``recurs`` says of a plan that it comes again and again, so that it is not over with its day; ``many`` that there may be
    several plans of this name, so that an end which names none of them ends none.
    """

    attribute: str
    single: bool = False
    edge: str = ""
    category: str = ""
    goes_on: bool = False
    recurs: bool = False
    many: bool = False


@lru_cache(maxsize=4_096)
def relation_of(attribute: str) -> Relation | None:
    """The row of an attribute; None where no table has it.

    Plans (``plan:dentist``) and other open attributes are rows of their own family. Of some plans there may be several (a
    call, a lunch), so that only a change that is told ends one; of others (``plan:launch``) there is one.
    """
    row = row_of(attribute)
    if row is None:
        return None
    family, _, kind = attribute.partition(":")
    if family != "plan":
        return Relation(attribute, **row)
    kind_of = is_of_chinese_words if has_cjk(kind) else is_of_words
    return Relation(attribute, **row | {"single": kind_of("one_of_a_kind", kind), "recurs": kind_of("recurring", kind)})


def claims_in(sentence: str, language: str, speaker: str = "", follows: str = "", asked: str = "") -> tuple[Claim, ...]:
    """Read the certain claims of a sentence; none in a language without a table. Pure, linear in the sentence.

    A claim that ends comes before the one that takes its place: it ends what was said before, not what its own sentence
    says.

    Args:
        sentence: one sentence as said ("I moved to Lisbon last week.") or as a model wrote it ("Ann lives in Lisbon.").
        language: ISO 639-1; ``en`` and ``zh`` have tables.
        speaker: who says "I"; without one only named subjects claim.
        follows: the sentence before it. Where that is about somebody else, a sentence without a subject may be too.
        asked: read it only as the answer to this question of somebody else ("Kunle." to "What's your husband called?").
    """
    match language:
        case "en":
            return tuple(english_answers(sentence, speaker, asked) if asked else english_claims(sentence, speaker, follows))
        case "zh":
            return tuple(chinese_claims(sentence, speaker, follows))
    return ()


def attributes_asked(question: str) -> Sequence[tuple[str, str]]:
    """(subject, attribute) of the state that a question asks for: ("paul", "home") for "Where does Paul live?".

    The subject is casefolded; "" is who asks, "'s sister" that person's sister. Empty for a question about the past ("Where
    did Paul live?") and for one that no row knows.
    """
    return chinese_asked(question) if has_cjk(question) else english_asked(question)
