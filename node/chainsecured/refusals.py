"""Why a signed envelope is refused: each reason has a name of its own, `details.reason` (decisions.md section 3)."""

from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from node.errors import ErrorCode, NodeError


class Reason(StrEnum):
    """What is wrong with the envelope; clients may rely on these names. In the order in which they are looked for."""

    TYPED_DATA_SIZE = "typed_data_size"
    TYPED_DATA_MALFORMED = "typed_data_malformed"
    TYPED_DATA_DUPLICATE_MEMBER = "typed_data_duplicate_member"
    TYPED_DATA_MEMBERS = "typed_data_members"
    PRIMARY_TYPE = "primary_type"
    DOMAIN_MEMBERS = "domain_members"
    DOMAIN_NAME = "domain_name"
    DOMAIN_VERSION = "domain_version"
    DOMAIN_CHAIN_ID_MALFORMED = "domain_chain_id_malformed"
    DOMAIN_CHAIN_ID = "domain_chain_id"
    TYPES = "types"
    MESSAGE_MEMBERS = "message_members"
    MESSAGE_ADDRESS = "message_address"
    ISSUED_AT_MALFORMED = "issued_at_malformed"
    ISSUED_AT_WINDOW = "issued_at_window"
    SIGNATURE_SIZE = "signature_size"
    SIGNATURE_MALFORMED = "signature_malformed"
    SIGNATURE_COUNTERFACTUAL = "signature_counterfactual"
    SIGNATURE_NO_CODE = "signature_no_code"
    SIGNATURE_REJECTED = "signature_rejected"
    ADDRESS_MISMATCH = "address_mismatch"


_SIGN_ANEW: Final = "Build the envelope as the example of this endpoint in /core/v1/openapi.json, and sign it again."


class EnvelopeFault(ValueError):  # noqa: N818 - the room's word: what is wrong with an envelope, named by its reason
    """What is wrong, with what a client is told about it; no part of the envelope is repeated but its time."""

    def __init__(self, reason: Reason, message: str, fix: str | None = None, **details: JsonValue) -> None:
        super().__init__(message)
        self.reason = reason
        self.fix = fix
        self.details = details

    def refusal(self) -> NodeError:
        """The 400 `bad_request` of this fault."""
        return NodeError(
            ErrorCode.BAD_REQUEST,
            str(self),
            fix=self.fix or _SIGN_ANEW,
            details={"reason": str(self.reason), **self.details},
        )
