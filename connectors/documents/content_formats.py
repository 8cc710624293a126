"""Which format bytes are in that no parser of the house reads, told by their beginning and never by a name.

There is no parser of archives, XML or PDF here: an archive that would unpack to terabytes, or XML whose entities would, is
refused or kept as the text that it is, and never opened.
"""

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive (Word, Excel and EPUB files are, too)"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"PK\x07\x08", "a ZIP archive"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh91AY&SY", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\x04\x22\x4d\x18", "LZ4"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a database"),
    (b"PAR1", "Parquet"),
)


def unread_format(content: bytes) -> str | None:
    """The format of bytes that cannot be read as text; None for what may be one. The first 64 KiB decide.

    >>> unread_format(b"%PDF-1.7 ...")
    'a PDF'
    """
    head = content[:65_536]
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    found = next((name for beginning, name in _BEGINNINGS if begin.startswith(beginning)), None)
    return found or ("binary data" if b"\0" in head else None)
