"""Errors of the client. Each says what happened, and what to do about it if that is known."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from svc_verifier.check import Check, Report


class SvcError(Exception):
    """Base of all errors of the client."""


class InvalidArgument(SvcError):
    """An argument that cannot be used, for instance a URL, a key or an address."""


class MissingExtra(InvalidArgument, ImportError):
    """Packages of a part of the client are missing. The message has the command to install them."""


class UnreadableFile(SvcError):
    """A trust file or root certificate that cannot be read."""


class InvalidAnswer(SvcError):
    """The response has another form than the API promises. The request may have had its effect."""


class NodeNotAccepted(SvcError):
    """The node was not proven and no byte of a request left. `report` is None without checks."""

    def __init__(self, message: str, report: "Report | None") -> None:
        super().__init__(message)
        self.report = report


class Unreachable(SvcError):
    """The node, or a provider used to verify it, did not respond before the deadline."""


class Unanswered(SvcError):
    """The response of a run that may have begun is lost. The client never repeats such a run.

    The statement shows whether it was charged. With `idempotent=True` only a node's end loses it.
    """


class ActionFailed(SvcError):
    """The action failed. `name`, `message` and `stack` are its error; `logs` is what it wrote.

    `charged_cents` is its price; `fix` says what to do, if the node knows it.
    """

    def __init__(
        self, name: str, message: str, stack: str, logs: str, charged_cents: int, fix: str | None = None
    ) -> None:
        super().__init__(f"{name}: {message}{f' {fix}' if fix else ''}")
        self.name = name
        self.message = message
        self.stack = stack
        self.logs = logs
        self.charged_cents = charged_cents
        self.fix = fix


class ApiError(SvcError):
    """Refusal by the node (docs/specification.md section 3)."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        fix: str | None = None,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{message} {fix}" if fix else message)
        self.status = status
        self.code = code
        self.message = message
        self.fix = fix
        self.request_id = request_id
        self.details: Mapping[str, Any] = details or {}


class BadRequest(ApiError):
    """400, 405, 413 or 415: the request is wrong."""


class Unauthorized(ApiError):
    """401: no key, or one that is unknown, removed or expired."""


class PaymentRequired(ApiError):
    """402: too little credit, or the key's cap is reached."""


class Forbidden(ApiError):
    """403: a grant is missing."""

    @property
    def missing(self) -> str | None:
        """Name of the missing grant; None if the node did not say."""
        value = self.details.get("missing")
        return value if isinstance(value, str) else None


class NotFound(ApiError):
    """404: the path, group, action, wallet or key does not exist."""


class Conflict(ApiError):
    """409: it exists already, or an idempotency key was used for another request."""


class RateLimited(ApiError):
    """429: a rate or load limit."""


class Unavailable(ApiError):
    """503: a service that the node needs is down."""


class ChainTimeout(ApiError):
    """504: the transaction was sent and not confirmed in time."""

    @property
    def transaction_hash(self) -> str | None:
        """Hash of the transaction; None if the node did not say."""
        value = self.details.get("transaction_hash")
        return value if isinstance(value, str) else None


class ServerFault(ApiError):
    """500: a fault of the node."""


class ProvidersDisagree(SvcError):
    """Providers of the chain disagree. The message names block and hosts. Nothing was sent."""


class ContractNotAccepted(SvcError):
    """The account contract, its owner or its delay is not what is trusted. Nothing was sent.

    `checks` are the checks of the verifier that did not pass.
    """

    def __init__(self, message: str, checks: "Sequence[Check]") -> None:
        super().__init__(message)
        self.checks = tuple(checks)


class NotSent(SvcError):
    """A transaction was not sent: too little ether, too high fees, or an earlier one pending."""


class Reverted(SvcError):
    """The contract refused. `name` is its error's name or "", and `arguments` are by name.

    `transaction_hash` is None if a simulation found it before anything was sent.
    """

    def __init__(
        self, message: str, name: str, arguments: Mapping[str, object], transaction_hash: str | None = None
    ) -> None:
        super().__init__(message)
        self.name = name
        self.arguments = arguments
        self.transaction_hash = transaction_hash


class NonceTaken(SvcError):
    """Another transaction of the wallet took the nonce. This one can no longer be carried out."""

    def __init__(self, message: str, transaction_hash: str) -> None:
        super().__init__(message)
        self.transaction_hash = transaction_hash


class Unconfirmed(SvcError):
    """A sent transaction is not confirmed yet and may still be. Look for it before the next one."""

    def __init__(self, message: str, transaction_hash: str) -> None:
        super().__init__(message)
        self.transaction_hash = transaction_hash


BY_STATUS: Final[Mapping[int, type[ApiError]]] = {
    400: BadRequest,
    401: Unauthorized,
    402: PaymentRequired,
    403: Forbidden,
    404: NotFound,
    405: BadRequest,
    409: Conflict,
    413: BadRequest,
    415: BadRequest,
    429: RateLimited,
    500: ServerFault,
    503: Unavailable,
    504: ChainTimeout,
}
