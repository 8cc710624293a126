"""The entities of an episode and the relationships between them."""

import re
from collections.abc import Iterable, Sequence

from flows.cuts import ExtractedEntity, ExtractedRelationship
from flows.extraction.facts import event_time
from flows.extraction.names import is_name, names_in, type_of
from flows.extraction.relationships import PERSON, edges_in
from flows.extraction.retelling import Kind, Retelling, Said
from mneme.text import has_cjk

_LONGEST_SUMMARY = 200  # characters; an entity's summary is joined from several episodes
_DENIED = re.compile(r"\b(?:not|never|no longer|used to|n['’]t)\b|n['’]t\b|不再|没有|不在")


def graph_of(retellings: Sequence[Retelling]) -> tuple[tuple[ExtractedEntity, ...], tuple[ExtractedRelationship, ...]]:
    """Entities with a summary each, and the edges that single sentences state, both in the order of the conversation.

    Participants are entities of an episode in which they say something.
    """
    speakers = {retelling.speaker.lower(): retelling.speaker for retelling in retellings}

    def person(captured: str) -> str | None:
        """The participant or the name that a captured subject ends in."""
        lowered = captured.lower()
        for name in (lowered, f"the {lowered}", lowered.rpartition(" ")[2], f"the {lowered.rpartition(' ')[2]}"):
            if name in speakers:
                return speakers[name]
        return captured if is_name(captured) else None

    kinds: dict[str, str] = {}
    told: dict[str, list[tuple[int, str]]] = {}
    edges: dict[tuple[str, str, str], ExtractedRelationship] = {}

    def meet(name: str, kind: str, index: int, sentence: str) -> None:
        key = next((known for known in kinds if known.lower() == name.lower()), name)
        kinds[key] = kind if kinds.get(key, "object") == "object" else kinds[key]
        told.setdefault(key, []).append((index, sentence))

    for retelling, said in _statements(retellings):
        sentence = said.told
        if sentence.lower().startswith(retelling.speaker.lower()):
            meet(retelling.speaker, PERSON, retelling.index, sentence)
        if not _DENIED.search(sentence):
            for edge in edges_in(sentence, person):
                if edge.target_type != PERSON and edge.target.lower() in speakers:
                    continue
                meet(edge.source, PERSON, retelling.index, sentence)
                meet(edge.target, edge.target_type, retelling.index, sentence)
                since, _ = event_time([said])
                key = (edge.source.lower(), edge.relation, edge.target.lower())
                edges.setdefault(key, ExtractedRelationship(edge.source, edge.relation, edge.target, since, (retelling.index,)))
        if retelling.message.role == "user" and not has_cjk(sentence):
            for name in names_in(said.text):
                if not any(_same_person(name.lower(), speaker) for speaker in speakers):
                    meet(name, type_of(name, said.text), retelling.index, sentence)
    entities = tuple(
        ExtractedEntity(name, kinds[name], _summary(sentence for _, sentence in told[name]), _sources(told[name]))
        for name in told
    )
    return entities, tuple(edges.values())


def _same_person(name: str, speaker: str) -> bool:
    """Whether a name is a speaker's, a short form of it ("Mel"), or has it within ("Dear Melanie")."""
    return speaker.startswith(name) or speaker in name.split()


def _statements(retellings: Iterable[Retelling]) -> Iterable[tuple[Retelling, Said]]:
    for retelling in retellings:
        for said in retelling.said:
            if said.kind is Kind.STATEMENT and said.informative:
                yield retelling, said


def _sources(mentions: Sequence[tuple[int, str]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(index for index, _ in mentions))


def _summary(sentences: Iterable[str]) -> str:
    summary = ""
    for sentence in dict.fromkeys(sentences):
        if summary and len(summary) + len(sentence) >= _LONGEST_SUMMARY:
            break
        summary = f"{summary} {sentence}".strip()
    return summary[:_LONGEST_SUMMARY]
