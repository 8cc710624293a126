"""The seams of the house: what flows and queries ask of the outside, and what connectors promise.

Every implementation passes the contract tests of its port (tests/contracts/), one class each. All methods are
synchronous and may be called from several threads at once. They raise the errors of mneme/errors.py and no others.
"""

from mneme.ports.documents import Describer as Describer
from mneme.ports.documents import DocumentParser as DocumentParser
from mneme.ports.documents import DocumentReader as DocumentReader
from mneme.ports.documents import ParsedDocument as ParsedDocument
from mneme.ports.documents import References as References
from mneme.ports.documents import Section as Section
from mneme.ports.documents import Spoken as Spoken
from mneme.ports.documents import Transcriber as Transcriber
from mneme.ports.documents import Transcript as Transcript
from mneme.ports.index import MOST_PEOPLE as MOST_PEOPLE
from mneme.ports.index import Create as Create
from mneme.ports.index import EmbedderIdentity as EmbedderIdentity
from mneme.ports.index import Filter as Filter
from mneme.ports.index import Generations as Generations
from mneme.ports.index import Group as Group
from mneme.ports.index import Hit as Hit
from mneme.ports.index import MemoryIndex as MemoryIndex
from mneme.ports.index import Outcome as Outcome
from mneme.ports.index import Owned as Owned
from mneme.ports.index import Place as Place
from mneme.ports.index import Put as Put
from mneme.ports.index import Remove as Remove
from mneme.ports.index import Scored as Scored
from mneme.ports.index import Selection as Selection
from mneme.ports.index import TextLeg as TextLeg
from mneme.ports.index import VectorLeg as VectorLeg
from mneme.ports.index import Write as Write
from mneme.ports.index import WriteResult as WriteResult
from mneme.ports.models import Answer as Answer
from mneme.ports.models import ChatModel as ChatModel
from mneme.ports.models import Embedder as Embedder
from mneme.ports.models import Picture as Picture
from mneme.ports.models import Prompt as Prompt
from mneme.ports.models import QueryChat as QueryChat
from mneme.ports.models import RememberingChat as RememberingChat
from mneme.ports.models import Reranker as Reranker
from mneme.ports.models import Role as Role
from mneme.ports.models import Spent as Spent
from mneme.ports.models import TokenEmbedder as TokenEmbedder
from mneme.ports.models import Usage as Usage
from mneme.ports.models import embeddings_of as embeddings_of
from mneme.ports.stream import Change as Change
from mneme.ports.stream import ChangeFeed as ChangeFeed
from mneme.ports.stream import DeadLetter as DeadLetter
from mneme.ports.stream import DeadLetters as DeadLetters
from mneme.ports.stream import Incoming as Incoming
from mneme.ports.stream import Lag as Lag
from mneme.ports.stream import Lane as Lane
from mneme.ports.stream import Scope as Scope
from mneme.ports.stream import Transport as Transport
