"""What a tenant sends makes the service forget nothing that it took in for another."""

from mneme.events import Message
from serving.service.intake import RecentConversations


def test_no_number_of_conversations_of_one_tenant_hides_what_another_has_just_sent() -> None:
    lately = RecentConversations()
    sent = Message(tenant_id="acme", conversation_id="standup", user_id="mira", content="Good morning.")
    lately.note([sent])
    for begin in range(0, 25_000, 1000):
        lately.note(
            Message(tenant_id="evil", conversation_id=f"c{begin + place}", user_id="eve", content="x") for place in range(1000)
        )
    assert lately.of("acme", sent.owner.key) == ["standup"]
