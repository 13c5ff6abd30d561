"""A call of the API, and the routes that answer it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from devkit.processor.events import EventLog
from devkit.processor.forms import Form
from devkit.processor.limits import LocalProcessorLimits
from devkit.processor.search import SearchIndex
from devkit.processor.store import Store

Json = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Call:
    """A handler's view of the request: parameters, the ids in the path, whether the key was the secret one."""

    form: Form
    ids: Mapping[str, str]
    secret: bool
    path: str


Handler = Callable[[Call], Json]
"""Does the work at once, without awaiting, and returns the JSON. Raises ApiError."""


@dataclass(frozen=True, slots=True)
class Route:
    """`path` has its ids in braces; `allowed` are the parameters; `publishable`: the publishable key may call it."""

    method: str
    path: str
    handler: Handler
    allowed: frozenset[str] = field(default_factory=frozenset)
    publishable: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    """Shared parts of all subjects; `clock` is unix time in seconds, `url` answers where the processor listens."""

    store: Store
    events: EventLog
    search: SearchIndex
    clock: Callable[[], float]
    url: Callable[[], str]
    limits: LocalProcessorLimits

    def now(self) -> int:
        """Unix time in whole seconds."""
        return int(self.clock())
