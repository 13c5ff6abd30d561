"""A ChainSecured account from its opening to its second administrator, step by step."""

from collections.abc import Callable
from typing import Any

from administrators import Administrator
from chain import ABI, Chain, RevertedError, calldata
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_utils.crypto import keccak
from service import Service

from svc_client.models import MintedWallet

SIGN = "async function main({ wallet, text }) { return Svc.Actions.signMessage({ pkpId: wallet, message: text }); }"
NO_GROUPS: list[int] = []


def hash_of(data: str | bytes) -> int:
    """keccak256, as the contract names things: of a key or a CID its text, of a wallet its 20 bytes."""
    return int.from_bytes(keccak(text=data) if isinstance(data, str) else keccak(data))


class ManagedByWallet:
    """Account whose hash stays the same under every administrator."""

    def __init__(self, service: Service, chain: Chain, admin: Administrator) -> None:
        self.service = service
        self.chain = chain
        self.admin = admin
        self.hash = hash_of(bytes.fromhex(admin.address[2:]))

    def write(self, function: str, *arguments: Any, account: int | None = None) -> dict[str, Any]:
        """An administrative write: the admin wallet calls the contract, and nobody else may."""
        data = calldata(ABI, function, self.hash if account is None else account, *arguments)
        return self.admin.call(self.chain.contract, data)

    def open(self) -> None:
        """The account itself, and its master wallet: the first that is registered takes id 0."""
        self.admin.call(self.chain.contract, calldata(ABI, "newChainSecuredAccount", "reference", "flow"))
        self.mint_wallet("master")

    def mint_wallet(self, name: str) -> str:
        """Minted by the service for whoever signs, then registered to the account on chain; its address."""
        minted = self.service.mint_wallet(self.admin)
        self.register(minted, name)
        return minted.wallet_address

    def register(self, minted: MintedWallet, name: str) -> None:
        """Register the wallet with the account: from then on its actions may use the wallet's key."""
        self.write("registerWalletDerivation", minted.wallet_address, int(minted.derivation_path, 16), name, "")

    def mint_usage_key(self, groups: list[int]) -> str:
        """A secret of the service's, its wallet registered, and its hash attached with what it may do."""
        minted = self.service.mint_usage_key(self.admin)
        key = minted.usage_api_key
        self.register(minted, "of a usage key")
        lists = (NO_GROUPS, NO_GROUPS, NO_GROUPS, groups)
        self.write("setUsageApiKey", hash_of(key), 0, 0, "usage key", "", False, False, False, *lists)
        return key

    def make_group(self, code: str, wallets: list[str]) -> int:
        """A group that lends these wallets to this action; its id."""
        cid = self.service.client().actions.cid(code)
        self.write("addActionWithCid", "sign", "signs a text", cid)
        receipt = self.write("addGroup", "signers", "", [hash_of(cid)], wallets)
        return int(self.chain.event(receipt, "GroupAdded")["groupId"])

    def hand_on(self, successor: Administrator) -> None:
        """To another wallet, for good; the event names the account by its own hash, whichever alias was passed."""
        receipt = self.write("transferChainSecuredAccountOwnership", successor.address)
        event = self.chain.event(receipt, "ChainSecuredAccountOwnershipTransferred")
        require(event["masterApiKeyHash"] == self.hash, "the transfer's event names the account by its master hash")
        self.admin = successor

    def sign(self, key: str, wallet: str, text: str) -> None:
        """Let the action sign with a usage key, and recover the signature."""
        run = self.service.client(key).actions.run(SIGN, {"wallet": wallet, "text": text})
        signer = Account.recover_message(encode_defunct(text=text), signature=str(run.response))
        require(signer == wallet, f"the signature of {text!r} recovers to {wallet}")


def require(holds: bool, claim: str) -> None:
    """Print what holds; stop at what does not."""
    if not holds:
        raise SystemExit(f"NOT SO  {claim}")
    print(f"ok    {claim}")


def refused(attempt: Callable[[], object], error: str, claim: str) -> None:
    """The contract refuses this by that error."""
    try:
        attempt()
    except RevertedError as reverted:
        require(str(reverted) == error, f"{claim} ({error})")
    else:
        require(False, claim)


def run(service: Service, chain: Chain, first: Administrator, second: Administrator) -> None:
    """Everything of the flow, by the first administrator and then by the second. Raises SystemExit where it fails."""
    account = ManagedByWallet(service, chain, first)
    account.open()
    early = account.mint_wallet("signs")
    group = account.make_group(SIGN, [early])
    key = account.mint_usage_key([group])
    require(service.exists(key), "the usage key belongs to an account")
    account.sign(key, early, "by the first administrator's key")

    account.hand_on(second)
    alias = hash_of(bytes.fromhex(second.address[2:]))
    require(chain.view("resolveMaster", alias) == account.hash, "the second wallet's hash finds the account")
    account.sign(key, early, "the same key, the same wallet, another administrator")
    former = ManagedByWallet(service, chain, first)
    refused(lambda: former.write("addGroup", "mine", "", [], []), "NoAccountAccess", "the former admin may not write")
    refused(lambda: account.hand_on(first), "AccountAlreadyExists", "the account cannot be handed back")

    late = account.mint_wallet("of the second administrator")
    account.write("addPkpToGroup", group, late, account=alias)
    account.sign(key, late, "with a wallet the second administrator minted")
    account.write("clearUsageApiKeys")
    require(not service.exists(key), "every usage key of before is gone by one call")
    fresh = account.mint_usage_key([group])
    account.sign(fresh, early, "by the second administrator's own key")
