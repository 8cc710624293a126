"""Claims of English sentences, and states that English questions ask for: english.toml over their clauses."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from mneme.patterns import Patterns
from mneme.records import Claim
from mneme.relations.english_clauses import (
    SELF,
    Part,
    asserted,
    is_made_up,
    joints,
    lowered,
    parts,
    person,
    thing,
    without_adverbs,
    written_out,
)
from mneme.relations.table import (
    Pattern,
    Slot,
    Table,
    completed,
    group_of,
    kind_named,
    load_table,
    row_of,
    state_asked,
)
from mneme.relations.values import (
    PLANNED,
    UNREAD,
    Found,
    act,
    cleaned,
    distinct_claims,
    endings_first,
    is_time,
    same_kind,
    tool_kind,
)
from mneme.word_lists import ORGANISATIONS, PLACES

_PERSON = r"[^\s,]+(?: [^\s,]+){0,3}?"
_OWNER = r"my|our|[^\s,]+(?: [^\s,]+){0,2}?'s?"
_THING = r"(?:the |our |my |this |an? |his |her |their |[^\s,]{2,20}'s )?(?P<>[^\s,]+(?: [^\s,]+){0,4}?)"
_WORDS = Patterns(__file__, "patterns")
_FIRST_PERSON = {"your": "my", "ur": "my", "you": "i", "u": "i"}


@cache
def english() -> Table:
    """The English table; read and compiled when it is first asked for."""
    return load_table("english", _PERSON, _OWNER, _THING)


def english_answers(sentence: str, speaker: str, asked: str) -> Iterator[Claim]:
    """The claim of an answer that is understood with its question: "Kunle." to "What is your husband called?"."""
    value = _WORDS.answer_leads.sub("", sentence.replace("’", "'"), count=1).strip()
    if not speaker or not value or _WORDS.no_answer.match(value):
        return
    own = _WORDS.you.sub(lambda word: _FIRST_PERSON[word[0].lower()], asked)
    for subject, attribute in english_asked(own):
        if not subject and (told := english().answers.get(attribute)):
            for claim in english_claims(told.format(value), speaker):
                if claim.attribute == attribute:
                    yield claim.model_copy(update={"evidence": sentence})


def english_claims(sentence: str, speaker: str, follows: str = "") -> Iterator[Claim]:
    """Read the certain claims of a sentence, in order, each once; ``follows`` is the sentence before it."""
    told = written_out(sentence)
    if not told:
        return
    table = english()
    text = asserted(told) or ""
    low = lowered(text)
    candidates = table.said_index.candidates(low) if text and (speaker or low != text) else []
    anywhere = table.anywhere_index.candidates(low)
    if text != told and not is_made_up(low_told := lowered(told)):
        yield from distinct_claims(_presupposed(told, low_told, speaker), sentence)
    if not text or not (candidates or anywhere):
        return
    caseless = not any(each.isupper() for each in text.replace("I ", ""))
    elides = bool(speaker) and _WORDS.of_another.search(follows) is None
    yield from distinct_claims(_found(text, low, candidates, anywhere, speaker, caseless, elides), sentence)


def _presupposed(text: str, low: str, speaker: str) -> Iterator[Found]:
    """People named beside what is doubted: "if my sister Lena comes"."""
    table = english()
    for number in table.anywhere_index.candidates(low):
        if "presupposed" in (pattern := table.anywhere[number]).flags:
            for match in pattern.shape.finditer(low):
                yield from _claimed(pattern, match, Part(text, low), speaker, False, "")


def _found(
    text: str, low: str, candidates: list[int], anywhere: list[int], speaker: str, caseless: bool, elides: bool
) -> Iterator[Found]:
    table = english()
    for number in anywhere:
        for match in table.anywhere[number].shape.finditer(low):
            yield from _claimed(table.anywhere[number], match, Part(text, low), speaker, caseless, "")
    if not candidates:
        return
    subject, ended = "", ""
    for at, part in enumerate(parts(text, table)):
        begin = 0
        for after in (0, *joints(part.low)) if part.numbers else (0,):
            if after < begin:
                continue
            rest = replace(part, text=part.text[after:], low=part.low[after:]) if after else part
            first = rest.low.split(" ", 1)[0]
            if first in ("i", "we"):
                subject = "I"
            for match, seen, claims in _matches(rest, subject, elides and at == 0 and after == 0, speaker, caseless, ended):
                begin = max(begin, after + match.end() - (len(seen.text) - len(rest.text)))
                if match.groupdict().get("s"):
                    subject = seen.text[match.start("s") : match.end("s")]
                ended = next((attribute for _, attribute, _, ends in claims if ends), ended)
                yield from claims


def _matches(
    part: Part, subject: str, may_elide: bool, speaker: str, caseless: bool, ended: str
) -> Iterator[tuple["re.Match[str]", Part, list[Found]]]:
    """Read the claims of a clause, as it is or with the subject of the clause before; each attribute once."""
    said = english().said
    tried = [part]
    elided = subject or ("I" if may_elide else "")
    if elided and part.low.split(" ", 1)[0] not in SELF and (subject or _WORDS.elided.match(part.low)):
        text = f"{elided} {part.text}"
        tried.append(replace(part, text=text, low=lowered(text)))
    for clause in tried:
        taken: set[str] = set()
        for number in part.numbers:
            pattern = said[number]
            if clause is not part and "explicit" in pattern.flags:
                continue
            if (part.ahead and "ahead" not in pattern.flags) or (taken and pattern.is_open):
                continue
            if part.intended and "intent" not in pattern.flags:
                continue
            if (match := pattern.shape.match(clause.low)) is None:
                continue
            claims = list(_claimed(pattern, match, clause, speaker, caseless, ended))
            if taken.isdisjoint(attribute for _, attribute, _, _ in claims) and claims:
                taken.update(attribute for _, attribute, _, _ in claims)
                yield match, clause, claims
        if taken:
            return


def _claimed(pattern: Pattern, match: "re.Match[str]", part: Part, speaker: str, caseless: bool, ended: str) -> Iterator[Found]:
    """The claims of a match; none where its subject or one of its values can be nothing that is claimed."""
    groups = match.groupdict()
    kin, at = groups.get("kin") or "", match.start("kin") if "kin" in groups else 0
    if at and kin in _OF_TITLES and part.text[at].isupper():
        return  # of a title: "My Cousin Rachel"
    subject, named = speaker, None
    if whose := group_of(match, "s", "p"):
        named = person(part.text[match.start(whose) : match.end(whose)], speaker, english())
        if named is None or ("own" in pattern.flags and speaker and named != speaker):
            return
        subject = named
    if english().kin_attribute.get(subject.rpartition("'s ")[2]) == "pet" and _is_of_people(pattern):
        return  # "My dog is a lawyer"
    found: list[Found] = []
    family, whereto = "", ""
    about = group_of(match, "t", "m")
    if about is not None:
        if (
            _WORDS.in_a_title.search(part.text[: match.start(about)])
            and part.text[match.start(about) : match.end(about)].istitle()
        ):
            return
        if _WORDS.somebodys.search(part.low[: match.start(about)]):
            return
        determined = _WORDS.determined.search(part.low[: match.start(about)]) is not None
        known = thing(part.text[match.start(about) : match.end(about)], english(), determined, "event" in groups)
        if known is None:
            return
        family, own = known
        if english().kin_attribute.get(_head(family)) in _FAMILY or (about == "t" and _is_a_person(family)):
            return
        possessor = _WORDS.possessor.search(part.text[: match.start(about)])
        if possessor and not own and possessor[1] != speaker and not is_time(possessor[1]):
            family = f"{possessor[1].lower()} {family}"
        subject = (_owner(part, match, speaker) or subject) if about == "m" and own else family
    elif to := next((name for name in groups if name.startswith("to_") and groups[name]), None):
        begin, end = match.span(to)
        place = cleaned("place", part.text[begin:end], match[to], english().words, caseless)
        if place is None or is_time(match[to].split()[-1]):  # "Casual Friday is cancelled"
            return
        family = f"{place.lower()} {to.removeprefix('to_')}"
        if to == "to_trip":
            subject, whereto = family, place
    elif groups.get("act"):
        acted = act(match["act"], english()) if part.text[match.start("act")].islower() else None
        if acted is None:
            return
        family = acted
    else:
        family = kind_named(match, _KINDS)
    if groups.get("with"):
        other = person(part.text[match.start("with") : match.end("with")], speaker, english())
        if other is None or match["with"] in SELF:
            return
        if about is not None and _WORDS.determined.search(part.low[: match.start(about)]):
            found.extend((subject, attribute + family, value, ends) for attribute, value, ends in pattern.gives)
        family = f"{other.casefold()} {family}"
        subject = subject if subject == speaker else family
    told = list(pattern.gives)
    for slot in pattern.filled(match):
        if (claim := _of_slot(slot, match, part, caseless, ended)) is None:
            return
        told.append((*claim, slot.ends))
    for attribute, value, ends in told:
        found.append((subject, completed(attribute, family, _head(family)), value, ends or part.over))
    if whereto:
        found.append(("trip", "plan:trip", whereto, pattern.ends))
    if any(attribute.startswith("plan:") for _, attribute, _, _ in found) and not subject:
        return
    if "only_ends" in pattern.flags and not part.over:
        return
    if part.over and not pattern.slots and pattern.gives and all(ends for *_, ends in pattern.gives):
        return  # "am no longer retired"
    if part.over and any(slot.ends for slot in pattern.slots):
        return  # "has not left Google any more"
    if part.several and not any(ends for *_, ends in found):
        found = [each for each in found if not (row_of(each[1]) or {}).get("single", False)]
    if not found:
        return
    if "takes_part" in pattern.flags and named and named != subject:
        apart = [(named, attribute, PLANNED, ends) for _, attribute, _, ends in found[:1]]
        found = [(named, attribute, "", ends) for _, attribute, _, ends in found] if found[0][3] else [*found, *apart]
    if not any(each[3] for each in found):
        goes_on = (row_of(found[0][1]) or {}).get("goes_on", False)
        if (
            "moved" in pattern.flags
            or (part.changed and found[0][1].startswith("plan:"))
            or (goes_on and _WORDS.begun.search(match[0]))
        ):
            found.insert(0, (subject, found[0][1], "", True))
        elif part.changed and goes_on and found[0][2] != UNREAD:
            found.insert(0, (subject, found[0][1], UNREAD, True))
    if "switch" in pattern.flags:
        found = same_kind(found)
    if (old := _WORDS.not_old.match(part.low, match.end())) and len(found) == 1 and not found[0][3]:
        found.append((subject, found[0][1], part.text[old.start("old") : old.end("old")].strip(), True))
    yield from endings_first(found)


def _is_of_people(pattern: Pattern) -> bool:
    return any(slot.attribute in ("role", "employer", "school") for slot in pattern.slots)


_OF_TITLES = ("cousin", "uncle", "girl", "friend")
_FAMILY = ("pet", "child", "sibling", "parent", "spouse", "partner")  # no events


def _is_a_person(name: str) -> bool:
    words, head = english().words, _head(name)
    return name.split()[0] in words["kin"] or head in words["kin"] or (head in words["trades"] and head not in words["events"])


def _owner(part: Part, match: "re.Match[str]", speaker: str) -> str:
    """The owner of an appointment: the possessor before it, else the speaker."""
    before = part.text[: match.start("m")].strip()
    if before.endswith("'s"):
        return person(before.split(" ")[-1], speaker, english()) or ""
    return speaker


def _of_slot(slot: Slot, match: "re.Match[str]", part: Part, caseless: bool, ended: str) -> tuple[str, str] | None:
    table = english()
    begin, end = match.span(slot.group)
    if slot.kind in ("when", "until"):
        return _of_time(slot, match, part, begin)
    if slot.kind == "given" and part.low.startswith(_TITLES, begin) and (more := _WORDS.surname.match(part.text, end)):
        end = more.end()
    value = cleaned(slot.kind, part.text[begin:end], part.low[begin:end], table.words, caseless)
    if value is None:
        return None
    attribute = slot.attribute
    if slot.kind == "known_trade" and (_WORDS.of_theirs.search(value) or not _is_in_earnest(part.text[end:])):
        return None
    if attribute == "employer" and (more := _WORDS.and_name.match(part.text, end)):
        value += more[0]
    if attribute == "car":
        value = _WORDS.small_behind.sub("", value)
    if attribute == "kin name":
        attribute = table.kin_attribute.get(match["kin"].replace(" ", "-"), "")
        return (attribute, value) if attribute else None
    if attribute == "uses kind":
        if value[0].islower() and tool_kind(value, table.tools) is None:
            return None
        return f"uses:{kind_named(match, _KINDS)}", value
    kind = tool_kind(value, table.tools)
    if attribute == "home" and (is_of_work(value) or value[-1].isdigit() or _WORDS.firm.search(value)):
        return None
    if attribute == "employer" and value.lower() in PLACES:  # "left Manchester at six"
        return None
    if attribute in ("uses", "known", "same"):
        if kind is None and (attribute == "known" or slot.kind == "known_tool"):
            return None
        if attribute == "same" and not slot.ends and kind is None:
            return (ended, value) if ended else None
        named = "car" if kind == "car" else f"uses:{kind}" if kind else "owns" if attribute == "same" else "uses"
        return (named, value) if kind or value[0].isupper() or value[0].isdigit() else None
    if attribute == "car" and not kind and value[0].islower():
        return None
    return attribute, value


_TITLES = ("dr ", "mr ", "mrs ", "ms ", "prof ", "dr. ", "mr. ", "mrs. ", "ms. ", "prof. ")


def _is_in_earnest(behind: str) -> bool:
    """Tell whether what follows a trade lets it be one: not "chef in Overcooked", "nurse to my whole family"."""
    told = _WORDS.behind_a_trade.match(behind)
    if told is None:
        return True
    place = told["where"].split(" and ")[0].casefold()
    known = any(" ".join(place.split()[:length]) in PLACES for length in (1, 2, 3))
    return told["how"] in ("in", "on") and (known or _WORDS.somewhere.match(told["where"]) is not None)


def is_of_work(name: str) -> bool:
    """Tell whether a name is of a product, a firm, a method or a department: one moves to it, and lives nowhere else then."""
    first = name.split()[0].lower()
    known = first in english().words["of_work"] or first in ORGANISATIONS or tool_kind(name, english().tools)
    return bool(known) or _WORDS.made_up.match(name) is not None


def _of_time(slot: Slot, match: "re.Match[str]", part: Part, begin: int) -> tuple[str, str] | None:
    """A time that a slot begins with; a bare number is an hour only of what has hours."""
    found = english().when.match(part.low, begin)
    if found is None or not found[0] or _WORDS.no_time.match(part.low, found.end()):
        return None
    value = _WORDS.preposition.sub("", part.text[begin : found.end()])
    if not any(map(str.isalpha, value)) and slot.attribute in ("opens", "closes"):
        return (slot.attribute, value) if not value.isdigit() or int(value) <= 24 else None
    if not any(map(str.isalpha, value)):
        about = group_of(match, "t", "m")
        known = thing(match[about], english(), False, True) if about else None
        if known is None or known[0].split()[-1] in english().words["amounts"]:
            return None
        if value.isdigit() and int(value) > 24:
            return None
    return slot.attribute, value


_KINDS = {
    "mobile": "phone", "handset": "phone", "computer": "laptop", "ide": "editor", "text editor": "editor",
    "code editor": "editor", "os": "operating system",
    "cloud provider": "cloud", "language": "programming language", "issue tracker": "tracker", "chat app": "chat",
    "chat tool": "chat", "tech stack": "stack",
}  # fmt: skip


def english_asked(question: str) -> list[tuple[str, str]]:
    """(subject, attribute) of the present state that a question asks for."""
    table = english()
    asked = re.sub(r"\b(what|where|who|when)'?s\b|\b(how)'s\b", r"\1\2 is", question.replace("’", "'").lower())
    low = without_adverbs(f" {asked}").strip()
    low = _WORDS.courtesy.sub("", low.split("?")[0].strip(" .!")).strip()
    while trailing := _WORDS.trailing.search(low):
        low = low[: trailing.start()]
    if len(low) > 200 or _WORDS.past.search(low):
        return []

    def person_asked(words: str) -> str | None:
        return person(words if words in SELF else words.title(), "", table, asked=True)

    return state_asked(table, low, 1, _KINDS, person_asked, lambda words, _: thing(words, table, True, False), _head)


def _head(name: str) -> str:
    """The last word: of "kitchen budget" the budget."""
    return name.split()[-1] if name else ""


def is_of_words(name: str, plan: str) -> bool:
    """Tell whether a plan is of the kind of a list of words: the launch is one of a kind, and a call is not."""
    words = english().words[name]
    return plan.split()[-1] in words or plan.replace(" ", "-") in words
