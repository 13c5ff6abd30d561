"""Limits of running an action that are not the engine's own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExecutionLimits:
    """Limits that the execution service enforces; every field is a setting."""

    code_bytes: int = 4 * 1024 * 1024
    """Source of one action, UTF-8."""
    params_bytes: int = 1024 * 1024
    """`js_params` as JSON."""
    params_depth: int = 100
    """Nesting of arrays and objects in `js_params`."""
    key_operations: int = 100
    """Calls of one action to `Svc.Actions`."""
    encrypt_message_bytes: int = 1024 * 1024
    """What `Encrypt` takes at a time, UTF-8."""
    funds_lead_s: float = 0.1
    """How long before a second begins its price is set aside."""
    derivations_remembered: int = 4096
    """Wallets of which it is remembered under which former admin they were derived, or that under none."""
    uncharged_s_per_hour: float = 60.0
    """Run time of one account at this node that is not charged when the node's own faults ended its actions."""
    inline_cid_bytes: int = 256 * 1024
    """Sources above this size are hashed in a thread."""
