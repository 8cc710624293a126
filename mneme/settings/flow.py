"""The flow: boundaries, extraction, consistency, documents, and the stream itself."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from mneme.settings.base import Group


class Boundaries(Group):
    """The boundaries between episodes of a conversation."""

    detector: Literal["semantic", "llm"] = Field(
        default="semantic", description="cheap signals, or a chat model for a window of messages"
    )
    max_messages: int = Field(default=50, ge=1, description="an episode of this size is cut in any case")
    idle_seconds: float = Field(
        default=300.0, gt=0, description="after this pause the open episode becomes searchable as it stands"
    )
    hold_back_seconds: float = Field(default=60.0, ge=0, description="how long messages wait to be put in order; 0 for files")

    max_tokens: ClassVar[int] = 8192  # an episode of this size is cut in any case: embedders and prompts take no more
    threshold: ClassVar[float] = 0.5  # semantic: probability from which it is cut; the fitted model is calibrated
    look_ahead: ClassVar[int] = 2  # semantic: messages after a candidate that are awaited; the detector is fitted for 2
    window: ClassVar[int] = 20  # llm: messages that one call judges


class Extraction(Group):
    """Extraction of facts from an episode."""

    extractor: Literal["local", "model"] = Field(default="local", description="rules and the embedder, or a chat model")
    custom_instructions: str = Field(default="", description="model: added to the rules of extraction")


class Reconcile(Group):
    """Consistency of memories: the effect of a newer statement on an older one."""

    judge: Literal["rule", "model"] = Field(
        default="rule",
        description="rules, or a chat model that also sees similar statements",
    )

    neighbours: ClassVar[int] = 5  # model: similar older statements that one is compared with
    near: ClassVar[float] = 0.6  # model: cosine from which statements are similar


class Profiles(Group):
    """Size of the portrait of a person in an owner's profile; constants only."""

    explicit: ClassVar[int] = 60  # lines of what was said of a person: a page, the most that a prompt is given
    implicit: ClassVar[int] = 30  # lines of what a person showed
    implicit_episodes: ClassVar[int] = 2  # that show something before it counts as a trait: once is no habit


class Skills(Group):
    """Conditions for a skill that an agent learns from recurring cases; constants only."""

    cases: ClassVar[int] = 2  # of one kind from which a skill is made
    near: ClassVar[float] = 0.35  # cosine of their tasks from which cases may be of one kind
    overlap: ClassVar[float] = 0.3  # share of their words and tools in common, needed too


class Documents(Group):
    """Documents: allowed sources, and limits of reading one."""

    roots: tuple[str, ...] = Field(
        default=(),
        description="folders and prefixes of stores (s3://bucket/prefix) under which a uri may lie; {tenant} "
        "stands for the tenant. Without roots no uri is read",
    )
    store: str = Field(
        default="",
        description="folder or prefix for documents too large for an event; it must lie under roots",
    )
    inline_bytes: int = Field(
        default=1_000_000, ge=0, le=6_000_000, description="largest document that an event itself carries"
    )
    largest_bytes: int = Field(default=50_000_000, ge=1, description="largest file")
    largest_text: int = Field(default=5_000_000, ge=1, description="characters of one document")
    most_pages: int = Field(default=2_000, ge=1, description="pages, sheets or slides of one document")
    seconds: float = Field(default=900.0, gt=0, description="for reading one document; then its process is ended")
    megabytes: int = Field(default=2_048, ge=256, description="memory of the processes that read one document")
    ocr_languages: tuple[str, ...] = Field(
        default=("eng", "chi_sim"), description="tesseract's languages; those not installed are left out"
    )

    chunk_size: int = Field(default=1_600, ge=200, description="characters of a chunk, at most")
    chunk_overlap: int = Field(
        default=320, ge=0, description="characters repeated from the chunk before, at most; under half of chunk_size"
    )

    # Tables: a row becomes a text, so that columns limit its length, and rows and cells the number of texts.
    most_columns: ClassVar[int] = 1_000  # of one table or sheet
    most_rows: ClassVar[int] = 200_000  # of all tables of one document
    most_cells: ClassVar[int] = 1_000_000  # of all tables of one document
    processes: ClassVar[int] = 0  # documents read at a time; 0: half as many as there are processors
    ocr_dpi: ClassVar[int] = 200  # of a page without text, as a picture: tesseract gains nothing from more
    attachment_depth: ClassVar[int] = 3  # mails in mails that are opened

    @model_validator(mode="after")
    def _overlap_is_under_half(self) -> Self:
        if self.chunk_overlap >= self.chunk_size / 2:
            raise ValueError(f"chunk_overlap: {self.chunk_overlap} is not under half of chunk_size, which is {self.chunk_size}")
        return self


class Flow(Group):
    """The stream."""

    processes: int = Field(
        default=1,
        ge=1,
        le=64,
        description="processes of mneme run; --processes wins; more than 1 need OpenSearch",
    )
    epoch_seconds: float = Field(default=1.0, ge=0, description="between snapshots of the state")
    pending_limit: int = Field(
        default=2000,
        ge=1,
        description="unfinished messages of a process at which it stops reading; with a chat model, at least "
        "50 for each call in flight",
    )
    change_feed: bool = Field(default=True, description="publish every written record on the memories topic")
    adopt_index: bool = Field(default=False, description="continue another store's index, or topics that lost events")

    # Buckets into which conversations and owners are hashed, fixed for a recovery store: four for each of 64 processes.
    buckets: ClassVar[int] = 256
    threads: ClassVar[int] = 16  # reads and embeddings of one process at a time; calls of chat models come on top
    source_batch: ClassVar[int] = 500  # events read at a time
    recovery_partitions: ClassVar[int] = 16  # files of a new recovery store that several processes may share
