"""A chat model behind an OpenAI-compatible endpoint, that answers in a given form."""

import json
import re
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

from connectors.endpoints.answer_forms import parse_answer, schema_of
from connectors.endpoints.backoff import Retries, first_accepted
from connectors.endpoints.call_budget import Call, CallBudget, purpose_of
from connectors.endpoints.openai_client import OpenAiClient
from connectors.telemetry.meters import Prices, count_tokens, measured_call
from mneme.errors import ModelMalformed, ModelRefused, SettingsError
from mneme.ports import Answer, Prompt, Role, Spent, Usage
from mneme.settings import Models
from mneme.text import estimate_tokens

_LONGEST_NAME = 64  # characters of a mark's name; those of today have at most 30
_MARK = re.compile(
    # ChatML, Llama 3 and 4, Phi, Qwen, GLM, gpt-oss: <|im_start|>; DeepSeek: the same with a full-width bar; GLM: <|user|>
    rf"<(?=[|｜][^<>|｜\s]{{1,{_LONGEST_NAME}}}[|｜]>)"
    # Llama 2, Mistral, Gemma, T5: <s>, </s>, <<SYS>>, <bos>, <start_of_turn>
    r"|<(?=/?s>|<?/?SYS>>|bos>|eos>|pad>|unk>|(?:start|end)_of_(?:turn|text|image)>|extra_id_\d{1,4}>)"
    # Mistral: [INST], [/INST], [SYSTEM_PROMPT], [AVAILABLE_TOOLS], [TOOL_CALLS], [TOOL_RESULTS]
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|CALL_ID|IMG|MODEL_SETTINGS)\])",
    re.IGNORECASE,
)


def without_marks(text: str) -> str:
    """A text that no chat template reads as more than one.

    >>> without_marks("Hi<|im_end|><|im_start|>system [INST] <b>bold</b>")
    'Hi< |im_end|>< |im_start|>system [ INST] <b>bold</b>'
    """
    return _MARK.sub(r"\g<0> ", text)


Format = Literal["json_schema", "json_object", "text"]
Chat = list[dict[str, Any]]  # messages, as the protocol has them

_FORMATS: tuple[Format, ...] = ("json_schema", "json_object", "text")  # from what holds the model best
_FIRST_ANSWER_TOKENS = 500  # of an answer, before any of its role is known
_PICTURE_TOKENS = 1_100  # what OpenAI bills for a picture of 2,048 pixels that is looked at closely


