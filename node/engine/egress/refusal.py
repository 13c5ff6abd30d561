"""What a request that is not made, or not finished, ends with."""


class FetchRefusedError(Exception):
    """The reason in words for the action. They name no address, and tell a private name from none at all by nothing."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
