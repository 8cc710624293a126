"""``python -m tests.samples FOLDER``: write all samples, and the hostile ones beside them."""

import json
import sys
from pathlib import Path

from tests.samples import FORMATS, hostile, samples


def write(folder: Path) -> int:
    """Every sample under ``folder/FORMAT``, hostile ones under ``folder/hostile``, and ``folder/samples.json``: what is known.

    How many files it wrote, the list not among them.
    """
    known = []
    for format in FORMATS:
        for sample in samples(format):
            file = folder / format / sample.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(sample.content)
            known.append(
                {
                    "file": f"{format}/{sample.name}",
                    "format": format,
                    "title": sample.title,
                    "dated_at": sample.dated_at and sample.dated_at.isoformat(),
                    "language": sample.language,
                    "scan": sample.scan,
                    "texts": dict(sample.texts),
                }
            )
    (folder / "hostile").mkdir(exist_ok=True)
    for each in hostile():
        (folder / "hostile" / each.name).write_bytes(each.content)
    (folder / "samples.json").write_text(json.dumps(known, ensure_ascii=False, indent=1), encoding="utf-8")
    return len(known) + len(hostile())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.samples FOLDER")
    print(f"{write(Path(sys.argv[1]))} files in {sys.argv[1]}")
