"""The bundling recipe of docs/actions.md, run as it stands, and the examples that import packages."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from eth_account import Account as Signer
from eth_account.messages import encode_defunct

from node.execution.models import BUNDLE_COMMAND
from tests.e2e.account import Account, new_account
from tests.e2e.conftest import client_of
from tests.support.bundling import bundled, recipe
from tests.support.node import REPOSITORY, running_node

FOLDER = REPOSITORY / "examples" / "bundled"
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
ORDER = {"id": "6f1b2a1e-0a53-4b0f-9d38-0f3f8c6a1e11", "amount": 5, "currency": "EUR", "to": "0x" + "ab" * 20}


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    with running_node(tmp_path_factory.mktemp("node")) as node:
        yield new_account(client_of(node))


def run(account: Account, code: str, **params: object) -> Any:
    answer = account.client.post("svc_action", {"code": code, "js_params": params}).ok()
    assert not answer["has_error"], answer["error"]
    return answer["response"]


def from_base58(text: str, size: int) -> bytes:
    number = 0
    for character in text:
        number = number * 58 + ALPHABET.index(character)
    return number.to_bytes(size)


def test_the_recipe_is_the_same_everywhere() -> None:
    assert recipe() == BUNDLE_COMMAND
    assert BUNDLE_COMMAND.replace("action.js", "validate.js") in (FOLDER / "README.md").read_text()


@pytest.mark.exhaustive
def test_a_validation_library(account: Account, tmp_path: Path) -> None:
    code = bundled((FOLDER / "validate.js").read_text(), tmp_path)
    signed = run(account, code, pkpId=account.wallet_address, order=ORDER)
    signer = Signer.recover_message(encode_defunct(text=signed["message"]), signature=signed["signature"])
    assert signer == account.wallet_address
    wrong = ORDER | {"amount": -1, "currency": "GBP", "extra": 1}
    refused = run(account, code, pkpId=account.wallet_address, order=wrong)["refused"]
    assert [reason.partition(":")[0] for reason in refused] == ["amount", "currency", ""]


@pytest.mark.exhaustive
def test_an_ed25519_signer(account: Account, tmp_path: Path) -> None:
    code = bundled((FOLDER / "solana.js").read_text(), tmp_path)
    message = b"\x01\x00\x01\x03" + bytes(range(200))
    signed = run(account, code, pkpId=account.wallet_address, message=base64.b64encode(message).decode())
    key = Ed25519PublicKey.from_public_bytes(from_base58(signed["address"], 32))
    key.verify(from_base58(signed["signature"], 64), message)
    with pytest.raises(InvalidSignature):
        key.verify(from_base58(signed["signature"], 64), message + b"x")
    assert run(account, code, pkpId=account.wallet_address) == {"address": signed["address"]}
    assert run(account, code, pkpId=account.wallet())["address"] != signed["address"]


@pytest.mark.exhaustive
def test_a_package_that_looks_for_the_global_object(account: Account, tmp_path: Path) -> None:
    """ethers 6 as npm has it, not the one of every action: many packages are built on it."""
    source = """
      import { AbiCoder, Wallet, verifyMessage } from "ethers6";
      export async function main() {
        const wallet = new Wallet("0x" + "11".repeat(32));
        const signed = await wallet.signMessage("hi");
        return [verifyMessage("hi", signed) === wallet.address, AbiCoder.defaultAbiCoder().encode(["uint8"], [7])];
      }"""
    assert run(account, bundled(source, tmp_path)) == [True, "0x" + "00" * 31 + "07"]


MODULES = {
    "named import": 'import { z } from "zod@3.22.4";\nasync function main() {}',
    "default import": "// what it does\n\n  import z from 'zod';\nfunction main() {}",
    "import for its effect": "import 'zod'\nfunction main() {}",
    "export": "export async function main() { return 1; }",
    "default export": "const main = () => 1;\nexport default main;",
    "export late": "const main = () => 1;\n" + "// long\n" * 5_000 + "export { main };",
    "require": 'const { z } = require("zod");\nfunction main() {}',
    "require inside": 'function main() { return require("zod"); }',
    "dynamic import": 'async function main() { return await import("zod"); }',
    "import.meta": "function main() { return import.meta.url; }",
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_told_how_to_become_a_script(account: Account, name: str) -> None:
    answer = account.client.post("svc_action", {"code": MODULES[name]}).ok()
    assert answer["error"]["name"] in {"SyntaxError", "ReferenceError"}
    assert BUNDLE_COMMAND in answer["error"]["fix"]


OTHERS = {
    "another syntax error": "function main() { let x = ; }",
    "a word in a text": "function main() { const text = `\n see export below`; throw new SyntaxError('no import'); }",
    "another name": "function main() { return undefinedName; }",
    "no main": "const important = 1;",
    "thrown": "function main() { throw new Error('import it'); }",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_module_gets_no_such_advice(account: Account, name: str) -> None:
    answer = account.client.post("svc_action", {"code": OTHERS[name]}).ok()
    assert answer["has_error"]
    assert "fix" not in answer["error"]
