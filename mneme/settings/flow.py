"""What the flow does with what comes in."""

from typing import Literal, Self

from pydantic import Field, model_validator

from mneme.settings.base import Group


class Boundaries(Group):
    """Where a conversation is cut."""

    detector: Literal["semantic", "llm"] = Field(
        default="semantic", description="cheap signals, or a chat model for a window of messages"
    )
    max_messages: int = Field(default=50, ge=1, description="an episode with so many is cut without a question")
    max_tokens: int = Field(default=8192, ge=1, description="an episode with so many is cut without a question")
    look_ahead: int = Field(default=2, ge=0, le=2, description="semantic: messages after a candidate that are waited for")
    threshold: float = Field(
        default=0.5, gt=0, lt=1, description="semantic: probability from which a boundary is one; higher cuts less"
    )
    window: int = Field(default=20, ge=2, description="llm: messages that one call judges")
    idle_seconds: float = Field(default=300.0, gt=0, description="a conversation that rests so long is shown as it stands")
    hold_back_seconds: float = Field(default=60.0, ge=0, description="how long messages wait to be put in order; 0 for files")


class Extraction(Group):
    """What is taken from an episode."""

    extractor: Literal["local", "model"] = Field(default="local", description="rules and the embedder, or a chat model")
    custom_instructions: str = Field(default="", description="model: added to the rules of extraction")


class Reconcile(Group):
    """How memories are kept consistent: what a newer statement does to an older one."""

    judge: Literal["rule", "model"] = Field(
        default="rule", description="by what they claim of an attribute, or a chat model that also sees what is near in meaning"
    )
    neighbours: int = Field(default=5, ge=0, description="model: older statements, near in meaning, that one is compared with")
    near: float = Field(default=0.6, gt=0, le=1, description="model: cosine from which statements are near in meaning")


class Profiles(Group):
    """The portrait of a person in an owner's profile."""

    explicit: int = Field(default=60, ge=0, description="lines of what was said of a person")
    implicit: int = Field(default=30, ge=0, description="lines of what a person showed")
    implicit_episodes: int = Field(default=2, ge=1, description="that must show something before it counts as a trait")


class Skills(Group):
    """What an agent learns from cases that recur."""

    cases: int = Field(default=2, ge=2, description="of one kind from which a skill is made")
    near: float = Field(default=0.35, ge=0, le=1, description="cosine of their tasks from which cases may be of one kind")
    overlap: float = Field(default=0.3, ge=0, le=1, description="share of their words and tools in common, needed too")


class Documents(Group):
    """Documents: where they may be fetched from, and what reading one may cost."""

    roots: tuple[str, ...] = Field(
        default=(),
        description="folders, and prefixes of stores (s3://bucket/prefix), under which a uri may lie, as JSON; {tenant} in one"
        " stands for the tenant; none: no document is read by reference",
    )
    store: str = Field(
        default="",
        description="folder or prefix of a store where a publisher leaves what is too large for an event, also under roots; the"
        " flow erases it there",
    )
    inline_bytes: int = Field(
        default=1_000_000, ge=0, le=6_000_000, description="the most of a document that an event itself carries"
    )
    largest_bytes: int = Field(default=50_000_000, ge=1, description="of one file")
    largest_text: int = Field(default=5_000_000, ge=1, description="characters of one document")
    most_pages: int = Field(default=2_000, ge=1, description="pages, sheets or slides of one document")
    most_columns: int = Field(default=1_000, ge=1, description="columns of a table, or of a sheet")
    most_rows: int = Field(default=200_000, ge=1, description="rows of all tables of one document")
    most_cells: int = Field(default=1_000_000, ge=1, description="cells of all tables of one document")
    seconds: float = Field(default=900.0, gt=0, description="for reading one document; then its process is ended")
    megabytes: int = Field(default=2_048, ge=256, description="memory of the processes that read one document")
    processes: int = Field(
        default=0, ge=0, le=64, description="documents read at a time; 0: half as many as there are processors"
    )
    ocr_languages: tuple[str, ...] = Field(
        default=("eng", "chi_sim"), description="tesseract's, as JSON; those that are not installed are left out"
    )
    ocr_dpi: int = Field(default=200, ge=72, le=600, description="of a page without text, as a picture")
    attachment_depth: int = Field(default=3, ge=0, le=10, description="mails in mails that are opened")
    chunk_size: int = Field(
        default=1_600, ge=200, description="characters of a section that are found and read as one, at most"
    )
    chunk_overlap: int = Field(
        default=320, ge=0, description="characters that a chunk repeats of the one before, at most; under half of a chunk"
    )
    chunks_in_flight: int = Field(
        default=0,
        ge=0,
        description="of all documents on their way to the index, so that conversations pass them; 0: 2, and half of the calls"
        " in flight where a chat model extracts",
    )

    @model_validator(mode="after")
    def _overlap_is_under_half(self) -> Self:
        if self.chunk_overlap >= self.chunk_size / 2:
            raise ValueError(f"chunk_overlap: {self.chunk_overlap} is not under half of chunk_size, which is {self.chunk_size}")
        return self


class Flow(Group):
    """The stream."""

    buckets: int = Field(
        default=256, ge=1, le=4096, description="into which conversations and owners are hashed; fixed for a recovery store"
    )
    processes: int = Field(
        default=1, ge=1, le=64, description="that share the work of mneme run; --processes wins; more than 1 need OpenSearch"
    )
    epoch_seconds: float = Field(default=1.0, ge=0, description="between snapshots of the state")
    pending_limit: int = Field(
        default=2000,
        ge=1,
        description="unfinished messages of a process above which its sources pause; 50 for each model call in flight do",
    )
    threads: int = Field(
        default=16, ge=1, description="reads and embeddings of one process at a time; calls of chat models come on top"
    )
    source_batch: int = Field(default=500, ge=1, description="events read at a time")
    recovery_partitions: int = Field(default=16, ge=1, description="files of a new recovery store")
    change_feed: bool = Field(default=True, description="whether what is written is told on the memories topic")
    adopt_index: bool = Field(default=False, description="go on with an index that another recovery store wrote")
