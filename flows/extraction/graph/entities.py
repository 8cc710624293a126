"""The entities of an episode and the relationships between them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from flows.cuts import ExtractedEntity, ExtractedRelationship
from flows.extraction.facts.messages import event_time
from flows.extraction.graph.chinese_relationships import chinese_edges
from flows.extraction.graph.edges import Edge
from flows.extraction.graph.kinship import PERSON
from flows.extraction.graph.relationships import english_edges
from flows.extraction.wording.chinese_names import chinese_names
from flows.extraction.wording.names import names_in, type_of
from flows.extraction.wording.people import People
from flows.extraction.wording.retelling import Kind, Retelling, Said
from mneme.caseless import Caseless
from mneme.text import has_cjk

_MOST = 300  # entities of an episode that are only named, and edges of a message; each is compared with those alike
_LONGEST_SUMMARY = 200  # characters; an entity's summary is joined from several episodes
_ASKS_FOR_A_NAME = Caseless(r"\bnames?\b|\bcalled\b|叫什么|什么名字")
_VAGUE = ("object", "location")  # guessed from the words around; what a pattern or another mention says is better

Found = tuple[Edge, datetime | None, int, str]
"""An edge, since when, the index of its message and its sentence as told."""


def graph_of(retellings: Sequence[Retelling]) -> tuple[tuple[ExtractedEntity, ...], tuple[ExtractedRelationship, ...]]:
    """Entities with a summary each, and the edges that single sentences state, both in the order of the conversation.

    Participants are entities of an episode in which they say something. Somebody without a name is one only at the end of
    an edge ("Ann's husband"), and under the name that another message gives. Of what is only named, an episode has at most
    300 entities, and a message has at most as many edges.
    """
    people = People(retelling.speaker for retelling in retellings)
    found = [
        (replace(edge, source=people.name_of(edge.source), target=people.name_of(edge.target)), since, index, told)
        for edge, since, index, told in list(_edges(retellings, people))
    ]
    known = frozenset(_inside(retellings))
    entities = _Entities()
    by_index: dict[int, list[Found]] = {}
    for one in found:
        by_index.setdefault(one[2], []).append(one)
    for retelling in retellings:
        for said in _statements(retelling):
            if said.told.lower().startswith(retelling.speaker.lower()):
                entities.meet(retelling.speaker, PERSON, retelling.index, said.told)
        for edge, _, index, told in by_index.get(retelling.index, ()):
            entities.meet(edge.source, edge.source_type, index, told, sure=True)
            entities.meet(edge.target, edge.target_type, index, told, sure=edge.target_type != "object")
        if retelling.message.role == "user":
            for name, kind, told in _names(retelling, known, people):
                if entities.has_room_for(name):
                    entities.meet(name, kind, retelling.index, told)
    return entities.all(), tuple(_relationships(found))


class _Entities:
    """What was met, under the name it was first called by."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[str, bool]] = {}
        self._told: dict[str, list[tuple[int, str]]] = {}
        self._called: dict[str, str] = {}

    def meet(self, name: str, kind: str, index: int, sentence: str, sure: bool = False) -> None:
        """Count a mention; ``sure`` when a pattern says what kind it is."""
        key = self._called.setdefault(name.lower().removeprefix("the "), name)
        known, settled = self._kinds.get(key, ("object", False))
        if not settled and (sure or (known in _VAGUE and kind != "object")):
            self._kinds[key] = (kind, sure)
        else:
            self._kinds.setdefault(key, (kind, sure))
        self._told.setdefault(key, []).append((index, sentence))

    def has_room_for(self, name: str) -> bool:
        """Whether a name is one of those met, or there are few."""
        return len(self._told) < _MOST or name.lower().removeprefix("the ") in self._called

    def all(self) -> tuple[ExtractedEntity, ...]:
        """In the order in which they were met."""
        return tuple(
            ExtractedEntity(name, self._kinds[name][0], _summary(told for _, told in mentions), _sources(mentions))
            for name, mentions in self._told.items()
        )


def _edges(retellings: Iterable[Retelling], people: People) -> Iterator[Found]:
    """Every edge of every sentence, before names are known; questions only tell who is spoken of."""
    asked = False
    for retelling in retellings:
        people.enter(retelling)
        room = _MOST
        for said in retelling.said:
            if said.kind is Kind.ATTACHMENT or not room:
                continue
            chinese = has_cjk(said.text)
            edges = list(chinese_edges(said.text, people)) if chinese else english_edges(said.text, asked, people)
            if said.kind is Kind.STATEMENT and retelling.message.role == "user":
                since, _ = event_time([said]) if any(edge.dated for edge in edges) else (None, None)
                yield from ((edge, since if edge.dated else None, retelling.index, said.told) for edge in edges[:room])
                room -= len(edges[:room])
            asked = said.kind is Kind.QUESTION and _ASKS_FOR_A_NAME.search(said.text) is not None


def _relationships(found: Iterable[Found]) -> Iterator[ExtractedRelationship]:
    """Each edge once: the latest says whether it has ended, the first that has a date when it began."""
    edges: dict[tuple[str, str, str, bool], ExtractedRelationship] = {}
    for edge, since, index, _ in found:
        if edge.source.lower() == edge.target.lower():
            continue
        key = (edge.source.lower(), edge.relation, edge.target.lower(), edge.ended)
        known = edges.get(key)
        if known is None:
            edges[key] = ExtractedRelationship(edge.source, edge.relation, edge.target, since, (index,), edge.ended)
        elif index not in known.sources:
            edges[key] = replace(known, date=known.date or since, sources=(*known.sources, index))
    yield from edges.values()


def _names(retelling: Retelling, known: frozenset[str], people: People) -> Iterator[tuple[str, str, str]]:
    """Name, kind and sentence of what a message names; those who take part aside."""
    for said in _statements(retelling):
        named = (
            chinese_names(said.text)
            if has_cjk(said.text)
            else ((one, type_of(one, said.text)) for one in names_in(said.text, known))
        )
        for name, kind in named:
            if not people.is_present(name) and not _has_present(name, people):
                yield name, kind, said.told


def _has_present(name: str, people: People) -> bool:
    """Whether a name has that of somebody present within ("Dear Melanie")."""
    return any(people.is_present(part) for part in name.split())


def _inside(retellings: Iterable[Retelling]) -> Iterator[str]:
    """The single words that are written like names within sentences."""
    for retelling in retellings:
        for said in retelling.said:
            if said.kind is not Kind.ATTACHMENT and not has_cjk(said.text):
                yield from (name for name in names_in(said.text) if " " not in name)


def _statements(retelling: Retelling) -> list[Said]:
    return [said for said in retelling.said if said.kind is Kind.STATEMENT and said.informative]


def _sources(mentions: Sequence[tuple[int, str]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(index for index, _ in mentions))


def _summary(sentences: Iterable[str]) -> str:
    summary = ""
    for sentence in dict.fromkeys(sentences):
        if summary and len(summary) + len(sentence) >= _LONGEST_SUMMARY:
            break
        summary = f"{summary} {sentence}".strip()
    return summary[:_LONGEST_SUMMARY]
