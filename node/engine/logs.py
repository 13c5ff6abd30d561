"""The logs of one action: one text, a line a call, within a number of bytes and of lines."""


class Logs:
    """Collects lines until they are full; what still fits of the last line is kept."""

    def __init__(self, bytes_max: int, lines_max: int) -> None:
        self._lines: list[str] = []
        self._left = bytes_max
        self._lines_max = lines_max

    def add(self, line: str) -> bool:
        """Add a line; False when it did not fit whole, after which nothing is to be added."""
        if len(self._lines) >= self._lines_max:
            return False
        encoded = f"{line}\n".encode()
        self._lines.append(encoded[: self._left].decode(errors="ignore"))
        self._left -= len(encoded)
        return self._left >= 0

    @property
    def text(self) -> str:
        """All lines, each ended by a newline but the last."""
        return "".join(self._lines).removesuffix("\n")
