"""The fonts that samples are drawn with: Debian's, by their files."""

from functools import cache
from pathlib import Path

_ROOT = Path("/usr/share/fonts/truetype")
_FILES = {
    "sans": ((_ROOT / "dejavu/DejaVuSans.ttf",), "fonts-dejavu-core"),
    "serif": ((_ROOT / "dejavu/DejaVuSerif.ttf",), "fonts-dejavu-core"),
    "chinese": ((_ROOT / "wqy/wqy-zenhei.ttc", _ROOT / "wqy/wqy-microhei.ttc"), "fonts-wqy-zenhei"),
}


class FontMissing(RuntimeError):
    """A font that samples are drawn with is not installed."""


@cache
def font_file(name: str) -> Path:
    """The file of ``sans``, ``serif`` or ``chinese``.

    Raises:
        FontMissing: it is not installed; the message says how to install it.
    """
    files, package = _FILES[name]
    for file in files:
        if file.is_file():
            return file
    raise FontMissing(f"no {name} font on this machine; install it: apt-get install {package}")
