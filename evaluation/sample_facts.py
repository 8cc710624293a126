"""``python -m evaluation.sample_facts CHATS --seed 4``: facts of the local extractor, drawn by chance, for a person to judge.

1. Read the chats and embed every message once.
2. Cut each conversation as the flow does, by the default detector, and extract its episodes by rules.
3. Draw facts by the seed, and print each with its messages and one neighbour on either side.

The verdicts, and what they mean, are in docs/extraction.md.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from rich.console import Console

from connectors.files.files import read_file
from evaluation.segmentation import cut
from evaluation.vector_cache import embed_texts
from flows.boundaries import SemanticDetector
from flows.cuts import Cut, ExtractedFact, Utterance, embedding_text
from flows.decode import decode
from flows.extraction import LocalExtractor
from flows.items import Arrived
from mneme.errors import InputError
from mneme.records import StoredMessage
from mneme.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class DrawnFact:
    """A fact, its conversation and the messages around its sources; ``sources`` are places in ``messages``."""

    conversation_id: str
    fact: ExtractedFact
    sources: tuple[int, ...]
    messages: Sequence[StoredMessage]

    def shown(self, number: int) -> str:
        """The fact with its source messages, marked, and one neighbour on either side."""
        first = self.messages[self.sources[0]]
        turns = ", ".join(self.messages[at].message_id for at in self.sources)
        dates = [date.strftime("%Y-%m-%d %H:%M") for date in (self.fact.event_at, self.fact.event_until) if date]
        happens = f", happens {' to '.join(dates)}" if dates else ""
        lines = [
            f"{number}. {self.conversation_id} {turns}, said {first.sent_at:%Y-%m-%d %H:%M}{happens}",
            f"   {self.fact.statement}",
        ]
        for at in range(max(0, min(self.sources) - 1), min(len(self.messages), max(self.sources) + 2)):
            message = self.messages[at]
            mark = ">" if at in self.sources else " "
            lines.append(f"    {mark} {message.message_id} {message.sender_name}: {' '.join(message.text.split())}")
        return "\n".join(lines)


def draw(
    chats: Sequence[Path], seed: int, count: int, settings: Settings, vectors: Path | None, console: Console
) -> list[DrawnFact]:
    """So many of the facts of all chats, in the order drawn; the same seed draws the same from the same facts.

    Raises:
        InputError: a file cannot be read, or there are fewer facts than are asked for.
    """
    conversations = [messages for path in chats for messages in read_conversations(path)]
    known = embed_texts((embedding_text(one) for messages in conversations for one in messages), settings, vectors, console)
    facts = [
        fact
        for messages in conversations
        for fact in facts_of([Utterance(one, known[embedding_text(one)]) for one in messages], settings)
    ]
    if len(facts) < count:
        raise InputError(f"count: {count} facts are asked for, and there are {len(facts)}; ask for fewer or give more chats")
    return random.Random(seed).sample(facts, count)


def read_conversations(path: Path) -> list[list[StoredMessage]]:
    """The messages of each conversation of a file, in the order in which they were sent.

    Raises:
        InputError: the file cannot be read or is no chat.
    """
    events = read_file(path, group_id="sample", conversation_id=path.stem)
    arrived = [item for event in events for item in decode(event, buckets=1) if isinstance(item, Arrived)]
    messages = [item.message for item in arrived if item.message.conversation_id is not None]
    messages.sort(key=lambda message: (message.conversation_id, message.sent_at, message.position.offset))
    return [list(group) for _, group in groupby(messages, key=lambda message: message.conversation_id)]


def facts_of(utterances: Sequence[Utterance], settings: Settings) -> Iterator[DrawnFact]:
    """Every fact of one conversation, cut and extracted as the flow does."""
    messages = [utterance.message for utterance in utterances]
    cuts = cut(SemanticDetector(settings.boundaries), utterances, settings.boundaries.max_messages)
    for begin, end in pairwise([0, *sorted(cuts), len(utterances)]):
        first = messages[begin]
        episode = Cut(first.id, first.owner, first.conversation_id, None, tuple(utterances[begin:end]), "boundary")
        for fact in LocalExtractor().extract(episode).facts:
            sources = tuple(begin + at for at in fact.sources)
            yield DrawnFact(first.conversation_id or "", fact, sources, messages)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw and print."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.sample_facts", description=__doc__.split("\n\n")[0])
    parser.add_argument("chats", type=Path, nargs="+", help="Chats in any form that `mneme ingest` reads, such as LoCoMo's.")
    parser.add_argument("--seed", type=int, default=4, help="What the draw begins with (default: 4).")
    parser.add_argument("--count", type=int, default=50, help="How many facts (default: 50).")
    parser.add_argument("--vectors", type=Path, help="A file (.npz) that keeps the vectors for the next time.")
    given = parser.parse_args(arguments)
    drawn = draw(given.chats, given.seed, given.count, load_settings(), given.vectors, Console(stderr=True))
    for number, fact in enumerate(drawn, start=1):
        print(fact.shown(number))


if __name__ == "__main__":
    main()
