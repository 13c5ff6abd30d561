"""TLS and freshness (spec 13.3; test_holes.py, 4, 5, 7 and 19)."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from attest.statement import padded_sha256
from devkit.tee_simulator.seed import seeded_bytes
from svc_verifier.material import Connection, HttpResponse
from svc_verifier.trust import Freshness
from tests.support.attested.accounts import KMS_ROOT
from tests.support.attested.case import Case, accepted, case
from tests.support.attested.look import DAY_S, NOTHING_PINNED, Look, certificate, spki_sha256
from tests.support.attested.td import NOW_S, SEED

EVIDENCE_ONLY: Final = {"freshness": Freshness.EVIDENCE}
STATEMENT: Final = "freshness.statement"


def other_connection(path: str, leaf: bytes | None = None) -> Callable[[Look], None]:
    """One answer came over another connection, of another certificate unless told otherwise (hole 5)."""

    def tamper(look: Look) -> None:
        bodies = {"/info": look.info, "/attestation": look.attestation}
        body = json.dumps(bodies[path]).encode() if path in bodies else look.files[path]
        look.connections.append(Connection((certificate("impostor") if leaf is None else leaf,), "TLSv1.3", ""))
        look.answers[path] = HttpResponse(200, body, len(look.connections) - 1)

    return tamper


def stated(**changes: Any) -> Callable[[Look], object]:
    """A statement that the TD itself quoted, with other members; None takes one away."""

    def tamper(look: Look) -> None:
        members = look.statement | changes
        look.statement = {name: value for name, value in members.items() if value is not None}

    return tamper


def written(change: Callable[[str], str]) -> Callable[[Look], object]:
    """A statement in another text, quoted by the TD itself."""

    def tamper(look: Look) -> None:
        look.statement_text = change(look.statement_text)

    return tamper


def relayed(look: Look) -> None:
    """An impostor between: his certificate on the connection, everything else fetched from the true node (hole 4)."""
    look.connections[0] = replace(look.connections[0], peer_der=(certificate("impostor"),))


def without_statement(look: Look) -> None:
    """A node that knows no nonce: its quote is over zeros."""
    look.attestation = look.td.quote(bytes(64))


def too_old(look: Look) -> None:
    """Asked without a nonce in the end."""
    without_statement(look)
    look.nonce = None


def stale(look: Look) -> None:
    """The certificate of the set has ended."""
    look.leaf = certificate("tls", not_before_s=NOW_S - 91 * DAY_S, days=90)


def early(look: Look) -> None:
    """The certificate of the set is not valid yet."""
    look.leaf = certificate("tls", not_before_s=NOW_S + DAY_S)


def renewed(look: Look) -> None:
    """A certificate that nobody attested, of the very same key."""
    look.connections[0] = Connection((certificate("tls", days=89),), "TLSv1.3", "")


CONNECTION_CASES: Final[tuple[Case, ...]] = (
    case("relay: the impostor's own certificate", "tls.certificate freshness.statement", tamper=relayed),
    case("tls: a certificate of the same key that the set does not list", "tls.certificate", tamper=renewed),
    case("tls: /info over another connection's certificate", "tls.connection", tamper=other_connection("/info")),
    case("tls: the evidence over another connection's certificate", "tls.connection", tamper=other_connection("sha256sum.txt")),
    case("tls: the attestation over another connection's certificate", "tls.certificate tls.connection freshness.statement",
         tamper=other_connection("/attestation")),
    accepted("tls: two connections of one certificate", tamper=lambda look: other_connection("/info", look.leaf)(look)),
    case("tls: no certificate at all", "tls.certificate tls.connection tls.web-pki freshness.statement", "freshness.evidence",
         tamper=lambda look: look.connections.__setitem__(0, Connection((), "", ""))),
    case("tls: a connection that was not recorded", "tls.certificate tls.connection tls.web-pki freshness.statement", "freshness.evidence",
         tamper=lambda look: look.connections.clear()),
    case("tls: a certificate that is none", "tls.certificate tls.connection tls.web-pki freshness.statement", "freshness.evidence",
         tamper=lambda look: look.connections.__setitem__(0, Connection((b"x",), "", ""))),
    case("host: a look at another one", "tls.connection", tamper=lambda look: setattr(look, "host", "other.example")),
    # freshness
    case("statement: none", "", STATEMENT, tamper=without_statement),
    case("statement: none, and no nonce was sent", "", STATEMENT, tamper=too_old),
    accepted("statement: none, and the evidence's age will do", tamper=too_old, trust=EVIDENCE_ONLY | NOTHING_PINNED),
    case("statement: none, and the pinned RPC providers are not proven", "", "config.rpc-providers", tamper=too_old,
         trust=EVIDENCE_ONLY | NOTHING_PINNED | {"rpc_providers": frozenset({"https://rpc.example"})}),
    case("statement: none, and the pinned key service is not proven", "", "config.kms-key", tamper=too_old,
         trust=EVIDENCE_ONLY | NOTHING_PINNED | {"kms_root_public_key": KMS_ROOT}),
    case("statement: none, and the pinned account contract waits for its admin payer", "",
         "accounts.admin-payer config.chain config.contract config.rpc-providers config.kms-key", tamper=too_old, trust=EVIDENCE_ONLY),
    case("statement: another nonce, replayed", STATEMENT, tamper=stated(nonce="11" * 32)),
    case("statement: the verifier sent another nonce", STATEMENT, tamper=lambda look: setattr(look, "nonce", bytes(32))),
    case("statement: a nonce that was never sent", "", STATEMENT, tamper=lambda look: setattr(look, "nonce", None)),
    case("statement: another host", STATEMENT, tamper=stated(host="other.example")),
    case("statement: another purpose", STATEMENT, tamper=stated(purpose="svc.login.v1")),
    case("statement: another TLS key", STATEMENT, tamper=stated(spki_sha256=[spki_sha256(certificate("impostor")).hex()])),
    case("statement: no TLS key", STATEMENT, tamper=stated(spki_sha256=[])),
    case("statement: TLS keys as one text", STATEMENT, tamper=lambda look: stated(spki_sha256=look.statement["spki_sha256"][0])(look)),
    accepted("statement: this TLS key and another", tamper=lambda look: stated(
        spki_sha256=sorted([*look.statement["spki_sha256"], seeded_bytes(SEED, "x").hex()]))(look)),
    case("statement: another evidence set", STATEMENT, tamper=stated(evidence_sha256="11" * 32)),
    case("statement: a member more", STATEMENT, tamper=stated(more=1)),
    case("statement: a member missing", STATEMENT, tamper=stated(config=None)),
    case("statement: config is no object", STATEMENT, tamper=stated(config=[])),
    case("statement: not canonical", STATEMENT, tamper=written(lambda text: text.replace(",", ", "))),
    case("statement: a key twice", STATEMENT, tamper=written(lambda text: text[:-1] + ',"host":"node.example"}')),
    case("statement: no JSON", STATEMENT, tamper=written(lambda text: text[:-1])),
    case("statement: another text than the quote is over", STATEMENT,
         tamper=lambda look: look.attestation.update(statement=look.statement_text.replace("node.example", "nodf.example"))),
    case("statement: the quote is over zeros", STATEMENT,
         tamper=lambda look: look.attestation.update(quote=look.td.quote(bytes(64))["quote"])),
    case("statement: the hash not padded with zeros", STATEMENT,
         tamper=lambda look: look.attestation.update(quote=look.td.quote(padded_sha256(look.statement_text.encode())[:32] * 2)["quote"])),
    case("statement: bad, though none was asked for", STATEMENT, tamper=stated(nonce="11" * 32), trust=EVIDENCE_ONLY),
    case("evidence: stale, its certificate has ended", "freshness.evidence", tamper=stale),
    case("evidence: its certificate is not valid yet", "freshness.evidence", tamper=early),
)  # fmt: skip
