"""The joint score of what several searches found for a question that asks for several things.

A logistic regression over the features of each result. The question was searched for twice, everywhere and in what those said
whom it names. The numbers say how well each thing stands in both, what stands around it in its episode, what form its text
has (an answer to "which books" has names in it), and how near the text as it is shown comes to the question in four forms.
Sources: scores and ranks of several runs in one model (Sheldon et al., "LambdaMerge: merging the results of query
reformulations", WSDM 2011); neighbours and form as in queries/scoring/features.py.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from connectors.aging_cache import AgingCache
from mneme.errors import ModelError
from mneme.ports import Embedder, EmbedderIdentity
from mneme.rows import Vector
from mneme.settings import Settings
from mneme.text import STOP_WORDS
from queries.agents.evidence import Episodic, Evidence, Place, parent_of
from queries.questions.people import from_viewpoint, names_person, without_names
from queries.questions.types import asks_for_several
from queries.responses import FoundEpisode, FoundFact, FoundMessage
from queries.scoring.features import NAME
from queries.scoring.field import probability
from queries.scoring.weights import Weights

Numbers = npt.NDArray[np.float64]
Embed = Callable[[Sequence[str]], Vector]
"""Texts to unit vectors, a row each."""

FORMS = ("asked", "spoken", "words", "nameless")
SEARCHES = ("all", "theirs")
BESIDE = (-2, -1, 1, 2)
ANSWER_FORMS = ("names", "quotes", "has_number", "commas")
FEATURES = (
    *(f"{search}_{number}" for search in SEARCHES for number in ("log_odds", "rank")),
    *("episode_best", "episode_mean", "episode_top", "episode_count", "episode_place"),
    *(f"beside_{offset:+d}" for offset in BESIDE),
    *(*ANSWER_FORMS, "length", "is_fact", "several_messages", "is_question"),
    *(f"{form}_for_{asked}" for asked in ("names", "count") for form in ANSWER_FORMS),
    *(f"{form}_{number}" for form in FORMS for number in ("nearness", "deviation")),
)
"""One weight each in a ``queries.agents.joint.JointCoefficients``."""

_UNRANKED = 200  # the rank of what a search did not find
_UNFOUND = 0.3  # how much below the last that a search found, in log-odds
_DEEPEST_PLACE = 10
_QUOTED = re.compile(r'["“「《]\w[^"”」》]+["”」》]')
_ASKING = frozenset(
    "what which how who whom whose when where why many much kind kinds type types sort some does did has have had both".split()
)
_WORD = re.compile(r"[\w'/-]+")
_ASKS_FOR_NAMES = re.compile(
    r"\b(?:names?|who|whom|where|cit(?:y|ies)|countr(?:y|ies)|states?|places?|locations?|areas?|people|books?|movies?|films?|songs?|"
    r"games?|bands?|artists?|musicians?|authors?|series|shows?|teams?|brands?|compan(?:y|ies)|schools?)\b|"
    "名字|叫什么|谁|哪里|哪儿|地方|城市|国家|书|电影|歌|游戏|乐队|作家|学校|公司|品牌",
    re.IGNORECASE,
)
_ASKS_HOW_MANY = re.compile(r"\bhow many\b|多少|几[次个种本部家位只件]", re.IGNORECASE)

_MOST_VECTORS = 10_000  # texts in each of two generations, some 15 MB
_SECONDS = 300.0  # of a generation
_SCORED_BY = "lr"  # log-odds of another scale mean something else


@dataclass(frozen=True, slots=True, eq=False)
class JointFeatures:
    """The results, and a row of ``FEATURES`` for each."""

    items: Sequence[Episodic]
    numbers: Numbers


def joint_features(question: str, found: Evidence, embed: Embed) -> JointFeatures:
    """Everything that the searches for the question itself found, with its features.

    Args:
        question: what was asked.
        found: its first search is for the question; one for the same words among people is the second ranking, and without
            one the first stands for it.
        embed: compares texts; raises what it raises.
    """
    rankings = _rankings(found)
    items = list({item.id: item for ranking in rankings for item in ranking}.values())
    if not items:
        return JointFeatures((), np.zeros((0, len(FEATURES))))
    log_odds = [_log_odds(ranking, items) for ranking in rankings]
    columns = {
        name: column
        for search, ranking, odds in zip(SEARCHES, rankings, log_odds, strict=True)
        for name, column in _of_search(search, ranking, odds, items).items()
    }
    columns |= _of_episodes(items, log_odds[0])
    columns |= _of_neighbours(items, log_odds[0], found)
    columns |= _of_form(items, question, _people(found))
    columns |= _of_meaning(items, question_forms(question, named(question, found)), embed)
    return JointFeatures(items, np.stack([columns[name] for name in FEATURES], axis=1))


def named(question: str, found: Evidence) -> tuple[str, ...]:
    """The people among the participants whom the question names."""
    return tuple(person for person in _people(found) if names_person(question, person))


def question_forms(question: str, people: Sequence[str]) -> tuple[str, str, str, str]:
    """A question in four forms, as ``FORMS`` names them: as it is, as these people would put it, its words, without names.

    >>> question_forms("Which books has Ann read?", ["Ann"])
    ('Which books has Ann read?', 'Which books has I read?', 'books read', 'Which books has read?')
    """
    nameless = without_names(question, people)
    words = [word for word in _WORD.findall(nameless) if word.lower() not in STOP_WORDS | _ASKING]
    return question, from_viewpoint(question, people), " ".join(words) or question, nameless


def _people(found: Evidence) -> tuple[str, ...]:
    """The participants of what was found."""
    people = [person for episode in found.episodes().values() for person in episode.participants]
    people += [item.sender_name for each in found.searches for item in each.response.raw_messages]
    return tuple(dict.fromkeys(people))


def _rankings(found: Evidence) -> tuple[Sequence[Episodic], Sequence[Episodic]]:
    everywhere = found.episodic(found.searches[0].response)
    theirs = next((each for each in found.searches[1:] if each.people), None)
    return everywhere, everywhere if theirs is None else found.episodic(theirs.response)


def _log_odds(ranking: Sequence[Episodic], items: Sequence[Episodic]) -> Numbers:
    known = {item.id: math.log(odds / (1 - odds)) for item in ranking for odds in [min(max(item.score, 1e-6), 1 - 1e-6)]}
    lowest = min(known.values(), default=-8.0) - _UNFOUND
    return np.array([known.get(item.id, lowest) for item in items])


def _of_search(search: str, ranking: Sequence[Episodic], odds: Numbers, items: Sequence[Episodic]) -> dict[str, Numbers]:
    ranks = {item.id: rank for rank, item in enumerate(ranking, start=1)}
    return {
        f"{search}_log_odds": odds,
        f"{search}_rank": np.array([-math.log(ranks.get(item.id, _UNRANKED)) for item in items]),
    }


def _of_episodes(items: Sequence[Episodic], odds: Numbers) -> dict[str, Numbers]:
    """The scores of each result's episode, and its place in it."""
    inside = defaultdict(list)
    for item, number in zip(items, odds.tolist(), strict=True):
        inside[parent_of(item) or item.id].append(number)
    ordered = {episode: sorted(numbers, reverse=True) for episode, numbers in inside.items()}
    of = [ordered[parent_of(item) or item.id] for item in items]
    places = [min(numbers.index(number), _DEEPEST_PLACE) for numbers, number in zip(of, odds.tolist(), strict=True)]
    return {
        "episode_best": np.array([numbers[0] for numbers in of]),
        "episode_mean": np.array([float(np.mean(numbers)) for numbers in of]),
        "episode_top": np.array([float(np.mean(numbers[:3])) for numbers in of]),
        "episode_count": np.array([math.log(len(numbers)) for numbers in of]),
        "episode_place": np.array(places, dtype=np.float64),
    }


