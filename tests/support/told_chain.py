"""A provider that tells of a governance contract whose approval was taken back, or of one as it likes."""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from tests.support import lies
from tests.support.attested.governance import ALLOWED, CODE
from tests.support.attested.td import NOW_S

CHAIN_ID: Final = 8453
HEAD: Final = 1_000_000
BLOCK_S: Final = 2
REVOKED: Final = HEAD - 1_000
"""Since about half an hour, well within the age that a block may have."""
WORD_BYTES: Final = 32


@dataclass(frozen=True)
class Told:
    """How one provider differs from the truth: its head's height and time, the shift of block times, the approval
    and the block that took it back.
    """

    head: int = HEAD
    head_time_s: int | None = None
    shift_s: int = 0
    allowed: bool | None = None
    other_hashes: bool = False
    chain_id: int = CHAIN_ID
    revoked: int = REVOKED

    def time_of(self, number: int) -> int:
        return NOW_S - (HEAD - number) * BLOCK_S + self.shift_s

    def header(self, number: int, time_s: int) -> dict[str, str]:
        digest = hashlib.sha256(f"{number} {self.other_hashes}".encode()).hexdigest()
        return {"number": hex(number), "hash": f"0x{digest}", "timestamp": hex(time_s)}

    async def __call__(self, method: str, params: list[Any], _: lies.Ask) -> lies.Outcome:
        if method == "eth_getBlockByNumber" and params[0] == "latest":
            time_s = self.time_of(self.head) if self.head_time_s is None else self.head_time_s
            return {"result": self.header(self.head, time_s)}
        if method == "eth_getBlockByNumber":
            number = int(params[0], 16)
            return {"result": self.header(number, self.time_of(number))}
        if method == "eth_call" and params[0]["data"].startswith(f"0x{ALLOWED.hex()}"):
            number = self.head if params[1] == "latest" else int(params[1], 16)
            allowed = number < self.revoked if self.allowed is None else self.allowed
            return {"result": "0x" + int(allowed).to_bytes(WORD_BYTES, "big").hex()}
        known: dict[str, Any] = {
            "eth_chainId": hex(self.chain_id),
            "eth_getCode": f"0x{CODE.hex()}",
            "eth_getStorageAt": "0x" + "00" * WORD_BYTES,
            "eth_getLogs": [],
            "eth_call": "0x" + "00" * WORD_BYTES,
        }
        return {"result": known[method]}


HONEST: Final = Told()
