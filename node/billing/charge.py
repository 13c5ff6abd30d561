"""Charge of a write: who pays how much, in the form that the journal stores."""

from collections.abc import Mapping

from pydantic import BaseModel, JsonValue

from node.chain.port import ContractCall
from node.ledger.port import MICRODOLLARS_PER_CENT, Service, Spender, Usage
from node.permissions.grants import Caller
from node.values import u256_hex


def spender_of(caller: Caller) -> Spender:
    """Return the payer of this caller's work; the account key spends through no usage key."""
    usage_key = None if caller.is_account_key else caller.key_hash
    return Spender(caller.master_hash, usage_key, caller.cap_cents * MICRODOLLARS_PER_CENT)


class Charge(BaseModel, frozen=True, strict=True, extra="forbid"):
    """The account (u256 hex of its master hash), the usage key it is spent through, that key's cap, the amount, the request."""

    account: str
    usage_key: str | None
    cap_microdollars: int
    amount_microdollars: int
    request_id: str | None = None

    @classmethod
    def of(cls, spender: Spender, amount_microdollars: int, request_id: str | None = None) -> "Charge":
        """The charge of this spender."""
        return cls(
            account=u256_hex(spender.account),
            usage_key=None if spender.usage_key is None else u256_hex(spender.usage_key),
            cap_microdollars=spender.cap_microdollars,
            amount_microdollars=amount_microdollars,
            request_id=request_id,
        )

    @property
    def spender(self) -> Spender:
        """Payer, as the ledger takes it."""
        usage_key = None if self.usage_key is None else int(self.usage_key, 16)
        return Spender(int(self.account, 16), usage_key, self.cap_microdollars)

    def usage(self, call: ContractCall) -> Usage:
        """Return the purpose of the charge, as the account reads it later."""
        return Usage(Service.WRITE, call.function, self.request_id)

    def to_json(self) -> Mapping[str, JsonValue]:
        """Return the form that `WriteIntent.charge` has."""
        return self.model_dump()
