"""Options of a simulated TEE. Every choice but the default must be noticed by a verifier."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from devkit.tee_simulator.compose import DEVELOPMENT_APP_COMPOSE

METHODS: Final = ("GetQuote", "Info", "GetKey", "GetTlsKey", "Version")
"""Methods of the simulated guest agent."""


class TcbStatus(StrEnum):
    """Patch level of the platform in its collateral, by Intel's names."""

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
    """The compose-hash event shows another hash with the digest of the true one."""
    RETYPED = "retyped"
    """The compose-hash event shows another hash, under a type with an opaque digest."""
    FOREIGN_REGISTER = "foreign-register"
    """A compose-hash event of register 9, which no quote has, is first, only beside quotes."""
    AFTER_READY = "after-ready"
    """The application measured its own event compose-hash after system-ready."""
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
    """Half a response, then the connection is cut."""
    GARBAGE = "garbage"
    HANG = "hang"


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Behaviour of the guest agent, with `latency_s` before each response. Quotes are queued.

    `methods` are those that are slow and fail; None means all.
    """

    latency_s: float = 0.0
    failure: Failure = Failure.NONE
    methods: frozenset[str] | None = None

    def concerns(self, method: str) -> bool:
        """Whether latency and failure concern this method."""
        return self.methods is None or method in self.methods


@dataclass(frozen=True, slots=True)
class SimulatorOptions:
    """Options of the simulated TD.

    `app_id` is the 20-byte address of its governance contract; None takes the first bytes of the
    compose hash, like dstack. `debug` sets the DEBUG bit of the TD attributes. `filled_digests`
    logs the digests of runtime events, like dstack until 2026. `event_version` is 1 or 2, the form
    of runtime digests. `advisories` come with a `tcb_status` that is not up to date.
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
