"""SDK of the node: the node is attested before the first byte. `from svc_client import Client`."""

from svc_client.aio import AsyncClient
from svc_client.errors import (
    ActionFailed,
    ApiError,
    BadRequest,
    ChainTimeout,
    Conflict,
    Forbidden,
    InvalidAnswer,
    InvalidArgument,
    NodeNotAccepted,
    NotFound,
    PaymentRequired,
    RateLimited,
    ServerFault,
    SvcError,
    Unanswered,
    Unauthorized,
    Unavailable,
    Unreachable,
    UnreadableFile,
)
from svc_client.grants import Grants
from svc_client.sync import Client
from svc_client.transport import InsecureDevelopmentRootWarning

__all__ = [
    "ActionFailed",
    "ApiError",
    "AsyncClient",
    "BadRequest",
    "ChainTimeout",
    "Client",
    "Conflict",
    "Forbidden",
    "Grants",
    "InsecureDevelopmentRootWarning",
    "InvalidAnswer",
    "InvalidArgument",
    "NodeNotAccepted",
    "NotFound",
    "PaymentRequired",
    "RateLimited",
    "ServerFault",
    "SvcError",
    "Unanswered",
    "Unauthorized",
    "Unavailable",
    "Unreachable",
    "UnreadableFile",
]
