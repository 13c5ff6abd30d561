"""What the caller is told of an action that was ended from outside."""

from collections.abc import Mapping
from typing import Final

from node.engine.frames import Kind
from node.engine.limits import RESPONSE_VALUES_MAX
from node.engine.port import ActionError, StopReason
from node.settings.execution import ActionSettings

STOP_OF_OVERSIZED: Final[Mapping[Kind, StopReason]] = {
    Kind.DONE: StopReason.RESPONSE_LIMIT,
    Kind.LOG: StopReason.LOG_LIMIT,
}
"""Which limit a frame breaks that is longer than any frame may be."""


def stopped(reason: StopReason, settings: ActionSettings) -> ActionError:
    """The error of an action that broke a limit."""
    message = {
        StopReason.TIMEOUT: f"The action ran longer than {settings.action_timeout_s:g} seconds.",
        StopReason.OUT_OF_MEMORY: f"The action used more than {settings.action_memory_bytes} bytes of memory.",
        StopReason.LOG_LIMIT: f"The action logged more than {settings.action_log_bytes} bytes, or {settings.action_log_lines} lines.",
        StopReason.RESPONSE_LIMIT: f"The action's response is larger than {settings.action_response_bytes} bytes of JSON, "
        f"or holds more than {RESPONSE_VALUES_MAX} values.",
        StopReason.FETCH_LIMIT: "The action made more outbound requests than it may.",
        StopReason.KEY_LIMIT: "The action made more key operations than it may.",
        StopReason.HOST_TIME_LIMIT: f"The action's calls and messages took the node more than {settings.action_host_time_s:g} seconds "
        "of processor time.",
        StopReason.OUT_OF_FUNDS: "The account's credits, or the key's spending cap, ran out while the action ran.",
        StopReason.NODE_STOPPING: "The node is stopping, and has ended the action.",
    }[reason]
    return ActionError(reason.value, message, f"{reason.value}: {message}")


def broken(why: str = "it sent what no action can") -> ActionError:
    """The error of an action whose process ended, or whose messages made no sense: it broke its engine."""
    message = f"The action's process was ended: {why}."
    return ActionError("ActionCrashed", message, f"ActionCrashed: {message}")
