"""The services of a compose file."""

from collections.abc import Iterator
from dataclasses import dataclass

from svc_verifier.compose.tree import Fields, Items, Node


@dataclass(frozen=True, slots=True)
class Service:
    """One service by name; a merged one may come more than once, each time with all its keys."""

    name: str
    fields: Fields

    def entries(self, key: str) -> Iterator[Node]:
        """What the lists under `key` hold, over all values the key may take; mappings and scalars count as one entry."""
        for value in self.fields.all(key):
            if isinstance(value, Items):
                yield from value.items
            else:
                yield value


def services_of(compose: Fields) -> tuple[Service, ...]:
    """Every service that is a mapping, as `keys.unknown_keys` objects to the others."""
    return tuple(
        Service(name, service)
        for services in compose.all("services")
        if isinstance(services, Fields)
        for name, service in services.pairs
        if isinstance(service, Fields)
    )
