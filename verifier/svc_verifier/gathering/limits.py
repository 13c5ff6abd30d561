"""Limits of fetching in time and size. Everything fetched has a ceiling: the other side may be hostile."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GatheringLimits:
    """Times are seconds from a call to its last byte."""

    connect_timeout_s: float = 10.0
    request_timeout_s: float = 40.0
    """One answer of the host; a quote with a nonce waits for the hardware."""
    look_timeout_s: float = 30.0
    """Everything that one look fetches, from whomever (`--timeout`)."""
    body_bytes: int = 4_194_304
    """One answer of the host."""
    host_bytes: int = 16_777_216
    """All answers of the host together."""
    evidence_files: int = 32
    """Files of an evidence set that are fetched."""
    rpc_timeout_s: float = 15.0
    rpc_total_timeout_s: float = 60.0
    """All answers of the endpoints together, where they are asked apart from a look."""
    rpc_bytes: int = 8_388_608
    """One answer of a JSON-RPC endpoint; events of years are the longest."""
    rpc_total_bytes: int = 16_777_216
    """All answers of one endpoint together; what is kept of two still fits into a bundle."""
    rpc_logs: int = 2_048
    """Events of one contract; each takes a place in the bundle, and its block one request."""
    rpc_log_ranges: int = 64
    """Requests for events to one endpoint, each half as long as one that was refused."""
    rpc_log_blocks_min: int = 1_000
    """A range that is not halved any more."""
    collateral_timeout_s: float = 20.0
    collateral_cache_s: int = 86_400
    """How long fetched collateral is kept: it stays valid for a month, but a newer one may know more."""
    dns_timeout_s: float = 5.0
