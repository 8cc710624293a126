"""Packages that a library imports and that Mneme has no use for: their names are there, their code runs when one is used.

``import lancedb`` takes 1 s of processor time: .75 s for catalogues behind REST, where pydantic makes a validator for each of
some hundred messages and calls, and .1 s to check that the methods of its own classes override each other well.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

CATALOGUES = ("lance_namespace", "lance_namespace_urllib3_client")


@contextmanager
def postponed(*packages: str) -> Iterator[None]:
    """Let what is imported in the block have names of these packages without their code, if it has not run yet.

    The code runs when such a name is used, or anything is asked of the package behind the block; so nobody sees a difference
    but in time. Exceptions are caught by their class itself: ``errors`` of a package is imported as ever.
    """
    finder = _Finder(packages)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        finder.is_open = False


@contextmanager
def unchecked_overrides() -> Iterator[None]:
    """Let ``overrides`` check no class in the block. LanceDB itself does so from Python 3.12 on, where it is not needed."""
    if "overrides" in sys.modules:
        yield
        return
    unchecked: Any = ModuleType("overrides")
    unchecked.EnforceOverrides, unchecked.override = type("EnforceOverrides", (), {}), lambda method: method
    sys.modules["overrides"] = unchecked
    try:
        yield
    finally:
        del sys.modules["overrides"]


class _Finder(MetaPathFinder):
    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages
        self.is_open = True

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """See ``MetaPathFinder``."""
        package, _, inner = fullname.partition(".")
        spec = PathFinder.find_spec(fullname, path, target) if package in self._packages and inner != "errors" else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Postponing(self, spec.loader)
        return spec


class _Postponing(Loader):
    def __init__(self, finder: _Finder, loader: Loader) -> None:
        self._finder = finder
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """See ``Loader``."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Make it one that runs its code later."""
        assert module.__spec__ is not None, "a module that is being imported"
        module.__loader__ = module.__spec__.loader = self._loader
        module.__spec__.loader_state = self._finder
        module.__class__ = _Postponed


class _Postponed(ModuleType):
    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        assert spec is not None, "see _Postponing"
        assert spec.loader is not None, "see _Postponing"
        if spec.loader_state.is_open:
            return _Name(self.__name__, name)
        self.__class__ = ModuleType  # type: ignore[assignment]  # a module's class may be set to any kind of module
        spec.loader.exec_module(self)
        return getattr(self, name)


class _Name:
    """Stands for a class or a function of a package; whatever is done with it is done with that."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def _own(self) -> Any:
        return getattr(import_module(self._module), self._name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._own()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own(), name)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._own())

    def __mro_entries__(self, bases: tuple[type, ...]) -> tuple[type, ...]:
        return (self._own(),)
