"""Failures of the chain component: unavailable reads, refused calls, writes not made."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from pydantic import JsonValue

from node.database.port import DatabaseUnavailableError
from node.errors import DomainError

NOTHING_DONE: Final = "nothing was changed and nothing was charged."
READ_RETRY_AFTER_S: Final = 2
PAYER_RETRY_AFTER_S: Final = 10
"""Retry-After while the contract does not know the node's payers yet."""
OWNER_RETRY_AFTER_S: Final = 300
"""Retry-After while the contract's owner must act, which takes minutes."""
OPERATOR_RETRY_AFTER_S: Final = 30
"""Retry-After while the node's operator must add gas money or have a payer named."""


class ChainUnavailableError(DomainError):
    """The chain cannot be read or written now. Nothing was changed and nothing was charged."""

    def __init__(self, what: str, *, retry_after_s: int = READ_RETRY_AFTER_S) -> None:
        super().__init__(f"{what}; {NOTHING_DONE}", retry_after_s=retry_after_s)


class ViewNotComputedError(ChainUnavailableError):
    """Providers exceeded their own limits while computing a view. A smaller one may work."""

    def __init__(self) -> None:
        super().__init__("The chain's endpoints could not compute the answer")


class ForeignPayersError(ChainUnavailableError):
    """The contract's admin payer is not this enclave's, so its payers' grants prove nothing."""

    def __init__(self, admin_payer: str) -> None:
        super().__init__(
            f"The contract's owner has put {admin_payer} in the place of this node's admin payer: its payers may change "
            "what API-mode accounts grant, so nothing runs for them",
            retry_after_s=OWNER_RETRY_AFTER_S,
        )


class FormerPayersError(ChainUnavailableError):
    """The contract had another admin payer before, whose payers may have made the grants."""

    def __init__(self) -> None:
        super().__init__(
            "The contract has had another admin payer, whose payers may have changed what API-mode accounts grant, so "
            "nothing runs for them",
            retry_after_s=OWNER_RETRY_AFTER_S,
        )


class HeadNotReachedError(ChainUnavailableError):
    """The chain did not reach the block `number` of a request in time."""

    def __init__(self, number: int, seen: int) -> None:
        DomainError.__init__(
            self,
            f"The node has seen the chain up to block {seen}, not yet block {number}.",
            details={"min_block": number, "block_number": seen},
            retry_after_s=READ_RETRY_AFTER_S,
        )


class ContractRefusedError(DomainError):
    """The account contract refused a call. `fix` depends on its error and on the function."""

    def __init__(
        self,
        message: str,
        *,
        fix: str | None = None,
        details: Mapping[str, JsonValue] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message, details=details, retry_after_s=retry_after_s)
        self.fix = fix


class CallerNotLiveError(ContractRefusedError):
    """The caller's key is unknown, removed or expired."""


class PermissionMissingError(ContractRefusedError):
    """The caller lacks a grant, or the transaction's sender a role."""


class NotOnChainError(ContractRefusedError):
    """The account, group, wallet, action or usage key does not exist."""


class ContractConflictError(ContractRefusedError):
    """The entry exists, a limit of the account is reached, or the account's state differs."""


class InvalidCallError(ContractRefusedError):
    """The contract does not accept the arguments."""


class UnexpectedRevertError(ContractRefusedError):
    """The contract reverted in a way that no call of this node should cause. This is a bug."""


class WriteLostError(ChainUnavailableError):
    """The write will not happen, but may be made again. The journal stores it with its `fix`."""

    def __init__(
        self,
        message: str,
        *,
        fix: str | None = "Send the request again.",
        details: Mapping[str, JsonValue] | None = None,
        retry_after_s: int | None = 1,
    ) -> None:
        DomainError.__init__(self, message, details=details, retry_after_s=retry_after_s)
        self.fix = fix


class PayerNotNamedError(WriteLostError):
    """The contract does not know this node as one of its payers."""

    def __init__(self) -> None:
        super().__init__(
            f"The contract does not take this node for one of its payers; {NOTHING_DONE}",
            fix="Try again later; the node adds its payers itself once the contract's owner has named its admin payer.",
            retry_after_s=PAYER_RETRY_AFTER_S,
        )


WriteFailure: TypeAlias = ContractRefusedError | WriteLostError
"""Reason why a journaled write is not on chain and never will be."""


