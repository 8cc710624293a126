"""The texts of an episode: its subject, its most central sentences as its summary, and its narrative. Pure.

The narrative is all messages, or a model's facts. The subject is what somebody would call the episode:
1. Of a chat with an assistant, the first thing asked for, if it is short and can be read alone ("Plan a vegetable garden").
2. Else its topics, at most three: noun phrases, each in the words in which it was first said.
3. Else the first sentence that says something, cut at a word.

No tagger is needed for noun phrases. In English one stands behind an article, a possessive, a preposition, a number or a known
verb, and ends before the next such word or mark; names are told by their capitals. In Chinese it is a stretch between words
of grammar that comes back; in German any word with a capital, elsewhere what follows an article. A phrase counts as much as
its words come back in other messages (centroid-based summarisation, Radev et al. 2004) and as its message is near the mean.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from math import log2
from typing import NamedTuple

import numpy as np

from flows.cuts import Cut, ExtractedFact, Utterance
from flows.extraction.chinese_entities import chinese_entities
from flows.extraction.quotes import AnnotatedMessage
from flows.extraction.sentences import Sentence
from mneme.dates import DaySpan
from mneme.languages import languages_of
from mneme.patterns import Patterns
from mneme.text import STOP_WORDS, has_cjk, tokenise
from mneme.times import zone_or_utc
from mneme.word_lists import CALENDAR, word_list

_SENTENCES = 3
_LONGEST_SUMMARY = 420  # characters: with the subject about half of what a small embedder reads
_OVERLAP = 0.5  # share of a sentence's words that an earlier choice may already have
_SUMMARY_SPREAD = 5  # messages after which a word does not count more
_BRIEF = 3  # added to a sentence's number of words, so that two words do not make a centre
_SUMMARY_CLOSENESS = 2.0  # weight of the vector's cosine against the words, which reach about 2 as well
_MOST_READ = 400  # sentences of an episode, of which some may stand for it


def summary_of(sentences: Sequence[Sentence], closeness: Sequence[float]) -> str:
    """Two or three sentences that stand for the episode, each with who said it.

    Args:
        sentences: of the episode, in order.
        closeness: for each utterance of the cut the cosine with the mean of the episode.
    """
    spoken = [one for one in sentences if not one.is_question and not one.artifact] or list(sentences)
    chosen = central(spoken[:_MOST_READ], [closeness[one.index] for one in spoken[:_MOST_READ]])
    summary, speaker = "", ""
    for one in chosen:
        head = f"{one.speaker}: " if one.speaker and one.speaker != speaker else ""
        summary = f"{summary} {head}{one.text}".strip()
        speaker = one.speaker
    return summary


def central(sentences: Sequence[Sentence], closeness: Sequence[float] = ()) -> list[Sentence]:
    """The most central sentences, in their order.

    A sentence is central when its words recur in others and its message is near the mean of all (centroid-based
    summarisation, Radev et al. 2004); one that mostly repeats a chosen one is passed over.

    Args:
        sentences: the candidates.
        closeness: for each the cosine of its message with the mean of the episode; none where there are no vectors.
    """
    words = [set(tokenise(one.text)) for one in sentences]
    spread = Counter(word for own in words for word in own)
    scores = [sum(min(spread[word], _SUMMARY_SPREAD) for word in own) / (len(own) + _BRIEF) for own in words]
    scores = [score + _SUMMARY_CLOSENESS * near for score, near in zip(scores, closeness or [0.0] * len(scores), strict=True)]
    chosen: list[int] = []
    length = 0
    for at in sorted(range(len(sentences)), key=lambda at: (-scores[at], at)):
        covered = set().union(*(words[other] for other in chosen))
        size = len(sentences[at].text)
        if size > _LONGEST_SUMMARY or (
            chosen and (length + size > _LONGEST_SUMMARY or len(words[at] & covered) > _OVERLAP * len(words[at]))
        ):
            continue
        chosen.append(at)
        length += size
        if len(chosen) == _SENTENCES:
            break
    return [sentences[at] for at in sorted(chosen)]


def closeness(utterances: Sequence[Utterance]) -> list[float]:
    """For each message the cosine of its vector with the mean of all; 0 where there is no vector."""
    vectors = [utterance.vector for utterance in utterances if utterance.vector is not None]
    if not vectors:
        return [0.0] * len(utterances)
    mean = np.mean(vectors, axis=0)
    length = float(np.linalg.norm(mean)) or 1.0
    return [0.0 if one.vector is None else float(one.vector @ mean) / length for one in utterances]


def narrative_of(messages: Sequence[AnnotatedMessage]) -> str:
    """One paragraph for each message: who said it, and the words."""
    lines, today = [], None
    for each in messages:
        message = each.message
        day = message.sent_at.astimezone(zone_or_utc(message.timezone)).date()
        if day != today:
            today, span = day, DaySpan.of_day(day)
            chinese = any(one.language == "zh" for one in each.sentences)
            lines.append(f"{span.in_chinese()}：" if chinese else f"{span.in_english()}:")
        lines.append(f"{message.sender_name}: {message.text.strip()}")
    return "\n".join(lines)


def told_in_order(facts: Sequence[ExtractedFact], cut: Cut) -> str:
    """The facts of an episode in the order of their messages, each on a line, under the day on which they were said.

    Args:
        facts: of which the first source counts.
        cut: the episode; of a document there are no days.
    """
    lines, today = [], None
    for fact in sorted(facts, key=lambda fact: fact.sources[0]):
        message = cut.utterances[fact.sources[0]].message
        words = fact.statement if fact.quote is None else f"{fact.quote.speaker}: {fact.quote.words}"
        day = message.sent_at.astimezone(zone_or_utc(message.timezone)).date()
        if day != today and not cut.is_document:
            today, span = day, DaySpan.of_day(day)
            lines.append(f"{span.in_chinese()}：" if languages_of([words]) == ["zh"] else f"{span.in_english()}:")
        lines.append(words)
    return "\n".join(lines)


# --- the subject ------------------------------------------------------------------------------------------------------

_LONGEST, _LONGEST_CJK = 64, 24  # characters
_TOPICS = 3
_MOST_WORDS = 4  # of a phrase
_MOST_SPREAD = 8  # messages from which a word does not count more
_NAME, _EXACT = 1.6, 1.15  # more for what has a name, and for more than one word
_ENOUGH = 3  # words of content of a request that says enough
_WEAK = 0.35  # share of the score of the best that a topic must have
_CLOSENESS = 0.5  # weight of the cosine against that of words, which reaches 3

_WORDS = Patterns(__file__)
_DETERMINERS = frozenset("a an the my your our his her their its this these those some any no another each every".split())
_LED_TO = _DETERMINERS | frozenset(  # a noun phrase may stand behind these, and behind a number or a verb
    "of in on at for with from by about into over under through after before between without against during and or than as "
    "like near".split()
)
_BEFORE_VERBS = _WORDS.words("before_verbs")
_GRAMMAR = STOP_WORDS | _LED_TO | (_BEFORE_VERBS - {"will", "may"}) | word_list("grammar")
_CHINESE_VERBS = "找谈订租买住坐听接送换搬约拿发好下完上起来到见"  # at the ends of a stretch
_COMMON = frozenset(tokenise(" ".join(word_list("common"))))
_ADJECTIVES = word_list("adjectives")
_VERBS = frozenset(word_list("verbs")) | frozenset(token for verb in word_list("verbs") for token in tokenise(verb))


class _Phrase(NamedTuple):
    """A noun phrase as said, and where."""

    words: str
    one: Sentence
    named: bool


def subject_of(sentences: Sequence[Sentence], closeness: Sequence[float] = ()) -> str:
    """Name the subject of an episode in at most 64 characters, in words that were said; empty for mere small talk.

    Args:
        sentences: of the episode, in order.
        closeness: for each utterance of the cut the cosine with the mean of the episode; none where there are no vectors.
    """
    own = [one for one in sentences if not one.artifact] or list(sentences)
    with_assistant = any(one.role == "assistant" for one in sentences)
    read = ([one for one in own if one.role == "user"] if with_assistant else own)[:_MOST_READ] or own[:_MOST_READ]
    if with_assistant and (asked := _request(read)):
        return asked
    speakers = {token for one in read for token in tokenise(f"{one.speaker} {one.listener}")}
    topics = _topics(read, _spread(sentences[:_MOST_READ]), speakers, closeness)
    return topics or _first(read)


def _request(sentences: Sequence[Sentence]) -> str:
    """The first request, if it is one short clause."""
    asked = (asked_for(one.text, one.language) for one in sentences if one.is_question or _WORDS.leads.match(one.text))
    return next(filter(None, asked), "")


def asked_for(text: str, language: str) -> str:
    """The first clause of a request without what leads to it; empty where it is long, says little or points elsewhere.

    >>> asked_for("Please deploy invoice-api to staging and tell me when it is done.", "en")
    'Deploy invoice-api to staging'
    """
    lead = _WORDS.leads.match(text) if language == "en" else None
    words = _WORDS.clause.split(text[len(lead[0]) if lead else 0 :], maxsplit=1)[0].strip(" .?!？。！,")
    short = len(words) <= (_LONGEST_CJK if has_cjk(words) else _LONGEST)
    tells = short and len(set(tokenise(words)) - _COMMON) >= _ENOUGH and not _WORDS.points.search(words)
    return words[:1].upper() + words[1:] if tells else ""


def _topics(sentences: Sequence[Sentence], spread: Counter[str], speakers: set[str], closeness: Sequence[float]) -> str:
    """The phrases that hold most of the episode and share no word, in the order in which they are first said."""
    best: dict[frozenset[str], tuple[float, int, _Phrase]] = {}
    for order, phrase in enumerate(each for one in sentences for each in _phrases(one)):
        tokens = frozenset(tokenise(phrase.words))
        content = tokens - _COMMON
        if not content or any(
            each == name or (len(each) > 2 and name.startswith(each)) for each in tokens for name in speakers
        ):
            continue
        weight = sum(log2(1 + min(spread[token], _MOST_SPREAD)) for token in content) / (len(tokens) + 1)
        score = weight * (_NAME if phrase.named else 1.0) * (_EXACT if len(content) > 1 else 1.0)
        score += _CLOSENESS * closeness[phrase.one.index] if closeness else 0.0
        known = best.get(tokens)
        if known is None or score > known[0]:
            best[tokens] = (score, known[1] if known else order, phrase)
    chosen: list[tuple[int, str]] = []
    taken: set[str] = set()
    highest = 0.0
    for tokens, (score, order, phrase) in sorted(best.items(), key=lambda each: (-each[1][0], each[1][1])):
        length = sum(len(words) + 2 for _, words in chosen) + len(phrase.words)
        highest = max(highest, score)
        if not tokens & taken and length <= (_LONGEST_CJK if has_cjk(phrase.words) else _LONGEST) and score >= _WEAK * highest:
            chosen.append((order, phrase.words))
            taken |= tokens
        if len(chosen) == _TOPICS:
            break
    chinese = any(has_cjk(words) for _, words in chosen)
    joined = ("、" if chinese else ", ").join(words for _, words in sorted(chosen))
    return joined[:1].upper() + joined[1:]


def _spread(sentences: Sequence[Sentence]) -> Counter[str]:
    """In how many messages each word stands."""
    words: dict[int, set[str]] = {}
    for one in sentences:
        words.setdefault(one.index, set()).update(tokenise(one.text))
    return Counter(chain.from_iterable(words.values()))


def _phrases(one: Sentence) -> Iterator[_Phrase]:
    text = _WORDS.shown.sub(" ", one.text)
    if one.language == "zh":
        yield from (_Phrase(name, one, kind != "person") for name, kind in chinese_entities(text))
        stretches = (words.strip(_CHINESE_VERBS) for words in _WORDS.chinese_grammar.split(text))
        yield from (_Phrase(words, one, False) for words in stretches if 2 <= len(words) <= 8)
    elif one.language in ("en", ""):
        yield from (_Phrase(words, one, named) for words, named in _english(text))
    elif one.language == "de":
        yield from (_Phrase(word, one, False) for word in _WORDS.german.findall(text))
    else:
        yield from (_Phrase(word, one, False) for word in _WORDS.articles.findall(text))


def _english(text: str) -> Iterator[tuple[str, bool]]:
    """Noun phrases, and whether they are names: runs of words between words of grammar, verbs and marks."""
    run: list[tuple[str, bool]] = []
    led, before = False, ""
    for word in (*_WORDS.word.findall(text), "."):
        lowered = word.lower().replace("’", "'").removesuffix("'s")
        name = bool(before) and _WORDS.name_written.match(word) is not None and lowered not in _GRAMMAR
        acts = before in _BEFORE_VERBS or before.endswith(("'ll", "'d", "'t")) or (run and lowered.endswith("ed"))
        verb = not name and (acts or (_is_verb(lowered) and before not in _DETERMINERS))
        if verb or lowered in _GRAMMAR or "'" in lowered or not word[0].isalnum() or (not name and lowered.endswith("ly")):
            if run and (phrase := _phrase_of(run, led)):
                yield phrase
            run, led = [], verb or lowered in _LED_TO
        else:
            run.append((word, name))
            led = led or word[0].isdigit()
        before = "" if word in ".!?\n" else lowered


def _phrase_of(run: list[tuple[str, bool]], led: bool) -> tuple[str, bool] | None:
    """The noun phrase that a run of words is, and whether it is a name; None for other words."""
    run = run[-_MOST_WORDS:]
    while run and (run[0][0][0].isdigit() or run[0][0] in _ADJECTIVES or run[0][0].lower() in CALENDAR):
        del run[0]
    while run and (run[-1][0].lower() in CALENDAR or _WORDS.ordinal.fullmatch(run[-1][0])):
        del run[-1]
    named = any(name for _, name in run)
    if not (run and (led or named) and any(map(str.isalpha, run[-1][0])) and len(run[-1][0]) > 2):
        return None
    return " ".join([word for word, _ in run]).removesuffix("'s").removesuffix("’s"), named


@lru_cache(maxsize=4_096)  # as with stems (mneme/text.py), a few thousand make most of any text
def _is_verb(word: str) -> bool:
    return word in _VERBS or not _VERBS.isdisjoint(tokenise(word)[:1])


def _first(sentences: Iterable[Sentence]) -> str:
    """The first sentence that says something, cut at a word."""
    content = (one.text for one in sentences if not set(tokenise(one.text)) - set(tokenise(one.listener)) <= _COMMON)
    words = next(content, "").strip(" .?!？。！…")
    longest = _LONGEST_CJK if has_cjk(words) else _LONGEST
    if len(words) > longest:
        cut = words[: longest - 1]
        words = f"{cut[: cut.rfind(' ')] if ' ' in cut[longest // 2 :] else cut}…"
    return words[:1].upper() + words[1:]
