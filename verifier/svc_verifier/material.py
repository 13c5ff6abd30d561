"""Everything a verification reads: what a host, its providers and Intel answered, and what passed checks vouch for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from svc_verifier.formats.event_log import BootIdentity, Event
from svc_verifier.formats.quote import Quote

COLLATERAL_BYTES: Final = 1_048_576
"""Largest collateral of one platform that is read; Intel's has some ten thousand bytes."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Not there: `why` in one line, without secrets."""

    why: str


@dataclass(frozen=True, slots=True)
class Connection:
    """TLS connection as seen by this side: the peer's certificates in DER, leaf first, and the result of Web PKI validation.

    `web_pki` is empty when chain and name were verified against the system's roots, else the reason they were not.
    """

    peer_der: tuple[bytes, ...]
    version: str
    web_pki: str


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP response. `connection` is the index in `Material.connections` of the connection that carried its body."""

    status: int
    body: bytes
    connection: int


MaybeAnswer: TypeAlias = Answer | Missing


@dataclass(frozen=True, slots=True)
class ContractCall:
    """An eth_call: 20-byte address and calldata."""

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
    """Answers of one JSON-RPC provider, all at one block. `name` is its host alone, since URLs may hold credentials.

    A call that reverted is present with None. `head` is its newest block when it was asked; bundles of before have none.
    `newest` holds what it says of approvals at its newest block, for the calls that ask for one.
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
    """CAA property: flags, tag and value (RFC 8659)."""

    flags: int
    tag: str
    value: str


@dataclass(frozen=True, slots=True)
class CaaAnswer:
    """The relevant record set of a host: the `name` it was found at (tree climbing done), empty when there is none.

    `authenticated` is what the resolver says of DNSSEC.
    """

    name: str
    records: tuple[CaaRecord, ...]
    authenticated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Everything fetched about one host. `now_s` is the unix time at which it is judged, `nonce` the 32 bytes sent, if any.

    `collateral` maps (FMSPC in upper-case hex, CA name) to collateral as dcap-qvl's JSON, without a quote's own chain.
    `evidences` holds the files of the evidence set by name. `providers` are the chain's answers.
    """

    host: str
    now_s: int
    nonce: bytes | None
    connections: tuple[Connection, ...]
    attestation: MaybeAnswer
    info: MaybeAnswer
    evidences: Mapping[str, MaybeAnswer] | Missing
    collateral: Mapping[tuple[str, str], str] | Missing
    providers: tuple[ProviderAnswers | Missing, ...]
    caa: CaaAnswer | Missing
    replayed: bool = False
    """Read from a bundle: what was seen live is then what somebody recorded."""
    imported: bool = False
    """Put together from files: no connection was seen and nothing is fresh. A certificate that was brought is
    `connections[0]`."""
    unreached: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """For collateral that was kept for longer than a day, by its key: why its source gave no answer."""
    judged: str = ""
    """Of an import from documents with several quotes: which part was judged, and where the others are."""


@dataclass(frozen=True, slots=True)
class Platform:
    """Platform of a quote by its PCK certificate: FMSPC in upper-case hex, the CA's name, the 16-byte PPID, the
    2-byte PCEID, the PEM chain.
    """

    fmspc: str
    ca: str
    ppid: bytes
    pce_id: bytes
    chain_pem: bytes


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