class PayersTakenOverError(ChainUnavailableError):
    """Another node holds the lease of this node's payers."""

    def __init__(self) -> None:
        DomainError.__init__(
            self,
            "Another node has taken over the payers of this one, which sends no more writes; this one was not sent, "
            "nothing was changed and nothing was charged.",
            retry_after_s=5,
        )


class PayerBalancesUnknownError(ChainUnavailableError):
    """No balance of this node's payers has been read since the start."""

    def __init__(self) -> None:
        super().__init__(
            "The balances of this node's payers are not known yet: they have not been read since the node's start",
            retry_after_s=5,
        )


class PayersNotAdmittedError(ChainUnavailableError):
    """The contract names no payer of this node yet."""

    def __init__(self) -> None:
        super().__init__("The contract does not name a payer of this node yet", retry_after_s=OPERATOR_RETRY_AFTER_S)


class PayersOutOfGasError(ChainUnavailableError):
    """No payer of this node can pay for the gas of the write."""

    def __init__(self) -> None:
        super().__init__("No payer of this node has the gas money for this write", retry_after_s=OPERATOR_RETRY_AFTER_S)


class FeesTooHighError(ChainUnavailableError):
    """The chain's fees are above what this node offers."""

    def __init__(self) -> None:
        super().__init__("The chain's fees are above what this node offers", retry_after_s=60)


class TooManyWritesError(ChainUnavailableError):
    """The maximum number of writes is waiting for the chain."""

    def __init__(self) -> None:
        super().__init__("Too many writes wait for the chain", retry_after_s=5)


class WriteUnconfirmedError(DomainError):
    """The transaction was sent, and no quorum has its receipt yet."""

    def __init__(self, transaction_hash: str) -> None:
        super().__init__(
            "The transaction was sent and is not confirmed yet; it is followed further.",
            details={"transaction_hash": transaction_hash},
            retry_after_s=5,
        )


class WriteRepeatedError(DomainError):
    """A write with this id is in the journal already."""

    def __init__(self) -> None:
        super().__init__("This write has been made already.")


class WriteTooLargeError(DomainError):
    """The write needs more gas than the limit of one write."""

    def __init__(self, gas_needed: int, gas_max: int) -> None:
        super().__init__(
            f"This write needs {gas_needed} gas, more than the {gas_max} that one write may take.",
            details={"limit": "write_gas_limit_max", "gas_needed": gas_needed, "gas_max": gas_max},
        )


class JournalConflictError(DomainError):
    """The journal has another transaction in the place of the signed one."""

    def __init__(self) -> None:
        super().__init__("The journal has another transaction where this one belongs, so it was not sent.")


class JournalUnavailableError(DatabaseUnavailableError):
    """The write was not journaled, so it was not sent."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(
            retry_after_s,
            "The database, where writes are noted before they are sent, cannot be reached, so this one was not "
            "sent; nothing was changed and nothing was charged.",
        )


class JournalCommitUnknownError(DatabaseUnavailableError):
    """The result of a write's commit is unknown. The commit may still be under way.

    This process does not send it. A later one that finds it in the journal does.
    """

    def __init__(self) -> None:
        super().__init__(
            1,
            "The database, where writes are noted before they are sent, did not say whether it has this one, so whether "
            "it is carried out is not known yet.",
        )


def too_few_answer() -> ChainUnavailableError:
    """Returns the error for fewer usable replies than a quorum."""
    return ChainUnavailableError("The chain cannot be reached just now")


def contradicted() -> ChainUnavailableError:
    """Returns the error for providers that contradict each other about one block."""
    return ChainUnavailableError("The state of the chain is not known just now: its endpoints contradict one another")


def no_common_block() -> ChainUnavailableError:
    """Returns the error if no quorum of providers confirms one block."""
    return ChainUnavailableError("The state of the chain is not known just now: its endpoints are not at one block")


def behind() -> ChainUnavailableError:
    """Returns the error for a quorum below a block that this process has used."""
    return ChainUnavailableError("The chain is behind what this node has seen of it already")


def head_too_old(age_s: float) -> ChainUnavailableError:
    """Returns the error for an agreed head that exceeds the maximum age."""
    return ChainUnavailableError(f"The chain has shown this node no new block for {age_s:.0f} seconds")
