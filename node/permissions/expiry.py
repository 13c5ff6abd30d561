"""When a key has expired; pure."""


def is_expired(expiration: int, *clocks: float) -> bool:
    """Whether a key of this expiration (unix seconds, 0 for never) has expired by the latest of these clocks.

    One of them is the block's timestamp wherever the chain decides: a clock that is behind grants nothing more.
    """
    return 0 < expiration <= max(clocks)
