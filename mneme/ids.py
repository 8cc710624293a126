"""Deterministic ids: positions in the source, never a hash of what a model wrote.

An id is its parts, percent-encoded and joined by ``/``, so that an id always fits the 512 bytes that OpenSearch allows: a
part over 120 bytes is its first characters, a ``~`` and its hash of 128 bits. No short part has a ``~``, so no two parts have
one encoding.

    message       tenant/conversation/message_id
    episode       tenant/conversation/<sent_at ms of its first message>-<hash of that message_id>
    fact          <episode id>/f/0           foresight  <episode id>/s/0           case  <episode id>/c
    skill         <id of its earliest case>/skill
    entity        tenant/owner_type/owner/e/<name>
    relationship  tenant/owner_type/owner/r/<source>/<relation>/<target>
    profile       tenant/owner_type/owner/p
    cluster       tenant/owner_type/owner/k/<hash of what its statements are about>
    document      tenant/owner_type/owner/d/document
    chunk         <document>/<hash of its text and place>     (a message; the episode that is made from it has /e behind)
"""

import hashlib
import re
from functools import lru_cache
from urllib.parse import quote

_LONGEST_PART_BYTES = 120
_LONGEST_EDGE_BYTES = 250  # three parts behind an owner's three
_LONG = re.compile(r"~([0-9a-f]{16})[0-9a-f]{16}(?=/|$)")
_TILDE = re.compile(r"%7E(?![0-9a-f]{16}(?:/|$))")


def stable_hash(text: str) -> int:
    """A 64-bit hash that is the same in every process and on every machine (unlike ``hash``)."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def short_hash(text: str) -> str:
    """Sixteen hexadecimal digits of ``stable_hash``, for use inside ids."""
    return f"{stable_hash(text):016x}"


def long_hash(text: str) -> str:
    """32 hexadecimal digits: those of ``short_hash``, and as many of a second hash."""
    return short_hash(text) + hashlib.blake2b(text.encode(), digest_size=8, person=b"second").hexdigest()


def content_hash(data: bytes) -> str:
    """SHA-256 of bytes, hexadecimal: the identity of a file or a document's content."""
    return hashlib.sha256(data).hexdigest()


def folded(text: str) -> str:
    """A text by which it is known again, whatever its case and blanks.

    >>> folded(" Anton\\n REYES")
    'anton reyes'
    """
    return " ".join(text.casefold().split())


def make_id(*parts: str) -> str:
    """Join parts into an id; each is percent-encoded, and hashed when it is long."""
    return "/".join(_encode(part) for part in parts)


def _encode(part: str) -> str:
    encoded = _quoted(part, "-_.@:+")
    if len(encoded) <= _LONGEST_PART_BYTES:
        return encoded
    return f"{_quoted(part[:16])[:60]}~{long_hash(part)}"


def _quoted(part: str, safe: str = "") -> str:
    return quote(part, safe).replace("~", "%7E")  # which ``quote`` leaves as it is


def lasting_name(identity: str) -> str:
    """An id as every format of the store writes it: what is found by an id and is not made anew by a rebuild uses this name.

    Tombstones, claim checks and cached answers do. The hash of a long part is cut to its first half, and a tilde stands for
    itself where its part cannot be taken for a long one.
    """
    return _TILDE.sub("~", _LONG.sub(r"~\1", identity))


@lru_cache(maxsize=4096)  # asked for some seven times on a message's way
def conversation_path(tenant_id: str, conversation_id: str) -> str:
    """The beginning of the ids of a conversation's messages and episodes."""
    return make_id(tenant_id, conversation_id)


def message_id(tenant_id: str, conversation_id: str, caller_id: str) -> str:
    """The id of a stored message; ``caller_id`` is the caller's ``message_id``."""
    return f"{conversation_path(tenant_id, conversation_id)}/{_encode(caller_id)}"


def episode_id(tenant_id: str, conversation_id: str, first_sent_at_ms: int, first_caller_id: str) -> str:
    """The id of an episode, fixed by the first message it was opened with."""
    return f"{conversation_path(tenant_id, conversation_id)}/{first_sent_at_ms}-{short_hash(first_caller_id)}"


def document_key(owner: str, document_id: str) -> str:
    """The id of a document of an owner (``owner_key``), and its lane: documents of two owners may have one name."""
    return f"{owner}/d/{_encode(document_id)}"


def chunk_id(document: str, chunk: str) -> str:
    """The id of a chunk of a document (``document_key``), which is a message; ``chunk`` is its ``short_hash``."""
    return f"{document}/{chunk}"


def chunk_episode_id(chunk: str) -> str:
    """The id of the episode that is made from a chunk (``chunk_id``)."""
    return f"{chunk}/e"


def fact_id(episode: str, index: int) -> str:
    """The id of the ``index``-th fact of an episode."""
    return f"{episode}/f/{index}"


def foresight_id(episode: str, index: int) -> str:
    """The id of the ``index``-th foresight of an episode."""
    return f"{episode}/s/{index}"


def episode_of(fact_or_foresight: str) -> str:
    """The id of the episode that a fact or a foresight comes from."""
    return fact_or_foresight.rsplit("/", 2)[0]


def case_id(episode: str) -> str:
    """The id of the agent case that an episode tells."""
    return f"{episode}/c"


def skill_id(case: str) -> str:
    """The id of the skill that begins with this case, the earliest of those it was learnt from."""
    return f"{case}/skill"


@lru_cache(maxsize=4096)  # asked for a dozen times on a message's way
def owner_key(tenant_id: str, owner_type: str, owner_id: str) -> str:
    """Names an owner across tenants: the routing value of the index and the key of the owner's lane."""
    return make_id(tenant_id, owner_type, owner_id)


def entity_id(owner: str, name: str) -> str:
    """The id of an entity of an owner (``owner_key``); names that differ in case only are one entity."""
    return f"{owner}/e/{_encode(folded(name))}"


def relationship_id(owner: str, source: str, relation: str, target: str) -> str:
    """The id of an edge, by its deduplication key ``source, relation, target``."""
    key = "/".join(_encode(folded(part)) for part in (source, relation, target))
    if len(key) > _LONGEST_EDGE_BYTES:
        key = long_hash(key)
    return f"{owner}/r/{key}"


def cluster_id(owner: str, about: str) -> str:
    """The id of the cluster of an owner's statements about the same."""
    return f"{owner}/k/{short_hash(about)}"


def profile_id(owner: str) -> str:
    """The id of an owner's profile."""
    return f"{owner}/p"
