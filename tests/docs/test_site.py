"""The documentation as a site: it is built without a warning, and loads nothing from elsewhere."""

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MKDOCS = Path(sysconfig.get_path("scripts")) / "mkdocs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [str(MKDOCS), "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_of_docs_is_a_page_of_the_site(site: Path) -> None:
    docs = ROOT / "docs"
    pages = {page.relative_to(docs).with_suffix(".html") for page in docs.rglob("*.md")}
    assert {page for page in pages if not (site / page).exists()} == set()
    assert all((site / page).exists() for page in ("index.html", "changelog.html", "contributing.html", "reference/cli.html"))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=[\"']?(https?:|//)", text)
        assert loaded == [], page.name


def test_the_references_come_from_the_code(site: Path) -> None:
    python = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert all(
        f'id="{name}"' in python for name in ("queries.Memories.search", "connectors.Publisher.send", "mneme.events.Message")
    )
    commands = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    assert all(command in commands for command in ("mneme search", "mneme admin dead-letters replay", "--as-of"))


def test_the_search_of_the_site_knows_the_pages(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "publishing.html" in index
