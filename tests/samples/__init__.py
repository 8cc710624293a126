"""Files of every format with known text, in English and Chinese, and hostile ones.

    papers.py  english.py  chinese.py  records.py    what they say
    pages.py  office.py  texts.py  drawings.py  scans.py    how it becomes files
    collection.py    samples(format)    hostile.py    hostile()
    known_text.py    recall of a parsed document    table.py    docs/formats.md

The same sample is the same bytes each time; only those that LibreOffice or encryption made differ.
"""

from tests.samples.collection import FORMATS, samples
from tests.samples.hostile import hostile
from tests.samples.sample import Hostile, Sample

__all__ = ["FORMATS", "Hostile", "Sample", "hostile", "samples"]
