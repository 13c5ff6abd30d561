"""Maps each domain error and each denial of a permission to code, message and fix for the client.

Packages below this one raise a `DomainError`. HTTP and the services raise a `NodeError` directly.
`node.http.answers` has the HTTP status of each code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pydantic import JsonValue

from node.chain import errors as chain
from node.database.port import DatabaseUnavailableError, StatementRefusedError
from node.engine import errors as engine
from node.errors import DomainError
from node.keyring import port as keyring
from node.ledger import errors as ledger
from node.permissions.grants import GRANT_FIX, Caller, Denial, Missing, visible_group
from node.runtime.limits import LimitReachedError


class ErrorCode(StrEnum):
    """Every value of `error` in a response."""

    BAD_REQUEST = "bad_request"
    UNAUTHORIZED = "unauthorized"
    PAYMENT_REQUIRED = "payment_required"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    URI_TOO_LONG = "uri_too_long"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    TOO_MANY_REQUESTS = "too_many_requests"
    HEADERS_TOO_LARGE = "headers_too_large"
    INTERNAL_ERROR = "internal_error"
    NOT_IMPLEMENTED = "not_implemented"
    CHAIN_UNAVAILABLE = "chain_unavailable"
    DATABASE_UNAVAILABLE = "database_unavailable"
    BILLING_UNAVAILABLE = "billing_unavailable"
    RUNNER_UNAVAILABLE = "runner_unavailable"
    TEE_UNAVAILABLE = "tee_unavailable"
    BILLING_DISABLED = "billing_disabled"
    CHAIN_TIMEOUT = "chain_timeout"
    HTTP_VERSION_NOT_SUPPORTED = "http_version_not_supported"


NODE_FAULTS: Final = frozenset(
    {
        ErrorCode.INTERNAL_ERROR,
        ErrorCode.CHAIN_UNAVAILABLE,
        ErrorCode.DATABASE_UNAVAILABLE,
        ErrorCode.BILLING_UNAVAILABLE,
        ErrorCode.RUNNER_UNAVAILABLE,
        ErrorCode.TEE_UNAVAILABLE,
        ErrorCode.BILLING_DISABLED,
        ErrorCode.CHAIN_TIMEOUT,
    }
)
"""Codes of failures no caller caused. The same request may succeed later, or at another node."""


class NodeError(DomainError):
    """Error response of the API. `fix` says what the caller can do about it.

    It is a DomainError, so that `except DomainError` catches both.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        fix: str | None = None,
        details: Mapping[str, JsonValue] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message, details=details, retry_after_s=retry_after_s)
        self.code = code
        self.fix = fix


SEND_LIVE_KEY: Final = "Send a live key as Authorization: Bearer <key>, or as X-Api-Key."
"""`fix` of every 401 for a key."""


class UnknownKeyError(NodeError):
    """401 for a well-formed key that is not live at the head this node has seen."""

    def __init__(self) -> None:
        message = "This key is unknown, removed or expired."
        super().__init__(ErrorCode.UNAUTHORIZED, message, fix=SEND_LIVE_KEY)


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """Code and fix of one class of errors. A `fix` that depends on the error is a function."""

    code: ErrorCode
    fix: str | Callable[[Any], str | None] | None = None


CHARGE_UNKNOWN: Final = (
    "What is charged is not known yet: the statement shows it (GET /billing/usage, by the `request_id`)."
)
"""Explains `details.charged_cents` when it is null."""

_BAD_REQUEST: Final = ErrorCode.BAD_REQUEST
_CHAIN: Final = ErrorCode.CHAIN_UNAVAILABLE
_DATABASE: Final = ErrorCode.DATABASE_UNAVAILABLE
_INTERNAL: Final = ErrorCode.INTERNAL_ERROR
_RUNNER: Final = ErrorCode.RUNNER_UNAVAILABLE
_TELL_OPERATOR: Final = "Tell the operator of the node."
_AFTER_RETRY_AFTER: Final = "Try again after `Retry-After` seconds."
_CONVERTED_UNAFFECTED: Final = "accounts that were opened ChainSecured are not affected."


def _own_fix(error: chain.WriteFailure | LimitReachedError) -> str | None:
    return error.fix


def _fix_of_message(error: keyring.UnsignableMessageError) -> str:
    return error.remedy


