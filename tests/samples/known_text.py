"""How much of a known text was read: recall of words, and of characters in Chinese."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from mneme.ports import ParsedDocument
from tests.samples.sample import Sample

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_LONG_ENOUGH = 6  # words of a line that stands nowhere else


def tokens(text: str) -> list[str]:
    """Words in small letters, and each Chinese character by itself; punctuation is none."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())


def recall(known: str, found: str) -> float:
    """The share of known words that were found, each as often as it stands there."""
    wanted, have = Counter(tokens(known)), Counter(tokens(found))
    return (wanted & have).total() / wanted.total()


def text_of(document: ParsedDocument) -> str:
    """All that a document says; a title once, however many sections have it in their path."""
    titles = dict.fromkeys(title for section in document.sections for title in section.title.split(" > "))
    texts = [section.text for section in document.sections] or [each.text for each in document.spoken]
    titles.pop(document.title, None)
    alone = [title for title in titles if not any(text.startswith(title) for text in texts)]
    return "\n".join([document.title, *alone, *texts])


def cited(sample: Sample, document: ParsedDocument) -> Iterator[tuple[str, str, str]]:
    """Known lines that stand at one place only: the line, its place, and the place that the document cites for it.

    Of a sheet, the sheet counts: which row it is, tests/connectors/documents/formats/test_sheets.py says.
    A line that is in no section is left out: that is what recall is for.
    """
    lines = [(line, place) for place, text in sample.texts.items() if place for line in text.split("\n")]
    for line, place in lines:
        words = tokens(line)
        if len(words) < _LONG_ENOUGH or sum(other == line for other, _ in lines) > 1:
            continue
        for section in document.sections:
            if "".join(words) in "".join(tokens(section.text)):
                yield line, place, section.place.partition(", row")[0]
                break
