#!/usr/bin/env python3
"""Checks by hand what a node publishes about itself, with Python's standard library and `openssl` only.

    examples/check_attestation.py https://localhost:8443 --rpc http://127.0.0.1:8545 [--app-id 0x…]

It checks the four published rules, then a fresh quote over a nonce of its own for this very connection's key. It does not verify the
quote's signature up to the hardware vendor: use svc-verify for that.
"""

import argparse
import hashlib
import http.client
import json
import re
import secrets
import ssl
import subprocess
import sys
import urllib.request
from urllib.parse import urlsplit

RUNTIME_EVENT = 0x08000001
REPORT_DATA_AT, RTMR3_AT, MR_CONFIG_ID_AT = 568, 520, 232
ALLOWED_COMPOSE_HASHES = "0x2f6622e5"  # allowedComposeHashes(bytes32)
TIMEOUT_S = 30


class FailedError(Exception):
    """A rule does not hold."""


def require(holds: bool, claim: str) -> None:
    """Print the claim, or stop at the first that does not hold."""
    if not holds:
        raise FailedError(claim)
    print(f"ok    {claim}")


class Node:
    """One TLS connection, kept: every answer comes from the holder of the certificate that is checked.

    The certificate's issuer does not matter: the TEE attests the key.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        host = parts.hostname or ""
        self.host = host
        self.connection = http.client.HTTPSConnection(host, parts.port or 443, timeout=TIMEOUT_S, context=context)
        self.connection.connect()
        self.socket = self.connection.sock
        self.certificate = self.socket.getpeercert(binary_form=True) or b""

    def get(self, path: str) -> bytes:
        """The body of a 200 that came over this connection."""
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise FailedError(f"{path} answers {answer.status}: {body[:300].decode(errors='replace')}")
        if self.connection.sock is not self.socket:
            raise FailedError("the node closed the connection, so this answer may be another's")
        return body


def spki_sha256(certificate: bytes) -> str:
    """SHA-256 of a certificate's public key (DER), as openssl reads it."""
    openssl = ["openssl", "x509", "-inform", "DER", "-pubkey", "-noout"]
    public = subprocess.run(openssl, input=certificate, capture_output=True, check=True).stdout
    der = ["openssl", "pkey", "-pubin", "-outform", "DER"]
    return hashlib.sha256(subprocess.run(der, input=public, capture_output=True, check=True).stdout).hexdigest()


def eth(rpc: str, method: str, *parameters: object) -> str:
    """The result of one JSON-RPC call."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
    request = urllib.request.Request(rpc, data=body, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        result: str = json.load(answer)["result"]
    return result


def padded(data: bytes) -> bytes:
    """Report data that names these bytes."""
    return hashlib.sha256(data).digest() + bytes(32)


def runtime_events(event_log: str, rtmr3: bytes) -> dict[str, bytes]:
    """Return payloads by name up to system-ready, after every digest was computed again and the log replayed."""
    register, payloads, ready = bytes(48), {}, False
    for event in json.loads(event_log):
        if event["imr"] != 3:
            continue
        name, payload = event["event"], bytes.fromhex(event["event_payload"])
        if event["event_type"] != RUNTIME_EVENT or event.get("version", 1) != 1:
            raise FailedError("the log holds a runtime event of a form this script does not know")
        kind = event["event_type"].to_bytes(4, "little")
        digest = hashlib.sha384(kind + b":" + name.encode() + b":" + payload).digest()
        register = hashlib.sha384(register + digest).digest()
        if not ready and name in payloads:
            raise FailedError(f"the log holds {name} twice")
        if not ready:
            payloads[name] = payload
        ready = ready or name == "system-ready"
    require(ready and register == rtmr3, "the event log, its digests computed here, leads to the quote's RTMR3")
    return payloads


def check_compose(node: Node) -> tuple[str, str]:
    """Rules 1 and 2; the app id and compose hash that /info states."""
    info = json.loads(node.get("/info"))
    compose = info["tcb_info"]["app_compose"]
    require(
        hashlib.sha256(compose.encode()).hexdigest() == info["compose_hash"],
        "rule 1: compose_hash is app_compose's SHA-256",
    )
    images = re.findall(
        r"""^\s*(?:-\s*)?["']?image["']?\s*:\s*(.*)$""", json.loads(compose)["docker_compose_file"], re.MULTILINE
    )
    pinned = re.compile(r"""["']?[^\s"'#${}]+@sha256:[0-9a-f]{64}["']?\s*""")
    require(
        bool(images) and all(map(pinned.fullmatch, images)), f"rule 2: all {len(images)} images are pinned by digest"
    )
    return info["app_id"].removeprefix("0x"), info["compose_hash"]


