"""`/v1/events` of the last thirty days.

Source: https://docs.stripe.com/api/events/list.
"""

import fnmatch
from collections.abc import Iterator
from typing import Final

from devkit.processor.calls import Call, Core, Json, Route
from devkit.processor.errors import parameter_invalid, resource_missing
from devkit.processor.lists import PAGING_AND_CREATED, listed
from devkit.processor.objects import Event

MAX_TYPES: Final = 20


class EventRoutes:
    """Retrieve and list."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Returns the routes of events."""
        return [
            Route("GET", "/v1/events", self.list, PAGING_AND_CREATED | {"type", "types", "delivery_success"}),
            Route("GET", "/v1/events/{event}", self.retrieve),
        ]

    def list(self, call: Call) -> Json:
        """Returns the events, newest first; `type` may end in `*`."""
        types, one = call.form.texts("types"), call.form.text("type")
        if types and one is not None:
            raise parameter_invalid("You may only specify one of these parameters: type, types.", "types")
        if len(types) > MAX_TYPES:
            raise parameter_invalid(f"At most {MAX_TYPES} types can be given.", "types")
        wanted = types if one is None else [one]
        found = [event for event in self._retained() if not wanted or _is_any(event, wanted)]
        if call.form.has("delivery_success"):
            delivered = call.form.flag("delivery_success")
            found = [event for event in found if (event.pending_webhooks == 0) is delivered]
        return listed(call, self._core.limits, found)

    def retrieve(self, call: Call) -> Json:
        """Returns an event."""
        event = self._core.store.events.get(call.ids["event"])
        if event.created <= self._oldest():
            raise resource_missing("event", event.id)
        return event.shown()

    def _retained(self) -> Iterator[Event]:
        return (event for event in self._core.store.events.newest_first() if event.created > self._oldest())

    def _oldest(self) -> float:
        return self._core.clock() - self._core.limits.events_lifetime_s


def _is_any(event: Event, wanted: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(event.type, pattern) for pattern in wanted)
