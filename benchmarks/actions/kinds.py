"""The measured actions, each written as a user would."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.origin import PRICE
from benchmarks.wire import Answer

SIGNATURE_CHARACTERS = 132


@dataclass(frozen=True, slots=True)
class Kind:
    """An action; `accepts` says whether a result is right."""

    name: str
    code: str
    accepts: Callable[[Any], bool]

    def answered(self, answer: Answer) -> bool:
        """Whether this response is right, since a fast error is no speed."""
        if answer.status != 200:
            return False
        told = json.loads(answer.body)
        return not told["has_error"] and self.accepts(told["response"])


def _signature(response: object) -> bool:
    return isinstance(response, str) and len(response) == SIGNATURE_CHARACTERS


TRIVIAL = Kind("trivial", "function main() { return 'done'; }", lambda response: response == "done")
HOST_SIGNED = Kind(
    "host-signed",
    "async function main({ wallet }) { return await Svc.Actions.signMessage({ pkpId: wallet, message: 'bench' }); }",
    _signature,
)
ETHERS_SIGNED = Kind(
    "ethers-signed",
    "async function main({ wallet }) {\n"
    "  return await new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: wallet })).signMessage('bench');\n}",
    _signature,
)
ENCRYPT = Kind(
    "encrypt",
    "async function main({ wallet }) { return await Svc.Actions.Encrypt({ pkpId: wallet, message: 'bench' }); }",
    lambda response: isinstance(response, str) and response.startswith("0x01"),
)
FETCH = Kind(
    "fetch-bound",
    "async function main({ url }) { return (await (await fetch(url)).json()).price; }",
    lambda response: response == PRICE,
)
KINDS = (TRIVIAL, HOST_SIGNED, ETHERS_SIGNED, ENCRYPT, FETCH)
