"""The form that a model fills in for one episode. Its field descriptions are part of the prompt, so they are short."""

from typing import Annotated

from pydantic import BaseModel, Field

Sources = Annotated[list[int], Field(description="numbers of the messages that say it")]
Date = Annotated[str | None, Field(description="ISO date, or null")]


class FactForm(BaseModel):
    """A fact."""

    statement: str = Field(description="self-contained, third person, names instead of pronouns, dates absolute")
    topic: str = Field(description="two to five words")
    sources: Sources
    event_start: Date = None
    event_end: Date = None


class EntityForm(BaseModel):
    """A named thing."""

    name: str
    type: str = Field(description="person, organisation, location, object or another word")
    summary: str = Field(description="what is said of it, one sentence")
    sources: Sources


class RelationshipForm(BaseModel):
    """An edge between two entities."""

    source: str
    relation: str = Field(description="snake_case: works_at, lives_in, married_to, parent_of, friend_of, has_pet, ...")
    target: str
    date: Date = None
    sources: Sources


class ForesightForm(BaseModel):
    """Something expected."""

    statement: str = Field(description="a plan, appointment or deadline")
    evidence: str = Field(description="the words that say so")
    start: Date = None
    end: Date = None
    sources: Sources


class ProfileForm(BaseModel):
    """What a person is like."""

    about: str = Field(description="the person's name")
    statement: str
    category: str = Field(description="preference, dislike, goal, skill, identity, health, habit, ...")
    implicit: bool = Field(description="shown rather than said")
    sources: Sources


class CaseForm(BaseModel):
    """A task that an agent did with tools."""

    task_intent: str
    approach: str = Field(description="the steps, numbered")
    quality_score: float = Field(description="0 to 1")
    key_insight: str = Field(description="what to know next time")


class EpisodeForm(BaseModel):
    """Everything worth remembering of an episode."""

    subject: str = Field(description="up to ten words")
    summary: str = Field(description="two or three sentences")
    narrative: str = Field(description="what happened, in order, third person, with the date")
    facts: list[FactForm]
    entities: list[EntityForm]
    relationships: list[RelationshipForm]
    foresights: list[ForesightForm]
    profile: list[ProfileForm]
    case: CaseForm | None = Field(default=None, description="null unless tools were called")
