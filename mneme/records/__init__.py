"""Records of the memory: immutable, each with a deterministic id.

Times are aware and UTC. ``version`` is the counter of the lane that writes the record (flows/lanes/state.py): of two
writes the higher wins, whichever arrives last.
"""

from mneme.records.aggregates import AgentSkill as AgentSkill
from mneme.records.aggregates import Aggregate as Aggregate
from mneme.records.aggregates import Cluster as Cluster
from mneme.records.aggregates import Entity as Entity
from mneme.records.aggregates import Mention as Mention
from mneme.records.aggregates import Profile as Profile
from mneme.records.aggregates import ProfileItem as ProfileItem
from mneme.records.aggregates import Relationship as Relationship
from mneme.records.aggregates import Stated as Stated
from mneme.records.base import Citation as Citation
from mneme.records.base import Metadata as Metadata
from mneme.records.base import Owner as Owner
from mneme.records.base import OwnerType as OwnerType
from mneme.records.base import Position as Position
from mneme.records.base import Record as Record
from mneme.records.base import Scalar as Scalar
from mneme.records.base import ToolCall as ToolCall
from mneme.records.base import is_another_topic as is_another_topic
from mneme.records.memories import AgentCase as AgentCase
from mneme.records.memories import Artifact as Artifact
from mneme.records.memories import AtomicFact as AtomicFact
from mneme.records.memories import Claim as Claim
from mneme.records.memories import ClosedBy as ClosedBy
from mneme.records.memories import Episode as Episode
from mneme.records.memories import Foresight as Foresight
from mneme.records.memories import Quote as Quote
from mneme.records.memories import Spoken as Spoken
from mneme.records.memories import Statement as Statement
from mneme.records.memories import Validity as Validity
from mneme.records.sources import Corrected as Corrected
from mneme.records.sources import StoredDocument as StoredDocument
from mneme.records.sources import StoredMessage as StoredMessage

AnyRecord = (
    StoredMessage
    | Episode
    | AtomicFact
    | Foresight
    | Cluster
    | Entity
    | Relationship
    | Profile
    | AgentCase
    | AgentSkill
    | StoredDocument
)
