"""What stages hand on: values that a passed check vouches for."""

from dataclasses import dataclass

from svc_verifier.formats.boot import BootIdentity
from svc_verifier.formats.event_log import Event
from svc_verifier.formats.quote import Quote


@dataclass(frozen=True, slots=True)
class VerifiedQuote:
    """A quote whose signatures end in the pinned root. `fmspc` is upper-case hex, `ppid` 16 bytes or empty."""

    quote: Quote
    tcb_status: str
    advisories: tuple[str, ...]
    fmspc: str
    ca: str
    ppid: bytes
    evaluation_number: int


@dataclass(frozen=True, slots=True)
class Boot:
    """A log that replays into a verified quote, and the identity it states before `system-ready`."""

    events: tuple[Event, ...]
    identity: BootIdentity


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """An evidence set whose quote vouches for it. `leaves` are the DER leaf certificates of its cert files."""

    checksums: bytes
    leaves: tuple[bytes, ...]
    account_uri: str | None
