import sys

import pytest

from connectors.indices import open_index
from connectors.lance.index import LanceIndex
from connectors.opensearch.index import OpenSearchIndex
from mneme.errors import SettingsError, StoreRejected
from mneme.settings import Index, Settings


def settings_for(backend, tmp_path) -> Settings:
    return Settings(index=Index(backend=backend), data=tmp_path / "data")


@pytest.mark.parametrize(("backend", "expected"), [("embedded", LanceIndex), ("opensearch", OpenSearchIndex)])
def test_the_setting_chooses_the_index(backend, expected, tmp_path):
    index = open_index(settings_for(backend, tmp_path))
    assert isinstance(index, expected)
    index.close()


@pytest.mark.parametrize("backend", ["embedded", "opensearch"])
def test_an_index_that_is_opened_for_reading_refuses_a_write(backend, tmp_path):
    index = open_index(settings_for(backend, tmp_path), read_only=True)
    with pytest.raises(StoreRejected, match="opened for reading only"):
        index.set_metadata({"run": "1"})
    index.close()


@pytest.mark.parametrize(("backend", "package"), [("embedded", "lancedb"), ("opensearch", "opensearchpy")])
def test_a_missing_package_is_named_with_its_extra(backend, package, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("connectors.lance.", "connectors.opensearch."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SettingsError, match=rf"^MNEME_INDEX__BACKEND: .*{package}.*mneme-river\[{backend}\]"):
        open_index(settings_for(backend, tmp_path))
