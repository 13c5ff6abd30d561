"""What the cache does, counted."""

from typing import Protocol

from prometheus_client import CollectorRegistry, Gauge

from node.chain.authorisations.readings import Kind
from node.runtime.counts import Counts


class CacheObserver(Protocol):
    """Told of each question how it was answered."""

    def hit(self, kind: Kind) -> None:
        """From what is kept."""
        ...

    def miss(self, kind: Kind) -> None:
        """From the chain: nothing good was kept."""
        ...

    def reread(self, kind: Kind) -> None:
        """From the chain: a denial was kept, and is not told without a second look."""
        ...

    def voided(self, kind: Kind) -> None:
        """A reading, young enough still, was found void by what was told since."""
        ...

    def sized(self, keys: int, readings: int) -> None:
        """So much is kept now."""
        ...


class CacheMetrics:
    """The counters of one node."""

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, meaning: str) -> Counts:
            made = Counts(f"svc_authorisation_cache_{name}", meaning, ["kind"], registry)
            for kind in Kind:
                made.begin(kind)
            return made

        def gauge(name: str, meaning: str) -> Gauge:
            return Gauge(f"svc_authorisation_cache_{name}", meaning, registry=registry)

        self._hits = counter("hits", "Authorisations answered from the cache")
        self._misses = counter("misses", "Authorisations read from the chain")
        self._rereads = counter("rereads", "Cached denials read once more at the head before they were told")
        self._voided = counter("voided", "Cached authorisations found void by events and reorganisations")
        self._keys = gauge("keys", "API keys of which the cache keeps something")
        self._readings = gauge("readings", "Authorisations the cache keeps")

    def hit(self, kind: Kind) -> None:
        """See CacheObserver."""
        self._hits.add(kind)

    def miss(self, kind: Kind) -> None:
        """See CacheObserver."""
        self._misses.add(kind)

    def reread(self, kind: Kind) -> None:
        """See CacheObserver."""
        self._rereads.add(kind)

    def voided(self, kind: Kind) -> None:
        """See CacheObserver."""
        self._voided.add(kind)

    def sized(self, keys: int, readings: int) -> None:
        """See CacheObserver."""
        self._keys.set(keys)
        self._readings.set(readings)
