"""Before anything is credited: a quorum of endpoints says that contract and tokens are what the settings say they are."""

from collections.abc import Mapping
from typing import Final

from node.chain.deposits.reader import credit_deposit_abi
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.view_calls import Answer, Returned, ViewCall
from node.errors import StartupRefusedError
from node.values import keccak256

DECIMALS: Final = keccak256(b"decimals()")[:4]
WORD: Final = 32


def _raw(data: bytes) -> tuple[object, ...]:
    """Whatever comes back is judged here: no endpoint is to blame for a wrong address in the settings."""
    return (data,)


def _word(answer: Answer) -> int | None:
    """The one word a view returned; None for anything else."""
    if isinstance(answer, Returned) and len(answer.data) == WORD:
        return int.from_bytes(answer.data)
    return None


async def verify_deposit_contract(quorum: QuorumReader, contract: str, account_contract: str) -> None:
    """Pass when `contract` is a deposit contract for the accounts of `account_contract`.

    Raises StartupRefusedError (`token_deposit_contract`), NodeError `chain_unavailable`.
    """
    call = ViewCall(contract, credit_deposit_abi().encode_call("accountConfig", ()), _raw)
    _, (answer,) = await quorum.read([call])
    found = _word(answer)
    if found is None:
        raise StartupRefusedError("token_deposit_contract", f"there is no deposit contract at {contract}.")
    if found != int(account_contract, 16):
        raise StartupRefusedError(
            "token_deposit_contract",
            f"the deposit contract at {contract} takes payments for the accounts of 0x{found:040x}, "
            f"not of {account_contract}.",
        )


async def verify_token_decimals(quorum: QuorumReader, decimals: Mapping[str, int]) -> None:
    """Pass when each token (0x hex) has so many decimals on chain.

    Raises StartupRefusedError (`token_prices`), NodeError `chain_unavailable`.
    """
    calls = [ViewCall(token, DECIMALS, _raw) for token in decimals]
    _, answers = await quorum.read(calls, of_strangers=True)
    for (token, expected), answer in zip(decimals.items(), answers, strict=True):
        found = _word(answer)
        if found is None:
            raise StartupRefusedError("token_prices", f"there is no token that tells its decimals at {token}.")
        if found != expected:
            raise StartupRefusedError("token_prices", f"the token {token} has {found} decimals, not {expected}.")
