"""The table of relations: which words claim what of whom, in English and in Chinese. Data files, matched once for a sentence.

One table serves claims, graph, profile and validity: a claim names its row, and the row says which edge and which line of a
profile follow, and whether a new value ends the old one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mneme.records import Claim


@dataclass(frozen=True, slots=True)
class Relation:
    """One row: an attribute, and what follows from a claim of it.

    ``single`` says that a subject has one value at a time, so that a new one ends the old. ``edge`` is the relation of the
    graph (``lives_in``), empty where there is none; ``category`` that of the line of a profile, empty where there is none.
    """

    attribute: str
    single: bool
    edge: str = ""
    category: str = ""


def relation_of(attribute: str) -> Relation:
    """The row of an attribute. Plans (``plan:dentist``) and other open attributes are rows of their own family.

    Raises:
        KeyError: no row has it.
    """
    raise KeyError(attribute)


def claims_in(sentence: str, language: str, speaker: str = "", listener: str = "") -> tuple[Claim, ...]:
    """What a sentence claims for certain; nothing in a language without a table. Pure, linear in the sentence.

    Args:
        sentence: one sentence as said ("I moved to Lisbon last week.") or as a model wrote it ("Ann lives in Lisbon.").
        language: ISO 639-1; ``en`` and ``zh`` have tables.
        speaker: who says "I"; without one only named subjects claim.
        listener: who "you" is, where one person is meant.
    """
    return ()


def attributes_asked(question: str) -> Sequence[tuple[str, str]]:
    """(subject, attribute) of the state that a question asks for: ("paul", "home") for "Where does Paul live?".

    Empty for a question about the past ("Where did Paul live?") and for one that no row knows.
    """
    return ()
