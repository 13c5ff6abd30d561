"""Everything a verification reads from a host, its providers and Intel, and verified parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from svc_verifier.formats.event_log import BootIdentity, Event
from svc_verifier.formats.quote import Quote

COLLATERAL_BYTES: Final = 1_048_576
"""Largest collateral of one platform that is read. Intel's has some ten thousand bytes."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Absent, with the reason `why` in one line, without secrets."""

    why: str


@dataclass(frozen=True, slots=True)
class Connection:
    """TLS connection with the peer's certificates in DER, leaf first.

    `web_pki` is the reason why the Web PKI rejects chain or name, empty if it accepts them.
    """

    peer_der: tuple[bytes, ...]
    version: str
    web_pki: str


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """HTTP response. `connection` is its index in `Material.connections`."""

    status: int
    body: bytes
    connection: int


MaybeResponse: TypeAlias = HttpResponse | Missing


@dataclass(frozen=True, slots=True)
class ContractCall:
    """An eth_call with 20-byte address and calldata."""

    to: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class ContractLog:
    """Log entry of a contract, and the unix time of its block."""

    address: bytes
    topics: tuple[bytes, ...]
    data: bytes
    block_number: int
    block_time_s: int


@dataclass(frozen=True, slots=True)
class BlockHead:
    """Height and unix time of a block."""

    number: int
    time_s: int


@dataclass(frozen=True, slots=True)
class ProviderAnswers:
    """Replies of one JSON-RPC provider, all at one block. `name` is its host, without credentials.

    A call that reverted is present with None. `head` is its newest block at that time, which older
    bundles lack. `newest` holds the approvals at its newest block.
    """

    name: str
    chain_id: int
    block_number: int
    block_hash: bytes
    block_time_s: int
    code: Mapping[bytes, bytes] = field(default_factory=dict)
    storage: Mapping[tuple[bytes, bytes], bytes] = field(default_factory=dict)
    calls: Mapping[ContractCall, bytes | None] = field(default_factory=dict)
    logs: tuple[ContractLog, ...] | Missing = ()
    head: BlockHead | None = None
    newest: Mapping[ContractCall, bytes | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaaRecord:
    """CAA property with flags, tag and value (RFC 8659)."""

    flags: int
    tag: str
    value: str


@dataclass(frozen=True, slots=True)
class CaaRecords:
    """The relevant record set of a host, found at `name`; empty when there is none.

    `authenticated` is what the resolver says of DNSSEC.
    """

    name: str
    records: tuple[CaaRecord, ...]
    authenticated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything fetched about one host. `now_s` is the time to judge at, `nonce` has 32 bytes.

    `collateral` maps (FMSPC in upper-case hex, CA name) to collateral as dcap-qvl's JSON, without a
    quote's own chain. `evidences` holds the files of the evidence set by name.
    """

    host: str
    now_s: int
    nonce: bytes | None
    connections: tuple[Connection, ...]
    attestation: MaybeResponse
    info: MaybeResponse
    evidences: Mapping[str, MaybeResponse] | Missing
    collateral: Mapping[tuple[str, str], str] | Missing
    providers: tuple[ProviderAnswers | Missing, ...]
    caa: CaaRecords | Missing
    replayed: bool = False
    """Read from a bundle, so that live observations are its author's statements."""
    imported: bool = False
    """Put together from files, without a connection or freshness. A given certificate is
    `connections[0]`."""
    unreached: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """For collateral that is over a day old, by its key, why its source did not respond."""
    judged: str = ""
    """For an import of several quotes, which part was judged, and where the others are."""


@dataclass(frozen=True, slots=True)
class Platform:
    """Platform of a quote by its PCK certificate, whose chain is PEM. FMSPC is upper-case hex."""

    fmspc: str
    ca: str
    ppid: bytes
    pce_id: bytes
    chain_pem: bytes


@dataclass(frozen=True, slots=True)
class VerifiedQuote:
    """A quote whose signatures end in the pinned root. `ppid` is 16 bytes or empty."""

    quote: Quote
    tcb_status: str
    advisories: tuple[str, ...]
    fmspc: str
    ca: str
    ppid: bytes
    evaluation_number: int


@dataclass(frozen=True, slots=True)
class Boot:
    """A log that replays into a verified quote, and the identity before `system-ready`."""

    events: tuple[Event, ...]
    identity: BootIdentity


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """An evidence set whose quote vouches for it. `leaves` are its leaf certificates in DER."""

    checksums: bytes
    leaves: tuple[bytes, ...]
    account_uri: str | None
