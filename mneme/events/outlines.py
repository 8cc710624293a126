"""The outline of JSON: what is left of it without its texts and its blanks. It tells how much there is before it is parsed.

What a parser makes of JSON, and how long it takes, depends on the number of values far more than on the bytes: 16 MB of one
text are a string, 16 MB of ``1,`` are eight million objects.
"""

DEEPEST = 32  # levels of JSON; events need four

_PIECE = 1 << 18  # bytes looked at in one go: other threads get their turn in between
_BLANKS = b" \t\r\n"
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ALIKE = bytes.maketrans(b"{}", b"[]")


def outline(raw: bytes, most: int | None = None) -> bytes:
    r"""JSON with a quote in place of each of its texts, and no blanks. The time grows with its length.

    >>> outline(rb'{"a": ["b\"[", 12]}')
    b'{":[",12]}'

    Args:
        raw: JSON; of bytes that are none, something.
        most: characters after which the rest is left out.
    """
    found: list[bytes] = []
    length = within = 0  # whether a text has begun in the piece before
    rest = b""
    for begin in range(0, len(raw), _PIECE):
        piece = rest + raw[begin : begin + _PIECE]
        ends = len(piece) - (len(piece) - len(piece.rstrip(b"\\"))) % 2  # before an escape that goes on in the next piece
        piece, rest = piece[:ends], piece[ends:]
        parts = [b""] * within + piece.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        found.append(b'"'.join(parts[::2]).translate(None, _BLANKS))
        within = (len(parts) - 1) % 2
        length += len(found[-1])
        if most is not None and length > most:
            break
    return b"".join(found)


def is_deeper(raw: bytes) -> bool:
    """Whether JSON is nested deeper than ``DEEPEST``."""
    return raw.count(b"[") + raw.count(b"{") > DEEPEST and is_deeper_outline(outline(raw))


def is_deeper_outline(outlined: bytes) -> bool:
    """Whether JSON of this outline is nested deeper than ``DEEPEST``: innermost levels are taken away, as often as that.

    Of bytes that are no JSON the answer may be wrong either way; they are refused whatever it is.
    """
    brackets = outlined.translate(_ALIKE, delete=_NO_BRACKETS)
    for _ in range(DEEPEST):
        brackets, before = brackets.replace(b"[]", b""), len(brackets)
        if len(brackets) == before:  # empty, or nothing closes
            break
    return bool(brackets)
