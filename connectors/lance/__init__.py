"""The embedded index, on LanceDB, with the rows of the owners that are searched in memory."""

from connectors.lance.postponed import CLIENT, postpone

postpone(CLIENT)  # before any module here imports LanceDB
