"""One look at the node: everything a verifier fetches, as mutable parts that a test may tamper with."""

import datetime as dt
import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import JsonValue

from attest.evidence import ACCOUNT_FILE, QUOTE_FILE, SUMS_FILE, quote_file, sums_of
from attest.responses import Quote
from attest.statement import CanonicalConfig, Statement, padded_sha256
from devkit.tee_simulator.seed import seeded_bytes, seeded_key
from svc_verifier.material import CaaRecords, Connection, HttpResponse, Material, Missing, ProviderAnswers
from svc_verifier.trust import DevelopmentRoot, Trust
from tests.support.attested.accounts import ADMIN_PAYER, KMS_ROOT, PINS, RPC_PROVIDER, attested
from tests.support.attested.governance import CHAIN_ID, Chain
from tests.support.attested.td import APP_ID, NOW_S, Td

HOST: Final = "node.example"
NONCE: Final = hashlib.sha256(b"the verifier's nonce").digest()
CERTIFICATE_FILE: Final = f"cert-{HOST}.pem"
RPC_URLS: Final = ("https://one.example/key", "https://two.example/key")
PLATFORM: Final = ("DE0DE0000000", "platform")
CONFIG: Final[dict[str, JsonValue]] = attested(CHAIN_ID, HOST)
DAY_S: Final = 86_400
NOTHING_PINNED: Final[dict[str, Any]] = {"accounts": None, "rpc_providers": frozenset(), "kms_root_public_key": None}
"""Of a node's configuration."""


def certificate(name: str = "tls", host: str = HOST, not_before_s: int = NOW_S - 30 * DAY_S, days: int = 90) -> bytes:
    """A leaf certificate in DER whose key is that of `name`: the same bytes each time."""
    seed = hashlib.sha256(b"svc verifier tests: TLS").digest()
    key = seeded_key(seed, name)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    start = dt.datetime.fromtimestamp(not_before_s, dt.UTC)
    serial = int.from_bytes(seeded_bytes(seed, f"{name} {host} {not_before_s} {days}")[:15], "big") + 1
    end = start + dt.timedelta(days=days)
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), serial, start, end)
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    return builder.sign(key, SHA256(), ecdsa_deterministic=True).public_bytes(Encoding.DER)


def pem(der: bytes) -> bytes:
    """The certificate in PEM."""
    return x509.load_der_x509_certificate(der).public_bytes(Encoding.PEM)


def spki_sha256(der: bytes) -> bytes:
    """Of the certificate's public key."""
    key = x509.load_der_x509_certificate(der).public_key()
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()


@dataclass
class Look:
    """Built from a TD and the TD of the evidence quote (the same); what a test changes before `material` is seen."""

    td: Td = field(default_factory=Td)
    evidence_td: Td | None = None
    nonce: bytes | None = NONCE
    now_s: int = NOW_S
    host: str = HOST
    leaf: bytes = field(default_factory=certificate)
    account: bytes = b'{"uri":"self-signed"}\n'
    caa: CaaRecords | Missing = field(default_factory=lambda: Missing("DEV: not looked up"))
    replayed: bool = False
    platform: tuple[str, str] = PLATFORM
    no_evidence: bool = False

    @cached_property
    def files(self) -> dict[str, bytes]:
        """The evidence set as attest publishes it."""
        files = {ACCOUNT_FILE: self.account, CERTIFICATE_FILE: pem(self.leaf)}
        sums = sums_of(files)
        return {**files, SUMS_FILE: sums, QUOTE_FILE: self.evidence_quote(padded_sha256(sums))}

    def evidence_quote(self, report_data: bytes, td: Td | None = None) -> bytes:
        """`quote.json` over these 64 bytes."""
        return quote_file(Quote.model_validate((td or self.evidence_td or self.td).quote(report_data)))

    @cached_property
    def statement(self) -> dict[str, Any]:
        """The statement's members; `text` writes them in canonical form."""
        sums = hashlib.sha256(self.files[SUMS_FILE]).digest()
        made = Statement(
            NONCE.hex(), HOST, [spki_sha256(self.leaf)], sums, CanonicalConfig(CONFIG), f"0x{ADMIN_PAYER.hex()}"
        )
        read: dict[str, Any] = json.loads(made.text)
        return read

    @cached_property
    def statement_text(self) -> str:
        """RFC 8785 of these members; a test may put any other text here."""
        return json.dumps(self.statement, separators=(",", ":"), sort_keys=True, ensure_ascii=False)

    @cached_property
    def attestation(self) -> dict[str, Any]:
        """The answer of `/attestation?nonce=`."""
        answer = self.td.quote(padded_sha256(self.statement_text.encode()))
        return {**answer, "statement": self.statement_text}

    @cached_property
    def info(self) -> dict[str, Any]:
        """The answer of `/info`."""
        return self.td.info()

    @cached_property
    def collateral(self) -> dict[str, str]:
        """The collateral, as JSON values."""
        return dict(self.td.collateral)

    @cached_property
    def chain(self) -> Chain:
        """What is true on chain."""
        return Chain(hashlib.sha256(self.td.options.app_compose.encode()).digest())

    @cached_property
    def providers(self) -> list[ProviderAnswers | Missing]:
        """Two providers that agree."""
        return [self.chain.answers("one.example"), self.chain.answers("two.example")]

    @cached_property
    def connections(self) -> list[Connection]:
        """One TLS connection, to the leaf."""
        return [Connection((self.leaf,), "TLSv1.3", "")]

    @cached_property
    def answers(self) -> dict[str, HttpResponse | Missing]:
        """Answers in the place of those that are written from the parts, by path; a test puts them here."""
        return {}

    def material(self) -> Material:
        """All of it, as it would have been fetched."""
        files = {name: self._answer(name, content) for name, content in self.files.items()}
        return Material(
            host=self.host,
            now_s=self.now_s,
            nonce=self.nonce,
            connections=tuple(self.connections),
            attestation=self._answer("/attestation", json.dumps(self.attestation).encode()),
            info=self._answer("/info", json.dumps(self.info).encode()),
            evidences=Missing("connection refused") if self.no_evidence else files,
            collateral={self.platform: json.dumps(self.collateral)},
            providers=tuple(self.providers),
            caa=self.caa,
            replayed=self.replayed,
        )

    def _answer(self, path: str, body: bytes) -> HttpResponse | Missing:
        return self.answers.get(path, HttpResponse(200, body, 0))


def development_trust(td: Td | None = None, **changes: Any) -> Trust:
    """What a user of the development node trusts."""
    root = DevelopmentRoot((td or Td()).root_der)
    trust = Trust(
        host=HOST,
        app_id=APP_ID,
        chain_id=CHAIN_ID,
        rpc_urls=RPC_URLS,
        development_root=root,
        accounts=PINS,
        rpc_providers=frozenset({RPC_PROVIDER}),
        kms_root_public_key=KMS_ROOT,
    )
    return replace(trust, **changes)
