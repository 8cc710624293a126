"""Favour the type of memory that a question asks for, and put all types on one scale. Pure.

A fact, an episode and a portrait are scored by the same features, but their scores do not mean the same: the few words of a
portrait never fit a question as well as a fact that repeats it. So the types that a question asks for are favoured, by

1. its form (queries/granularity/forms.py): what happened (episodes), what somebody is like (the portrait), what lies ahead
   (foresights), how something is done (skills), what was learnt (cases), what the rules are (the tenant's documents), or a
   point (facts);
2. what the memories say for themselves: the portrait must be of somebody the question means, a foresight must fall into the
   days it names, a case or a rule must fit it; who is named is told of by conversations, not by documents; and where only a
   topic is named, a fact that tells all of it goes before the episode. A form for which nothing is found counts as not there.

What is favoured is put on the scale of the rest by its best: that is as good as the best of all. What is not favoured stands
a little lower, so the best of what was asked for comes first, and behind it the types mix by how well each fits.
Nothing is added and nothing left out, and within a type the order stays.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from mneme.dates import DateMention, resolve_dates
from mneme.records import AgentCase, Profile
from mneme.rows import Row
from mneme.text import tokenise
from queries.granularity.foresights import falls_into, middle_cosine
from queries.granularity.forms import Form, asks_about_oneself, asks_for_latest, forms_of, looks_back, speaks_of_failure
from queries.questions.people import names_person
from queries.questions.understand import Question
from queries.recall import Candidate
from queries.records import only_asks, record_of

_LOWERED = 0.1  # of its score, what was not asked for; more would bury it, for a form may be mistaken
_LONG_TOPIC = 3  # words from which a topic is so exact that one fact may tell all of it
_STORIES = 3  # episodes that are told as a whole; the facts of others fill the rest of the places


@dataclass(frozen=True, slots=True)
class Preference:
    """The candidates that a question asks for.

    ``favoured`` are the ids of the candidates of that type; ``whole`` those of them that are episodes to be told as a whole:
    their facts do not take their places; ``in_order`` those that come in this order, whatever their scores.
    """

    form: Form | None = None
    favoured: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    in_order: tuple[str, ...] = ()


def days_ahead(text: str, moment: datetime) -> list[DateMention]:
    """The days that a question names and that are not over at the moment it is asked; none if it looks back."""
    if looks_back(text):
        return []
    return [mention for mention in resolve_dates(text, moment, moment.tzinfo or UTC) if mention.until > moment]


def preference(
    question: Question, candidates: Sequence[Candidate], scores: Mapping[str, float], ahead: Sequence[DateMention] = ()
) -> Preference:
    """Choose what the question asks for, by its form and by what was found.

    Args:
        question: its words and names.
        candidates: everything that was found, facts included.
        scores: of the candidates; those without a score do not take part.
        ahead: the days that the question names and that lie ahead.
    """
    forms = {*forms_of(question.text), *([Form.FORECAST] if ahead else [])}
    found: dict[str, list[Candidate]] = {}
    for each in candidates:
        if each.row.id in scores:
            found.setdefault(each.row.kind, []).append(each)
    for form in Form:  # in order of precedence
        if form in forms and (favoured := _favoured(form, question, found, scores, ahead)):
            ids = frozenset(each.row.id for each in favoured)
            if favoured[0].row.kind != "episode":
                return Preference(form, ids)
            if not asks_for_latest(question.text):
                return Preference(form, ids, whole=ids)
            latest = sorted(favoured, key=lambda each: (each.row.at, each.row.id), reverse=True)
            return Preference(form, ids, whole=ids, in_order=tuple(each.row.id for each in latest))
    return Preference()


def weigh(scores: Mapping[str, float], favoured: Collection[str], in_order: Sequence[str] = ()) -> dict[str, float]:
    """The scores on one scale: the best of the favoured is raised to the best of all, the others stand a little lower.

    Those of the favoured that are to come in an order exchange their scores.

    >>> weigh({"fact": 0.5, "portrait": 0.25}, {"portrait"})
    {'fact': 0.45, 'portrait': 0.5}
    """
    asked_for = {each: scores[each] for each in favoured if each in scores}
    if not asked_for:
        return dict(scores)
    best, best_asked_for = max(scores.values()), max(asked_for.values())
    raised = {each: best * (score / best_asked_for if best_asked_for > 0 else 1.0) for each, score in asked_for.items()}
    raised |= zip(in_order, sorted((raised[each] for each in in_order), reverse=True), strict=True)
    lowered = 1 - _LOWERED
    return {each: score * lowered for each, score in scores.items()} | raised


def _favoured(
    form: Form,
    question: Question,
    found: Mapping[str, Sequence[Candidate]],
    scores: Mapping[str, float],
    ahead: Sequence[DateMention],
) -> Sequence[Candidate]:
    """The candidates (by kind, in any order) that the form asks for, if they are what it asks for.

    By words alone a single one: where the words are mistaken, that costs one place.
    """

    middle = middle_cosine(found.get("fact", ()))

    def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
        return sorted(candidates, key=lambda each: (-scores[each.row.id], each.row.id))

    def of(kind: str, is_right: Callable[[Candidate], bool] = lambda each: True) -> list[Candidate]:
        return best_first(each for each in found.get(kind, ()) if is_right(each))

    def of_people_first(kind: str) -> Sequence[Candidate]:
        """Candidates of conversations, where the question names somebody of them; else of documents as well. In any order."""
        of_people = [each for each in found.get(kind, ()) if each.row.owner_type != "tenant"]
        people = {person for several in {each.row.people for each in of_people} for person in several}
        return of_people if any(names_person(question.text, person) for person in people) else found.get(kind, ())

    def fits(each: Candidate) -> bool:
        return bool(each.bm25) or (each.cosine is not None and each.cosine >= middle)

    match form:
        case Form.PORTRAIT:
            return of("profile", lambda each: _is_portrait_of(each.row, question))[:1]
        case Form.POINT | Form.PLAIN:
            return [each for each in (*of_people_first("fact"), *found.get("message", ())) if not _only_asks(each.row)]
        case Form.PRECEDENT:
            failed = speaks_of_failure(question.text) and of("case", lambda each: fits(each) and _tells_of_failure(each.row))
            return (failed or of("case", fits))[:1]
        case Form.PROCEDURE:
            return (of("skill", fits) or of("case", fits))[:1]
        case Form.RULE:
            return of("fact", lambda each: each.row.owner_type == "tenant" and fits(each))[:1]
        case Form.FORECAST:
            return of("foresight", lambda each: falls_into(each.row, ahead)) or of("foresight", fits)[:1]
        case Form.NARRATIVE:
            return best_first(of_people_first("episode"))[:_STORIES]
        case Form.TOPIC if cases := of("case", fits):
            return cases[:1]
        case Form.TOPIC if _is_told_by(of("fact")[:1], question):
            return of("fact")[:1]
        case Form.TOPIC:
            return best_first(of_people_first("episode"))[:_STORIES]


def _is_portrait_of(row: Row, question: Question) -> bool:
    profile = record_of(row)
    assert isinstance(profile, Profile)
    people = {line.about for line in (*profile.explicit, *profile.implicit)}
    return asks_about_oneself(question.text) or question.names(people)


def _tells_of_failure(row: Row) -> bool:
    case = record_of(row)
    assert isinstance(case, AgentCase)
    return speaks_of_failure(f"{case.approach}\n{case.key_insight}")


def _is_told_by(best_fact: Sequence[Candidate], topic: Question) -> bool:
    """True if the best fact, if there is one, has every word of a topic of several words."""
    wanted = frozenset(topic.tokens)
    return len(wanted) >= _LONG_TOPIC and any(wanted <= _words(each.row) for each in best_fact)


def _words(fact: Row) -> frozenset[str]:
    return frozenset(tokenise(str(fact.body["atomic_fact"])))


def _only_asks(row: Row) -> bool:
    """True if a message, or the quote that a fact is, has no sentence but questions."""
    return only_asks(str((row.body.get("quote") or {}).get("words") or row.body.get("text") or ""))
