"""Every error that Mneme raises on purpose.

MnemeError
├── InputError              what came in is wrong: names the field and the remedy; in the stream it is dead-lettered
├── SettingsError           the configuration is wrong: stops the program with the setting's name
├── ModelError              a model endpoint or a local model did not give a usable answer
│   ├── ModelTimeout        no answer within the deadline
│   ├── ModelRateLimited    429 after all retries
│   │   └── ModelPaused     the endpoint is left alone for some seconds, and answers after that
│   ├── ModelMalformed      an answer that the schema refuses, also after repair
│   └── ModelRefused        the endpoint refuses the request (content policy, unknown model)
│       └── ModelKeyRefused it refuses the key or the account: it answers once that is put right
└── StoreError              Kafka, an index or the recovery store
    ├── StoreRejected       this request will never succeed (mapping, wrong embedder, lost offsets, a second runner)
    └── StoreUnavailable    it may succeed later (connection, read-only block, too many requests)
        ├── DiskFull        it may succeed when somebody has made room on a volume of this machine
        └── NoIndexYet      it may succeed when a flow has made the embedded index

Errors of libraries are mapped to these at the connector and chained (``raise ... from``), so nothing above a
connector needs to know which client it uses. Each message says what to do next.
"""


class MnemeError(Exception):
    """Base of all errors that Mneme raises on purpose."""


class InputError(MnemeError):
    """The input is wrong; the message names the field and the remedy."""


class SettingsError(MnemeError):
    """The configuration is wrong; the message names the setting."""


class ModelError(MnemeError):
    """A model did not give a usable answer."""


class ModelTimeout(ModelError):
    """No answer within the deadline of the call."""


class ModelRateLimited(ModelError):
    """The endpoint kept answering 429 until the retries were spent."""


class ModelPaused(ModelRateLimited):
    """The endpoint is left alone, as it asked or because it fails; the same call may go out after ``seconds``."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class ModelMalformed(ModelError):
    """The answer does not fit the schema, also after repair."""


class ModelRefused(ModelError):
    """The endpoint refuses the request and would refuse it again."""


class ModelKeyRefused(ModelRefused):
    """The endpoint refuses the key or the account; the same request is answered once that is put right."""


class StoreError(MnemeError):
    """Kafka, an index or the recovery store failed."""


class StoreRejected(StoreError):
    """The store refuses this request and would refuse it again."""


class StoreUnavailable(StoreError):
    """The store cannot serve now; the same request may succeed later."""


class DiskFull(StoreUnavailable):
    """There is no room left on a volume of this machine."""


class NoIndexYet(StoreUnavailable):
    """There is no embedded index in this folder; a flow makes it."""
