"""Decompression in small pieces, so that a bomb is noticed long before it has gone off."""

import zlib
from collections.abc import Iterator, Sequence
from typing import Final

from node.engine.egress.refusal import FetchRefusedError

ACCEPTED: Final = "gzip, deflate"
"""`Accept-Encoding` of every request: what the standard library can decompress."""

_PIECE_BYTES: Final = 64 * 1024
_MEMBERS_MAX: Final = 64
_ZLIB: Final = zlib.MAX_WBITS
_RAW_DEFLATE: Final = -zlib.MAX_WBITS
_GZIP: Final = 16 + zlib.MAX_WBITS
_GZIP_BEGINS: Final = b"\x1f"
_DEFLATED: Final = 8


class ContentDecoder:
    """Decodes one body by its `Content-Encoding` values. Raises FetchRefusedError for a coding nobody asked for."""

    def __init__(self, codings: Sequence[str]) -> None:
        names = [name.strip().lower() for coding in codings for name in coding.split(",")]
        names = [name for name in names if name not in {"", "identity"}]
        if len(names) > 1 or not {"gzip", "x-gzip", "deflate"}.issuperset(names):
            raise FetchRefusedError(f"the server's answer is encoded otherwise than as asked for ({ACCEPTED})")
        self._coding = names[0] if names else ""
        self._inflater: zlib._Decompress | None = None
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What `data` decodes to, at most 64 KiB at a time. Raises FetchRefusedError where it is damaged."""
        if not self._coding:
            yield data
            return
        while data:
            inflater = self._current(data)
            if inflater is None:
                return
            try:
                piece = inflater.decompress(data, _PIECE_BYTES)
            except zlib.error:
                raise FetchRefusedError("the server's answer is compressed and damaged") from None
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            yield piece

    def finish(self) -> bytes:
        """The rest. Raises FetchRefusedError where the end is missing."""
        if self._inflater is None:
            return b""
        rest = self._inflater.flush()
        if not self._inflater.eof:
            raise FetchRefusedError("the server's answer is compressed and ends too early")
        return rest

    def _current(self, data: bytes) -> "zlib._Decompress | None":
        """Gzip may follow gzip; what else follows the end is ignored, as browsers do."""
        if self._inflater is None or (self._inflater.eof and self._coding != "deflate"):
            if self._inflater is not None and not data.startswith(_GZIP_BEGINS):
                return None
            self._members += 1
            if self._members > _MEMBERS_MAX:
                raise FetchRefusedError("the server's answer is compressed in too many parts")
            self._inflater = zlib.decompressobj(self._window(data[0]))
        return None if self._inflater.eof else self._inflater

    def _window(self, first: int) -> int:
        if self._coding != "deflate":
            return _GZIP
        # RFC 9110 means the zlib format by `deflate`; some servers send the bare stream.
        return _ZLIB if first & 0x0F == _DEFLATED else _RAW_DEFLATE
