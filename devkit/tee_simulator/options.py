"""Options of a simulated TEE. Every choice but the default is a fault that a verifier must notice."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from devkit.tee_simulator.compose import DEVELOPMENT_APP_COMPOSE

METHODS: Final = ("GetQuote", "Info", "GetKey", "GetTlsKey", "Version")
"""Methods of the simulated guest agent."""


class TcbStatus(StrEnum):
    """Patch level of the platform in its collateral; the names are Intel's."""

    UP_TO_DATE = "UpToDate"
    SW_HARDENING_NEEDED = "SWHardeningNeeded"
    CONFIGURATION_NEEDED = "ConfigurationNeeded"
    CONFIGURATION_AND_SW_HARDENING_NEEDED = "ConfigurationAndSWHardeningNeeded"
    OUT_OF_DATE = "OutOfDate"
    OUT_OF_DATE_CONFIGURATION_NEEDED = "OutOfDateConfigurationNeeded"
    REVOKED = "Revoked"


class EventFault(StrEnum):
    """Faults of the event log."""

    NONE = "none"
    SWAPPED_PAYLOAD = "swapped-payload"
    """The compose-hash event shows another hash, and still the digest of the true one."""
    RETYPED = "retyped"
    """The compose-hash event shows another hash under an event type whose digest nobody recomputes."""
    FOREIGN_REGISTER = "foreign-register"
    """In front stands a compose-hash event of a register, 9, that no quote has: beside quotes alone, not in Info."""
    AFTER_READY = "after-ready"
    """The application measured an event named compose-hash of its own, after system-ready."""
    MISSING = "missing"
    """No compose-hash event was measured."""
    DUPLICATE = "duplicate"
    """A second compose-hash event was measured before system-ready."""
    OUT_OF_ORDER = "out-of-order"
    """system-ready was measured before compose-hash."""


class Failure(StrEnum):
    """Failures of the guest agent."""

    NONE = "none"
    ERROR = "error"
    HALF = "half"
    """Half an answer, then the connection is cut."""
    GARBAGE = "garbage"
    HANG = "hang"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Behaviour of the guest agent: `latency_s` before each response, where quotes wait for one another as on the real platform.

    `methods` are those that are slow and fail; None means all.
    """

    latency_s: float = 0.0
    failure: Failure = Failure.NONE
    methods: frozenset[str] | None = None

    def concerns(self, method: str) -> bool:
        """Whether latency and failure meet this method."""
        return self.methods is None or method in self.methods


@dataclass(frozen=True, slots=True)
class SimulatorOptions:
    """Options of the simulated TD.

    `app_id` is 20 bytes, the address of its governance contract; None takes the first 20 bytes of the compose hash, as
    dstack does without one. `debug` sets the DEBUG bit of the TD attributes. `filled_digests` writes the digests of
    runtime events into the log, as dstack did until 2026. `event_version` is 1 or 2, the form of runtime digests.
    `advisories` are named by the collateral beside a `tcb_status` that is not up to date.
    """

    app_compose: str = DEVELOPMENT_APP_COMPOSE
    app_id: bytes | None = None
    debug: bool = False
    tcb_status: TcbStatus = TcbStatus.UP_TO_DATE
    advisories: tuple[str, ...] = ("INTEL-SA-00000",)
    events: EventFault = EventFault.NONE
    event_version: int = 1
    filled_digests: bool = False
    behaviour: Behaviour = field(default_factory=Behaviour)
