"""Body of one answer: received and decompressed in small pieces, counted before and after, and encoded as base64.

A bomb is noticed long before all of it is decompressed. Ten MiB at a time would hold up the event loop.
"""

import asyncio
import zlib
from binascii import b2a_base64
from collections.abc import Iterator, Sequence
from typing import Final

import aiohttp

from node.engine.egress.budget import Holding
from node.engine.egress.reading_work import ReadingWork
from node.engine.egress.targets import FetchRefusedError
from node.engine.json_values import PlainText

ACCEPTED_CODINGS: Final = "gzip, deflate"
"""`Accept-Encoding` of every request: the codings the standard library can decompress."""

_PIECE_BYTES: Final = 64 * 1024
_MEMBERS_MAX: Final = 64
_ZLIB: Final = zlib.MAX_WBITS
_RAW_DEFLATE: Final = -zlib.MAX_WBITS
_GZIP: Final = 16 + zlib.MAX_WBITS
_GZIP_BEGINS: Final = b"\x1f"
_DEFLATED: Final = 8
_PIECES_BETWEEN_PAUSES: Final = 4
_GROUP_BYTES: Final = 3
"""Unit of base64: a piece of any other length would be padded."""


class BodyReader:
    """Reads one body. The memory it takes is counted in `holding`, which the caller releases."""

    def __init__(self, response: aiohttp.ClientResponse, bytes_max: int, work: ReadingWork, holding: Holding) -> None:
        self._response = response
        self._bytes_max = bytes_max
        self._work = work
        self._holding = holding
        self._count = 0
        self._encoded: list[str] = []
        self._rest = b""

    async def read(self) -> PlainText:
        """Return the whole body in base64.

        Raises FetchRefusedError for a body that is too long, damaged, or encoded otherwise than requested.
        """
        decoder = ContentDecoder(self._response.headers.getall("Content-Encoding", ()))
        arrived, pieces = 0, 0
        async for data in self._response.content.iter_any():
            # Both sizes are bounded: of what arrives, and of what it unpacks to.
            arrived += len(data)
            self._check_size(arrived)
            for piece in self._work.counted(decoder.feed(data)):
                self._keep(piece)
                pieces += 1
                if pieces % _PIECES_BETWEEN_PAUSES == 0:
                    # Reading what has arrived never waits, so nothing else would run meanwhile.
                    await asyncio.sleep(0)
        self._keep(decoder.finish())
        self._encode(self._rest)
        text = "".join(self._encoded)
        self._encoded.clear()
        return PlainText(text)

    def _keep(self, piece: bytes) -> None:
        self._count += len(piece)
        self._check_size(self._count)
        self._holding.add(len(piece))
        piece = self._rest + piece
        whole = len(piece) - len(piece) % _GROUP_BYTES
        self._rest = piece[whole:]
        self._encode(piece[:whole])

    def _encode(self, piece: bytes) -> None:
        self._encoded.append(b2a_base64(piece, newline=False).decode())

    def _check_size(self, count: int) -> None:
        if count > self._bytes_max:
            raise FetchRefusedError(f"the answer has more than {self._bytes_max} bytes")


class ContentDecoder:
    """Decodes one body by its `Content-Encoding` values. Raises FetchRefusedError for a coding that was not requested."""

    def __init__(self, codings: Sequence[str]) -> None:
        names = [name.strip().lower() for coding in codings for name in coding.split(",")]
        names = [name for name in names if name not in {"", "identity"}]
        if len(names) > 1 or not {"gzip", "x-gzip", "deflate"}.issuperset(names):
            raise FetchRefusedError(f"the server's answer is encoded otherwise than as asked for ({ACCEPTED_CODINGS})")
        self._coding = names[0] if names else ""
        self._inflater: zlib._Decompress | None = None
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Decode `data`, at most 64 KiB at a time. Raises FetchRefusedError where it is damaged."""
        if not self._coding:
            yield data
            return
        while data:
            inflater = self._current(data)
            if inflater is None:
                return
            try:
                # With a maximum length: one call on a bomb would otherwise unpack all of it.
                piece = inflater.decompress(data, _PIECE_BYTES)
            except zlib.error:
                raise FetchRefusedError("the server's answer is compressed and damaged") from None
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            yield piece

    def finish(self) -> bytes:
        """Return the rest. Raises FetchRefusedError where the end is missing."""
        if self._inflater is None:
            return b""
        rest = self._inflater.flush()
        if not self._inflater.eof:
            raise FetchRefusedError("the server's answer is compressed and ends too early")
        return rest

    def _current(self, data: bytes) -> "zlib._Decompress | None":
        """Return the decompressor; None after the end. Gzip may follow gzip; anything else is ignored, as browsers do."""
        if self._inflater is None or (self._inflater.eof and self._coding != "deflate"):
            if self._inflater is not None and not data.startswith(_GZIP_BEGINS):
                return None
            self._members += 1
            # Empty members cost work and unpack to nothing, so the size alone does not bound them.
            if self._members > _MEMBERS_MAX:
                raise FetchRefusedError("the server's answer is compressed in too many parts")
            self._inflater = zlib.decompressobj(self._window(data[0]))
        return None if self._inflater.eof else self._inflater

    def _window(self, first: int) -> int:
        if self._coding != "deflate":
            return _GZIP
        # RFC 9110 means the zlib format by `deflate`; some servers send the bare stream.
        return _ZLIB if first & 0x0F == _DEFLATED else _RAW_DEFLATE
