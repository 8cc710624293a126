"""What a Chinese sentence claims, and which state a Chinese question asks for."""

from collections.abc import Iterator

from mneme.records import Claim


def chinese_claims(sentence: str, speaker: str) -> Iterator[Claim]:
    return iter(())


def chinese_asked(question: str) -> list[tuple[str, str]]:
    return []


def is_one_of_a_kind_in_chinese(kind: str) -> bool:
    return False
