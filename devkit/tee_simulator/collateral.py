"""Collateral of the simulated platform, in Intel's form, signed by the simulator's authorities.

Revocation lists, TCB info v3 and QE identity v2 are valid for a month; `Collateral` has the time of
its replacement. `dcap_qvl.QuoteCollateralV3.from_json` reads the JSON.
"""

import datetime as dt
import json
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from devkit.tee_simulator.authorities import Authorities, Certified
from devkit.tee_simulator.options import TcbStatus
from devkit.tee_simulator.pck_extension import CPU_SVN, FMSPC, PCE_ID, PCE_SVN
from devkit.tee_simulator.quote import QE_ATTRIBUTES, QE_ISV_PROD_ID, QE_ISV_SVN, QE_MR_SIGNER, TEE_TCB_SVN
from devkit.tee_simulator.seed import raw_signature

DAY_S: Final = 86_400
LIFE_DAYS: Final = 30
RENEWED_DAYS_BEFORE_END: Final = 10
EVALUATION_DATA_NUMBER: Final = 20
TCB_DATE: Final = "2025-01-01T00:00:00Z"
SGX_COMPONENTS: Final = 16


@dataclass(frozen=True, slots=True)
class Collateral:
    """`text` is JSON, valid from `issued_s`, to be replaced at `due_s`, ten days before its end."""

    text: str
    issued_s: int
    due_s: int

    def is_due(self, now_s: float) -> bool:
        """Whether a new one is due, also when the clock went back before this one."""
        return not self.issued_s <= now_s < self.due_s


def issue_collateral(
    authorities: Authorities, status: TcbStatus, advisories: tuple[str, ...], now_s: float
) -> Collateral:
    """Returns the collateral of the day of `now_s` (unix seconds), the same bytes all day."""
    # The day before, for verifiers whose clock is hours behind.
    issued_s = (int(now_s) // DAY_S - 1) * DAY_S
    window = (
        dt.datetime.fromtimestamp(issued_s, dt.UTC),
        dt.datetime.fromtimestamp(issued_s + LIFE_DAYS * DAY_S, dt.UTC),
    )
    signer = authorities.tcb_signing
    tcb_info, qe_identity = _tcb_info(window, status, advisories), _qe_identity(window)
    chain = signer.pem + authorities.root.pem
    parts = {
        "pck_crl_issuer_chain": authorities.pck_ca.pem + authorities.root.pem,
        "root_ca_crl": _revocation_list(authorities.root, window),
        "pck_crl": _revocation_list(authorities.pck_ca, window),
        "tcb_info_issuer_chain": chain,
        "tcb_info": tcb_info,
        "tcb_info_signature": raw_signature(signer.key, tcb_info.encode()).hex(),
        "qe_identity_issuer_chain": chain,
        "qe_identity": qe_identity,
        "qe_identity_signature": raw_signature(signer.key, qe_identity.encode()).hex(),
    }
    due_s = issued_s + (LIFE_DAYS - RENEWED_DAYS_BEFORE_END) * DAY_S
    return Collateral(json.dumps(parts, indent=1), issued_s, due_s)


def _revocation_list(issuer: Certified, window: tuple[dt.datetime, dt.datetime]) -> str:
    """Returns an empty list in DER, hex. Verifiers refuse one without extensions."""
    builder = x509.CertificateRevocationListBuilder(issuer.certificate.subject, *window)
    key_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key())
    builder = builder.add_extension(x509.CRLNumber(1), critical=False).add_extension(key_id, critical=False)
    return builder.sign(issuer.key, SHA256(), ecdsa_deterministic=True).public_bytes(Encoding.DER).hex()


def _dates(window: tuple[dt.datetime, dt.datetime]) -> dict[str, object]:
    issued, ends = (f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in window)
    return {"issueDate": issued, "nextUpdate": ends}


def _components(svns: bytes) -> list[dict[str, int]]:
    return [{"svn": svn} for svn in svns]


def _level(tcb: dict[str, object], status: TcbStatus, advisories: tuple[str, ...]) -> dict[str, object]:
    # Like in Intel's documents, a level that is up to date names no advisory.
    named = {} if status is TcbStatus.UP_TO_DATE else {"advisoryIDs": list(advisories)}
    return {"tcb": tcb, "tcbDate": TCB_DATE, "tcbStatus": status.value, **named}


def _tcb_info(window: tuple[dt.datetime, dt.datetime], status: TcbStatus, advisories: tuple[str, ...]) -> str:
    module = {"mrsigner": bytes(48).hex(), "attributes": bytes(8).hex(), "attributesMask": "FF" * 8}
    # TCB info v3: the second byte, the module's version, selects its tdxModuleIdentities entry.
    isvsvn, version = TEE_TCB_SVN[0], TEE_TCB_SVN[1]
    module_level = _level({"isvsvn": isvsvn}, TcbStatus.UP_TO_DATE, ())
    platform = {
        "sgxtcbcomponents": _components(CPU_SVN),
        "pcesvn": PCE_SVN,
        "tdxtcbcomponents": _components(TEE_TCB_SVN),
    }
    return _compact(
        {
            "id": "TDX",
            "version": 3,
            **_dates(window),
            "fmspc": FMSPC.hex().upper(),
            "pceId": PCE_ID.hex(),
            "tcbType": 0,
            "tcbEvaluationDataNumber": EVALUATION_DATA_NUMBER,
            "tdxModule": module,
            "tdxModuleIdentities": [{"id": f"TDX_{version:02X}", **module, "tcbLevels": [module_level]}],
            "tcbLevels": [_level(platform, status, advisories)],
        }
    )


def _qe_identity(window: tuple[dt.datetime, dt.datetime]) -> str:
    return _compact(
        {
            "id": "TD_QE",
            "version": 2,
            **_dates(window),
            "tcbEvaluationDataNumber": EVALUATION_DATA_NUMBER,
            "miscselect": bytes(4).hex(),
            "miscselectMask": "FF" * 4,
            "attributes": QE_ATTRIBUTES.hex().upper(),
            "attributesMask": "FF" * 16,
            "mrsigner": QE_MR_SIGNER.hex().upper(),
            "isvprodid": QE_ISV_PROD_ID,
            "tcbLevels": [_level({"isvsvn": QE_ISV_SVN}, TcbStatus.UP_TO_DATE, ())],
        }
    )


def _compact(document: dict[str, object]) -> str:
    # The signature is over these very bytes, so they go into the collateral unchanged.
    return json.dumps(document, separators=(",", ":"))