def _of_neighbours(items: Sequence[Episodic], odds: Numbers, found: Evidence) -> dict[str, Numbers]:
    """The scores of the messages beside it in its episode; one that was not found has the lowest."""
    best: dict[tuple[str | None, str], float] = {}
    for item, number in zip(items, odds.tolist(), strict=True):
        for message in messages_of(item)[:1]:
            key = (parent_of(item), message)
            best[key] = max(best.get(key, number), number)
    order = {identity: episode.message_ids for identity, episode in found.episodes().items()}
    places = {(episode, message): place for episode, ids in order.items() for place, message in enumerate(ids)}
    lowest = float(odds.min())

    def beside(item: Episodic, offset: int) -> float:
        episode = parent_of(item) or ""
        own = places.get((episode, next(iter(messages_of(item)), "")))
        if own is None or not 0 <= own + offset < len(order[episode]):
            return lowest
        return best.get((episode, order[episode][own + offset]), lowest)

    return {f"beside_{offset:+d}": np.array([beside(item, offset) for item in items]) for offset in BESIDE}


def messages_of(item: Episodic) -> tuple[str, ...]:
    """The messages that it stands for, its own first."""
    match item:
        case FoundFact():
            return item.said_in
        case FoundMessage():
            return (item.message_id,)
        case FoundEpisode():
            return item.message_ids


