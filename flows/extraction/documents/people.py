"""People and organisations of a document, as far as single sentences state how they are related.

A document names many things once; a graph of all of them would be a register. So an entity is what stands at an end of a
relationship, and a sentence with a pronoun, which may mean anybody on the page, states none.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from flows.cuts import ExtractedEntity, ExtractedRelationship
from flows.extraction.graph.entities import graph_of
from flows.extraction.wording.name_lists import GIVEN_NAMES
from flows.extraction.wording.names import is_organisation, is_place
from flows.extraction.wording.retelling import Kind, Retelling, Said
from mneme.caseless import Caseless
from mneme.records import StoredMessage
from mneme.text import has_cjk

_PRONOUN = Caseless(r"\b(?:i|me|my|we|us|our|you|your|he|she|him|his|her|hers|they|them|their|who)\b|[我你您他她咱]")
_NO_PERSON = re.compile(
    r"\b(?:Manager|Management|Office|Officer|Director|Support|Service|Services|Head|Chief|Engineer|Sales|Customer|Customers|"
    r"Product|Project|Staff|Board|Member|Members|Employee|Employees|User|Users|Contact|Address|Name|Date|The|This|An?|All|"
    r"Each|Every|Section|Chapter|Figure|Table|Page|Appendix|Annex|North|South|East|West|New)\b"
)
_OF_ANYTHING = ("located_in",)


def graph_of_document(
    message: StoredMessage, sentences: Sequence[Said]
) -> tuple[tuple[ExtractedEntity, ...], tuple[ExtractedRelationship, ...]]:
    """The relationships that sentences of a chunk state, and what stands at their ends."""
    clear = tuple(said for said in sentences if said.kind is Kind.STATEMENT and not _PRONOUN.search(said.text))
    told = Retelling(0, message.model_copy(update={"role": "user"}), "", None, clear, shows=False)
    entities, relationships = graph_of([told])
    named = (edge for edge in relationships if edge.source and edge.target)  # whose is "the appointment with Dr. Adler"?
    kept = tuple(edge for edge in named if edge.relation in _OF_ANYTHING or _is_somebody(edge.source))
    ends = {name for edge in kept for name in (edge.source, edge.target)}
    return tuple(replace(each, sources=(0,)) for each in entities if each.name in ends), kept


def _is_somebody(name: str) -> bool:
    if has_cjk(name):
        return True
    first, _, rest = name.partition(" ")
    if is_organisation(name) or is_place(name) or _NO_PERSON.search(name):
        return False
    return first.lower() in GIVEN_NAMES or bool(rest)