RESPONSES: Final[Mapping[type[DomainError], ErrorResponse]] = {
    LimitReachedError: ErrorResponse(ErrorCode.TOO_MANY_REQUESTS, _own_fix),
    # Reads of the chain
    chain.ChainUnavailableError: ErrorResponse(_CHAIN, "Try again in a few seconds."),
    chain.ViewNotComputedError: ErrorResponse(_CHAIN, "Try again in a few seconds, or ask for less at a time."),
    chain.ForeignPayersError: ErrorResponse(_CHAIN, f"Ask the operator; {_CONVERTED_UNAFFECTED}"),
    chain.FormerPayersError: ErrorResponse(
        _CHAIN, f"Ask the operator, who needs a new contract; {_CONVERTED_UNAFFECTED}"
    ),
    chain.HeadNotReachedError: ErrorResponse(_CHAIN, "Try again, or leave `min_block` out."),
    # Refusals of the contract
    chain.CallerNotLiveError: ErrorResponse(ErrorCode.UNAUTHORIZED, _own_fix),
    chain.PermissionMissingError: ErrorResponse(ErrorCode.FORBIDDEN, _own_fix),
    chain.NotOnChainError: ErrorResponse(ErrorCode.NOT_FOUND, _own_fix),
    chain.ContractConflictError: ErrorResponse(ErrorCode.CONFLICT, _own_fix),
    chain.InvalidCallError: ErrorResponse(_BAD_REQUEST, _own_fix),
    chain.UnexpectedRevertError: ErrorResponse(_INTERNAL, _own_fix),
    # Writes
    chain.PayersTakenOverError: ErrorResponse(
        _CHAIN, "Send the request to another node. For the operator: every node needs an instance_id of its own."
    ),
    chain.PayerBalancesUnknownError: ErrorResponse(_CHAIN, "Try again in some seconds."),
    chain.PayersNotAdmittedError: ErrorResponse(
        _CHAIN, "Try again later. Operator: /health says which admin payer the contract's owner must name."
    ),
    chain.PayersOutOfGasError: ErrorResponse(_CHAIN, "Try again later; the operator tops the payers up."),
    chain.FeesTooHighError: ErrorResponse(_CHAIN, "Try again later."),
    chain.TooManyWritesError: ErrorResponse(_CHAIN, "Try again later."),
    chain.WriteLostError: ErrorResponse(_CHAIN, _own_fix),
    chain.WriteUnconfirmedError: ErrorResponse(
        ErrorCode.CHAIN_TIMEOUT,
        "Repeat the request with the same Idempotency-Key to get the final answer, or look the transaction up.",
    ),
    chain.WriteRepeatedError: ErrorResponse(ErrorCode.CONFLICT, "Read the state before repeating it."),
    chain.JournalCommitUnknownError: ErrorResponse(
        _DATABASE,
        "Repeat the request with the same Idempotency-Key to get the final answer, or read the state before repeating it.",
    ),
    chain.WriteTooLargeError: ErrorResponse(
        _BAD_REQUEST, "Send the entries in several calls, or shorten name and description."
    ),
    chain.JournalConflictError: ErrorResponse(
        _INTERNAL, "Tell the operator: the journal's tables were changed by hand, or restored in part."
    ),
    # Database and ledger. An outage is `billing_unavailable` only where money is concerned.
    DatabaseUnavailableError: ErrorResponse(_DATABASE, _AFTER_RETRY_AFTER),
    StatementRefusedError: ErrorResponse(_INTERNAL, _TELL_OPERATOR),
    ledger.LedgerUnavailableError: ErrorResponse(ErrorCode.BILLING_UNAVAILABLE, _AFTER_RETRY_AFTER),
    ledger.LedgerInconsistentError: ErrorResponse(_INTERNAL, "Run `svc-node ledger check`."),
    ledger.InsufficientCreditError: ErrorResponse(
        ErrorCode.PAYMENT_REQUIRED,
        "Add credit: by card with POST /billing/create_payment_intent, in tokens as GET /billing/token_config tells. "
        "Where both are billing_disabled, ask the node's operator.",
    ),
    ledger.SpendingCapReachedError: ErrorResponse(
        ErrorCode.PAYMENT_REQUIRED,
        "With the account key, send update_usage_api_key with the key's name, all its permissions, which it replaces, and a higher "
        "`balance`.",
    ),
    ledger.ReservationMissingError: ErrorResponse(_INTERNAL),
    ledger.NegativeAmountError: ErrorResponse(_INTERNAL),
    # Engine
    engine.EngineUnavailableError: ErrorResponse(_RUNNER),
    engine.ActionProcessLostError: ErrorResponse(_RUNNER, "Send the request again."),
    engine.ActionProcessNotStartedError: ErrorResponse(
        _RUNNER, "Try again; nothing was charged. If it stays so, the node's log says why."
    ),
    engine.NodeOutOfMemoryError: ErrorResponse(
        _RUNNER, "Send the request again after Retry-After; if the action holds much memory, hold less."
    ),
    engine.InvalidSourceError: ErrorResponse(_BAD_REQUEST, "Send the source as valid Unicode text."),
    engine.InvalidCidError: ErrorResponse(
        _BAD_REQUEST,
        "Send a CIDv0 (46 characters, `Qm…`) as get_svc_action_ipfs_id answers it, or the same as a dag-pb CIDv1.",
    ),
    # Keyring
    keyring.UnsignableMessageError: ErrorResponse(_BAD_REQUEST, _fix_of_message),
    keyring.UnsignableTypedDataError: ErrorResponse(
        _BAD_REQUEST, "Give domain, types and value as ethers' signTypedData takes them (EIP-712)."
    ),
    keyring.UnsignableTransactionError: ErrorResponse(
        _BAD_REQUEST, "Correct the named fields of `transaction` and call again."
    ),
    keyring.RootKeyUnavailableError: ErrorResponse(
        ErrorCode.TEE_UNAVAILABLE,
        "Check that the guest agent runs and that its socket is mounted into this container, open to its user.",
    ),
}
"""Response of each class of domain errors. A subclass without an entry has its ancestor's."""

