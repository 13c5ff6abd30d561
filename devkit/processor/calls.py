"""A call of the API, and the routes that serve it."""

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
    """Request of a handler, with parameters, ids of the path, and whether the key was secret."""

    form: Form
    ids: Mapping[str, str]
    secret: bool
    path: str


Handler = Callable[[Call], Json]
"""Handler that works without awaiting and returns the JSON. Raises ApiError."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route. `path` has its ids in braces; `allowed` are the parameters."""

    method: str
    path: str
    handler: Handler
    allowed: frozenset[str] = field(default_factory=frozenset)
    publishable: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    """Shared parts of all subjects. `clock` is in unix seconds, `url` the processor's address."""

    store: Store
    events: EventLog
    search: SearchIndex
    clock: Callable[[], float]
    url: Callable[[], str]
    limits: LocalProcessorLimits

    def now(self) -> int:
        """Returns unix time in whole seconds."""
        return int(self.clock())
