"""A wallet that administers its account on a real chain, seen through two providers which a test makes lie. No node answers."""

import asyncio
import contextlib
import datetime as dt
import json
import urllib.request
import warnings
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, Unpack

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from eth_account import Account
from eth_account.signers.local import LocalAccount

from devkit.local_chain import FUNDED_KEYS
from svc_client import AsyncClient, Client, Grants, InsecureDevelopmentRootWarning
from svc_client.sovereign import Sovereign
from tests.support.account_chain import AccountChain, account_chain
from tests.support.rpc_proxy import RpcProxy

Result = TypeVar("Result")
NOBODY = "https://localhost:1"
"""The node's address: nothing listens there, so whatever works needs no node."""

WALLET: LocalAccount = Account.from_key(FUNDED_KEYS[3])
SUCCESSOR: LocalAccount = Account.from_key(FUNDED_KEYS[2])
PASSPHRASE = "correct horse"


def unlimited(**grants: Unpack[Grants]) -> Grants:
    """The grants, with no limits where none are named."""
    found: Grants = {"expires": None, "cap_cents": None, **grants}
    return found


def keystore(folder: Path, account: LocalAccount = WALLET) -> Path:
    """Write the account's key as an encrypted keystore, with few rounds."""
    file = folder / f"{account.address}.json"
    file.write_text(json.dumps(Account.encrypt(account.key, PASSPHRASE, kdf="pbkdf2", iterations=10)))
    return file


def write_development_root(path: Path) -> Path:
    """Write a certificate as a development root: any will do where nothing is attested."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "root")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    path.write_bytes(made.public_bytes(Encoding.PEM))
    return path


@dataclass
class Stage:
    """The chain, two providers of it, and every hash that was told before its transaction was sent."""

    chain: AccountChain
    one: RpcProxy
    two: RpcProxy
    root: Path
    contract: str
    told: list[str] = field(default_factory=list)

    def client(self, *urls: str, **changes: Any) -> Client:
        """A client of a node that does not answer."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InsecureDevelopmentRootWarning)
            return Client(NOBODY, **(self._trust(*urls) | changes))

    def async_client(self) -> AsyncClient:
        """The same without threads."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InsecureDevelopmentRootWarning)
            return AsyncClient(NOBODY, **self._trust())

    def _trust(self, *urls: str) -> dict[str, Any]:
        return {
            "app_id": "0x" + "11" * 20,
            "account_contract": self.contract,
            "rpc_urls": urls or (self.one.url, self.two.url),
            "chain_id": 31337,
            "insecure_dev_root": self.root,
        }

    async def by(
        self, work: Callable[[Sovereign], Result], wallet: object = WALLET, *urls: str, **options: Any
    ) -> Result:
        """Does `work` with the account of this wallet, in a thread: the providers run in this one."""
        with self.client(*urls) as client:
            usual: dict[str, Any] = {"timeout_s": 60.0, "tell": self.told.append}
            return await self.in_thread(Sovereign(wallet, client, **(usual | options)), work)

    async def in_thread(self, mine: Sovereign, work: Callable[[Sovereign], Result]) -> Result:
        """Does `work` in a thread; the account is closed after it."""

        def run() -> Result:
            with mine:
                return work(mine)

        return await asyncio.to_thread(run)

    def ask(self, method: str, *parameters: Any) -> Any:
        """Asks the chain itself, from a thread that may wait."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
        request = urllib.request.Request(self.chain.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            said: dict[str, Any] = json.loads(answer.read())
        return said["result"]

    async def sent_count(self, wallet: LocalAccount = WALLET, block: str = "latest") -> int:
        """Number of the wallet's transactions that are mined; by "pending", with those in the chain's pool."""
        return int(await self.chain.rpc.ask("eth_getTransactionCount", wallet.address, block), 16)

    async def mining(self, is_on: bool) -> None:
        """Mine each transaction as it comes, or none until asked."""
        await self.chain.rpc.ask("evm_setAutomine", is_on)


@contextlib.asynccontextmanager
async def stage_of(folder: Path) -> AsyncIterator[Stage]:
    """A fresh chain with the contract, and two honest providers of it."""
    root = write_development_root(folder / "root.pem")
    async with account_chain() as chain, RpcProxy(chain.url).running() as one, RpcProxy(chain.url).running() as two:
        yield Stage(chain, one, two, root, chain.contract.address)
