"""The public names, pinned: a change here is a change for those who use Mneme. And the examples in docstrings."""

import doctest
import importlib
import pkgutil

import pytest

import mneme
from mneme import errors


def test_the_public_names_are_these() -> None:
    assert mneme.__all__ == sorted(mneme.__all__)
    assert set(mneme.__all__) == {
        *("AgentCase", "AgentSkill", "AtomicFact", "Entity", "Episode", "Foresight", "Owner", "Profile", "Relationship"),
        *("StoredMessage", "ToolCall"),
        *("Message", "Edit", "Delete", "Correct", "Retract", "Flush", "Forget", "ForgetDocument", "Erase", "Document"),
        *("MnemeError", "InputError", "SettingsError", "ModelError", "StoreError", "StoreRejected", "StoreUnavailable"),
        *("Settings", "load_settings"),
    }
    assert all(hasattr(mneme, name) for name in mneme.__all__)


def test_every_error_is_drawn_in_the_tree_on_the_first_page() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert all(issubclass(error, errors.MnemeError) for error in classes)
    assert all(error.__name__ in (errors.__doc__ or "") for error in classes)


@pytest.mark.parametrize("name", [module.name for module in pkgutil.walk_packages(mneme.__path__, "mneme.")])
def test_the_examples_in_docstrings_are_right(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