def check_evidence(node: Node) -> bytes:
    """Rule 3, and that the evidence is whole; its sha256sum.txt."""
    links = re.findall(r'href="(cert-[^"]*\.pem)"', node.get("/evidences/").decode())
    leaves = {}
    for link in links:
        first = node.get(f"/evidences/{link}").decode().partition("-----END CERTIFICATE-----")
        leaves[link] = hashlib.sha256(ssl.PEM_cert_to_DER_cert(first[0] + first[1])).hexdigest()
    served = hashlib.sha256(node.certificate).hexdigest()
    require(
        served in leaves.values(),
        f"rule 3: the certificate of this connection is in the evidence ({', '.join(leaves)})",
    )
    sums = node.get("/evidences/sha256sum.txt")
    for line in sums.decode().splitlines():
        digest, name = line.split("  ")
        if hashlib.sha256(node.get(f"/evidences/{name}")).hexdigest() != digest:
            raise FailedError(f"{name} has another hash than sha256sum.txt says")
        leaves.pop(name, None)
    require(not leaves, "sha256sum.txt lists every certificate, and every listed file has its hash")
    quote = bytes.fromhex(json.loads(node.get("/evidences/quote.json"))["quote"].removeprefix("0x"))
    require(quote[REPORT_DATA_AT:][:64] == padded(sums), "the evidence's quote is over sha256sum.txt")
    return sums


def check_fresh_quote(node: Node, sums: bytes, app_id: str, compose_hash: str) -> None:
    """A quote made now, for this nonce, host, key, evidence, app and compose text."""
    nonce = secrets.token_hex(32)
    answer = json.loads(node.get(f"/attestation?nonce={nonce}"))
    quote, statement = bytes.fromhex(answer["quote"].removeprefix("0x")), json.loads(answer["statement"])
    require(quote[REPORT_DATA_AT:][:64] == padded(answer["statement"].encode()), "a fresh quote is over its statement")
    require(
        statement["purpose"] == "svc.attestation.v1" and statement["nonce"] == nonce, "the statement has this nonce"
    )
    require(statement["host"] == node.host, f"it names the host {node.host}")
    require(spki_sha256(node.certificate) in statement["spki_sha256"], "it names this connection's key")
    require(statement["evidence_sha256"] == hashlib.sha256(sums).hexdigest(), "it names this evidence")
    events = runtime_events(answer["event_log"], quote[RTMR3_AT:][:48])
    require(events["compose-hash"].hex() == compose_hash, "RTMR3 measured this compose hash")
    require(quote[MR_CONFIG_ID_AT:][:33] == b"\1" + bytes.fromhex(compose_hash), "so does MRCONFIGID")
    require(events["app-id"].hex() == app_id, "RTMR3 measured this app id")
    print(
        f"note  chain {statement['config']['settings']['chain_id']}, contract {statement['config']['settings']['contract_address']}"
    )


def check_governance(rpc: str, app_id: str, compose_hash: str) -> None:
    """Rule 4, at the contract whose address is the app id."""
    require(eth(rpc, "eth_getCode", f"0x{app_id}", "latest") not in {"0x", ""}, f"there is a contract at 0x{app_id}")
    call = {"to": f"0x{app_id}", "data": ALLOWED_COMPOSE_HASHES + compose_hash}
    require(int(eth(rpc, "eth_call", call, "latest"), 16) == 1, "rule 4: it allows the compose hash")


def main() -> int:
    """Check everything; 0 when all of it holds, 1 at the first claim that does not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="https://HOST[:PORT] of the node")
    parser.add_argument("--rpc", required=True, help="JSON-RPC provider of the governance chain, one that you trust")
    parser.add_argument("--app-id", help="the app id you expect; without it the node's own word is taken")
    given = parser.parse_args()
    try:
        node = Node(given.url)
        app_id, compose_hash = check_compose(node)
        if given.app_id is not None:
            require(given.app_id.lower().removeprefix("0x") == app_id, "the app id is the expected one")
        sums = check_evidence(node)
        check_fresh_quote(node, sums, app_id, compose_hash)
        check_governance(given.rpc, app_id, compose_hash)
    except FailedError as failed:
        print(f"FAIL  {failed}")
        return 1
    print("note  not checked here: the quote's signature, the platform's patch level, the OS image (svc-verify does)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
