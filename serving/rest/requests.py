"""Common parts of requests: the service, the caller and the place in a pool that a route gets, owners, filters and limits."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Any, get_origin

from annotated_types import MaxLen
from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json, model_validator
from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import QueryParams

from mneme.errors import InputError
from mneme.events import Name
from mneme.events.base import MOST_ENTRIES as MOST_ENTRIES
from mneme.records import Owner
from queries.filtering.filters import Filters
from serving.clients import one_owner
from serving.rest.keys import Caller
from serving.rest.pools import RequestPools, kind_of
from serving.service.service import Service

MOST_OF_A_PAGE = 200


class _Name(Convertor[str]):
    """The rest of a path, whatever it holds: a name may have slashes, and line breaks, which ``path`` leaves out."""

    regex = "(?s:.+)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("name", _Name())  # {id:name} in a route


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def _pools(request: Request) -> RequestPools:
    pools: RequestPools = request.app.state.pools
    return pools


ServiceIn = Annotated[Service, Depends(_service)]
CallerIn = Annotated[Caller, Depends(_caller)]
PoolsIn = Annotated[RequestPools, Depends(_pools)]


async def _pool_place(request: Request, pools: PoolsIn) -> AsyncIterator[None]:
    async with pools.admit(kind_of(request.scope["endpoint"]), request.state.identity):
        yield


_LISTS = frozenset({"conversation_id", "document_id", "participants"})  # parameters of lists that may be repeated


def refuse_repeated(parameters: QueryParams, lists: frozenset[str] = frozenset()) -> None:
    """Refuse a parameter that is given twice: a proxy in front might have checked the other one.

    Raises:
        InputError: one that is not among ``lists`` is repeated.
    """
    times = Counter(name for name, _ in parameters.multi_items())
    if twice := sorted({name for name, number in times.items() if number > 1} - lists):
        raise InputError(f"{', '.join(twice)}: given twice; leave one out")


async def _each_parameter_once(request: Request) -> None:
    refuse_repeated(request.query_params, _LISTS if request.method == "GET" else frozenset())


EACH_PARAMETER_ONCE = Depends(_each_parameter_once)
POOL_PLACE = Depends(_pool_place, scope="function")  # given back before the response is written


class RequestModel(BaseModel):
    """A request: what it does not know is refused, and lists that are too long before their entries are looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_few_entries(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            check_entries(given, _most_entries(cls))
        return given


def examples(*each: dict[str, Any]) -> ConfigDict:
    """The configuration of a request, with examples for its description."""
    return ConfigDict(json_schema_extra={"examples": list(each)})


@cache
def _most_entries(asked: type[BaseModel]) -> dict[str, int]:
    """The lengths of lists that the fields of a request name."""
    return {
        name: each.max_length
        for name, field in asked.model_fields.items()
        if get_origin(field.annotation) is tuple  # of a text it is the number of characters
        for each in field.metadata
        if isinstance(each, MaxLen)
    }


def json_object(value: Any) -> Any:
    """Refuse what is no JSON object, before anything is asked of it."""
    if not isinstance(value, dict):
        raise ValueError("is no JSON object")  # noqa: TRY004  pydantic takes no other
    return value


FiltersField = Annotated[
    dict[str, Any],
    BeforeValidator(json_object, json_schema_input_type=Filters),
    Field(description="whose memory, and which part of it", examples=[{"user_id": "user_123"}]),
]


def with_tenant(given: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """Filters or an event, with a tenant that the caller may name: the one that is there, else its own.

    What is no text stays as it is, and is refused where it is read.

    Raises:
        Forbidden: another tenant.
    """
    asked = given.get("tenant_id")
    return {**given, "tenant_id": caller.tenant_of(asked) if asked is None or isinstance(asked, str) else asked}


TenantId = Annotated[Name | None, Field(description="tenant of the owner; default: that of the key, else `default`")]


class OwnerParameters(RequestModel):
    """The owner: one of ``user_id`` and ``group_id``, or ``agent_id`` (with one of them that agent's track too)."""

    user_id: Name | None = Field(default=None, examples=["user_123"], description="owner: a user")
    group_id: Name | None = Field(default=None, description="owner: a group")
    agent_id: Name | None = Field(default=None, description="owner: an agent")
    tenant_id: TenantId = None

    @property
    def whose(self) -> dict[str, str]:
        """The ids of owners that are given."""
        return self.model_dump(include={"user_id", "group_id", "agent_id"}, exclude_none=True)

    def filters(self, caller: Caller) -> dict[str, Any]:
        """The filters of these parameters.

        Raises:
            Forbidden: another tenant.
        """
        return with_tenant(self._known(), caller)

    def _known(self) -> dict[str, Any]:
        """The filters that have a parameter of their own, and are given."""
        filters = self.model_dump(include=set(Filters.model_fields), exclude_none=True, exclude_unset=True)
        return {name: value for name, value in filters.items() if value != ()}

    def owner(self, caller: Caller) -> Owner:
        """The one owner that is meant.

        Raises:
            InputError: none, or several.
            Forbidden: another tenant.
        """
        return one_owner(self.user_id, self.group_id, self.agent_id, caller.tenant_of(self.tenant_id))


class FilterParameters(OwnerParameters):
    """The owner and further filters: those without a parameter of their own are in ``filters``."""

    further: Json[dict[str, Any]] | None = Field(
        default=None,
        alias="filters",
        max_length=65_536,
        description="other filters of a search, as a JSON object",
        examples=['{"participants": ["Ann"]}'],
    )

    def filters(self, caller: Caller) -> dict[str, Any]:
        """The filters of these parameters.

        Raises:
            InputError: a filter is given twice.
            Forbidden: another tenant.
        """
        known, further = self._known(), self.further or {}
        if twice := sorted(known.keys() & further.keys()):
            raise InputError(f"filters: {', '.join(twice)} given twice; leave one out")
        return with_tenant(further | known, caller)


_LOST_PLUS = re.compile(r"(?<=\d)[ ](?=\d\d:?\d\d$)")


def _with_plus(given: Any) -> Any:
    """A time as it was meant: a ``+`` that is not percent-encoded arrives as a blank ("T09:00:00 02:00")."""
    return _LOST_PLUS.sub("+", given) if isinstance(given, str) and given.count(":") > 1 else given


Moment = Annotated[datetime, BeforeValidator(_with_plus)]  # of a parameter


class PeriodParameters(FilterParameters):
    """The owner, filters and a period: ``since`` is inclusive, ``before`` exclusive; a time without an offset is UTC."""

    since: Moment | None = Field(default=None, description="inclusive; UTC without an offset")
    before: Moment | None = Field(default=None, description="exclusive")


Limit = Annotated[int, Field(ge=1, le=MOST_OF_A_PAGE, description="items of a page, at most 200")]
After = Annotated[str | None, Field(max_length=2048, description="`next` of the page before; null is the end")]
Wait = Annotated[float, Field(ge=0, le=3600, description="seconds, at most 60")]


class WaitParameters(RequestModel):
    """The tenant of what is waited for, and the time to wait for it."""

    tenant_id: TenantId = None
    wait: Wait = 0.0


MOST_MESSAGES = 1000  # or events, of a request; every other list and object has at most MOST_ENTRIES


def check_entries(given: Mapping[str, Any], most: Mapping[str, int]) -> None:
    """Refuse a list or an object with too many entries, before anything else looks at them.

    Args:
        given: a request, as JSON.
        most: entries of those of its fields that may have more, or fewer, than ``MOST_ENTRIES``.

    Raises:
        RequestValidationError: a list or an object has more than it may.
    """
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), given)]
    while waiting:
        place, value = waiting.pop()
        largest = most.get(str(place[0]), MOST_ENTRIES) if len(place) == 1 else MOST_ENTRIES
        if len(value) > largest:
            message = f"has {len(value)} entries; at most {largest} are taken"
            raise RequestValidationError([{"type": "too_long", "loc": ("body", *place), "msg": message}])
        entries = value.items() if isinstance(value, Mapping) else enumerate(value)
        waiting += [((*place, name), each) for name, each in entries if isinstance(each, Mapping | list | tuple)]
