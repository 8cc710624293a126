"""No flow runs meanwhile: what changes an index behind the back of the flows first holds their recovery stores."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from connectors.durable import FolderLock
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.settings import Settings


@contextmanager
def flows_at_rest(settings: Settings) -> Iterator[None]:
    """Hold the recovery stores of all flows of ``MNEME_DATA``.

    Raises:
        StoreRejected: a flow runs.
    """
    with ExitStack() as stack:
        for folder in sorted(settings.data.glob("recovery/*/")):
            try:
                stack.callback(FolderLock(folder, "the recovery store").release)
            except StoreUnavailable as error:
                raise StoreRejected(f"a flow runs on {settings.data}: {error}") from error
        yield
