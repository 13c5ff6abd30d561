"""How long and how much is waited for. Everything that is fetched has a ceiling: the other side may be an enemy."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GatheringLimits:
    """Times are seconds from a call to its last byte."""

    connect_timeout_s: float = 10.0
    request_timeout_s: float = 40.0
    """One answer of the host; a quote with a nonce waits for the hardware."""
    body_bytes: int = 4_194_304
    """One answer of the host."""
    evidence_files: int = 32
    """Files of an evidence set that are fetched."""
    rpc_timeout_s: float = 15.0
    rpc_bytes: int = 16_777_216
    """One answer of a JSON-RPC endpoint; events of years are the longest."""
    rpc_log_ranges: int = 64
    """Requests for events to one endpoint, each half as long as one that was refused."""
    rpc_log_blocks_min: int = 1_000
    """A range that is not halved any more."""
    collateral_timeout_s: float = 20.0
    dns_timeout_s: float = 5.0
