"""Which owner's key a wallet has, and how few keys are derived to find out: deriving takes the node's own time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from node.chain.port import WalletRecord
from node.engine.port import HostCallError
from node.execution.host_calls import Derivation
from node.keyring.enclave import EnclaveKeyring
from node.keyring.signing_key import Secp256k1Key
from node.permissions.grants import Caller, Grants

pytestmark = pytest.mark.asyncio

ACCOUNT, ADMINS, PATH = 1, tuple(range(100, 120)), 7
UNMANAGED = Caller(2, ACCOUNT, managed=False, grants=Grants())


class CountingKeyring(EnclaveKeyring):
    """The keyring, and how many wallets it derived."""

    derived = 0

    def wallet(self, owner: int, derivation_path: int) -> Secp256k1Key:
        self.derived += 1
        return super().wallet(owner, derivation_path)

    def count(self) -> int:
        """Since the last time."""
        counted, self.derived = self.derived, 0
        return counted


@dataclass
class Hashes:
    """As the chain tells; `reads` counts how often it was asked."""

    now: Sequence[int] = ADMINS
    known: Sequence[int] | None = None
    reads: int = field(default=0)

    def kept(self, account: int) -> Sequence[int] | None:
        assert account == ACCOUNT
        return self.known

    async def read(self, account: int) -> Sequence[int]:
        assert account == ACCOUNT
        self.reads += 1
        self.known = self.now
        return self.now


@pytest.fixture
def keyring() -> CountingKeyring:
    return CountingKeyring(bytes(range(32)), 31337, "0x" + "11" * 20)


def record(keyring: EnclaveKeyring, owner: int) -> WalletRecord:
    return WalletRecord(1, EnclaveKeyring.wallet(keyring, owner, PATH).address, PATH, "", "")


async def test_the_accounts_own_wallet_is_one_derivation_and_no_question(keyring: CountingKeyring) -> None:
    hashes = Hashes()
    wallet = record(keyring, ACCOUNT)
    owner, key = await Derivation(keyring, hashes, 10).key_of(UNMANAGED, wallet, lambda: False)
    assert (owner, key.address) == (ACCOUNT, wallet.address)
    assert (keyring.count(), hashes.reads) == (1, 0)


async def test_the_admin_it_was_minted_for_is_found_once(keyring: CountingKeyring) -> None:
    hashes = Hashes()
    derivation, wallet = Derivation(keyring, hashes, 10), record(keyring, ADMINS[-1])
    for expected in (1 + len(ADMINS) + 1, 2, 2):
        keyring.count()
        owner, key = await derivation.key_of(UNMANAGED, wallet, lambda: True)
        assert (owner, key.address) == (ADMINS[-1], wallet.address)
        assert keyring.count() == expected
    assert hashes.reads == 1


async def test_who_is_refused_does_not_make_the_node_derive_again(keyring: CountingKeyring) -> None:
    hashes = Hashes()
    derivation, wallet = Derivation(keyring, hashes, 10), record(keyring, 999)
    for expected in (1 + len(ADMINS), 1, 1):
        keyring.count()
        with pytest.raises(HostCallError) as refused:
            await derivation.key_of(UNMANAGED, wallet, lambda: True)
        assert refused.value.name == "KeyUnavailable"
        assert keyring.count() == expected
    assert hashes.reads == 3


async def test_a_refusal_ends_when_its_admin_is_one(keyring: CountingKeyring) -> None:
    hashes = Hashes()
    derivation, wallet = Derivation(keyring, hashes, 10), record(keyring, 999)
    with pytest.raises(HostCallError):
        await derivation.key_of(UNMANAGED, wallet, lambda: True)
    hashes.now = (999, *ADMINS)
    with pytest.raises(HostCallError):
        await derivation.key_of(UNMANAGED, wallet, lambda: False)
    assert (await derivation.key_of(UNMANAGED, wallet, lambda: True))[0] == 999


async def test_a_managed_account_has_no_owner_but_itself(keyring: CountingKeyring) -> None:
    hashes, managed = Hashes(), Caller(2, ACCOUNT, managed=True, grants=Grants())
    derivation, wallet = Derivation(keyring, hashes, 10), record(keyring, ADMINS[0])
    with pytest.raises(HostCallError):
        await derivation.key_of(managed, wallet, lambda: True)
    assert hashes.reads == 0
