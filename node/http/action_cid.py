"""The CID of an action as a field of a request: accepted as CIDv0 or CIDv1, worked with as CIDv0."""

from typing import Annotated

from pydantic import AfterValidator

from node.engine.cid import parse_cid
from node.http.errors import DomainError, as_node_error
from node.http.fields import CidText


def _cid_v0(text: str) -> str:
    """`parse_cid` as a field's rule, so that its refusal names the field."""
    try:
        return parse_cid(text)
    except DomainError as error:
        fix = as_node_error(error).fix or ""
        raise ValueError(f"is not usable: {error.message} {fix}".strip()) from None


ActionCid = Annotated[CidText, AfterValidator(_cid_v0)]
"""The CIDv0 of an action, given as CIDv0 or CIDv1."""
