"""The subject of an episode: up to three noun phrases that its messages keep coming back to.

Near RAKE (Rose et al. 2010: candidates are runs of content words), changed for conversations: a phrase counts once for each
message that uses it, so that one talkative message does not set the subject; messages near the centre of the episode count
more; a phrase must end in a noun, which is a word that ends such a run after a determiner, a preposition or another word, or is
written like a name; words that fit every conversation ("people", "idea") count less.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from flows.extraction.chinese_subjects import chinese_subject
from flows.extraction.wording.noun_phrases import Phrase, is_nominal, names_inside, phrases_of
from mneme.text import cjk_share, has_cjk

_COMMON = frozenset(
    """people person life world lot kind sort part place home help helping helped idea ideas problem problems plan plans
    issue issues hand mind word words moment moments experience experiences memory memories feeling feelings goal goals
    dream dreams chance reason reasons question questions story stories image photo picture pictures video post journey
    change changes challenge challenges difference connection joy peace happiness love passion inspiration motivation
    courage strength energy beauty kindness positivity side end beginning future past list number group everyone month
    week weekend year years months weeks hour hours minute minutes night morning afternoon evening today tomorrow
    yesterday monday tuesday wednesday thursday friday saturday sunday january february march april june july august
    september october november december good better best big small little new old next last long high different important
    special favorite favourite own real free full ready able sure hard easy amazing cool find finding found see seeing
    seen use using used learn learning learned show showing showed shown check checking checked working worked meet
    meeting met play playing played support supporting set bring bringing brought helps need needs needed spend spending
    spent run running live living lived call called ask asked asking create creating created focus remind reminds reminded
    reminder follow following hit turn turned move moving moved join joining joined read reading add adding added win won
    lose lost build building built write writing wrote written watch watching watched leave left stay staying stayed grow
    growing grew buy bought pick picked open opened hang reach pay paying paid deal handle push pushing pushed face facing
    faced become became decide decided remember enjoy enjoying enjoyed recently lately couple couple's recommend
    recommended suggest suggested suggestion suggestions definitely especially finally tonight means while might maybe
    stuff yourself myself himself herself themselves together must-see awesome anyone someone somebody nobody level talent
    talents impact effort efforts sense fan piece step steps tip tips us since towards toward currently greatly willing
    ton effect advice result results success progress growth act actions blast edge seat corner lives heart setback
    matters touch attitude wellbeing spark recommendations recommendation feedback break harder points exist starting""".split()
)
_PHRASES = 3
_NAME = 1.5  # weight of a name against a common noun
_LONG_NAME = 1.1
_SEVERAL_WORDS = 1.7  # they say more than one word
_COMMON_NOUN = 0.3
_AGAIN = 0.25  # of a first use: another one in the same message
_HEAD_ALONE = 0.3  # of a use: one of its last word without the rest ("the soup", after "lentil soup")
_NEAR = 0.8  # how much more a message counts at the centre of the episode
_LEAST_SHARE = 0.25  # of the best phrase's score

Key = tuple[str, ...]


@dataclass
class _Uses:
    """Where a phrase is used, and what its places say of it."""

    messages: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    nominal: int = 0
    verbal: int = 0
    named: bool = False
    written: str = ""

    def add(self, message: int, phrase: Phrase) -> None:
        self.messages[message] += 1
        self.nominal += phrase.nominal
        self.verbal += phrase.verbal
        if not self.written or (phrase.named and not self.named):
            self.written = phrase.written
        self.named |= phrase.named


def subject_of(texts: Sequence[str], names: Collection[str], closeness: Sequence[float] = ()) -> str:
    """A readable subject from the messages of an episode: up to three phrases; empty when nothing stands out.

    Args:
        texts: the messages, in order.
        names: the participants' names, which say nothing about the subject.
        closeness: for each message the cosine with the mean of the episode; none where there are no vectors.
    """
    joined = " ".join(texts)
    if has_cjk(joined) and cjk_share(joined) > 0.3:
        return chinese_subject(texts, names)
    uses = _uses(texts, names)
    weights = [1 + _NEAR * near for near in closeness] or [1.0] * len(texts)
    nouns = {key[-1] for key, one in uses.items() if one.nominal > one.verbal and is_nominal(one.written.split()[-1].lower())}
    scores = {key: _score(key, one, uses, weights) for key, one in uses.items() if one.named or key[-1] in nouns}
    chosen: list[Key] = []
    for key in sorted(scores, key=lambda key: (-scores[key], min(uses[key].messages), key)):
        if any(set(key) & set(other) for other in chosen):
            continue
        if len(chosen) == _PHRASES or (chosen and scores[key] < _LEAST_SHARE * scores[chosen[0]]):
            break
        chosen.append(key)
    return _listed([uses[key].written for key in chosen])


def _uses(texts: Sequence[str], names: Collection[str]) -> dict[Key, _Uses]:
    """Every phrase of the messages with its uses."""
    apart = {part.lower() for name in names for part in re.findall(r"\w+", name)}
    known_names = {name for text in texts for name in names_inside(text)}
    uses: dict[Key, _Uses] = defaultdict(_Uses)
    for index, text in enumerate(texts):
        for phrase in phrases_of(text, apart, known_names):
            uses[phrase.key].add(index, phrase)
    return uses


def _score(key: Key, one: _Uses, uses: Mapping[Key, _Uses], weights: Sequence[float]) -> float:
    """How much of the episode a phrase is about."""
    score = sum(weights[at] * (1 + _AGAIN * (times - 1)) for at, times in one.messages.items())
    if len(key) > 1:
        alone = uses[key[-1:]].messages if key[-1:] in uses else {}
        score += _HEAD_ALONE * sum(weights[at] for at in alone if at not in one.messages)
        score *= _LONG_NAME if one.named else _SEVERAL_WORDS
    words = one.written.lower().split()
    if words[-1] in _COMMON or key[-1] in _COMMON:
        score *= _COMMON_NOUN
    elif len(key) > 1:
        plain = [word for word in words if word in _COMMON or not is_nominal(word)]
        score *= 1 - 0.3 * len(plain) / len(key)
    if not one.nominal:
        score *= 0.5
    return score * (_NAME if one.named else 1.0)


def _listed(written: Sequence[str]) -> str:
    """``A, b and c``."""
    text = " and ".join([", ".join(written[:-1]), written[-1]] if len(written) > 1 else written)
    return text[:1].upper() + text[1:]
