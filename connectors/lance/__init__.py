"""The embedded index, on LanceDB, with the rows of the owners that are searched in memory."""

from connectors.lance.postponed import CATALOGUES, postponed, unchecked_overrides

with postponed(*CATALOGUES), unchecked_overrides():
    import lancedb  # noqa: F401  # for all modules here
