"""Events with the object as it was then.

Source: https://docs.stripe.com/api/events.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from devkit.processor.identifiers import fresh
from devkit.processor.objects import Event, Stored
from devkit.processor.store import Store


@dataclass(frozen=True, slots=True)
class Origin:
    """The request that caused events; both None for events without one."""

    request_id: str | None = None
    idempotency_key: str | None = None


class EventLog:
    """Records events for `lifetime_s` and calls `on_event` for each. `clock` is unix seconds."""

    def __init__(
        self, store: Store, clock: Callable[[], float], lifetime_s: float, on_event: Callable[[Event], None]
    ) -> None:
        self._store = store
        self._lifetime_s = lifetime_s
        self._clock = clock
        self._on_event = on_event
        self._origin = Origin()

    @contextlib.contextmanager
    def caused_by(self, origin: Origin) -> Iterator[None]:
        """Mark events noted inside as caused by this request; nothing may be awaited inside."""
        self._origin = origin
        try:
            yield
        finally:
            self._origin = Origin()

    def note(self, kind: str, subject: Stored, previous: Mapping[str, JsonValue] | None = None) -> None:
        """Record an event of `subject`; `previous` are the attributes it had before."""
        data: dict[str, JsonValue] = {"object": subject.shown()}
        if previous is not None:
            data["previous_attributes"] = dict(previous)
        event = Event(
            id=fresh("evt_"),
            created=int(self._clock()),
            data=data,
            pending_webhooks=0,
            request={"id": self._origin.request_id, "idempotency_key": self._origin.idempotency_key},
            type=kind,
        )
        # Before it is stored, since webhooks mark it as pending, and a start after a kill sends
        # stored pending events.
        self._on_event(event)
        self._store.events.put(event)
        self._forget_old()

    def _forget_old(self) -> None:
        limit, old = self._clock() - self._lifetime_s, []
        for event in self._store.events.oldest_first():
            if event.created > limit:
                break
            old.append(event.id)
        for identifier in old:
            self._store.events.drop(identifier)