def _of_form(items: Sequence[Episodic], question: str, people: Sequence[str]) -> dict[str, Numbers]:
    lowered = question.lower()

    def names(text: str) -> int:
        found = NAME.findall(text)
        return sum(not (name.lower() in lowered or any(name in person.split() for person in people)) for name in found)

    def column(number: Callable[[Episodic], float]) -> Numbers:
        return np.array([float(number(item)) for item in items])

    answer = {
        "names": column(lambda item: min(names(item.text), 4) / 4),
        "quotes": column(lambda item: bool(_QUOTED.search(item.text))),
        "has_number": column(lambda item: any(character.isdigit() for character in item.text)),
        "commas": column(lambda item: min(sum(item.text.count(mark) for mark in ",，、"), 4) / 4),
    }
    asks = {"names": bool(_ASKS_FOR_NAMES.search(question)), "count": bool(_ASKS_HOW_MANY.search(question))}
    return answer | {
        **{f"{form}_for_{what}": answer[form] * wanted for what, wanted in asks.items() for form in ANSWER_FORMS},
        "length": column(lambda item: math.log1p(len(item.text)) / 5),
        "is_fact": column(lambda item: isinstance(item, FoundFact)),
        "several_messages": column(lambda item: len(messages_of(item)) > 1),
        "is_question": column(lambda item: any(mark in item.text for mark in "?？")),
    }


def _of_meaning(items: Sequence[Episodic], question: Sequence[str], embed: Embed) -> dict[str, Numbers]:
    vectors = np.asarray(embed([*question, *(item.text for item in items)]), dtype=np.float64)
    cosines = vectors[len(question) :] @ vectors[: len(question)].T
    spread = np.ptp(cosines, axis=0)
    near = np.where(spread > 0, (cosines - cosines.min(axis=0)) / np.where(spread > 0, spread, 1.0), 1.0)
    deviation = (cosines - cosines.mean(axis=0)) / (cosines.std(axis=0) + 1e-6)
    return {f"{form}_nearness": near[:, at] for at, form in enumerate(FORMS)} | {
        f"{form}_deviation": deviation[:, at] for at, form in enumerate(FORMS)
    }


class JointCoefficients(Weights):
    """Coefficients for one index and one embedder."""

    backend: str
    embedder: str
    fitted_on: str
    date: date

    def scores(self, numbers: Numbers) -> Numbers:
        """From 0 to 1, higher fits better, of each row of ``FEATURES``."""
        return probability(self.log_odds(numbers, FEATURES))


class JointScorer:
    """Scores together what the searches for a question found that asks for several things. Safe for several threads.

    ``depth`` is how many results of each search it is fitted on: with twenty, a third of what it would lift is not there.
    """

    depth = 100

    def __init__(self, coefficients: JointCoefficients, embedder: Embedder) -> None:
        """Prepare.

        Args:
            coefficients: of the index and the embedder in use.
            embedder: compares the texts with the question; what it embedded is kept.
        """
        self._coefficients = coefficients
        self._embedder = embedder
        self._vectors: AgingCache[str, Vector] = AgingCache(_MOST_VECTORS, _SECONDS)

    def places(self, question: str, found: Evidence) -> list[Place] | None:
        """Everything that the searches for the question itself found, best first.

        None where it cannot be told: nothing was found, it was scored by other means than those that this was fitted on, the
        embedder does not answer, or it is not a question for several things nor was it searched for among people's words: then
        one thing answers it, and that stands first as it is.
        """
        first = found.first
        if first is None or first.metrics.scoring != _SCORED_BY or not found.episodic(first):
            return None
        if not (asks_for_several(question) or any(each.people for each in found.searches)):
            return None
        try:
            candidates = joint_features(question, found, self.embed)
        except ModelError:
            return None
        scores = self._coefficients.scores(candidates.numbers)
        order = np.argsort(-scores, kind="stable")
        return [Place(candidates.items[at], float(scores[at])) for at in order]

    def embed(self, texts: Sequence[str]) -> Vector:
        """The vectors of texts; those that were asked for before are not embedded again. Raises what the embedder does."""
        kept = zip(texts, map(self._vectors.get, texts), strict=True)
        known = {text: vector for text, vector in kept if vector is not None}
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            for text, vector in zip(new, self._embedder.embed(new), strict=True):
                known[text] = np.array(vector)  # no view into the batch, which it would keep alive
                self._vectors.put(text, known[text])
        return np.stack([known[text] for text in texts])


def joint_coefficients_for(settings: Settings, embedder: EmbedderIdentity) -> JointCoefficients | None:
    """The coefficients for the index and the embedder in use; None for none."""
    wanted = (settings.index.backend, embedder.fitted_as)
    return next((each for each in _shipped() if (each.backend, each.embedder) == wanted), None)


@cache
def _shipped() -> tuple[JointCoefficients, ...]:
    fitted = TypeAdapter(tuple[JointCoefficients, ...])
    return fitted.validate_json((files("queries.agents") / "coefficients.json").read_bytes())
