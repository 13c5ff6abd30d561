"""Failures of the engine: it cannot run, or the CID or source is unusable."""

from node.errors import DomainError

STOPPING_RETRY_AFTER_S = 5


class EngineUnavailableError(DomainError):
    """The node cannot run the action, or ended it for a reason of its own."""


class EngineStoppingError(EngineUnavailableError):
    """The node is stopping."""

    def __init__(self) -> None:
        super().__init__("The node is stopping.", retry_after_s=STOPPING_RETRY_AFTER_S)


class ActionProcessLostError(EngineUnavailableError):
    """The process that ran the action ended."""

    def __init__(self) -> None:
        super().__init__(
            "The process of the action ended, with every action of the program that ran in it.", retry_after_s=1
        )


class ActionProcessNotStartedError(EngineUnavailableError):
    """No process could be started for the action."""

    def __init__(self) -> None:
        super().__init__("The node could not start a process for the action.", retry_after_s=5)


class NodeOutOfMemoryError(EngineUnavailableError):
    """The node or the kernel ended the action for lack of the node's memory, not of its own."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("The node ran short of memory and ended the action.", retry_after_s=retry_after_s)


class InvalidSourceError(DomainError):
    """The source has no UTF-8 form, and so no CID."""

    def __init__(self, character: int) -> None:
        super().__init__(
            f"The source has a lone surrogate at character {character}, so it has no UTF-8 bytes and no CID."
        )


class InvalidCidError(DomainError):
    """The text is no CID of an action."""
