"""What of a request makes its answer, as JSON that is the same whenever the same is asked."""

import hashlib
import json
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any


def request_of(content_type: str, body: bytes) -> Any:
    """A JSON body as it is; a form by its fields, since its boundary is drawn anew each time; files and all else by a hash."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data" and (fields := _form(content_type, body)):
        return {"form": fields}
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return {"content_type": kind, **_hashed(body)}


def model_of(request: Any) -> str:
    """The model that a request names; empty without one."""
    return str(fields_of(request).get("model") or "")


def fields_of(request: Any) -> dict[str, Any]:
    """The fields of a request by name, of JSON or of a form; none of anything else."""
    if not isinstance(request, dict):
        return {}
    form = request.get("form")
    return {field["name"]: field.get("value") for field in form} if isinstance(form, list) else request


def _form(content_type: str, body: bytes) -> list[dict[str, Any]]:
    header = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    message = BytesParser(policy=HTTP).parsebytes(header + body)
    return [_field(part) for part in message.iter_parts()] if message.is_multipart() else []


def _field(part: Any) -> dict[str, Any]:
    name, filename = part.get_param("name", "", header="content-disposition"), part.get_filename()
    content: bytes = part.get_payload(decode=True) or b""
    if filename is None:
        return {"name": str(name), "value": content.decode(errors="replace")}
    return {"name": str(name), "filename": filename, **_hashed(content)}


def _hashed(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
