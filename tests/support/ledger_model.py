"""What a ledger is, written down as simply as can be: lists of what happened, summed up anew for every question."""

from dataclasses import dataclass, field
from typing import TypeAlias

from node.ledger.port import Balance


@dataclass(frozen=True)
class Reserve:
    cause: str
    account: int
    key: int | None
    cap: int
    amount: int


@dataclass(frozen=True)
class Extend:
    cause: str
    amount: int


@dataclass(frozen=True)
class Settle:
    cause: str
    amount: int


@dataclass(frozen=True)
class Release:
    cause: str


@dataclass(frozen=True)
class Post:
    cause: str
    account: int
    amount: int


@dataclass(frozen=True)
class Ask:
    account: int


Operation: TypeAlias = Reserve | Extend | Settle | Release | Post | Ask
Answer: TypeAlias = str | bool | Balance
DONE, NO_SUCH, ANOTHER = "done", "no such reservation", "another transfer"


@dataclass
class Hold:
    account: int
    key: int | None
    cap: int
    amount: int


@dataclass
class Model:
    """A ledger as lists of all postings and charges, with what is set aside."""

    postings: list[Post] = field(default_factory=list)
    charges: list[tuple[str, int, int | None, int]] = field(default_factory=list)
    holds: dict[str, Hold] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)

    def copy(self) -> "Model":
        holds = {cause: Hold(**vars(hold)) for cause, hold in self.holds.items()}
        return Model(list(self.postings), list(self.charges), holds, set(self.ended))

    def credit(self, account: int) -> int:
        given = sum(each.amount for each in self.postings if each.account == account)
        return given - sum(amount for _, whose, _, amount in self.charges if whose == account)

    def reserved(self, account: int) -> int:
        return sum(hold.amount for hold in self.holds.values() if hold.account == account)

    def used(self, key: int) -> int:
        """All that was ever charged through a key, and is set aside through it."""
        held = sum(hold.amount for hold in self.holds.values() if hold.key == key)
        return held + sum(amount for _, _, through, amount in self.charges if through == key)

    def refusal(self, account: int, key: int | None, cap: int, amount: int) -> str | None:
        if amount > self.credit(account) - self.reserved(account):
            return "account"
        if key is not None and cap and self.used(key) + amount > cap:
            return "usage_key"
        return None

    def restart(self) -> None:
        """The process is gone, and what was under way is forgotten."""
        self.holds.clear()
        self.ended = {cause for cause, *_ in self.charges}

    def apply(self, operation: Operation) -> Answer:
        match operation:
            case Ask(account):
                return Balance(self.credit(account), self.reserved(account))
            case Post():
                return self._post(operation)
            case Reserve():
                return self._reserve(operation)
            case Extend(cause, amount):
                return self._extend(cause, amount)
            case Settle(cause, amount):
                self._settle(cause, amount)
            case Release(cause):
                self.holds.pop(cause, None)
                self.ended.add(cause)
        return DONE

    def _post(self, posting: Post) -> Answer:
        for earlier in self.postings:
            if earlier.cause == posting.cause:
                return False if earlier == posting else ANOTHER
        self.postings.append(posting)
        return True

    def _reserve(self, wanted: Reserve) -> Answer:
        if wanted.cause in self.holds or wanted.cause in self.ended:
            return DONE
        refusal = self.refusal(wanted.account, wanted.key, wanted.cap, wanted.amount)
        if refusal is None:
            self.holds[wanted.cause] = Hold(wanted.account, wanted.key, wanted.cap, wanted.amount)
        return refusal or DONE

    def _extend(self, cause: str, amount: int) -> Answer:
        hold = self.holds.get(cause)
        if hold is None:
            return NO_SUCH
        refusal = self.refusal(hold.account, hold.key, hold.cap, amount)
        if refusal is None:
            hold.amount += amount
        return refusal or DONE

    def _settle(self, cause: str, amount: int) -> None:
        hold = self.holds.pop(cause, None)
        if hold is None:
            return
        self.charges.append((cause, hold.account, hold.key, min(amount, hold.amount)))
        self.ended.add(cause)