_BUG: Final = ErrorResponse(ErrorCode.INTERNAL_ERROR)


def as_node_error(error: DomainError) -> NodeError:
    """Returns the NodeError for an error, which is the error itself if it is one.

    A class without an entry is a bug and becomes `internal_error`.
    """
    if isinstance(error, NodeError):
        return error
    # The nearest ancestor with an entry, so that a package may add subclasses.
    response = next((RESPONSES[kind] for kind in type(error).__mro__ if kind in RESPONSES), _BUG)
    fix = response.fix(error) if callable(response.fix) else response.fix
    return NodeError(response.code, error.message, fix=fix, details=error.details, retry_after_s=error.retry_after_s)


_DENIAL_MESSAGES: Final = {
    Missing.ACCOUNT_KEY: "Only the account key may do this.",
    Missing.ADMIN_WALLET: "This account is ChainSecured: only its admin wallet may do this, on chain.",
    Missing.EXECUTE_IN_GROUPS: "No group this key may execute in permits this action.",
    Missing.WALLET_IN_GROUP: "No group this key may execute in permits this action together with this wallet.",
}

_DENIAL_FIXES: Final = {
    Missing.ACCOUNT_KEY: "Use the account key.",
    Missing.ADMIN_WALLET: "Send the transaction from the admin wallet to the contract of get_node_chain_config.",
    Missing.EXECUTE_IN_GROUPS: "Add the action to one of the key's groups, or grant a group that has it.",
    Missing.WALLET_IN_GROUP: "Put action and wallet into one and the same of the key's groups.",
}


def forbidden(denial: Denial, caller: Caller) -> NodeError:
    """Returns the 403 of a denial, without `details.group` if the caller may not see the group."""
    details: dict[str, JsonValue] = {"missing": str(denial.missing)}
    # Otherwise refusals would show a key which groups have an action or a wallet.
    group = visible_group(caller, denial)
    if group is not None:
        details["group"] = str(group)
    return NodeError(
        ErrorCode.FORBIDDEN,
        _DENIAL_MESSAGES.get(denial.missing, f"This key lacks the permission {denial.missing}."),
        fix=_DENIAL_FIXES.get(denial.missing, GRANT_FIX),
        details=details,
    )


def require(denial: Denial | None, caller: Caller) -> None:
    """Does nothing if `denial` is None. Otherwise raises NodeError `forbidden`."""
    if denial is not None:
        raise forbidden(denial, caller)


def wallet_missing(pkp_id: str | int) -> NodeError:
    """Returns the 404 of a wallet the account does not have. `pkp_id` is as in the request."""
    return NodeError(
        ErrorCode.NOT_FOUND,
        "The account has no such wallet.",
        fix="list_wallets shows the account's wallets.",
        details={"pkp_id": str(pkp_id)},
    )
