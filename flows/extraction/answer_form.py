"""The form that a model fills in for one episode.

It is billed with every question, so descriptions say only what neither a field's name nor the rules say. What a model answers
costs several times as much, so nothing is asked that follows from the rest: not the narrative, which tells the facts in order,
nor the topic of a fact, the summary and the sources of an entity, the words behind a plan.
"""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

Sources = list[int]  # numbers of messages
Date = Annotated[str, BeforeValidator(lambda written: written or "")]  # ISO day, week, month, year or A/B; empty for none


class FactForm(BaseModel):
    """A fact."""

    statement: str
    when: Date = ""
    sources: Sources


class EntityForm(BaseModel):
    """A named thing."""

    name: str
    type: str = Field(description="person, organisation, location, object or another word")


class RelationshipForm(BaseModel):
    """An edge between two entities; where ``ended``, its date is when it was over."""

    source: str
    relation: str = Field(description="works_at, lives_in, married_to, parent_of, friend_of, has_pet, ...")
    target: str
    ended: bool = Field(default=False, description="it is over")
    date: Date = Field(default="", description="of its beginning or end")
    sources: Sources


class ForesightForm(BaseModel):
    """Something expected."""

    statement: str = Field(description="a plan, appointment or deadline")
    when: Date = ""
    sources: Sources


class ProfileForm(BaseModel):
    """A trait of a person."""

    about: str = Field(description="the person's name")
    statement: str
    category: str = Field(description="preference, dislike, goal, skill, identity, health, habit, ...")
    implicit: bool = Field(description="shown, not said")
    sources: Sources


class CaseForm(BaseModel):
    """A task that an agent did with tools."""

    task_intent: str
    approach: str = Field(description="numbered steps")
    quality_score: float = Field(description="0 to 1, as it ended")
    key_insight: str = Field(description="for next time")


class EpisodeForm(BaseModel):
    """Everything worth remembering of an episode."""

    subject: str = Field(description="up to 10 words")
    summary: str = Field(description="2 sentences")
    facts: list[FactForm]
    entities: list[EntityForm]
    relationships: list[RelationshipForm]
    foresights: list[ForesightForm]
    profile: list[ProfileForm]
    case: CaseForm | None = Field(default=None, description="null unless tools were called")
