"""Texts that others wrote, as they may be shown at a terminal or stand in a log."""

# C0 without tab and line break, which have pictures in Unicode; DEL and C1; and what turns the direction of all that follows.
_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_OBEYED = {code: 0x2400 + code for code in range(32) if code not in (9, 10)}
_OBEYED |= dict.fromkeys((*range(127, 160), *_TURNING), 0xFFFD)


def escape_control_characters(text: str) -> str:
    """A text with signs in the place of characters that a terminal obeys: they set its title, fill the clipboard, or turn it.

    >>> escape_control_characters("a\\x1b[31mb")
    'a␛[31mb'
    """
    return text.translate(_OBEYED)