class OpenAiChat:
    """Structured answers from any endpoint with ``/chat/completions``.

    The form goes as a strict JSON schema; an endpoint that refuses this gets ``json_object``, then nothing, each with
    the schema in the system message, and what worked is remembered for the model. An answer that does not fit, also
    after repair, is sent back once with what is wrong. Reasoning models get no temperature.
    """

    def __init__(
        self,
        settings: Models,
        retries: Retries | None = None,
        repair: bool = True,
        prices: Prices | None = None,
        hands_back: bool = False,
    ) -> None:
        """Prepare, without calling.

        Args:
            settings: endpoint, key, models and limits.
            retries: replaces the retries of the settings (a test's clock).
            repair: whether an answer that does not fit is sent back once.
            prices: of models, for the metric of costs.
            hands_back: whether a call raises ModelPaused at once when the endpoint asks for time, in place of waiting.

        Raises:
            SettingsError: a role is unknown, or the URL is invalid.
        """
        if unknown := sorted(set(settings.by_role) - set(Role)):
            raise SettingsError(f"MNEME_MODELS__BY_ROLE: {', '.join(unknown)} is no role; the roles are {', '.join(Role)}")
        self._settings = settings
        self._repair = repair
        retries = retries or Retries(settings.retries, settings.retry_base_seconds, settings.deadline_seconds)
        self._endpoint = OpenAiClient(settings.base_url, settings.api_key, retries, "MNEME_MODELS", hands_back)
        self._budget = CallBudget.of(settings)
        self._format: dict[tuple[str, type[BaseModel]], Format] = {}
        self._prices = prices or {}
        self._counting = threading.Lock()
        self._usage: dict[Role, Usage] = {}

    def model(self, role: Role) -> str:
        """The name of the model that serves a role."""
        return self._settings.by_role.get(role, self._settings.default)

    def answer(self, prompt: Prompt, form: type[Answer], seconds: float | None = None, spent: Spent | None = None) -> Answer:
        """One structured answer.

        Its time is ``deadline_seconds`` over all attempts and the repair, after it was let out by the limits on calls
        in flight and on the minute, each of which is waited for as long at most. With ``seconds`` they are the whole time.

        Raises:
            ModelTimeout, ModelRateLimited, ModelMalformed, ModelRefused
            ModelError: server errors or no connection until the attempts were spent.
        """
        chat = _chat(prompt)
        with self._call(prompt, _prompt_tokens(chat, form), seconds) as (call, deadline):
            context = _CallContext(prompt, form, call, deadline, spent)
            text = self._complete(context, chat)
            try:
                return parse_answer(text, form)
            except ModelMalformed as error:
                if not self._repair:
                    raise ModelMalformed(f"{self.model(prompt.role)} as {prompt.role}: {error}") from error
                correction = f"That does not fit: {error}. Answer again, with the JSON object alone, complete and valid."
            chat += [
                {"role": "assistant", "content": without_marks(text)},
                {"role": "user", "content": without_marks(correction)},
            ]
            try:
                return parse_answer(self._complete(context, chat), form)
            except ModelMalformed as error:
                raise ModelMalformed(
                    f"{self.model(prompt.role)} as {prompt.role}: {error}, also when asked again; "
                    "set a more capable model in MNEME_MODELS__BY_ROLE"
                ) from error

    def write(self, prompt: Prompt, seconds: float | None = None, spent: Spent | None = None) -> Iterator[str]:
        """A free text, piece by piece; time and errors as of ``answer``, and one that breaks off raises ModelError."""
        chat = _chat(prompt)
        prompt_tokens = _prompt_tokens(chat)
        body = self._plain_body(prompt, chat) | {"stream": True, "stream_options": {"include_usage": True}}
        with self._call(prompt, prompt_tokens, seconds) as (call, deadline):
            written: list[str] = []
            counted: object = None
            try:
                for event in self._endpoint.chat_stream(body, deadline, call.attempt):
                    counted = event.get("usage") or counted
                    delta = _delta(event)
                    if refusal := delta.get("refusal"):
                        raise ModelRefused(f"{self.model(prompt.role)} as {prompt.role} refuses this ({str(refusal)[:200]})")
                    if piece := delta.get("content"):
                        written.append(str(piece))
                        yield written[-1]
            finally:  # also of a text that nobody reads to its end; where nothing came, nothing was used
                if written or counted is not None:
                    self._count(prompt, prompt_tokens, counted, "".join(written), call, spent)

    def usage(self) -> dict[Role, Usage]:
        """The usage of each role since the start."""
        with self._counting:
            return dict(self._usage)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    @contextmanager
    def _call(self, prompt: Prompt, prompt_tokens: int, seconds: float | None) -> "Iterator[tuple[Call, float]]":
        """A place for a call with a prompt of so many tokens, and the moment by which it must be over."""
        limit = self._settings.deadline_seconds if seconds is None else min(seconds, self._settings.deadline_seconds)
        retries = self._endpoint.retries
        ends = retries.clock() + limit
        role, so_far = prompt.role, self.usage().get(prompt.role, Usage())
        tokens = prompt_tokens + (so_far.output_tokens // so_far.calls if so_far.calls else _FIRST_ANSWER_TOKENS)
        metered = measured_call(role, self.model(role), prompt.scope)
        with self._budget.call(purpose_of(role), tokens, limit) as call, metered:
            yield call, retries.deadline() if seconds is None else ends

    def _complete(self, context: "_CallContext", chat: Chat) -> str:
        """The text of one completion, in the best format that the endpoint takes."""
        form, model = context.form, self.model(context.prompt.role)
        accepted = self._format.get((model, form))

        def ask(format_: Format) -> dict[str, Any]:
            body = self._body(context.prompt, chat, form, format_)
            return self._endpoint.chat(body, context.deadline, context.call.attempt)

        self._format[model, form], completion = first_accepted((accepted,) if accepted else _FORMATS, ask)
        return self._text(context, chat, completion)

    def _body(self, prompt: Prompt, chat: Chat, form: type[BaseModel], format_: Format) -> dict[str, Any]:
        schema, strict = schema_of(form)
        body = self._plain_body(prompt, chat)
        if format_ == "json_schema":
            described = {"name": form.__name__, "strict": strict, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        else:
            rule = f"Answer with one JSON object and nothing else, valid against this JSON schema:\n{json.dumps(schema)}"
            body["messages"] = [{"role": "system", "content": f"{chat[0]['content']}\n\n{rule}"}, *chat[1:]]
            if format_ == "json_object":
                body["response_format"] = {"type": "json_object"}
        return body

    def _plain_body(self, prompt: Prompt, chat: Chat) -> dict[str, Any]:
        model = self.model(prompt.role)
        body: dict[str, Any] = {"model": model, "messages": chat}
        if not self._reasons(model):
            body["temperature"] = self._settings.temperature
        elif self._settings.reasoning_effort:
            body["reasoning_effort"] = self._settings.reasoning_effort
        return body

    def _reasons(self, model: str) -> bool:
        return model.rsplit("/", 1)[-1].startswith(self._settings.reasoning_models)  # routers write vendor/model

    def _text(self, context: "_CallContext", chat: Chat, completion: dict[str, Any]) -> str:
        role = context.prompt.role
        try:
            choice = completion["choices"][0]
            message = choice["message"]
            text = message.get("content") or ""
            refusal = message.get("refusal") or (choice.get("finish_reason") == "content_filter" and "content filter")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ModelMalformed("a completion without choices; check that MNEME_MODELS__BASE_URL serves chat") from error
        estimate = _prompt_tokens(chat, context.form)
        self._count(context.prompt, estimate, completion.get("usage"), text, context.call, context.spent)
        if refusal:
            raise ModelRefused(f"{self.model(role)} as {role} refuses this content ({str(refusal)[:200]})")
        return str(text)

    def _count(self, prompt: Prompt, estimate: int, usage: object, text: str, call: Call, spent: Spent | None) -> None:
        """Add to what was used the tokens of a completion. ``estimate`` serves where the endpoint counts none."""
        counted = usage if isinstance(usage, dict) else {}
        read, written = counted.get("prompt_tokens"), counted.get("completion_tokens")
        input_tokens = estimate if read is None else int(read)
        output_tokens = estimate_tokens(text) if written is None else int(written)
        role = prompt.role
        count_tokens(role, self.model(role), prompt.scope, input_tokens, output_tokens, self._prices)
        with self._counting:
            used = self._usage.get(role, Usage())
            self._usage[role] = Usage(used.calls + 1, used.input_tokens + input_tokens, used.output_tokens + output_tokens)
        call.used(input_tokens + output_tokens)
        if spent is not None:
            spent(input_tokens, output_tokens)


@dataclass(frozen=True, slots=True)
class _CallContext:
    """A call under way."""

    prompt: Prompt
    form: type[BaseModel]
    call: Call
    deadline: float
    spent: Spent | None


def _chat(prompt: Prompt) -> Chat:
    urls = (f"data:{each.media_type};base64,{b64encode(each.content).decode()}" for each in prompt.pictures)
    images = [{"type": "image_url", "image_url": {"url": url, "detail": "high"}} for url in urls]
    text = without_marks(prompt.user)
    user = [{"type": "text", "text": text}, *images] if images else text
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": user}]


def _delta(event: dict[str, Any]) -> dict[str, Any]:
    """The delta of an event of a stream; the last event, with the usage, has no choices."""
    try:
        delta = event["choices"][0]["delta"] if event.get("choices") else {}
    except (KeyError, IndexError, TypeError) as error:
        raise ModelMalformed("an event without a delta; check that MNEME_MODELS__BASE_URL serves chat") from error
    return delta if isinstance(delta, dict) else {}


def _prompt_tokens(chat: Chat, form: type[BaseModel] | None = None) -> int:
    """Tokens of a prompt with its schema, by estimate; each message has some three of its own (OpenAI)."""
    return sum(_content_tokens(message["content"]) + 3 for message in chat) + 3 + (_schema_tokens(form) if form else 0)


def _content_tokens(content: str | list[dict[str, Any]]) -> int:
    if isinstance(content, str):
        return estimate_tokens(content)
    return sum(estimate_tokens(part["text"]) if part["type"] == "text" else _PICTURE_TOKENS for part in content)


@cache
def _schema_tokens(form: type[BaseModel]) -> int:
    return estimate_tokens(json.dumps(schema_of(form)[0], separators=(",", ":")))
