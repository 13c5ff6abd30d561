"""The bounds of agreement among endpoints."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QuorumLimits:
    """Bounds of agreement: how many endpoints, on how young a block, within how long.

    `rpc_quorum`: how many endpoints must give the same answer; 0 is the majority (1 of 1, both of two, 2 of 3, 3 of 4).
    `chain_max_head_age_s`: a head older than this, in seconds by this node's clock, grants nothing; 0 is off, for a
    local chain that has blocks only when something happens.
    `rpc_hedge_delay_s`: an answer later than this, in seconds, is not waited for alone: the next endpoint is asked.
    `rpc_dissent_wait_s`: when a quorum has answered about a write and does not agree, the others have so long to decide it.
    `rpc_relied_heads`: how many of the heads that reads relied on are remembered, for followers to check.
    `chain_head_poll_s`: how often the head is looked at while a request waits for a block, in seconds.
    """

    rpc_quorum: int = 0
    chain_max_head_age_s: float = 60.0
    rpc_hedge_delay_s: float = 0.25
    rpc_dissent_wait_s: float = 2.0
    rpc_relied_heads: int = 4096
    chain_head_poll_s: float = 0.25

    def size_of(self, endpoints: int) -> int:
        """Number of endpoints that are a quorum of so many. Raises ValueError when more are asked for than there are."""
        if not 0 <= self.rpc_quorum <= endpoints:
            raise ValueError(f"a quorum of {self.rpc_quorum} cannot be had of {endpoints} endpoints")
        return self.rpc_quorum or endpoints // 2 + 1
