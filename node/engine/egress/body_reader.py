"""The body of one answer: decompressed, counted on the wire and after it, and in turns with everybody else's work.

It becomes base64 piece by piece, since an action is told it so and ten MiB at a time would hold everybody up.
"""

import asyncio
from binascii import b2a_base64
from typing import Final

import aiohttp

from node.engine.answers import PlainText
from node.engine.egress.budget import Holding
from node.engine.egress.content_coding import ContentDecoder
from node.engine.egress.reading_work import ReadingWork
from node.engine.egress.refusal import FetchRefusedError

_PIECES_BETWEEN_PAUSES: Final = 4
_GROUP_BYTES: Final = 3
"""What base64 encodes at a time: a piece of any other length would be padded."""


class BodyReader:
    """Reads once. What it keeps is taken from `holding`, and stays so."""

    def __init__(self, response: aiohttp.ClientResponse, bytes_max: int, work: ReadingWork, holding: Holding) -> None:
        self._response = response
        self._bytes_max = bytes_max
        self._work = work
        self._holding = holding
        self._count = 0
        self._encoded: list[str] = []
        self._rest = b""

    async def read(self) -> PlainText:
        """The whole body in base64. Raises FetchRefusedError where it is too much, damaged, or encoded as nobody asked for."""
        decoder = ContentDecoder(self._response.headers.getall("Content-Encoding", ()))
        arrived, pieces = 0, 0
        async for data in self._response.content.iter_any():
            arrived += len(data)
            self._require_room(arrived)
            for piece in self._work.counted(decoder.feed(data)):
                self._keep(piece)
                pieces += 1
                if pieces % _PIECES_BETWEEN_PAUSES == 0:
                    # What has arrived is read without ever waiting: others must have their turn.
                    await asyncio.sleep(0)
        self._keep(decoder.finish())
        self._encode(self._rest)
        text = "".join(self._encoded)
        self._encoded.clear()
        return PlainText(text)

    def _keep(self, piece: bytes) -> None:
        self._count += len(piece)
        self._require_room(self._count)
        self._holding.add(len(piece))
        piece = self._rest + piece
        whole = len(piece) - len(piece) % _GROUP_BYTES
        self._rest = piece[whole:]
        self._encode(piece[:whole])

    def _encode(self, piece: bytes) -> None:
        self._encoded.append(b2a_base64(piece, newline=False).decode())

    def _require_room(self, count: int) -> None:
        if count > self._bytes_max:
            raise FetchRefusedError(f"the answer has more than {self._bytes_max} bytes")
