"""Every page in a real browser: nothing fails, nobody is kept out, and what it shows is what the memory holds."""

import re
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from connectors.dead_letters import FileDeadLetters
from mneme.events import Message
from mneme.ports import DeadLetter
from mneme.records import Position
from mneme.times import utc_now
from queries.responses import FoundEpisode, FoundFact
from tests.serving.console.conftest import Console, Visitor
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

QUESTION = "What is Jason building?"
MARKUP = '<script>window.hacked = 1</script> **bold** <img src=x onerror="window.hacked = 2"> `code`'
PAGES = {
    "conversations": "conversations?owner=user:mira",
    "conversation": "conversation?owner=user:nadia&id=nadia-and-ruben",
    "search": f"search?owner=user:mira&top_k=8&q={quote(QUESTION)}",
    "ask": "search?owner=user:mira&method=agentic&top_k=4&since=2025-01-01&ask=1&q=When+is+Jason%27s+birthday%3F",
    "graph": "graph?owner=user:nadia",
    "entity": "graph?owner=user:nadia&entity=Clara+Novak",
    "profile": "profile?owner=user:mira",
    "facts": "facts?owner=user:mira&all=1",
    "documents": "documents?owner=user:mira",
    "document": "document?owner=user:mira&id=handbook.md",
    "flow": "flow",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_complete_accessible_in_light_and_dark_and_fits_a_narrow_screen(visitor: Visitor, name: str) -> None:
    page = visitor.open(PAGES[name])

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="That did not work")).to_have_count(0)
    assert visitor.serious_findings() == []

    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    assert visitor.serious_findings(["color-contrast"]) == []

    page.set_viewport_size({"width": 380, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 380
    page.get_by_role("button", name="Menu").click()
    expect(page.get_by_role("link", name="Profile")).to_be_visible()


def test_the_keyboard_reaches_everything_and_shows_where_it_is(visitor: Visitor) -> None:
    page = visitor.open(PAGES["search"])
    page.evaluate("document.activeElement.blur()")
    wanted = page.evaluate(
        """() => [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')]
            .filter(each => each.tabIndex >= 0 && each.checkVisibility() && !(each.type === 'radio' && !each.checked))
            .map(each => each.textContent.trim() || each.ariaLabel || each.name)"""
    )
    reached, outlined = [], []
    for _ in wanted:
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => { const at = document.activeElement;
                const shown = at.type === 'radio' ? at.closest('label') : at;
                return [at.textContent.trim() || at.ariaLabel || at.name, getComputedStyle(shown).outlineStyle]; }"""
        )
        reached.append(name)
        outlined.append(outline)

    assert reached[0] == "Skip to the content"
    assert sorted(reached) == sorted(wanted)
    assert set(outlined) == {"solid"}


def test_keys_lead_to_the_search_and_from_page_to_page(visitor: Visitor) -> None:
    page = visitor.open(PAGES["profile"])

    page.keyboard.press("/")
    page.wait_for_url("**/search*")
    visitor.settled()
    expect(page.get_by_role("searchbox", name="Question")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_url("**/documents*")
    visitor.settled()
    for key, name in (("s", "search"), ("a", "facts")):  # from the search, too: nothing is typed into its field
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"**/{name}*")
        visitor.settled()


def test_an_address_without_a_page_gets_one_that_leads_back(visitor: Visitor) -> None:
    page = visitor.page
    answer = page.goto(visitor.console.url + "nowhere/at-all")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no page here")
    visitor.troubles.clear()  # the address itself
    page.get_by_role("link", name="To the conversations").click()
    page.wait_for_url("**/conversations")
    visitor.settled()


def test_results_are_above_the_fold_of_a_phone(visitor: Visitor) -> None:
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    page = visitor.open(PAGES["search"])
    box = page.locator(".results > li").first.bounding_box()
    assert box is not None
    assert box["y"] + 60 < 844
    page.get_by_role("searchbox", name="Question").focus()
    expect(page.get_by_text("Hybrid", exact=True)).to_be_visible()


def test_who_has_no_memories_is_told_so_before_the_documents_of_everybody(visitor: Visitor) -> None:
    page = visitor.open("search?owner=user:nobody-yet&q=When+may+I+travel+by+train%3F")
    expect(page.get_by_text("Nothing is remembered of nobody-yet yet")).to_be_visible()
    assert page.locator(".results > li").count() <= 3


def test_owners_and_conversations_go_by_their_names(visitor: Visitor) -> None:
    page = visitor.open("conversation?owner=user:mira&id=jason-and-mira")
    found = visitor.console.service.memories.inspect("jason-and-mira", {"user_id": "mira"})
    assert found is not None
    expect(page.get_by_role("heading", level=1)).to_have_text(found.episodes[-1].subject)
    expect(page.locator("summary .whose-name strong")).to_have_text("Mira")
    last = found.episodes[-1].messages[-1].sent_at
    page.get_by_role("link", name="Conversations", exact=True).first.click()
    page.wait_for_url("**/conversations*")
    visitor.settled()
    expect(page.get_by_role("link", name=re.compile("jason-and-mira"))).to_contain_text(f"{last:%H:%M}")


def test_a_choice_of_colours_stays(visitor: Visitor) -> None:
    page = visitor.open(PAGES["profile"])
    page.get_by_role("button", name="Dark").click()

    page = visitor.open(PAGES["documents"])

    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"


def test_a_conversation_shows_its_cuts_what_was_made_and_its_messages(visitor: Visitor) -> None:
    inspection = visitor.console.service.memories.inspect("jason-and-mira", {"user_id": "mira"})
    assert inspection is not None

    page = visitor.open("conversations?owner=user:mira")
    page.get_by_role("link", name=re.compile("jason-and-mira")).click()
    visitor.settled()

    second = page.get_by_role("listitem").filter(has=page.get_by_role("heading", level=2, name=inspection.episodes[1].subject))
    expect(second.get_by_text(inspection.episodes[1].begins_because[0])).to_be_visible()
    first = inspection.episodes[1].facts[0].quote
    assert first is not None
    made = second.locator(".made.is-fact li").first
    expect(made).to_contain_text(first.words)
    expect(made).to_contain_text(first.speaker)
    message = second.locator("p.said").get_by_text(inspection.episodes[1].messages[0].text, exact=True)
    expect(message).to_be_hidden()
    second.get_by_text(f"{len(inspection.episodes[1].messages)} messages").click()
    expect(message).to_be_visible()


def test_a_search_shows_which_fact_took_the_place_of_which_episode(visitor: Visitor) -> None:
    memories = visitor.console.service.memories
    found = memories.search(QUESTION, filters={"user_id": "mira"}, top_k=8, explain=True)
    (replaced, *_) = [step for step in found.trace or () if step.move == "replaced"]
    fact = memories.get(replaced.reason.removeprefix("by its fact "), {"user_id": "mira"})
    episode = memories.get(replaced.id, {"user_id": "mira"})
    assert fact is not None
    assert episode is not None

    page = visitor.open("search?owner=user:mira")
    page.get_by_role("searchbox", name="Question").fill(QUESTION)
    page.get_by_label("Results").fill("8")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**q=What*")
    visitor.settled()

    changes = page.get_by_role("list", name="Which fact took the place of which episode")
    row = changes.get_by_role("listitem").filter(has_text=episode.body["subject"])
    expect(row.first).to_contain_text(fact.text[:60])  # a long one is cut
    results = page.locator(".results > li")
    expect(results).to_have_count(len(found.ranked()))
    for place in found.ranked():
        result = results.nth((place.rank or 0) - 1)
        if isinstance(place, FoundFact) and place.quote is not None:
            expect(result).to_contain_text(place.quote.words)
            expect(result).to_contain_text(place.quote.speaker)
        else:
            expect(result).to_contain_text(place.subject if isinstance(place, FoundEpisode) else place.text)


def test_an_answer_is_written_with_links_to_what_it_cites(visitor: Visitor) -> None:
    answer = visitor.console.service.memories.ask("When is Jason's birthday?", {"user_id": "mira"})

    page = visitor.open("search?owner=user:mira&ask=1&q=When+is+Jason%27s+birthday%3F")

    said = page.get_by_role("region", name="Answer")
    expect(said).to_contain_text("14 May")
    number = answer.citations[0].number
    said.get_by_role("link", name=f"[{number}]").click()
    expect(page.locator(f"#citation-{number}")).to_contain_text(answer.citations[0].text)


def test_clicking_through_the_graph_leads_to_the_history_of_an_entity(visitor: Visitor) -> None:
    page = visitor.open("graph?owner=user:nadia")

    page.locator("svg a.node", has_text="Clara Novak").click()
    page.wait_for_url("**entity=Clara+Novak*")
    visitor.settled()

    expect(page.get_by_role("heading", level=1)).to_have_text("Clara Novak")
    expect(page.get_by_role("region", name="What is remembered of")).to_contain_text("Acme")
    page.get_by_role("region", name=re.compile("entities")).get_by_role("link", name="Acme").first.click()
    page.wait_for_url("**entity=Acme*")
    visitor.settled()
    expect(page.get_by_role("heading", level=1)).to_have_text("Acme")


def test_a_portrait_shows_its_evidence(visitor: Visitor) -> None:
    line = next(each for each in visitor.console.service.memories.portrait({"user_id": "mira"}).lines if each.holds)

    page = visitor.open("profile?owner=user:mira")

    item = page.locator(".portraits li").filter(has_text=line.statement).first
    item.locator("summary").click()
    expect(item.locator(".evidence")).to_contain_text(line.evidence[0].text)


def test_what_was_said_is_shown_as_text(visitor: Visitor) -> None:
    name, whose = "from <the> other side", {"user_id": "mallory", "sender_id": "mallory"}
    said = Message.model_validate({**whose, "conversation_id": name, "content": f"A zeppelin {MARKUP}", "sent_at": utc_now()})
    visitor.console.service.accept([said])
    assert visitor.console.service.flush("default", [name], 120.0).searchable
    page = visitor.open("conversations?owner=user:mallory")
    page.get_by_role("link", name=re.compile(name)).click()
    page.wait_for_url("**/conversation?*")
    visitor.settled()
    expect(page.locator(".heading")).to_contain_text(name)
    page.get_by_text("1 message").last.click()
    expect(page.locator(".said")).to_have_text(f"A zeppelin {MARKUP}")
    assert page.evaluate("window.hacked") is None


def test_an_error_is_shown_as_a_message_with_its_remedy(visitor: Visitor) -> None:
    page = visitor.open("search?owner=user:mira&q=Jason&top_k=many")

    expect(page.get_by_role("alert")).to_contain_text("top_k: 'many' is no number; leave it empty, or give one from 1")
    assert "Traceback" not in page.content()


def test_an_error_inside_is_told_without_what_it_was(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("a secret")

    service = visitor.console.service
    monkeypatch.setattr(service.memories, "portrait", broken)
    page = visitor.open(PAGES["profile"])
    expect(page.get_by_role("alert")).to_contain_text("an error inside Mneme")
    assert "a secret" not in page.content()

    monkeypatch.setattr(service, "accept", broken)
    page = visitor.open(PAGES["facts"])
    page.get_by_role("button", name="Erase …").first.click()
    page.get_by_role("button", name="Erase it").click()
    expect(page.get_by_text("an error inside Mneme")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("Waiting until it is done")).to_have_count(0)
    assert "a secret" not in page.content()


def test_a_document_is_shown_with_its_places(visitor: Visitor) -> None:
    service, whose = visitor.console.service, {"user_id": "mira"}
    content = b"# Zeppelins\n\nThe zeppelin Graf Anton flies to Lindau on 3 May 2025.\n"
    sent = service.publisher.send_document(content, name="zeppelins.md", media_type="text/markdown", **whose)
    service.publisher.flush()
    wait_until(lambda: any(each.document_id == sent.document_id for each in service.memories.documents(whose).documents))
    page = visitor.open("documents?owner=user:mira")

    page.get_by_role("link", name=re.compile(r"zeppelins.md ")).click()  # read, or still being read
    page.wait_for_url("**/document?*")
    visitor.settled()
    expect(page.get_by_text("zeppelins.md, line 3").first).to_be_visible()
    expect(page.locator(".made.is-fact")).to_contain_text("Graf Anton")


def test_a_dead_letter_is_shown_with_its_reason_and_bytes_and_replayed(visitor: Visitor) -> None:
    service = visitor.console.service
    raw = (
        b'{"event": "message", "message_id": "late", "conversation_id": "lost", "user_id": "mira", "sender_id": "mira",'
        b' "content": "The <b>key</b> lies under the flowerpot.", "sent_at": "2025-05-05T10:00:00Z"}'
    )
    letters = FileDeadLetters(service.settings.data / "dead-letters.sqlite")
    where = Position(topic="inbox:messages", partition=0, offset=7)
    letters.send([DeadLetter("decode", "the disk was full; make room", raw, where, utc_now())])

    page = visitor.open("flow")

    letter = page.get_by_role("region", name="Dead letters").get_by_role("listitem").filter(has_text="the disk was full")
    expect(letter).to_contain_text("decode")
    letter.get_by_text(f"{len(raw)} bytes").click()
    expect(letter.get_by_label("The bytes of the event")).to_have_text(raw.decode())
    letter.get_by_role("button", name="Replay").click()
    expect(page.get_by_text("1 letter sent again")).to_be_visible()
    expect(letter).to_have_count(0)
    assert list(letters.read()) == []
    service.flush("default", ["lost"], 60.0)
    found = service.memories.search("flowerpot", "keyword", {"user_id": "mira"})
    assert any("flowerpot" in each.text for each in found.ranked())


def test_the_flow_tells_its_health_lag_and_counts_and_goes_on(visitor: Visitor) -> None:
    page = visitor.open("flow")

    expect(page.get_by_text("All is well")).to_be_visible()
    expect(page.get_by_text("Unread messages")).to_be_visible()
    requests = page.get_by_role("region", name="Requests").get_by_role("row")
    expect(requests.nth(1)).to_contain_text(re.compile(r"\d+ ?m?s"))
    expect(page.get_by_text("Searchable a second, lately")).to_be_visible()


# --- a wrong fact: a few clicks to correct it, or to erase it --------------------------------------------------------------

WRONG, RIGHT = "My flight to Lisbon leaves on Friday.", "My flight to Lisbon leaves on Saturday."
SECRET = "My locker has the code marmalade."
MOST_CLICKS = 6


class Clicks:
    """Clicks, counted."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, place: Locator) -> None:
        self.count += 1
        place.click()


@pytest.fixture(scope="module")
def traveller(console: Console) -> str:
    """A user whose conversation has something wrong and something private, which was said twice."""
    said = [("m1", "trip", WRONG), ("m2", "trip", SECRET), ("m3", "gym", SECRET)]
    events = [
        Message(
            conversation_id=f"{name}-of-tomas",
            user_id="u-4711",
            sender_id="u-4711",
            sender_name="Tomas",
            message_id=identity,
            sent_at=datetime(2026, 3, 2, 9, place, tzinfo=UTC),
            content=text,
        )
        for place, (identity, name, text) in enumerate(said)
    ]
    console.service.accept(events)
    assert console.service.flush("default", ["trip-of-tomas", "gym-of-tomas"], 600.0).searchable
    return "user:u-4711"


def test_a_wrong_fact_is_found_and_corrected_and_its_history_is_shown(visitor: Visitor, traveller: str) -> None:
    page, clicks = visitor.open(f"conversations?owner={traveller}"), Clicks()
    clicks.on(page.get_by_role("link", name="Facts"))
    page.wait_for_url("**/facts*")
    visitor.settled()
    expect(page.get_by_role("heading", level=1)).to_have_text("Facts of Tomas")
    page.get_by_label("Words").fill("lisbon flight")
    page.get_by_label("Words").press("Enter")
    page.wait_for_url("**q=lisbon*")
    visitor.settled()
    expect(page.locator(".fact-row")).to_have_count(1)
    clicks.on(page.get_by_role("button", name="Correct …"))
    expect(page.get_by_label("What is right")).to_be_focused()
    page.get_by_label("What is right").fill(RIGHT)
    clicks.on(page.get_by_role("button", name="Correct it"))

    expect(page.get_by_text("Corrected.")).to_be_visible(timeout=300_000)
    row = page.locator(".fact-row").filter(has_text=RIGHT)
    expect(row).to_contain_text(f"in the place of: {WRONG}")
    clicks.on(page.get_by_label("with history"))
    clicks.on(page.get_by_role("button", name="Filter"))
    page.wait_for_url("**all=1*")
    visitor.settled()
    old = page.locator(".fact-row.is-gone")
    expect(old).to_contain_text(WRONG)
    expect(old).to_contain_text(f"now: {RIGHT}")
    expect(old).to_contain_text("no longer holds")
    assert clicks.count <= MOST_CLICKS


def test_a_fact_is_erased_wherever_it_was_said(visitor: Visitor, traveller: str) -> None:
    memories = visitor.console.service.memories
    page, clicks = visitor.open(f"conversations?owner={traveller}"), Clicks()
    clicks.on(page.get_by_role("link", name="Facts"))
    page.wait_for_url("**/facts*")
    visitor.settled()
    row = page.locator(".fact-row").filter(has_text=SECRET)
    clicks.on(row.get_by_role("button", name="Erase …"))
    clicks.on(page.get_by_role("button", name="Keep it"))
    clicks.on(row.get_by_role("button", name="Erase …"))
    clicks.on(page.get_by_role("button", name="Erase it"))

    expect(page.get_by_text("Erased.")).to_be_visible(timeout=300_000)
    expect(page.locator(".fact-row").filter(has_text="marmalade")).to_have_count(0)
    assert clicks.count <= MOST_CLICKS
    found = memories.search("code of the locker", "hybrid", {"user_id": "u-4711"})
    assert "marmalade" not in found.model_dump_json()
    for conversation in ("trip-of-tomas", "gym-of-tomas"):
        inspection = memories.inspect(conversation, {"user_id": "u-4711"})
        assert inspection is None or "marmalade" not in inspection.model_dump_json()
