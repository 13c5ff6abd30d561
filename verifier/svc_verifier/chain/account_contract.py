"""The account contract as this verifier reads it: its views, and its code with the immutables taken out (docs/contract.md).

The contract has no proxy and no upgrade, so its code says for good what it does. The code of one build differs between
deployments in the words that hold its immutables alone: the address of its views module, to which unknown calls are
delegated, and the delay of its owner's changes. Whoever deploys may write these words by hand, each otherwise. So every
word of an immutable is read, and the words of one immutable must be equal: a getter could name a harmless module while
the delegation names another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from svc_verifier.chain import abi
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.material import ContractCall
from svc_verifier.trust import AccountContractCode

_SELECTOR_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class AccountQuestions:
    """The calls on one account contract. All but `views_module` are answered by code of the contract itself."""

    contract: bytes

    @property
    def views_module(self) -> ContractCall:
        """`viewsModule()`."""
        return self._call("viewsModule()")

    @property
    def owner(self) -> ContractCall:
        """`owner()`."""
        return self._call("owner()")

    @property
    def pending_owner(self) -> ContractCall:
        """`pendingOwner()`."""
        return self._call("pendingOwner()")

    @property
    def admin_payer(self) -> ContractCall:
        """`adminApiPayerAccount()`."""
        return self._call("adminApiPayerAccount()")

    @property
    def replacements(self) -> ContractCall:
        """`adminApiPayerReplacements()`."""
        return self._call("adminApiPayerReplacements()")

    @property
    def payers(self) -> ContractCall:
        """`api_payers()`."""
        return self._call("api_payers()")

    @property
    def scheduled_change(self) -> ContractCall:
        """`scheduledOwnerChange()`."""
        return self._call("scheduledOwnerChange()")

    @property
    def calls(self) -> tuple[ContractCall, ...]:
        """Every call of one verification."""
        return (
            self.views_module,
            self.owner,
            self.pending_owner,
            self.admin_payer,
            self.replacements,
            self.payers,
            self.scheduled_change,
        )

    def _call(self, signature: str) -> ContractCall:
        return ContractCall(self.contract, abi.selector(signature))


@dataclass(frozen=True, slots=True)
class ScheduledChange:
    """The owner's announced change: 4-byte selector, addresses, unix second; all empty where there is none."""

    selector: bytes
    accounts: tuple[bytes, ...]
    effective_at_s: int


@dataclass(frozen=True, slots=True)
class RecognisedCode:
    """Deployed code that is a known build, and the different words found where each immutable is used."""

    build: AccountContractCode
    views_module: frozenset[bytes]
    owner_change_delay: frozenset[bytes]


def recognise(code: bytes, builds: Iterable[AccountContractCode]) -> RecognisedCode | None:
    """The build that `code` is, if it is one of `builds`."""
    for build in builds:
        places = (*build.views_module_at, *build.owner_change_delay_at)
        if max(places) + abi.WORD > len(code):
            continue
        masked = bytearray(code)
        for place in places:
            masked[place : place + abi.WORD] = bytes(abi.WORD)
        if abi.keccak(bytes(masked)) == build.code_hash:
            return RecognisedCode(build, _words(code, build.views_module_at), _words(code, build.owner_change_delay_at))
    return None


@cache
def published_builds() -> tuple[AccountContractCode, ...]:
    """The builds that this verifier knows, newest first: `account_contract.json` beside this module."""
    text = resources.files("svc_verifier.chain").joinpath("account_contract.json").read_text()
    listed = parse_json_object(text, "account_contract.json", 1_048_576, 8)["builds"]
    assert isinstance(listed, list)  # noqa: S101 - a file of this package
    return tuple(_build(each) for each in listed if isinstance(each, dict))


def decode_scheduled_change(answer: bytes | None) -> ScheduledChange | None:
    """`(bytes4, address[], uint256)` as `scheduledOwnerChange()` returns it; None for anything else."""
    head = 3 * abi.WORD
    if answer is None or len(answer) < head or int.from_bytes(answer[abi.WORD : 2 * abi.WORD], "big") != head:
        return None
    accounts = abi.decode_addresses(abi.WORD.to_bytes(abi.WORD, "big") + answer[head:])
    if accounts is None or any(answer[_SELECTOR_BYTES : abi.WORD]):
        return None
    return ScheduledChange(answer[:_SELECTOR_BYTES], accounts, int.from_bytes(answer[2 * abi.WORD : head], "big"))


def _words(code: bytes, places: tuple[int, ...]) -> frozenset[bytes]:
    return frozenset(code[place : place + abi.WORD] for place in places)


def _build(read: dict[str, Json]) -> AccountContractCode:
    return AccountContractCode(
        code_hash=bytes.fromhex(str(read["code_hash"])),
        views_code_hash=bytes.fromhex(str(read["views_code_hash"])),
        views_module_at=_offsets(read["views_module_at"]),
        owner_change_delay_at=_offsets(read["owner_change_delay_at"]),
    )


def _offsets(read: Json) -> tuple[int, ...]:
    return tuple(place for place in read if isinstance(place, int)) if isinstance(read, list) else ()
