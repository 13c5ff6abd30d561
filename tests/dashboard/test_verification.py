"""The dashboard's comparisons of a node's attestation: every lie that a browser can notice is noticed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.attested.look import HOST, NONCE, Look
from tests.support.javascript import ran_javascript

COMPARE = """
import { compare } from "./verification.mjs";
const found = [];
for (const { attestation, info, nonce, hostname } of given) {
  const told = await compare(attestation, info, nonce, hostname).catch((error) => ({ thrown: error.name }));
  found.push(told.thrown ?? { ...told, checks: told.checks.filter((check) => !check.passed).map((check) => check.name) });
}
console.log(JSON.stringify(found));
"""
Change = Callable[[dict[str, Any]], object]


def flipped(text: str, position: int) -> str:
    """The same hex text with another digit at this place."""
    return text[:position] + ("0" if text[position] != "0" else "1") + text[position + 1 :]


def restated(given: dict[str, Any], **members: object) -> None:
    """Another statement beside the same quote."""
    changed = json.loads(given["attestation"]["statement"]) | members
    given["attestation"]["statement"] = json.dumps(changed, separators=(",", ":"), sort_keys=True)


def requoted(given: dict[str, Any], quote: str) -> None:
    given["attestation"]["quote"] = quote


def reported(given: dict[str, Any], **members: object) -> None:
    given["info"] |= members


def as_version_5(given: dict[str, Any]) -> None:
    quote = bytes.fromhex(given["attestation"]["quote"])
    requoted(given, Look().td.as_version_5(quote).hex())


def composed(given: dict[str, Any]) -> None:
    given["info"]["tcb_info"] = given["info"]["tcb_info"] | {"app_compose": "{}"}


LIES: dict[str, tuple[Change, list[str]]] = {
    "an honest node": (lambda _: None, []),
    "an honest node with a quote of version 5": (as_version_5, []),
    "the nonce of another request": (lambda given: given.update(nonce="ab" * 32), ["Fresh statement"]),
    "another purpose": (lambda given: restated(given, purpose="other"), ["Fresh statement", "Statement in the quote"]),
    "a setting changed after the quote": (lambda given: restated(given, config={}), ["Statement in the quote"]),
    "the report data of another statement": (
        lambda given: requoted(given, flipped(given["attestation"]["quote"], 2 * 568)),
        ["Statement in the quote"],
    ),
    "report data whose second half is not empty": (
        lambda given: requoted(given, flipped(given["attestation"]["quote"], 2 * 631)),
        ["Statement in the quote"],
    ),
    "the page of another host": (lambda given: given.update(hostname="other.example"), ["Host"]),
    "another compose file": (composed, ["Compose file"]),
    "another compose hash": (
        lambda given: reported(given, compose_hash="ab" * 32),
        ["Compose file", "Compose hash in the quote"],
    ),
    "another measured compose hash": (
        lambda given: requoted(given, flipped(given["attestation"]["quote"], 2 * 234)),
        ["Compose hash in the quote"],
    ),
    "a quote that ends early": (
        lambda given: requoted(given, given["attestation"]["quote"][:200]),
        ["Statement in the quote", "Compose hash in the quote"],
    ),
}


def test_every_lie_that_a_browser_can_notice_is_noticed(modules: Path) -> None:
    look = Look()
    cases = []
    for change, _ in LIES.values():
        given = {"attestation": look.attestation, "info": look.info, "nonce": NONCE.hex(), "hostname": HOST}
        given = json.loads(json.dumps(given))
        change(given)
        cases.append(given)
    without_statement = {**cases[0], "attestation": {"quote": "00"}}
    *found, unreadable = ran_javascript(COMPARE, [*cases, without_statement], modules)
    assert {name: each["checks"] for name, each in zip(LIES, found, strict=True)} == {
        name: failed for name, (_, failed) in LIES.items()
    }
    assert unreadable == "SyntaxError"
    honest = found[0]
    assert (honest["host"], honest["isHost"]) == (HOST, True)
    assert honest["composeHash"] == look.info["compose_hash"]
    assert honest["appId"] == f"0x{look.info['app_id']}"
    assert honest["certificateKeys"] == look.statement["spki_sha256"]
