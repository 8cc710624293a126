"""A package whose own code runs when something is asked for that only it gives; its modules can be imported before.

``import lancedb`` takes .9 s of processor time, .6 s of it for a package that Mneme has no use for: the client of catalogues
behind REST, where pydantic makes a validator for each of some hundred calls. LanceDB itself names only its models.
"""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

CLIENT = "lance_namespace_urllib3_client"


def postpone(package: str) -> None:
    """Let ``import package.module`` not run the code of ``package``, unless it ran already or is not installed.

    Whatever is asked of the package that is not there yet runs its code; so nobody sees a difference but in time.
    """
    spec = None if package in sys.modules else find_spec(package)
    if spec is not None:
        module = module_from_spec(spec)
        module.__class__ = _Postponed
        sys.modules[package] = module


class _Postponed(ModuleType):
    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]  # a module's class may be set to any kind of module
        spec = self.__spec__
        assert spec is not None, "made from a specification that was found"
        assert spec.loader is not None, "a package that can be found has one"
        spec.loader.exec_module(self)
        return getattr(self, name)
